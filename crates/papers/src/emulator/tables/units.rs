//! Tables III to XV and XXIV: whole units.

use super::super::super::report::{Cell, Origin, Row, Section, ratio, significant};
use super::super::paper::{CORES, GATE, Kind, Source, UNITS, Unit, WIDTHS, formulas};
use super::super::run::has_gates;
use super::super::study::{Item, Study};
use super::{blank, size, table, threads, time, times};

fn paper(ms: f64) -> Cell {
    Cell::new(Origin::Paper, significant(ms))
}

/// 16 bits, where the paper has a single core.
pub(super) fn narrow(study: &Study) -> Section {
    let mut columns: Vec<String> = [
        "milliseconds, 16 bits",
        "HElib",
        "48 cores",
        "1 core",
        "gates / depth",
        "1 thread",
        "lookups / depth",
    ]
    .map(str::to_owned)
    .to_vec();
    columns.extend(study.threads.iter().map(|&count| threads(count)));
    columns.extend(["1 core ÷ ours", "asked for", "HElib ÷ ours"].map(str::to_owned));
    let twice = study.threads.contains(&1) && study.threads.contains(&2);
    if twice {
        columns.push("1 ÷ 2 threads".to_owned());
    }
    let mut rows = Vec::new();
    for kind in [Kind::Arithmetic, Kind::Bitwise, Kind::Flags] {
        rows.push(Row::Heading(heading(kind).to_owned()));
        for unit in UNITS.iter().filter(|unit| unit.kind == kind) {
            rows.push(narrow_row(study, unit, twice));
        }
    }
    Section {
        title: "Tables III to XV and XXIV: units of 16 bits, a single core beside one thread"
            .to_owned(),
        text: vec![format!(
            "The paper's columns: HElib and its own single core from table XXIV, 48 cores from tables \
             III to XV. Then its circuits on gates ({}), and the library's on lookups ({}).",
            study.gates.name, study.lookups.name
        )],
        table: table(&columns, rows),
        remarks: remarks(),
        ..Section::default()
    }
}

fn heading(kind: Kind) -> &'static str {
    match kind {
        Kind::Arithmetic => "arithmetic and shifts by secret amounts",
        Kind::Bitwise => "bitwise",
        Kind::Movement => "without gates",
        Kind::Flags => "condition flags of a result",
    }
}

fn remarks() -> Vec<String> {
    vec![
        "A selection is two bootstraps. The paper prints no single core for shifts, division and ORN: \
         taken from figures 20, 22 and 23 as their description in the text reads them (3200, 87000 \
         and 400 ms; 2GN log N of table XIX with G = 25.6 ms is 3277 ms for the shifters)."
            .to_owned(),
        "The adder appears with 528 ms in table III, 487 ms in the text and 566 ms in table XXIV."
            .to_owned(),
    ]
}

fn narrow_row(study: &Study, unit: &Unit, twice: bool) -> Row {
    let item = Item::unit(unit.function, WIDTHS[0]);
    let single = unit.single.map(|(ms, _)| ms);
    let one = study.lookups_of(item, 1);
    let mut cells = vec![
        unit.helib.map_or_else(blank, paper),
        paper(unit.multi[0]),
        match unit.single {
            Some((ms, Source::Figure(_))) => Cell::new(Origin::Paper, format!("{ms:.0}")),
            Some((ms, _)) => paper(ms),
            None => blank(),
        },
        size(study.gates_of(item, 1)),
        time(study.gates_of(item, 1)),
        size(one),
    ];
    let counts = study.threads.iter();
    cells.extend(counts.map(|&count| time(study.lookups_of(item, count))));
    cells.push(times(single, one));
    cells.push(match unit.kind.target() {
        Some(target) => Cell::text(format!("≥ {target:.0}×")),
        None => blank(),
    });
    cells.push(times(unit.helib, one));
    if twice {
        cells.push(match (one, study.lookups_of(item, 2)) {
            (Some(one), Some(two)) => {
                Cell::text(ratio(one.figure.seconds() / two.figure.seconds()))
            }
            _ => blank(),
        });
    }
    Row::Cells(unit.name.to_owned(), cells)
}

/// 32 bits, where the paper has 48 cores only.
pub(super) fn wide(study: &Study) -> Section {
    let mut columns: Vec<String> = [
        "milliseconds, 32 bits",
        "48 cores",
        "1 core by formula",
        "gates / depth",
        "1 thread",
        "lookups / depth",
    ]
    .map(str::to_owned)
    .to_vec();
    columns.extend(study.threads.iter().map(|&count| threads(count)));
    columns.extend(["48 cores", "formula ÷ ours", "48 cores ÷ ours"].map(str::to_owned));
    let mut rows = Vec::new();
    for unit in UNITS.iter().filter(|unit| has_gates(unit.function)) {
        let item = Item::unit(unit.function, WIDTHS[1]);
        let single = formulas(unit.function, WIDTHS[1]).map(|of| of.gates as f64 * GATE);
        let mut cells = vec![
            paper(unit.multi[1]),
            single.map_or_else(blank, paper),
            size(study.gates_of(item, 1)),
            time(study.gates_of(item, 1)),
            size(study.lookups_of(item, 1)),
        ];
        let counts = study.threads.iter();
        cells.extend(counts.map(|&count| time(study.lookups_of(item, count))));
        cells.extend([
            time(study.lookups_of(item, CORES)),
            times(single, study.lookups_of(item, 1)),
            times(Some(unit.multi[1]), study.lookups_of(item, CORES)),
        ]);
        rows.push(Row::Cells(unit.name.to_owned(), cells));
    }
    Section {
        title: "Tables IV to XV: units of 32 bits".to_owned(),
        text: vec![
            "The paper measured 32 bits on 48 cores only. Its single core is the formula of §VII-A \
             with G = 25.6 ms, which is too short for everything that adds (see there): ratios to it \
             are lower than ratios to a measurement would be."
                .to_owned(),
        ],
        table: table(&columns, rows),
        ..Section::default()
    }
}

/// Table XIV, what takes no gate.
pub(super) fn movement(study: &Study) -> Section {
    let columns = [
        "milliseconds",
        "paper, 16 bits",
        "paper, 32 bits",
        "bootstraps",
        "16 bits",
        "32 bits",
        "paper ÷ ours, 16 bits",
    ]
    .map(str::to_owned);
    let rows = UNITS.iter().filter(|unit| unit.kind == Kind::Movement);
    let rows = rows.map(|unit| {
        let items = WIDTHS.map(|width| Item::unit(unit.function, width));
        let [narrow, wide] = items.map(|item| study.lookups_of(item, 1));
        let bootstraps = narrow.map_or_else(blank, |outcome| {
            Cell::text(outcome.size.bootstraps.to_string())
        });
        let cells = vec![
            paper(unit.multi[0]),
            paper(unit.multi[1]),
            bootstraps,
            time(narrow),
            time(wide),
            times(Some(unit.multi[0]), narrow),
        ];
        Row::Cells(unit.name.to_owned(), cells)
    });
    Section {
        title: "Table XIV: bitwise operations with immediates and data movement".to_owned(),
        text: vec![
            "The paper encrypts an immediate operand and evaluates gates; here a clear operand folds \
             into the circuit, so that nothing is left to evaluate. What is measured is the scheduler \
             handing ciphertexts through, inverted where a NOT asks for it; the processor itself \
             only renames wires."
                .to_owned(),
        ],
        table: table(&columns, rows.collect()),
        ..Section::default()
    }
}
