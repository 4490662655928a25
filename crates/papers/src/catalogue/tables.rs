//! The study in words: a section for each family, and how far the library's choices are from the
//! best.

use super::run::{Row, Study};
use crate::bench::Outcome;
use crate::report::{self, Cell, Report, Section, Table, significant};

/// How far a choice may be from the best.
const ASKED: f64 = 1.05;
const MS: f64 = 1e3;

/// The document.
pub(super) fn report(study: &Study) -> Report {
    let mut facts = study.provenance.facts();
    facts.push(study.lookups.fact("lookups"));
    facts.push(study.gates.fact("gates"));
    let mut families: Vec<&str> = study.rows.iter().map(|row| row.family.as_str()).collect();
    families.dedup();
    let mut sections: Vec<Section> = families
        .iter()
        .map(|family| section(study, family))
        .collect();
    if study.rows.iter().any(|row| row.selectors.is_some()) {
        sections.push(selectors(study));
    }
    sections.push(choices(study));
    Report {
        title: format!("The library's units of {} bits, every architecture", study.width),
        lead: vec![
            "Gates are ANDs, XORs and selections on an engine that has nothing else; lookups are those \
             of the prepared circuit. Milliseconds of lookups for each number of cores, of gates on one. \
             * marks what the library chooses by itself."
                .to_owned(),
        ],
        facts,
        sections,
        parts: Vec::new(),
    }
}

/// Operations of a family and their rows.
fn operations<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<Vec<&'a Row>> {
    let mut operations: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        match operations.last_mut() {
            Some(last)
                if last
                    .first()
                    .is_some_and(|first| first.operation == row.operation) =>
            {
                last.push(row);
            }
            _ => operations.push(vec![row]),
        }
    }
    operations
}

fn section(study: &Study, family: &str) -> Section {
    let mut columns: Vec<String> = ["", "ANDs", "XORs", "selections", "depth", "ms on gates"]
        .map(str::to_owned)
        .to_vec();
    for &cores in &study.cores {
        columns.push("lookups / depth".to_owned());
        columns.push(match cores {
            1 => "ms, 1 core".to_owned(),
            _ => format!("ms, {cores} cores"),
        });
    }
    columns.extend(["÷ best, each".to_owned(), "source".to_owned()]);
    let of_family = study.rows.iter().filter(|row| row.family == family);
    let mut rows = Vec::new();
    for operation in operations(of_family) {
        let name = operation.first().map_or("", |row| row.operation);
        rows.push(report::Row::Heading(name.to_owned()));
        for row in &operation {
            let mark = if row.is_default { "* " } else { "" };
            rows.push(report::Row::Cells(
                format!("{mark}{}", row.architecture),
                cells(study, &operation, row),
            ));
        }
    }
    let mut title = family.to_owned();
    title[..1].make_ascii_uppercase();
    Section {
        title,
        table: Table { columns, rows },
        ..Section::default()
    }
}

fn cells(study: &Study, operation: &[&Row], row: &Row) -> Vec<Cell> {
    let missing = || Cell::text("–");
    let mut cells = match &row.gates {
        Some(outcome) => {
            let size = outcome.size;
            let counts = [size.ands, size.xors, size.muxes, size.depth];
            let mut cells = counts.map(|count| Cell::text(count.to_string())).to_vec();
            cells.push(Cell::figure(&outcome.figure, MS));
            cells
        }
        None => (0..5).map(|_| missing()).collect(),
    };
    for &cores in &study.cores {
        match row.on(cores) {
            Some(outcome) => cells.extend([
                Cell::text(format!(
                    "{} / {}",
                    outcome.size.bootstraps, outcome.size.depth
                )),
                Cell::figure(&outcome.figure, MS),
            ]),
            None => cells.extend([missing(), missing()]),
        }
    }
    let ratios = study.cores.iter().map(|&cores| {
        distance(operation, row, cores).map_or_else(|| "–".to_owned(), |of| format!("{of:.2}"))
    });
    cells.push(Cell::text(ratios.collect::<Vec<_>>().join(" ")));
    cells.push(Cell::text(row.source));
    cells
}

