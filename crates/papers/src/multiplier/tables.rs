//! The study in words, tables and a plot.

use bignum::paper::counts::{Method, Size};

use super::super::report::{
    Cell, Chart, Line, Lines, Origin, Point, Report, Row, Section, Stroke, Table, milliseconds,
    ratio, significant, spread,
};
use super::circuit;
use super::contest::{AUTOMATIC, PAPERS_ALGORITHM, Side, Standing, Task};
use super::paper;
use super::study::{Contest, Study};

/// The document.
pub(super) fn report(study: &Study) -> Report {
    let mut sections = Vec::new();
    if !study.counts.is_empty() {
        sections.push(counts(study));
        sections.push(other_counts(study));
    }
    sections.extend(study.contests.iter().map(contest));
    sections.push(circuit::section(study));
    if !study.sizes.is_empty() {
        sections.push(sizes(study));
    }
    Report {
        title: format!("The tables of “{}”, measured here", paper::TITLE),
        lead: vec![
            format!("Reproduces tables I and IV of {}.", paper::SOURCE),
            "The paper builds a circuit that multiplies two numbers of 786,432 bits, because a homomorphic \
             scheme needs little else, and compares it with GMP on a processor of 2010. Its algorithm runs \
             here in software, number for number, beside GMP and FLINT of this machine and beside faster \
             algorithms of ours; contestants take turns, round by round, and each answer is compared with \
             another library's before its time counts."
                .to_owned(),
        ],
        facts: facts(study),
        sections,
        parts: Vec::new(),
    }
}

fn facts(study: &Study) -> Vec<(String, String)> {
    let mut facts = study.provenance.facts();
    let missing = || "not on this machine: its rows are missing".to_owned();
    let gmp = study.gmp.clone();
    facts.push((
        "GMP".to_owned(),
        gmp.map_or_else(missing, |version| format!("{version}, the system's")),
    ));
    let flint = study.flint.as_ref().map(|flint| {
        let built = match flint.fft_small {
            true => "with its module fft_small",
            false => "built without its module fft_small, whose product is its fastest",
        };
        format!("{}, {built}", flint.version)
    });
    facts.push((
        "FLINT".to_owned(),
        flint.unwrap_or_else(|| format!("{} (--flint FILE names one)", missing())),
    ));
    facts
}

/// A count with separators.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn millions(count: f64) -> String {
    format!("{:.1} M", count / 1e6)
}

/// Table I.
fn counts(study: &Study) -> Section {
    let of = |method: Method| {
        let mut all = study.counts.iter();
        all.find(|counted| counted.bits == paper::BITS && counted.method == method.name())
    };
    let mut columns = vec!["instruction".to_owned()];
    for method in Method::ALL {
        columns.extend([format!("{}: paper", method.name()), "counted".to_owned()]);
    }
    let counted = |at: usize, method: Method| {
        let found = of(method).and_then(|counted| counted.instructions.get(at));
        found.map_or_else(
            || Cell::text("not counted"),
            |&(_, count)| Cell::new(Origin::Measured, grouped(count)),
        )
    };
    let mut rows = Vec::new();
    for (at, (name, printed)) in paper::COUNTS.into_iter().enumerate() {
        let mut cells = Vec::new();
        for (&printed, method) in printed.iter().zip(Method::ALL) {
            cells.push(Cell::new(Origin::Paper, grouped(printed)));
            cells.push(counted(at, method));
        }
        rows.push(Row::Cells(name.to_owned(), cells));
    }
    let mut cells = Vec::new();
    for (&printed, method) in paper::TOTALS.iter().zip(Method::ALL) {
        cells.push(Cell::new(Origin::Paper, format!("{printed:.1} M")));
        cells.push(of(method).map_or_else(
            || Cell::text("not counted"),
            |counted| Cell::new(Origin::Measured, millions(counted.total as f64)),
        ));
    }
    rows.push(Row::Cells("total".to_owned(), cells));
    Section {
        title: format!(
            "Table I: instructions of a modular product of {} bits",
            grouped(paper::BITS as u64)
        ),
        text: vec![
            "Every algorithm runs, on a unit that does and counts each instruction of a 64-bit MIPS but \
             loads, stores, addresses and branches; its result is a right one."
                .to_owned(),
        ],
        table: Table { columns, rows },
        charts: Vec::new(),
        remarks: vec![
            "Interleaved Montgomery is the paper's to the last instruction: n rows of n products for an \
             operand and n for the modulus, one product more for each, nothing added in the first row, no \
             final subtraction."
                .to_owned(),
            "Karatsuba has the paper's products: three of 12,288 words, each cut in halves down to three \
             words, sums of halves one word longer. Sums and comparisons depend on how carries are added up, \
             which the paper does not say."
                .to_owned(),
            "The FFT's products are twiddle factors and three component-wise products of 65,536. Of the \
             paper's, 9 transforms with 209,658 each remain, as many as it loads constants but for 12; four \
             stages of sixteen points have 180,225 factors that are not 1, so that its software takes another \
             decomposition than its circuit. Its elements are also reduced by another sequence: here each sum \
             is canonical, three additions, a comparison and a choice."
                .to_owned(),
        ],
    }
}

