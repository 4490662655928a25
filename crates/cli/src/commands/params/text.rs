//! The sheets as text for a terminal of 80 columns.

use std::fmt::Write;

use session::parameters::{Estimates, Failing, Gadget, KeySheet, Least, Purpose, Sheet};
use tfhe::SmallKey;

/// All sets: what they are, what they resist, how often they fail, what they cost.
pub(super) fn overview(sheets: &[Sheet], estimates: &Estimates) -> String {
    let mut text = String::new();
    for (title, purpose) in [
        ("To be used", Purpose::Use),
        (
            "Of earlier releases: still read, made no longer",
            Purpose::Former,
        ),
        (
            "From the papers, for comparison; insecure by today's measure",
            Purpose::Paper,
        ),
        ("For tests only: no security", Purpose::Test),
    ] {
        let group = sheets.iter().filter(|sheet| sheet.purpose == purpose);
        let mut first = true;
        for sheet in group {
            if first {
                line(&mut text, &format!("{title}:\n"));
                first = false;
            }
            summary(&mut text, sheet, estimates);
        }
    }
    for (engine, words) in [
        (
            "lookup",
            "Lookups, one rotation each: log2 of the probability that one goes wrong",
        ),
        (
            "gate",
            "Gates, on outputs of gates: log2 of the probability that one goes wrong",
        ),
    ] {
        let group = sheets
            .iter()
            .filter(|sheet| sheet.engine == engine && sheet.purpose != Purpose::Test);
        let group: Vec<&Sheet> = group.collect();
        if let Some(first) = group.first() {
            line(&mut text, &format!("{words}\n"));
            for (number, sheet) in (1..).zip(&group) {
                line(&mut text, &format!("  [{number}] {}", sheet.name));
            }
            let mut heads = format!("  {:16}", "");
            (1..=group.len())
                .for_each(|number| push(&mut heads, &format!("{:>9}", format!("[{number}]"))));
            line(&mut text, &heads);
            for (row, failing) in first.failures.iter().enumerate() {
                let mut cells = format!("  {:16}", failing.name);
                for sheet in &group {
                    let found = sheet.failures.get(row);
                    let cell =
                        found.map_or("-".to_owned(), |found| format!("{:.0}", found.log2_failure));
                    push(&mut cells, &format!("{cell:>9}"));
                }
                line(&mut text, &cells);
            }
            text.push('\n');
        }
    }
    let provenance = &estimates.provenance;
    line(
        &mut text,
        &format!(
            "Security: the cheapest attack on the weaker key, cost model {}; of our own\n\
             estimates (docs/parameters.md) and those of the lattice estimator\n\
             ({}, {}).\n\
             `blindcore params NAME` shows everything about a set.",
            provenance.cost_model,
            provenance.commit.get(..7).unwrap_or(&provenance.commit),
            provenance.date,
        ),
    );
    text
}

/// A set in a few lines.
fn summary(text: &mut String, sheet: &Sheet, estimates: &Estimates) {
    line(
        text,
        &format!("{}\n  {}", sheet.name, wrapped(&sheet.remark, 78, "  ")),
    );
    if let Some(Least { bits, attack, key }) = estimates.least(&sheet.keys) {
        line(
            text,
            &format!(
                "  at least {:.0} bits of security ({bits} by {attack} on the {key})",
                bits.floor()
            ),
        );
    }
    line(
        text,
        &format!(
            "  small key n = {}, {}, deviation 2^{:.2}\n  \
             big key k = {}, N = {}, uniform binary, deviation 2^{:.2}\n  \
             bootstrap {}; key switch {}\n  \
             fails with at most 2^{:.0}; {} transforms of {} points a rotation\n  \
             server key {} to send, {} to compute with\n",
            sheet.n,
            distribution(sheet.small_key),
            sheet.log2_lwe_deviation,
            sheet.k,
            sheet.size,
            sheet.log2_glwe_deviation,
            gadget(sheet.bootstrap),
            gadget(sheet.key_switch),
            sheet.promise.log2_failure,
            sheet.cost.transforms,
            sheet.size / 2,
            megabytes(sheet.cost.seeded_bytes),
            megabytes(sheet.cost.expanded_bytes),
        ),
    );
}

