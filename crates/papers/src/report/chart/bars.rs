//! Horizontal bars on a logarithmic axis, names to the left, values beside the bars.
//!
//! Times of a paper and ours lie up to three orders of magnitude apart: on a linear axis the
//! short ones would vanish.

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{DrawingError, colour};

/// Pixels. Names and values have room for some thirty characters each.
const WIDTH: u32 = 920;
const BAR: u32 = 20;
const NAMES: u32 = 220;
const VALUES: u32 = 110;
const AXIS: u32 = 46;

/// Horizontal bars on a logarithmic axis, in groups.
#[derive(Clone, Debug)]
pub(crate) struct Bars {
    /// What the chart shows, also for those who cannot see it.
    pub(crate) title: String,
    /// What the axis counts.
    pub(crate) axis: String,
    /// What the colours mean.
    pub(crate) series: Vec<String>,
    pub(crate) groups: Vec<Group>,
}

/// Bars that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Empty where there is only one group.
    pub(crate) name: String,
    pub(crate) bars: Vec<Bar>,
}

/// One bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) name: String,
    /// Positive, otherwise the bar is left out.
    pub(crate) value: f64,
    /// The value as it is written beside the bar.
    pub(crate) label: String,
    /// Its colour: a number within the chart's series.
    pub(crate) series: usize,
}
/// What stands on a line of the chart, from above.
enum Line<'a> {
    Group(&'a str),
    Bar(&'a Bar),
    Space,
}

fn lines(chart: &Bars) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    for group in &chart.groups {
        if !lines.is_empty() {
            lines.push(Line::Space);
        }
        if !group.name.is_empty() {
            lines.push(Line::Group(&group.name));
        }
        let drawn = group.bars.iter().filter(|bar| drawable(bar));
        lines.extend(drawn.map(Line::Bar));
    }
    lines
}

fn drawable(bar: &Bar) -> bool {
    bar.value.is_finite() && bar.value > 0.0
}

/// Whole decades around all values.
fn decades(chart: &Bars) -> (f64, f64) {
    let bars = chart.groups.iter().flat_map(|group| &group.bars);
    let values = bars
        .filter(|bar| drawable(bar))
        .map(|bar| bar.value.log10());
    let (least, most) = values.fold(
        (f64::INFINITY, f64::NEG_INFINITY),
        |(least, most), value| (least.min(value), most.max(value)),
    );
    if least > most {
        return (1.0, 10.0);
    }
    // The least bar must have a length.
    let least = (least - 0.1).floor();
    let most = most.ceil().max(least + 1.0);
    (10f64.powf(least), 10f64.powf(most))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Cartesian2d<LogCoord<f64>, RangedCoordf64>>;

impl Bars {
    pub(super) fn svg(&self) -> Result<String, DrawingError> {
        let chart = self;
        let lines = lines(chart);
        let height = lines.len() as u32 * BAR + AXIS;
        let mut text = String::new();
        {
            let root = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
            let (least, most) = decades(chart);
            let mut context = ChartBuilder::on(&root)
                .set_label_area_size(LabelAreaPosition::Bottom, AXIS)
                .margin_left(NAMES)
                .margin_right(VALUES)
                // Lines count from above.
                .build_cartesian_2d((least..most).log_scale(), lines.len() as f64..0.0)?;
            context
                .configure_mesh()
                .disable_y_mesh()
                .disable_y_axis()
                .x_label_formatter(&|value| format!("{value}"))
                .x_desc(&chart.axis)
                .label_style(("sans-serif", 13))
                .light_line_style(TRANSPARENT)
                .draw()?;
            let area = context.plotting_area();
            for (at, line) in lines.iter().enumerate() {
                let middle = at as f64 + 0.5;
                match line {
                    Line::Space => {}
                    Line::Group(name) => {
                        put(area, name, (least, middle), HPos::Right)?;
                    }
                    Line::Bar(bar) => {
                        let corners = [(least, middle - 0.38), (bar.value, middle + 0.38)];
                        area.draw(&Rectangle::new(corners, colour(bar.series).filled()))?;
                        put(area, &bar.name, (least, middle), HPos::Right)?;
                        put(area, &bar.label, (bar.value, middle), HPos::Left)?;
                    }
                }
            }
            root.present()?;
        }
        Ok(text)
    }
}

/// Writes beside a point: with its end or its beginning there.
fn put(area: &Area<'_>, text: &str, at: (f64, f64), end: HPos) -> Result<(), DrawingError> {
    let away = match end {
        HPos::Right => -6,
        HPos::Left | HPos::Center => 6,
    };
    let style = TextStyle::from(("sans-serif", 13)).pos(Pos::new(end, VPos::Center));
    area.draw(&(EmptyElement::at(at) + Text::new(text.to_owned(), (away, 0), style)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::sample;
    use super::super::Chart;
    use super::*;

    fn chart() -> Bars {
        match &sample().sections[0].charts[0] {
            Chart::Bars(bars) => bars.clone(),
            Chart::Lines(_) => unreachable!("bars come first"),
        }
    }

    /// Widths of the bars of a colour.
    fn widths(svg: &str, RGBColor(red, green, blue): RGBColor) -> Vec<f64> {
        let fill = format!("fill=\"#{red:02X}{green:02X}{blue:02X}\"");
        svg.lines()
            .filter(|line| line.starts_with("<rect") && line.contains(&fill))
            .map(|line| {
                let (_, rest) = line.split_once("width=\"").unwrap();
                rest.split_once('"').unwrap().0.parse().unwrap()
            })
            .collect()
    }

    #[test]
    fn a_bar_is_as_long_as_the_logarithm() {
        let svg = chart().svg().unwrap();
        let plot = f64::from(WIDTH - NAMES - VALUES);
        // The axis goes from 1 to 1000.
        for (series, value) in [(0, 443.0f64), (1, 2.0)] {
            let [width] = widths(&svg, colour(series))[..] else {
                unreachable!("one bar of each series in {svg}");
            };
            let expected = plot * value.log10() / 3.0;
            assert!((width - expected).abs() < 3.0, "{width} for {expected}");
        }
        assert!(svg.contains("FFTW3") && svg.contains("443 s") && svg.contains("blocks of 4"));
    }

    #[test]
    fn values_that_have_no_logarithm_are_left_out() {
        let mut chart = chart();
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            chart.groups[0].bars.push(Bar {
                name: "impossible".to_owned(),
                value,
                label: String::new(),
                series: 0,
            });
        }
        assert_eq!(widths(&chart.svg().unwrap(), colour(0)).len(), 1);
    }

    #[test]
    fn no_bars_at_all() {
        let mut chart = chart();
        chart.groups = vec![Group {
            name: String::new(),
            bars: Vec::new(),
        }];
        assert!(chart.svg().unwrap().contains("<svg"));
    }
}
