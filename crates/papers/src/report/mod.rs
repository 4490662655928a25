//! What a paper's tables became here: one document, shown three ways.
//!
//! A study measures; a [`Report`] is what is said about it: tables whose cells know where their
//! figures come from, and charts. [`terminal`] sets it as text, [`html`] as one self-contained page
//! whose charts [`chart`] draws. Every study of a paper ends here, so that all look alike.

mod chart;
mod html;
mod page;
mod provenance;
mod terminal;
mod waiting;
mod written;

pub(crate) use chart::{Bar, Bars, Chart, Group, Line, Lines, Point, Stroke};
pub(crate) use page::Page;
pub(crate) use provenance::Provenance;
pub use provenance::machine;
pub(crate) use written::{milliseconds, promise, range, ratio, significant, spread};

/// A document.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    pub(crate) title: String,
    /// What this is, in a few sentences.
    pub(crate) lead: Vec<String>,
    /// Machine, date, parameters and the like: a name and what it is.
    pub(crate) facts: Vec<(String, String)>,
    pub(crate) sections: Vec<Section>,
    /// Documents that this one consists of.
    pub(crate) parts: Vec<Report>,
}

/// A table with what has to be said before and after it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) text: Vec<String>,
    pub(crate) table: Table,
    pub(crate) charts: Vec<Chart>,
    pub(crate) remarks: Vec<String>,
}

/// Named rows of cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// The heads of all columns, that of the rows' names first.
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Row>,
}

/// One line of a table.
#[derive(Clone, Debug)]
pub(crate) enum Row {
    /// A line that says what the next ones are.
    Heading(String),
    /// A name and as many cells as there are further columns.
    Cells(String, Vec<Cell>),
}

/// A cell and where its figure comes from.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) origin: Origin,
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// No figure, or one that needs no origin.
    Text,
    /// Copied from the paper.
    Paper,
    /// Timed in this run, its answers checked.
    Measured,
    /// Derived from what was measured in this run.
    Computed,
    /// The scheduler replayed with times that were measured in this run.
    Simulated,
    /// From an earlier run, kept with its machine and date.
    Recorded,
}

impl Origin {
    /// Stands before the figure.
    fn mark(self) -> &'static str {
        match self {
            Self::Computed => "≈",
            Self::Simulated => "~",
            Self::Recorded => "†",
            Self::Text | Self::Paper | Self::Measured => "",
        }
    }

    /// What the mark means, for those that have one.
    fn meaning(self) -> Option<&'static str> {
        match self {
            Self::Computed => Some("computed from the gate time and the circuit's number of gates"),
            Self::Simulated => Some(
                "simulated: the scheduler replayed with the times of batches that were measured here",
            ),
            Self::Recorded => Some("from a record, not from this run"),
            Self::Text | Self::Paper | Self::Measured => None,
        }
    }
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::new(Origin::Text, text)
    }

    pub(crate) fn new(origin: Origin, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            origin,
        }
    }

    /// The figure with its mark.
    fn shown(&self) -> String {
        format!("{}{}", self.origin.mark(), self.text)
    }
}

impl Table {
    /// The marks that occur in it, with their meanings.
    fn legend(&self) -> Vec<String> {
        let cells = || self.rows.iter().flat_map(Row::cells);
        [Origin::Computed, Origin::Simulated, Origin::Recorded]
            .into_iter()
            .filter(|&origin| cells().any(|cell| cell.origin == origin))
            .filter_map(|origin| Some(format!("{} {}", origin.mark(), origin.meaning()?)))
            .collect()
    }
}

impl Row {
    fn cells(&self) -> &[Cell] {
        match self {
            Self::Heading(_) => &[],
            Self::Cells(_, cells) => cells,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A document that has everything in it.
    pub(crate) fn sample() -> Report {
        Report {
            title: "A <paper>".to_owned(),
            lead: vec!["Said & done.".to_owned()],
            facts: vec![("machine".to_owned(), "a \"good\" one".to_owned())],
            sections: vec![Section {
                title: "Table 1".to_owned(),
                text: vec!["Before.".to_owned()],
                table: Table {
                    columns: ["name", "time", "ratio"].map(str::to_owned).to_vec(),
                    rows: vec![
                        Row::Heading("the paper".to_owned()),
                        Row::Cells(
                            "FFTW3".to_owned(),
                            vec![Cell::new(Origin::Paper, "443 s"), Cell::text("")],
                        ),
                        Row::Cells(
                            "ours".to_owned(),
                            vec![Cell::new(Origin::Computed, "2 s"), Cell::text("221×")],
                        ),
                    ],
                },
                charts: vec![
                    Chart::Bars(Bars {
                        title: "Seconds".to_owned(),
                        axis: "seconds".to_owned(),
                        series: vec!["the paper".to_owned(), "ours".to_owned()],
                        groups: vec![Group {
                            name: "blocks of 4".to_owned(),
                            bars: vec![bar("FFTW3", 443.0, 0), bar("ours <1>", 2.0, 1)],
                        }],
                    }),
                    Chart::Lines(Lines {
                        title: "Time against cores".to_owned(),
                        axes: ["cores", "seconds"].map(str::to_owned),
                        lines: vec![
                            Line {
                                name: "theirs".to_owned(),
                                stroke: Stroke::Points,
                                series: 0,
                                points: vec![
                                    Point {
                                        x: 1.0,
                                        y: 4.4,
                                        origin: Origin::Paper,
                                    },
                                    Point {
                                        x: 4.0,
                                        y: 2.2,
                                        origin: Origin::Paper,
                                    },
                                ],
                            },
                            Line {
                                name: "simulated".to_owned(),
                                stroke: Stroke::Points,
                                series: 2,
                                points: vec![
                                    Point {
                                        x: 1.0,
                                        y: 0.04,
                                        origin: Origin::Measured,
                                    },
                                    Point {
                                        x: 48.0,
                                        y: 0.02,
                                        origin: Origin::Simulated,
                                    },
                                ],
                            },
                        ],
                    }),
                ],
                remarks: vec!["After.".to_owned()],
            }],
            parts: Vec::new(),
        }
    }

    fn bar(name: &str, value: f64, series: usize) -> Bar {
        Bar {
            name: name.to_owned(),
            value,
            label: format!("{value} s"),
            series,
        }
    }
}
