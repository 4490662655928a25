//! A chart as a file of its own: with its title, what its colours mean, and a ground of white, since no page
//! brings these.

use std::fmt::Write;

use maud::html;
use plotters::style::RGBColor;

use super::super::page::GENERATOR;
use super::{COLOURS, Chart, DrawingError};

/// Pixels.
const WIDTH: usize = 920;
const MARGIN: usize = 24;
const TITLE: usize = 40;
const LINE: usize = 22;
/// Entries beside each other.
const COLUMNS: usize = 2;

impl Chart {
    /// The drawing, its title and its legend.
    pub(crate) fn alone(&self) -> Result<String, DrawingError> {
        let drawing = self.svg()?;
        let legend = self.legend();
        let head = TITLE + legend.len().div_ceil(COLUMNS) * LINE + MARGIN / 2;
        let height = head + height_of(&drawing)?;
        let text = |x: usize, y: usize, size: usize, text: &str| {
            let text = html! { (text) }.into_string();
            format!(
                "<text x=\"{x}\" y=\"{y}\" font-family=\"sans-serif\" font-size=\"{size}\">{text}</text>\n"
            )
        };
        let mut svg = format!(
            "<svg width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
             xmlns=\"http://www.w3.org/2000/svg\">\n<!-- {GENERATOR} -->\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        svg.push_str(&text(MARGIN, TITLE - 14, 18, self.title()));
        for (at, (series, name)) in legend.into_iter().enumerate() {
            let x = MARGIN + at % COLUMNS * (WIDTH - 2 * MARGIN) / COLUMNS;
            let y = TITLE + at / COLUMNS * LINE;
            let RGBColor(red, green, blue) = COLOURS[series % COLOURS.len()];
            // Formatting into a string cannot fail.
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"14\" height=\"14\" fill=\"#{red:02x}{green:02x}{blue:02x}\"/>"
            );
            svg.push_str(&text(x + 22, y + 12, 14, name));
        }
        svg.push_str(&drawing.replacen("<svg ", &format!("<svg y=\"{head}\" "), 1));
        svg.push_str("</svg>\n");
        Ok(svg)
    }
}

/// What the drawing says of itself.
fn height_of(drawing: &str) -> Result<usize, DrawingError> {
    let after = drawing.split_once(" height=\"").map(|(_, after)| after);
    let number = after.and_then(|after| after.split_once('"'));
    Ok(number.ok_or("a drawing without a height")?.0.parse()?)
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::sample;

    #[test]
    fn a_chart_alone_has_all_that_a_page_says() {
        for chart in &sample().sections[0].charts {
            let svg = chart.alone().unwrap();
            assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
            assert_eq!(svg.matches("<svg ").count(), svg.matches("</svg>").count());
            assert!(svg.contains(chart.title()));
            for (_, name) in chart.legend() {
                assert!(svg.contains(name), "{name}");
            }
        }
    }
}
