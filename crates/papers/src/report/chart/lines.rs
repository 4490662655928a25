//! Lines through points, both axes logarithmic: a machine of twice the cores is one step, and half
//! the time is another.
//!
//! What was measured is drawn solid, with filled points; what was simulated dashed and hollow; a
//! paper's points are crosses.

use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::super::Origin;
use super::{DrawingError, colour};

/// Pixels.
const WIDTH: u32 = 920;
const HEIGHT: u32 = 380;
const AXIS: u32 = 46;
const MARGIN: u32 = 24;
const POINT: u32 = 4;

/// A chart of lines.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    pub(crate) title: String,
    /// What the axes count: the one below, the one to the left.
    pub(crate) axes: [String; 2],
    pub(crate) lines: Vec<Line>,
}

/// One line.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// Its colour.
    pub(crate) series: usize,
    /// From left to right.
    pub(crate) points: Vec<Point>,
    /// How it is drawn.
    pub(crate) stroke: Stroke,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// With its points, by where each is from.
    Points,
    /// Thin and without points: what nothing can pass.
    Bound,
}

/// One point; left out where a coordinate has no logarithm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) origin: Origin,
}

type Context<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<LogCoord<f64>, LogCoord<f64>>>;

impl Line {
    fn drawable(&self) -> Vec<Point> {
        let drawable = |value: f64| value.is_finite() && value > 0.0;
        let points = self.points.iter().copied();
        points
            .filter(|point| drawable(point.x) && drawable(point.y))
            .collect()
    }
}

impl Lines {
    pub(super) fn svg(&self) -> Result<String, DrawingError> {
        let mut text = String::new();
        {
            let root = SVGBackend::with_string(&mut text, (WIDTH, HEIGHT)).into_drawing_area();
            let (left, right) = self.range(|point| point.x, (1.0, 2.0));
            let (low, high) = self.range(|point| point.y, (1.0, 10.0));
            let mut context = ChartBuilder::on(&root)
                .set_label_area_size(LabelAreaPosition::Bottom, AXIS)
                .set_label_area_size(LabelAreaPosition::Left, 2 * AXIS)
                .margin(MARGIN)
                .build_cartesian_2d(
                    (left..right * 1.1).log_scale().base(2.0),
                    (low * 0.7..high * 1.4).log_scale(),
                )?;
            context
                .configure_mesh()
                .x_label_formatter(&|value| format!("{value}"))
                .y_label_formatter(&|value| format!("{value}"))
                .x_desc(&self.axes[0])
                .y_desc(&self.axes[1])
                .label_style(("sans-serif", 16))
                .light_line_style(TRANSPARENT)
                .draw()?;
            for line in &self.lines {
                draw(&mut context, line)?;
            }
            root.present()?;
        }
        Ok(text)
    }

    /// The least and the largest coordinate.
    fn range(&self, coordinate: impl Fn(&Point) -> f64, nothing: (f64, f64)) -> (f64, f64) {
        let points = self.lines.iter().flat_map(Line::drawable);
        let range = points
            .map(|point| coordinate(&point))
            .fold((f64::INFINITY, 0.0f64), |(least, most), value| {
                (least.min(value), most.max(value))
            });
        match range {
            (least, most) if least < most => range,
            (least, most) if least == most => (least, least * 2.0),
            _ => nothing,
        }
    }
}

fn draw(context: &mut Context<'_>, line: &Line) -> Result<(), DrawingError> {
    let colour = colour(line.series);
    let points = line.drawable();
    if line.stroke == Stroke::Bound {
        let ends: Vec<(f64, f64)> = points.iter().map(|point| (point.x, point.y)).collect();
        let path = PathElement::new(ends, colour.mix(0.6).stroke_width(1));
        context.draw_series(std::iter::once(path))?;
        return Ok(());
    }
    for pair in points.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        let ends = vec![(from.x, from.y), (to.x, to.y)];
        let style = colour.stroke_width(2);
        if to.origin == Origin::Simulated {
            let dashes = DashedPathElement::new(ends, 5, 4, style);
            context.draw_series(std::iter::once(dashes))?;
        } else {
            context.draw_series(std::iter::once(PathElement::new(ends, style)))?;
        }
    }
    for point in points {
        let at = (point.x, point.y);
        match point.origin {
            Origin::Paper => {
                context.draw_series(std::iter::once(Cross::new(at, POINT, colour)))?;
            }
            Origin::Simulated => {
                context.draw_series(std::iter::once(Circle::new(at, POINT, colour)))?;
            }
            _ => {
                context.draw_series(std::iter::once(Circle::new(at, POINT, colour.filled())))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::sample;
    use super::super::Chart;
    use super::*;

    fn chart() -> Lines {
        match &sample().sections[0].charts[1] {
            Chart::Lines(lines) => lines.clone(),
            Chart::Bars(_) => unreachable!("lines come second"),
        }
    }

    /// Elements of a kind that have the colour of a series as an attribute.
    fn count(svg: &str, element: &str, attribute: &str, series: usize) -> usize {
        let RGBColor(red, green, blue) = colour(series);
        let wanted = format!("{attribute}=\"#{red:02X}{green:02X}{blue:02X}\"");
        let lines = svg.lines();
        lines
            .filter(|line| line.starts_with(&format!("<{element} ")) && line.contains(&wanted))
            .count()
    }

    #[test]
    fn what_is_simulated_is_hollow_and_dashed() {
        let svg = chart().svg().unwrap();
        // Ours: one point was measured, one simulated, with many dashes between them.
        assert_eq!(count(&svg, "circle", "fill", 2), 1);
        assert_eq!(count(&svg, "circle", "stroke", 2), 1);
        assert!(count(&svg, "polyline", "stroke", 2) > 10, "{svg}");
        // The paper's: one stroke and two crosses.
        assert_eq!(count(&svg, "circle", "stroke", 0), 0);
        assert_eq!(
            count(&svg, "polyline", "stroke", 0) + count(&svg, "line", "stroke", 0),
            5
        );
        assert!(svg.contains("cores") && svg.contains("seconds"));
    }

    #[test]
    fn bounds_have_no_points() {
        let mut chart = chart();
        for line in &mut chart.lines {
            line.stroke = Stroke::Bound;
        }
        let svg = chart.svg().unwrap();
        assert_eq!(count(&svg, "circle", "fill", 2), 0);
        assert_eq!(count(&svg, "polyline", "stroke", 2), 1);
    }

    #[test]
    fn points_that_have_no_logarithm_are_left_out() {
        let mut chart = chart();
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let point = Point {
                x: value,
                y: 1.0,
                origin: Origin::Measured,
            };
            chart.lines[1].points.push(point);
        }
        let svg = chart.svg().unwrap();
        assert_eq!(count(&svg, "circle", "fill", 2), 1);
    }

    #[test]
    fn no_lines_and_single_points() {
        let mut chart = chart();
        chart.lines[1].points.truncate(1);
        chart.lines.remove(0);
        assert!(chart.svg().unwrap().contains("<svg"));
        chart.lines.clear();
        assert!(chart.svg().unwrap().contains("<svg"));
    }
}