/// Everything about one set.
pub(super) fn detail(sheet: &Sheet, estimates: &Estimates) -> String {
    let mut text = String::new();
    summary(&mut text, sheet, estimates);
    line(&mut text, "Security: log2 of the cost of each attack\n");
    for key in &sheet.keys {
        attacks(&mut text, key, estimates);
    }
    if sheet.purpose != Purpose::Test {
        let provenance = &estimates.provenance;
        line(
            &mut text,
            &format!(
                "  the first three by scripts/parameters/attacks, the others by the lattice\n  \
                 estimator {},\n  \
                 cost model {}, {}\n",
                provenance.commit, provenance.cost_model, provenance.date
            ),
        );
    }
    line(&mut text, "Noise: deviation as a fraction of the torus\n");
    for step in &sheet.noise {
        line(
            &mut text,
            &format!("  {:44} 2^{:.2}", step.words, 0.5 * step.variance.log2()),
        );
    }
    text.push('\n');
    line(
        &mut text,
        "Failures: noise of the operands in units of a rotation's variance, deviation\n\
         of what is rounded in the end, probability that it is rounded wrongly\n",
    );
    for failing in &sheet.failures {
        line(&mut text, &row(failing));
    }
    if let Some(largest) = sheet.largest_factor {
        line(
            &mut text,
            &format!(
                "\n  A lookup may take up to {largest:.0} units: then it fails with 2^{:.0}.",
                sheet.promise.log2_failure
            ),
        );
    }
    text.push('\n');
    line(&mut text, "Cost\n");
    let switch = match sheet.cost.key_switch_transforms {
        Some(count) => format!(", {count} small ones a key switch"),
        None => String::new(),
    };
    line(
        &mut text,
        &format!(
            "  {} transforms of {} complex points a rotation{switch}\n  \
             {} of key streamed for each batch of rotations\n  \
             server key: {} expanded, {} seeded\n  \
             an encrypted bit: {} bytes",
            sheet.cost.transforms,
            sheet.size / 2,
            megabytes(sheet.cost.streamed_bytes),
            megabytes(sheet.cost.expanded_bytes),
            megabytes(sheet.cost.seeded_bytes),
            sheet.cost.bit_bytes,
        ),
    );
    text
}

fn attacks(text: &mut String, key: &KeySheet, estimates: &Estimates) {
    let problem = format!(
        "  {}: dimension {}, modulus 2^{}, deviation 2^{:.2}",
        key.role, key.dimension, key.log2_modulus, key.log2_deviation
    );
    line(text, &problem);
    let Some(estimate) = estimates.of(key) else {
        line(text, "    no estimate is recorded: take it for none\n");
        return;
    };
    line(
        text,
        &format!(
            "    estimated by the lattice estimator as {}",
            estimate.modelled_as
        ),
    );
    for (name, bits) in &estimate.attacks {
        line(text, &format!("    {name:18} {:>6}", bits.to_string()));
    }
    text.push('\n');
}

fn row(failing: &Failing) -> String {
    let Failing {
        name,
        description,
        factor,
        variance,
        log2_failure,
        ..
    } = failing;
    let figures = format!(
        "  {name:16} {factor:>8.1}   2^{:<7.2} 2^{log2_failure:.1}",
        0.5 * variance.log2()
    );
    format!("{figures}\n      {}", wrapped(description, 74, "      "))
}

fn distribution(key: SmallKey) -> String {
    match key {
        SmallKey::Uniform => "uniform binary".to_owned(),
        SmallKey::Block(bits) => format!("blocks of {bits} bits with at most one set"),
    }
}

fn gadget(of: Gadget) -> String {
    let levels = if of.levels == 1 { "level" } else { "levels" };
    format!("{} {levels} of base 2^{}", of.levels, of.base_log)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Breaks a text between words, so that no line has more than `width` characters; lines after the
/// first begin with `indent`.
fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let fits = lines.last().is_some_and(|line| {
            line.is_empty() || line.chars().count() + 1 + word.chars().count() <= width
        });
        if !fits {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join(&format!("\n{indent}"))
}

fn push(text: &mut String, more: &str) {
    text.push_str(more);
}

fn line(text: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_wider_than_80_columns() {
        let estimates = Estimates::recorded().unwrap();
        let sheets = Sheet::all();
        let mut texts = vec![overview(&sheets, &estimates)];
        texts.extend(sheets.iter().map(|sheet| detail(sheet, &estimates)));
        for line in texts.iter().flat_map(|text| text.lines()) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn texts_break_between_words() {
        assert_eq!(wrapped("one two three", 7, "  "), "one two\n  three");
        assert_eq!(wrapped("", 7, "  "), "");
    }
}
