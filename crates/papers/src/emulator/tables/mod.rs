//! The study in words: the paper's columns, ours and the ratios.

mod curves;
mod formulas;
mod parts;
mod units;
mod validation;

use super::super::bench::Outcome;
use super::super::report::{Cell, Report, Row, Table, ratio};
use super::paper;
use super::study::{Engine, Item, Study};

/// Milliseconds in a second.
const MS: f64 = 1e3;

/// The document.
pub(super) fn report(study: &Study) -> Report {
    let mut sections = vec![
        units::narrow(study),
        units::wide(study),
        units::movement(study),
        parts::section(study),
        formulas::section(study),
    ];
    sections.extend(curves::sections(study));
    sections.push(validation::section(study));
    Report {
        title: format!("The tables of “{}”, measured here", paper::TITLE),
        lead: vec![
            format!(
                "Reproduces tables III to XV and XXIV, figures 18 to 24 and tables XVI to XXIII of {}.",
                paper::SOURCE
            ),
            "The paper's circuits, as it draws them, run here on gates of the TFHE library's own \
             parameters, one bootstrap each; the same functions run on the lookup engine as the \
             library builds them. Ratios are the paper's time over ours, on one thread against its \
             single core; the machines differ by the years between them."
                .to_owned(),
        ],
        facts: facts(study),
        sections,
        parts: Vec::new(),
    }
}

fn facts(study: &Study) -> Vec<(String, String)> {
    let mut facts = study.provenance.facts();
    facts.push(("the paper's".to_owned(), paper::MACHINE.to_owned()));
    facts.push(study.gates.fact("gates"));
    facts.push(study.lookups.fact("lookups"));
    facts
}

fn table(columns: &[String], rows: Vec<Row>) -> Table {
    Table {
        columns: columns.to_vec(),
        rows,
    }
}

fn blank() -> Cell {
    Cell::text("")
}

/// What was not measured, and could not be simulated either.
fn missing() -> Cell {
    Cell::text("–")
}

/// Milliseconds of an outcome.
fn time(outcome: Option<&Outcome>) -> Cell {
    outcome.map_or_else(missing, |outcome| Cell::figure(&outcome.figure, MS))
}

/// The paper's milliseconds over ours.
fn times(paper: Option<f64>, outcome: Option<&Outcome>) -> Cell {
    match (paper, outcome) {
        (Some(paper), Some(outcome)) if outcome.figure.seconds() > 0.0 => {
            Cell::text(ratio(paper / MS / outcome.figure.seconds()))
        }
        _ => blank(),
    }
}

/// Bootstraps and the longest chain of them.
fn size(outcome: Option<&Outcome>) -> Cell {
    outcome.map_or_else(missing, |outcome| {
        Cell::text(format!(
            "{} / {}",
            outcome.size.bootstraps, outcome.size.depth
        ))
    })
}

/// Threads in words.
fn threads(count: usize) -> String {
    match count {
        1 => "1 thread".to_owned(),
        _ => format!("{count} threads"),
    }
}

impl Study {
    fn gates_of(&self, item: Item, workers: usize) -> Option<&Outcome> {
        self.of(Engine::Gates, item, workers)
    }

    fn lookups_of(&self, item: Item, workers: usize) -> Option<&Outcome> {
        self.of(Engine::Lookups, item, workers)
    }
}
