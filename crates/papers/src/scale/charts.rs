//! Speed-up and efficiency over cores: a chart of each for every network.

use super::simulated::{Row, Scaled};
use super::{Shapes, Study};
use crate::emulator::{CurveOfPaper, curves_of_paper};
use crate::report::{Chart, Line, Lines, Origin, Point, Stroke};

/// Figures of the paper that are drawn: its best unit, its largest, and its worst.
pub(super) const FIGURES: [usize; 3] = [20, 21, 24];

/// The colour of the paper, and those of programs.
const OF_PAPER: usize = 1;
const OF_PROGRAMS: [usize; 5] = [2, 4, 3, 5, 0];

/// The paper's curves that stand beside programs; of two in one figure the first.
pub(super) fn of_paper() -> Vec<CurveOfPaper> {
    let mut curves = curves_of_paper();
    curves.retain(|curve| FIGURES.contains(&curve.figure));
    curves.dedup_by_key(|curve| curve.figure);
    curves
}

/// What is drawn of a row.
#[derive(Clone, Copy)]
enum Figure {
    Speedup,
    Efficiency,
}

/// The names of the charts' files, in the order of [`all`].
pub(super) fn names(shapes: &Shapes) -> Vec<String> {
    let of = |&bits: &f64| {
        let rate = rate(bits).replace(" ", "-").replace("/s", "");
        [
            format!("speed-up-{rate}.svg"),
            format!("efficiency-{rate}.svg"),
        ]
    };
    shapes.networks.iter().flat_map(of).collect()
}

pub(super) fn all(study: &Study, shapes: &Shapes) -> Vec<Chart> {
    shapes
        .networks
        .iter()
        .flat_map(|&network| of_network(study, network))
        .collect()
}

/// Both charts of a network.
pub(super) fn of_network(study: &Study, network: f64) -> [Chart; 2] {
    [Figure::Speedup, Figure::Efficiency].map(|figure| {
        let mut lines = Vec::new();
        for (number, program) in study.programs.iter().enumerate() {
            let series = OF_PROGRAMS[number % OF_PROGRAMS.len()];
            lines.push(line(
                program,
                network,
                series,
                String::new(),
                Stroke::Bound,
                |row| of_bound(program, row, figure),
            ));
            let name = program.name.clone();
            lines.push(line(
                program,
                network,
                series,
                name,
                Stroke::Points,
                |row| match figure {
                    Figure::Speedup => row.speedup,
                    Figure::Efficiency => 100.0 * row.efficiency,
                },
            ));
        }
        lines.extend(of_paper().iter().map(|curve| of_curve(curve, figure)));
        let what = match figure {
            Figure::Speedup => "Speed-up over one core",
            Figure::Efficiency => "Efficiency over cores",
        };
        let axis = match figure {
            Figure::Speedup => "times one core",
            Figure::Efficiency => "percent",
        };
        Chart::Lines(Lines {
            title: format!(
                "{what}, simulated: {} cores a machine, {} (thin: bounds)",
                study.cores_of_machine,
                rate(network)
            ),
            axes: ["cores", axis].map(str::to_owned),
            lines,
        })
    })
}

fn line(
    program: &Scaled,
    network: f64,
    series: usize,
    name: String,
    stroke: Stroke,
    figure: impl Fn(&Row) -> f64,
) -> Line {
    let points = program.on(network).map(|row| Point {
        x: row.all_cores() as f64,
        y: figure(row),
        origin: Origin::Simulated,
    });
    Line {
        name,
        series,
        points: points.collect(),
        stroke,
    }
}

/// What nothing on these cores can pass.
fn of_bound(program: &Scaled, row: &Row, figure: Figure) -> f64 {
    let speedup = program.one_core / row.bound;
    match figure {
        Figure::Speedup => speedup,
        Figure::Efficiency => 100.0 * speedup / row.all_cores() as f64,
    }
}

fn of_curve(curve: &CurveOfPaper, figure: Figure) -> Line {
    let one = curve.points.first().map_or(1.0, |&(_, first)| first);
    let points = curve.points.iter().map(|&(cores, milliseconds)| Point {
        x: cores as f64,
        y: match figure {
            Figure::Speedup => one / milliseconds,
            Figure::Efficiency => 100.0 * one / milliseconds / cores as f64,
        },
        origin: Origin::Paper,
    });
    Line {
        name: format!(
            "the paper, figure {}: {}, 16 bits",
            curve.figure, curve.name
        ),
        series: OF_PAPER,
        points: points.collect(),
        stroke: Stroke::Points,
    }
}

/// A rate in words.
pub(super) fn rate(bits: f64) -> String {
    match bits {
        bits if bits >= 1e9 => format!("{} Gbit/s", bits / 1e9),
        bits if bits >= 1e6 => format!("{} Mbit/s", bits / 1e6),
        bits => format!("{} kbit/s", bits / 1e3),
    }
}
