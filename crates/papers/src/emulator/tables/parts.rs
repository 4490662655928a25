//! Tables III to XIII: the stages of units, on gates.

use super::super::super::report::{Cell, Origin, Row, Section, significant};
use super::super::paper::{CORES, Function, STAGES};
use super::super::study::{Item, Study};
use super::{size, table, threads, time, times};

pub(super) fn section(study: &Study) -> Section {
    let mut columns = vec![
        "milliseconds, on gates".to_owned(),
        "paper, 48 cores".to_owned(),
        "gates / depth".to_owned(),
    ];
    columns.extend(study.threads.iter().map(|&count| threads(count)));
    columns.extend(["48 cores", "paper ÷ ours, 48 cores"].map(str::to_owned));
    let mut rows = Vec::new();
    for stages in STAGES {
        let unit = stages.function.unit();
        let name = unit.map_or("", |unit| unit.name);
        rows.push(Row::Heading(format!(
            "table {}: {name}, {} bits",
            stages.table, stages.width
        )));
        let row = |name: String, ms: f64, item: Item| {
            let mut cells = vec![
                Cell::new(Origin::Paper, significant(ms)),
                size(study.gates_of(item, 1)),
            ];
            let counts = study.threads.iter();
            cells.extend(counts.map(|&count| time(study.gates_of(item, count))));
            let many = study.gates_of(item, CORES);
            cells.extend([time(many), times(Some(ms), many)]);
            Row::Cells(name, cells)
        };
        for &(part, ms) in stages.parts {
            let item = Item {
                function: stages.function,
                part: Some(part),
                width: stages.width,
            };
            rows.push(row(part.to_string(), ms, item));
        }
        let at = usize::from(stages.width == 32);
        if let Some(unit) = unit {
            let item = Item::unit(stages.function, stages.width);
            rows.push(row("total".to_owned(), unit.multi[at], item));
        }
    }
    // Table XV has the flags apart.
    for (at, width) in [16, 32].into_iter().enumerate() {
        if let Some(unit) = Function::Flags.unit() {
            let item = Item::unit(Function::Flags, width);
            rows.push(Row::Heading(format!(
                "table XV: condition flags, {width} bits"
            )));
            let mut cells = vec![
                Cell::new(Origin::Paper, significant(unit.multi[at])),
                size(study.gates_of(item, 1)),
            ];
            let counts = study.threads.iter();
            cells.extend(counts.map(|&count| time(study.gates_of(item, count))));
            let many = study.gates_of(item, CORES);
            cells.extend([time(many), times(Some(unit.multi[at]), many)]);
            rows.push(Row::Cells("Z and V; N and C are copies".to_owned(), cells));
        }
    }
    Section {
        title: "Tables III to XIII and XV: stages as drawn, a gate for a gate".to_owned(),
        text: vec![
            "The paper's 48 cores stand beside the scheduler's replay of the same circuit on 48 \
             workers with gate times of this machine: no memory bandwidth is lost to the other \
             workers in it beyond what was measured, so that it is what the drawing allows."
                .to_owned(),
        ],
        table: table(&columns, rows),
        ..Section::default()
    }
}
