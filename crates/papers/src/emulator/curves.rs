//! Figures 18 to 24 as lines.

use super::super::bench::Figure;
use super::super::report::{Chart, Line, Lines, Origin, Point, Stroke};
use super::paper::{MACHINE, Plot};
use super::study::{Engine, Item, Study};

/// The paper's bars, and ours on both engines.
pub(super) fn chart(study: &Study, plot: &Plot) -> Chart {
    let bars = plot.points().map(|(cores, ms)| Point {
        x: cores as f64,
        y: ms,
        origin: Origin::Paper,
    });
    let ours = |engine| {
        let item = Item::unit(plot.function, 16);
        let entries = study.entries.iter();
        let entries = entries.filter(|entry| entry.engine == engine && entry.item == item);
        let points = entries.map(|entry| Point {
            x: entry.outcome.workers as f64,
            y: entry.outcome.figure.seconds() * 1e3,
            origin: match entry.outcome.figure {
                Figure::Measured(_) => Origin::Measured,
                _ => Origin::Simulated,
            },
        });
        points.collect()
    };
    let lines = vec![
        Line {
            name: format!("the paper, {MACHINE}"),
            stroke: Stroke::Points,
            series: 0,
            points: bars.collect(),
        },
        Line {
            name: format!("{}, the paper's circuit on gates", study.gates.heading()),
            stroke: Stroke::Points,
            series: 2,
            points: ours(Engine::Gates),
        },
        Line {
            name: format!(
                "{}, lookups (hollow and dashed: simulated)",
                study.lookups.heading()
            ),
            stroke: Stroke::Points,
            series: 4,
            points: ours(Engine::Lookups),
        },
    ];
    let name = plot.function.unit().map_or("", |unit| unit.name);
    Chart::Lines(Lines {
        title: format!(
            "Figure {}: {name}, 16 bits: time against cores",
            plot.figure
        ),
        axes: ["cores", "milliseconds"].map(str::to_owned),
        lines,
    })
}
