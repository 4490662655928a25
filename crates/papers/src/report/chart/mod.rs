//! Charts as SVG, on nothing: the page's background shows through.

mod alone;
mod bars;
mod lines;

use std::fmt::Write;

use plotters::style::RGBColor;

pub(crate) use bars::{Bar, Bars, Group};
pub(crate) use lines::{Line, Lines, Point, Stroke};

/// A drawing and what it shows.
#[derive(Clone, Debug)]
pub(crate) enum Chart {
    Bars(Bars),
    Lines(Lines),
}

impl Chart {
    /// What the chart shows, also for those who cannot see it.
    pub(super) fn title(&self) -> &str {
        match self {
            Self::Bars(bars) => &bars.title,
            Self::Lines(lines) => &lines.title,
        }
    }

    /// What the colours mean: numbers of colours and words.
    pub(super) fn legend(&self) -> Vec<(usize, &str)> {
        match self {
            Self::Bars(bars) => {
                let series = bars.series.iter();
                series.map(String::as_str).enumerate().collect()
            }
            Self::Lines(lines) => {
                let series = lines.lines.iter();
                series
                    .filter(|line| !line.name.is_empty())
                    .map(|line| (line.series % COLOURS.len(), line.name.as_str()))
                    .collect()
            }
        }
    }

    /// The drawing.
    pub(super) fn svg(&self) -> Result<String, DrawingError> {
        match self {
            Self::Bars(bars) => bars.svg(),
            Self::Lines(lines) => lines.svg(),
        }
    }
}

/// Why a chart could not be drawn.
pub(super) type DrawingError = Box<dyn std::error::Error>;

/// The colours of series, readable on white and on black; a chart of more series begins again.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0xd9, 0x82, 0x2b),
    RGBColor(0x8a, 0x8f, 0x98),
    RGBColor(0x2f, 0x7f, 0xd1),
    RGBColor(0x7a, 0x5f, 0xc9),
    RGBColor(0x1b, 0x9e, 0x77),
    RGBColor(0xc2, 0x4d, 0x6e),
];

fn colour(series: usize) -> RGBColor {
    COLOURS[series % COLOURS.len()]
}

/// The style rules that give the legend its colours.
pub(super) fn style() -> String {
    let mut rules = String::new();
    for (number, RGBColor(red, green, blue)) in COLOURS.iter().enumerate() {
        // Formatting into a string cannot fail.
        let _ = writeln!(
            rules,
            ".series-{number} {{ background: #{red:02x}{green:02x}{blue:02x}; }}"
        );
    }
    rules
}
