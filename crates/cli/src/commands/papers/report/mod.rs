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

pub(super) use page::Page;
pub(super) use provenance::Provenance;
pub(super) use waiting::Waiting;

/// A document.
#[derive(Clone, Debug)]
pub(super) struct Report {
    pub(super) title: String,
    /// What this is, in a few sentences.
    pub(super) lead: Vec<String>,
    /// Machine, date, parameters and the like: a name and what it is.
    pub(super) facts: Vec<(String, String)>,
    pub(super) sections: Vec<Section>,
}

/// A table with what has to be said before and after it.
#[derive(Clone, Debug, Default)]
pub(super) struct Section {
    pub(super) title: String,
    pub(super) text: Vec<String>,
    pub(super) table: Table,
    pub(super) chart: Option<Chart>,
    pub(super) remarks: Vec<String>,
}

/// Named rows of cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// The heads of all columns, that of the rows' names first.
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// One line of a table.
#[derive(Clone, Debug)]
pub(super) enum Row {
    /// A line that says what the next ones are.
    Heading(String),
    /// A name and as many cells as there are further columns.
    Cells(String, Vec<Cell>),
}

/// A cell and where its figure comes from.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) origin: Origin,
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// No figure, or one that needs no origin.
    Text,
    /// Copied from the paper.
    Paper,
    /// Timed in this run, its answers checked.
    Measured,
    /// Derived from what was measured in this run.
    Computed,
    /// From an earlier run, kept with its machine and date.
    Recorded,
}

impl Origin {
    /// Stands before the figure.
    fn mark(self) -> &'static str {
        match self {
            Self::Computed => "≈",
            Self::Recorded => "†",
            Self::Text | Self::Paper | Self::Measured => "",
        }
    }

    /// What the mark means, for those that have one.
    fn meaning(self) -> Option<&'static str> {
        match self {
            Self::Computed => Some("computed from the gate time and the circuit's number of gates"),
            Self::Recorded => Some("from a record, not from this run"),
            Self::Text | Self::Paper | Self::Measured => None,
        }
    }
}

impl Cell {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::new(Origin::Text, text)
    }

    pub(super) fn new(origin: Origin, text: impl Into<String>) -> Self {
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
        [Origin::Computed, Origin::Recorded]
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

/// Horizontal bars on a logarithmic axis, in groups.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    /// What the chart shows, also for those who cannot see it.
    pub(super) title: String,
    /// What the axis counts.
    pub(super) axis: String,
    /// What the colours mean.
    pub(super) series: Vec<String>,
    pub(super) groups: Vec<Group>,
}

/// Bars that belong together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Empty where there is only one group.
    pub(super) name: String,
    pub(super) bars: Vec<Bar>,
}

/// One bar.
#[derive(Clone, Debug)]
pub(super) struct Bar {
    pub(super) name: String,
    /// Positive, otherwise the bar is left out.
    pub(super) value: f64,
    /// The value as it is written beside the bar.
    pub(super) label: String,
    /// Its colour: a number within the chart's series.
    pub(super) series: usize,
}

#[cfg(test)]
pub(super) mod tests {
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
                chart: Some(Chart {
                    title: "Seconds".to_owned(),
                    axis: "seconds".to_owned(),
                    series: vec!["the paper".to_owned(), "ours".to_owned()],
                    groups: vec![Group {
                        name: "blocks of 4".to_owned(),
                        bars: vec![bar("FFTW3", 443.0, 0), bar("ours <1>", 2.0, 1)],
                    }],
                }),
                remarks: vec!["After.".to_owned()],
            }],
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
