//! Figures 18 to 24: time against cores.

use super::super::super::report::{Cell, Origin, Row, Section, significant};
use super::super::curves;
use super::super::paper::{FIGURES, Plot};
use super::super::study::{Engine, Item, Study};
use super::{blank, size, table, time};

/// Cores of the table.
const CORES: [usize; 8] = [1, 2, 3, 7, 15, 23, 31, 47];

pub(super) fn sections(study: &Study) -> Vec<Section> {
    FIGURES.iter().map(|plot| section(study, plot)).collect()
}

fn section(study: &Study, plot: &Plot) -> Section {
    let name = plot.function.unit().map_or("", |unit| unit.name);
    let mut columns = vec!["milliseconds".to_owned()];
    columns.extend(CORES.iter().map(|&cores| match cores {
        1 => "1 core".to_owned(),
        _ => cores.to_string(),
    }));
    columns.push("most speedup".to_owned());
    let item = Item::unit(plot.function, 16);
    // Only every second number of cores has a bar.
    let bar = |&cores: &usize| {
        let bar = plot.points().find(|&(of, _)| of == cores);
        bar.map_or_else(blank, |(_, ms)| Cell::new(Origin::Paper, significant(ms)))
    };
    let mut cells: Vec<Cell> = CORES.iter().map(bar).collect();
    cells.push(Cell::new(Origin::Paper, format!("{:.2}×", plot.speedup)));
    let mut rows = vec![Row::Cells("the paper".to_owned(), cells)];
    for (engine, name) in [
        (Engine::Gates, "ours, gates as drawn"),
        (Engine::Lookups, "ours, lookups"),
    ] {
        let of = |&cores: &usize| study.of(engine, item, cores);
        let mut cells: Vec<Cell> = CORES.iter().map(|cores| time(of(cores))).collect();
        let seconds = |cores| of(cores).map(|outcome| outcome.figure.seconds());
        let all = CORES.iter().filter_map(seconds);
        let least = all.fold(f64::INFINITY, f64::min);
        cells.push(match seconds(&1) {
            Some(one) => Cell::text(format!("{:.2}×", one / least)),
            None => blank(),
        });
        rows.push(Row::Cells(name.to_owned(), cells));
        if engine == Engine::Lookups {
            let mut cells: Vec<Cell> = CORES.iter().map(|cores| size(of(cores))).collect();
            cells.push(blank());
            rows.push(Row::Cells("  lookups / depth".to_owned(), cells));
        }
    }
    Section {
        title: format!("Figure {}: {name}, 16 bits, against cores", plot.figure),
        table: table(&columns, rows),
        charts: vec![curves::chart(study, plot)],
        remarks: vec![
            "The paper prints bars without numbers; these are as the description of the figure in its \
             text reads them, at odd numbers of cores."
                .to_owned(),
        ],
        ..Section::default()
    }
}