/// The same for other sizes.
fn other_counts(study: &Study) -> Section {
    let mut columns = vec!["bits".to_owned()];
    columns.extend(Method::ALL.map(|method| method.name().to_owned()));
    columns.push("FFT: of Karatsuba's".to_owned());
    let rows = Size::ALL.map(|size| {
        let of = |method: Method| {
            let mut all = study.counts.iter();
            all.find(|counted| counted.bits == size.bits() && counted.method == method.name())
        };
        let mut cells: Vec<Cell> = Method::ALL
            .into_iter()
            .map(|method| match of(method) {
                Some(counted) => Cell::new(Origin::Measured, grouped(counted.total)),
                None => Cell::text("not counted"),
            })
            .collect();
        cells.push(match (of(Method::Transform), of(Method::Karatsuba)) {
            (Some(fft), Some(karatsuba)) => {
                let share = 100.0 * fft.total as f64 / karatsuba.total as f64;
                Cell::text(format!("{} %", significant(share)))
            }
            _ => Cell::text(""),
        });
        Row::Cells(grouped(size.bits() as u64), cells)
    });
    Section {
        title: "All instructions, by size".to_owned(),
        text: vec!["The sizes that fill transforms of 256, 4,096 and 65,536 points.".to_owned()],
        table: Table {
            columns,
            rows: rows.to_vec(),
        },
        charts: Vec::new(),
        remarks: Vec::new(),
    }
}

/// The ratio of rounds, with its spread.
fn ratios(of: Option<&super::super::bench::Times>) -> Cell {
    of.map_or_else(
        || Cell::text(""),
        |times| {
            let spread = format!("{} … {}", significant(times.least), significant(times.most));
            Cell::text(format!("{} ({spread})", ratio(times.median)))
        },
    )
}

/// Table IV, and what is like it.
fn contest(contest: &Contest) -> Section {
    let product = contest.task == Task::Product;
    let mut columns = vec!["".to_owned(), "threads".to_owned(), "ms".to_owned()];
    columns.push("least … most".to_owned());
    if product {
        columns.push("times the X5650".to_owned());
    }
    columns.extend(["GMP ÷ this".to_owned(), "FLINT ÷ this".to_owned()]);
    let mut rows = Vec::new();
    if product {
        rows.push(Row::Heading("the paper".to_owned()));
        for computer in paper::COMPUTERS {
            let cells = vec![
                Cell::text(""),
                Cell::new(Origin::Paper, format!("{}", computer.milliseconds)),
                Cell::text(""),
                Cell::new(Origin::Paper, format!("{}", computer.speedup)),
                Cell::text(""),
                Cell::text(""),
            ];
            rows.push(Row::Cells(computer.name.to_owned(), cells));
        }
    }
    for (heading, ours) in [("libraries, here", false), ("ours, here", true)] {
        let standings = contest.standings.iter();
        let standings = standings.filter(|standing| (standing.side == Side::Ours) == ours);
        let cells = |standing: &Standing| {
            let times = &standing.times;
            let mut cells = vec![
                Cell::text(standing.threads.to_string()),
                Cell::new(Origin::Measured, milliseconds(times.median)),
                Cell::text(spread(times, 1e3)),
            ];
            if product {
                let speedup = paper::BASELINE / (times.median * 1e3);
                cells.push(Cell::text(ratio(speedup)));
            }
            cells.push(ratios(standing.of_gmp.as_ref()));
            cells.push(ratios(standing.of_flint.as_ref()));
            cells
        };
        let mut of_side: Vec<Row> = standings
            .map(|standing| Row::Cells(standing.name.clone(), cells(standing)))
            .collect();
        if !of_side.is_empty() {
            rows.push(Row::Heading(heading.to_owned()));
            rows.append(&mut of_side);
        }
    }
    let bits = grouped(contest.bits as u64);
    let title = match contest.task {
        Task::Product => format!("Table IV: the product of two numbers of {bits} bits"),
        Task::Square => format!("The square of a number of {bits} bits"),
        Task::Residue => format!("The product of two numbers modulo an odd one of {bits} bits"),
    };
    Section {
        title,
        text: Vec::new(),
        table: Table { columns, rows },
        charts: Vec::new(),
        remarks: remarks(contest),
    }
}

/// What has to be said after a contest.
fn remarks(contest: &Contest) -> Vec<String> {
    let mut remarks = vec![
        "Ratios are medians of the rounds' ratios, with the least and the largest: GMP's best time on one \
         thread in the same round over this one, FLINT's best on as many threads."
            .to_owned(),
    ];
    let threads = threads_gain(contest);
    if !threads.is_empty() {
        remarks.push(format!("Two threads beside one: {}.", threads.join(", ")));
    }
    if contest.task == Task::Residue {
        remarks.push(
            "Montgomery's form, GMP's and ours, has one operand multiplied beforehand by the power that it \
             divides by, as in a chain of products, so that every result is the same."
                .to_owned(),
        );
    }
    remarks
}