/// A row's time over the best of its operation, on `cores` cores. What was run is held against what
/// was run if both were, else their predictions are compared.
fn distance(operation: &[&Row], row: &Row, cores: usize) -> Option<f64> {
    let own = row.on(cores)?;
    let against = |other: &Row| {
        let other = other.on(cores)?;
        let run = |outcome: &Outcome| outcome.prediction.is_some();
        Some(match run(own) && run(other) {
            true => own.figure.seconds() / other.figure.seconds(),
            false => own.predicted / other.predicted,
        })
    };
    let all = operation.iter().filter_map(|other| against(other));
    all.filter(|ratio| ratio.is_finite()).max_by(f64::total_cmp)
}

/// What a selector key gains.
fn selectors(study: &Study) -> Section {
    let columns = [
        "the library's choice on 1 core",
        "lookups",
        "ms",
        "with selectors: rotations",
        "choices",
        "ms",
        "times",
    ];
    let rows = study.rows.iter().filter_map(|row| {
        let (without, with) = (row.on(1), row.selectors.as_ref()?);
        let (lookups, time, gain) = match without {
            Some(without) => (
                Cell::text(without.size.bootstraps.to_string()),
                Cell::figure(&without.figure, MS),
                significant(without.figure.seconds() / with.figure.seconds()),
            ),
            None => (Cell::text("–"), Cell::text("–"), "–".to_owned()),
        };
        let cells = vec![
            lookups,
            time,
            Cell::text(with.size.bootstraps.to_string()),
            Cell::text(with.size.choices.to_string()),
            Cell::figure(&with.figure, MS),
            Cell::text(gain),
        ];
        Some(report::Row::Cells(row.operation.to_owned(), cells))
    });
    let rows = rows.collect();
    Section {
        title: "With a selector key".to_owned(),
        text: vec![
            "A rotation is a lookup, or makes one or two selectors in three times its time; a choice \
             takes microseconds. Units that have nothing to choose are as they were."
                .to_owned(),
        ],
        table: Table {
            columns: columns.map(str::to_owned).to_vec(),
            rows,
        },
        ..Section::default()
    }
}

/// How far the defaults are from the best.
fn choices(study: &Study) -> Section {
    let mut columns = vec!["the library's choice ÷ the best".to_owned()];
    columns.extend(study.cores.iter().map(|&cores| match cores {
        1 => "1 core".to_owned(),
        _ => format!("{cores} cores"),
    }));
    columns.push("architectures".to_owned());
    let (mut rows, mut worst) = (Vec::new(), Vec::new());
    for operation in operations(study.rows.iter()) {
        let Some(default) = operation.iter().find(|row| row.is_default) else {
            continue;
        };
        if operation.len() == 1 {
            continue;
        }
        let mut cells = Vec::new();
        for &cores in &study.cores {
            let distance = distance(&operation, default, cores);
            worst.extend(distance.map(|distance| (distance, default.operation, cores)));
            cells.push(Cell::text(
                distance.map_or_else(|| "–".to_owned(), |of| format!("{of:.3}")),
            ));
        }
        cells.push(Cell::text((operation.len() - 1).to_string()));
        rows.push(report::Row::Cells(default.operation.to_owned(), cells));
    }
    let within = worst.iter().filter(|of| of.0 <= ASKED).count();
    let mut remarks = vec![format!(
        "{within} of {} choices are within {:.0} % of the best.",
        worst.len(),
        (ASKED - 1.0) * 100.0
    )];
    if let Some((distance, operation, cores)) = worst.iter().max_by(|a, b| a.0.total_cmp(&b.0)) {
        remarks.push(format!(
            "The farthest: {operation} for {cores} cores, {} of the best.",
            significant(*distance)
        ));
    }
    Section {
        title: "Choices".to_owned(),
        text: vec![
            "Beside every architecture that can be forced, on the lookup engine.".to_owned(),
        ],
        table: Table { columns, rows },
        remarks,
        ..Section::default()
    }
}
