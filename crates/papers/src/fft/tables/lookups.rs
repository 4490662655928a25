//! Table 3, continued: the same numbers added on the lookup engine.

use super::super::super::report::{Cell, Origin, Row, Section, ratio, significant, spread};
use super::super::paper;
use super::super::study::{GateSet, LookupSet, Study};
use super::table;

pub(super) fn section(study: &Study) -> Section {
    let columns = [
        "the same sum by lookups",
        "s",
        "least … most",
        "paper's best ÷",
        "library's best ÷",
        "our gates' best ÷",
    ];
    let paper_best = (study.operands == paper::OPERANDS)
        .then(|| study.best_of_paper())
        .flatten();
    let library_best = study.best_of_library().map(|(_, seconds)| seconds);
    let gates_best = study.gate_sets.iter().filter_map(GateSet::best_sum);
    let gates_best = gates_best.min_by(f64::total_cmp);
    let mut rows = Vec::new();
    for set in &study.lookup_sets {
        rows.push(Row::Heading(of_lookups(set)));
        for times in &set.processors {
            let against = |other: Option<f64>, origin| {
                other.map_or_else(
                    || Cell::text(""),
                    |seconds| Cell::new(origin, ratio(seconds / times.sum.median)),
                )
            };
            let cells = vec![
                Cell::new(Origin::Measured, significant(times.sum.median)),
                Cell::text(spread(&times.sum, 1.0)),
                against(paper_best, Origin::Text),
                against(library_best, Origin::Recorded),
                against(gates_best, Origin::Text),
            ];
            rows.push(Row::Cells(times.fft.name().to_owned(), cells));
        }
    }
    let best = study.best_of_library().map(|(row, seconds)| {
        format!(
            "The library's best: {} at {} ms a gate, {} s for the shortest of the circuits above.",
            row.processor,
            significant(row.ms),
            significant(seconds)
        )
    });
    Section {
        title: "Table 3, continued: the same sum on the lookup engine".to_owned(),
        text: vec![
            "One bootstrap answers several functions of a sum of bits, so that all columns go \
             through compressors and carries ripple once."
                .to_owned(),
        ],
        table: table(&columns, rows),
        charts: Vec::new(),
        remarks: best.into_iter().collect(),
    }
}

fn of_lookups(set: &LookupSet) -> String {
    format!(
        "ours, {} ({} bits): {} lookups at depth {}",
        set.name,
        set.security_bits.floor(),
        set.lookups,
        set.depth
    )
}
