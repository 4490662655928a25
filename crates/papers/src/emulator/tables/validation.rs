//! Whether the replay can be believed: predicted beside measured, where there are cores.

use super::super::super::bench::{Figure, Outcome};
use super::super::super::report::{Cell, Origin, Row, Section, significant};
use super::super::run;
use super::super::study::{Engine, Entry, Study};
use super::{MS, table};

/// How far a prediction may be off.
const TOLERANCE: f64 = 0.1;
/// Shorter runs say more about the machine's other work than about the replay: milliseconds.
const SHORTEST: f64 = 20.0;

/// A run that is long enough to be held against its prediction.
fn judged(entry: &&Entry) -> bool {
    entry.item.part.is_none()
        && entry.outcome.prediction.is_some()
        && entry.outcome.figure.seconds() * MS >= SHORTEST
}

pub(super) fn section(study: &Study) -> Section {
    let mut columns = vec!["milliseconds".to_owned()];
    for threads in &study.threads {
        columns.push(format!("predicted, {}", super::threads(*threads)));
        columns.push("measured".to_owned());
        columns.push("predicted ÷ measured".to_owned());
    }
    let mut rows = Vec::new();
    for (engine, name) in [
        (Engine::Gates, "gates as drawn"),
        (Engine::Lookups, "lookups"),
    ] {
        rows.push(Row::Heading(name.to_owned()));
        let mut items: Vec<_> = Vec::new();
        for entry in study.entries.iter().filter(judged) {
            if entry.engine == engine && !items.contains(&entry.item) {
                items.push(entry.item);
            }
        }
        for item in items {
            let mut cells = Vec::new();
            for &threads in &study.threads {
                let outcome = study.of(engine, item, threads);
                match outcome.and_then(|outcome| Some((outcome, outcome.prediction?))) {
                    Some((outcome, ratio)) => cells.extend([
                        Cell::new(Origin::Simulated, significant(least(outcome) * ratio * MS)),
                        Cell::new(Origin::Measured, significant(least(outcome) * MS)),
                        Cell::text(format!("{ratio:.3}")),
                    ]),
                    None => cells.extend([Cell::text(""), Cell::text(""), Cell::text("")]),
                }
            }
            rows.push(Row::Cells(run::name(item), cells));
        }
    }
    Section {
        title: "Validation of the simulation".to_owned(),
        text: vec![
            "The scheduler replayed with the times of batches that were measured before anything else, \
             and the same circuit run, the fastest of its rounds. The speed of a machine drifts within \
             minutes: right before and right after every round one full batch for each thread is run, \
             and the prediction is for the speed that these two show. What takes longer than a second \
             and a half is run once."
                .to_owned(),
        ],
        table: table(&columns, rows),
        remarks: vec![verdict(study)],
        ..Section::default()
    }
}

/// Seconds of the fastest round.
fn least(outcome: &Outcome) -> f64 {
    match outcome.figure {
        Figure::Measured(times) => times.least,
        figure => figure.seconds(),
    }
}

fn verdict(study: &Study) -> String {
    let predictions: Vec<f64> = study
        .entries
        .iter()
        .filter(judged)
        .filter_map(|entry| entry.outcome.prediction)
        .collect();
    let off = |ratio: &f64| (ratio - 1.0).abs();
    let within = predictions.iter().filter(|ratio| off(ratio) <= TOLERANCE);
    let worst = predictions.iter().map(off).fold(0.0, f64::max);
    format!(
        "{} of {} runs of at least {SHORTEST:.0} ms are within {:.0} % of their prediction; the worst is \
         {:.1} % off.",
        within.count(),
        predictions.len(),
        TOLERANCE * 100.0,
        worst * 100.0
    )
}