/// How much faster everybody of ours is on two threads than on one, by the medians.
fn threads_gain(contest: &Contest) -> Vec<String> {
    let on = |threads: usize| {
        let standings = contest.standings.iter();
        standings.filter(move |of| of.side == Side::Ours && of.threads == threads)
    };
    let gain = |two: &Standing| {
        let one = on(1).find(|one| one.name == two.name)?;
        let gain = one.times.median / two.times.median;
        Some(format!("{} {}", two.name, ratio(gain)))
    };
    on(2).filter_map(gain).collect()
}

/// Time against size.
fn sizes(study: &Study) -> Section {
    let curves = curves(study);
    let mut columns = vec!["bits".to_owned()];
    columns.extend(curves.iter().map(|curve| format!("{}, ms", curve.name)));
    columns.push("best of libraries ÷ ours, one thread".to_owned());
    let rows = study.sizes.iter().map(|contest| {
        let mut cells: Vec<Cell> = curves
            .iter()
            .map(|curve| match find(contest, curve) {
                Some(standing) => {
                    Cell::new(Origin::Measured, significant(standing.times.median * 1e3))
                }
                None => Cell::text(""),
            })
            .collect();
        cells.push(gain(contest).map_or_else(|| Cell::text(""), |gain| Cell::text(ratio(gain))));
        Row::Cells(grouped(contest.bits as u64), cells)
    });
    let chart = Lines {
        title: "Milliseconds of a product, by the bits of its factors".to_owned(),
        axes: ["bits of each factor".to_owned(), "milliseconds".to_owned()],
        lines: curves
            .iter()
            .enumerate()
            .map(|(series, curve)| Line {
                stroke: Stroke::Points,
                name: curve.name.clone(),
                series,
                points: points(study, curve),
            })
            .collect(),
    };
    Section {
        title: "Products of other sizes".to_owned(),
        text: vec![
            "Both factors have the same length. The paper's algorithm has one length of transform, whatever \
             the factors."
                .to_owned(),
        ],
        table: Table {
            columns,
            rows: rows.collect(),
        },
        charts: vec![Chart::Lines(chart)],
        remarks: Vec::new(),
    }
}

/// A line of the plot, and what of a contest it shows.
struct Curve {
    name: String,
    side: Side,
    threads: usize,
    /// Which of ours.
    algorithm: Option<&'static str>,
}

/// Those lines for which there are times.
fn curves(study: &Study) -> Vec<Curve> {
    let gmp = study.gmp.as_deref().unwrap_or("");
    let flint = study.flint.as_ref().map_or("", |flint| &flint.version);
    let library = |name: String, side: Side| Curve {
        name,
        side,
        threads: 1,
        algorithm: None,
    };
    let ours = |name: &str, threads: usize, algorithm: &'static str| Curve {
        name: name.to_owned(),
        side: Side::Ours,
        threads,
        algorithm: Some(algorithm),
    };
    let all = [
        library(format!("GMP {gmp}"), Side::Gmp),
        library(format!("FLINT {flint}"), Side::Flint),
        ours("ours", 1, AUTOMATIC),
        ours("ours, two threads", 2, AUTOMATIC),
        ours(PAPERS_ALGORITHM, 1, PAPERS_ALGORITHM),
    ];
    let present = |curve: &Curve| study.sizes.iter().any(|of| find(of, curve).is_some());
    all.into_iter().filter(present).collect()
}

fn find<'a>(contest: &'a Contest, curve: &Curve) -> Option<&'a Standing> {
    contest.standings.iter().find(|standing| {
        standing.side == curve.side
            && standing.threads == curve.threads
            && curve.algorithm.is_none_or(|name| standing.name == name)
    })
}

/// All points of a line, that at the paper's size among them.
fn points(study: &Study, curve: &Curve) -> Vec<Point> {
    let product = |contest: &&Contest| contest.task == Task::Product;
    let all = study
        .sizes
        .iter()
        .chain(study.contests.iter().filter(product));
    let mut points: Vec<Point> = all
        .filter_map(|contest| {
            Some(Point {
                x: contest.bits as f64,
                y: find(contest, curve)?.times.median * 1e3,
                origin: Origin::Measured,
            })
        })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// The best library's time over that of our fastest, on one thread.
fn gain(contest: &Contest) -> Option<f64> {
    let one = || contest.standings.iter().filter(|of| of.threads == 1);
    let median = |standing: &Standing| standing.times.median;
    let library = one().filter(|of| of.side != Side::Ours).map(median);
    let ours = one().find(|of| of.name == AUTOMATIC).map(median)?;
    Some(library.min_by(f64::total_cmp)? / ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped() {
        for (count, text) in [(7, "7"), (1234, "1,234"), (302_002_176, "302,002,176")] {
            assert_eq!(grouped(count), text);
        }
    }
}
