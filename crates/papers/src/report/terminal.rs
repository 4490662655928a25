//! A report as text: columns aligned, figures to the right, a legend below each table.

use std::fmt::Write;

use super::{Cell, Report, Row, Section, Table};

/// Between two columns.
const GAP: &str = "  ";
/// Paragraphs are set to this width; tables are as wide as they are.
const WIDTH: usize = 100;

impl Report {
    /// The report for a terminal; ends with a line feed.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}\n", self.title);
        for paragraph in &self.lead {
            push_wrapped(&mut text, paragraph);
        }
        let width = self.facts.iter().map(|(name, _)| length(name)).max();
        for (name, what) in &self.facts {
            let pad = " ".repeat(width.unwrap_or(0) - length(name));
            push(&mut text, &format!("{name}{pad}{GAP}{what}"));
        }
        for section in &self.sections {
            text.push_str(&section.text());
        }
        for part in &self.parts {
            text.push('\n');
            text.push_str(&part.text());
        }
        text
    }
}

impl Section {
    fn text(&self) -> String {
        let mut text = format!("\n{}\n", self.title);
        for paragraph in &self.text {
            push_wrapped(&mut text, paragraph);
        }
        text.push_str(&self.table.text());
        for paragraph in self.table.legend().iter().chain(&self.remarks) {
            push_wrapped(&mut text, paragraph);
        }
        text
    }
}

impl Table {
    fn text(&self) -> String {
        let mut widths: Vec<usize> = self.columns.iter().map(|head| length(head)).collect();
        for row in &self.rows {
            if let Row::Cells(name, cells) = row {
                let shown = cells.iter().map(|cell| length(&cell.shown()));
                let all = std::iter::once(GAP.len() + length(name)).chain(shown);
                for (width, of_cell) in widths.iter_mut().zip(all) {
                    *width = (*width).max(of_cell);
                }
            }
        }
        let mut text = String::new();
        let heads: Vec<Cell> = self.columns.iter().skip(1).map(Cell::text).collect();
        push_row(
            &mut text,
            self.columns.first().map_or("", |head| head),
            &heads,
            &widths,
        );
        for row in &self.rows {
            match row {
                Row::Heading(heading) => push(&mut text, heading),
                Row::Cells(name, cells) => {
                    push_row(&mut text, &format!("{GAP}{name}"), cells, &widths);
                }
            }
        }
        text
    }
}

/// The name to the left, cells to the right of their columns.
fn push_row(text: &mut String, name: &str, cells: &[Cell], widths: &[usize]) {
    let mut line = name.to_owned();
    let mut end = 0;
    for (at, &width) in widths.iter().enumerate() {
        end += width + if at == 0 { 0 } else { GAP.len() };
        let shown = match at.checked_sub(1) {
            None => String::new(),
            Some(at) => cells.get(at).map_or_else(String::new, Cell::shown),
        };
        let pad = end.saturating_sub(length(&line) + length(&shown));
        // Formatting into a string cannot fail.
        let _ = write!(line, "{}{shown}", " ".repeat(pad));
    }
    push(text, line.trim_end());
}

/// A paragraph, broken between words.
fn push_wrapped(text: &mut String, paragraph: &str) {
    let mut line = String::new();
    for word in paragraph.split(' ') {
        if !line.is_empty() && length(&line) + 1 + length(word) > WIDTH {
            push(text, &line);
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    push(text, &line);
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Places that a text takes; it has no wide characters.
fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn paragraphs_are_broken_between_words() {
        let mut text = String::new();
        let paragraph = ["Löwe"; 45].join(" ");
        push_wrapped(&mut text, &paragraph);
        assert_eq!(text.replace('\n', " ").trim_end(), paragraph);
        let widths: Vec<usize> = text.lines().map(length).collect();
        assert_eq!(widths, [99, 99, 24]);
    }

    #[test]
    fn columns_are_aligned() {
        assert_eq!(
            sample().text(),
            "A <paper>\n\
             Said & done.\n\
             machine  a \"good\" one\n\
             \n\
             Table 1\n\
             Before.\n\
             name      time  ratio\n\
             the paper\n\
             \x20 FFTW3  443 s\n\
             \x20 ours    ≈2 s   221×\n\
             ≈ computed from the gate time and the circuit's number of gates\n\
             After.\n"
        );
    }
}
