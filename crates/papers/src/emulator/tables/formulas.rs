//! Tables XVI to XXIII: what the paper says units take, beside what its circuits have.

use super::super::super::report::{Cell, Origin, Row, Section};
use super::super::paper::{Function, WIDTHS, formulas};
use super::super::study::{Item, Study};
use super::{missing, table};

/// A unit of each table.
const FUNCTIONS: [Function; 8] = [
    Function::Addition,
    Function::Subtraction,
    Function::ShiftLeft,
    Function::Multiplication,
    Function::MultiplicationSigned,
    Function::Division,
    Function::And,
    Function::Flags,
];

pub(super) fn section(study: &Study) -> Section {
    let columns = [
        "bootstraps",
        "one core, formula",
        "its value",
        "counted",
        "counted ÷ formula",
        "enough cores, formula",
        "its value",
        "counted",
    ]
    .map(str::to_owned);
    let mut rows = Vec::new();
    for width in WIDTHS {
        rows.push(Row::Heading(format!("N = {width}")));
        for function in FUNCTIONS {
            let (Some(of), Some(unit)) = (formulas(function, width), function.unit()) else {
                continue;
            };
            let counted = study.gates_of(Item::unit(function, width), 1);
            let size = counted.map(|outcome| outcome.size);
            let number = |count: usize| Cell::text(count.to_string());
            let cells = vec![
                Cell::new(Origin::Paper, of.single),
                Cell::new(Origin::Paper, of.gates.to_string()),
                size.map_or_else(missing, |size| number(size.bootstraps)),
                size.map_or_else(missing, |size| {
                    Cell::text(format!("{:.2}", size.bootstraps as f64 / of.gates as f64))
                }),
                Cell::new(Origin::Paper, of.multi),
                Cell::new(Origin::Paper, of.depth.to_string()),
                size.map_or_else(missing, |size| number(size.depth)),
            ];
            rows.push(Row::Cells(format!("{} ({})", unit.name, of.table), cells));
        }
    }
    Section {
        title: "Tables XVI to XXIII: scalability formulas beside the circuits".to_owned(),
        text: vec![
            "Formulas of §VII-A in units of G, a gate; counted are the bootstraps of the circuits that \
             the paper draws and that run above, a selection as two."
                .to_owned(),
        ],
        table: table(&columns, rows),
        remarks: vec![
            "The formula for the adder counts three gates of the carries for each column, once. The \
             scan of figure 8 joins N − 1, N − 2, N − 4, … columns in its log N levels, about N log N − \
             N joins of two or three gates. The paper's own single core says so too: 4401 ms are \
             172 gates of 25.6 ms, where 6N = 96. Everything that adds inherits the difference."
                .to_owned(),
            "An adder is one gate shallower than its formula: of the columns that join last only the \
             carry out is late, and no bit of the sum waits for it. A chain of adders is shallower than \
             the sum of its members, since low columns are ready early; the formula waits for each \
             member as a whole, as the paper's program does."
                .to_owned(),
            "Counted flags have an OR less than N for the zero flag. Selections with a clear 0 at the end \
             of a shifted word are single ANDs, so that shifters have less than 2N log N."
                .to_owned(),
        ],
        ..Section::default()
    }
}
