//! How figures are written, in tables and charts alike.

use super::super::measure::Times;
use super::super::study::GateSet;

/// What stands above a set's rows.
pub(in super::super) fn heading(set: &GateSet) -> String {
    format!("ours, {} ({} bits)", set.name, set.security_bits.floor())
}

/// Three significant digits, or all before the point.
pub(in super::super) fn significant(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v if v >= 0.1 => format!("{v:.3}"),
        v => format!("{v:.4}"),
    }
}

pub(super) fn milliseconds(seconds: f64) -> String {
    significant(seconds * 1e3)
}

pub(super) fn spread(times: &Times, scale: f64) -> String {
    format!(
        "{} … {}",
        significant(times.least * scale),
        significant(times.most * scale)
    )
}

pub(super) fn ratio(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}×"),
        v if v >= 10.0 => format!("{v:.1}×"),
        v => format!("{v:.2}×"),
    }
}

/// The least and the largest of some ratios; `None` of none.
pub(super) fn range(ratios: &[f64]) -> Option<String> {
    let least = ratios.iter().copied().min_by(f64::total_cmp)?;
    let most = ratios.iter().copied().max_by(f64::total_cmp)?;
    let (least, most) = (ratio(least), ratio(most));
    Some(match least == most {
        true => least,
        false => format!("{} … {most}", least.trim_end_matches('×')),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        for (value, text) in [
            (1926.4, "1926"),
            (31.25, "31.2"),
            (2.404, "2.40"),
            (0.4321, "0.432"),
            (0.01234, "0.0123"),
        ] {
            assert_eq!(significant(value), text);
        }
        assert_eq!(milliseconds(0.0222), "22.2");
        assert_eq!(ratio(0.984), "0.98×");
    }

    #[test]
    fn ranges_of_ratios() {
        assert_eq!(range(&[]), None);
        assert_eq!(range(&[2.0, 2.001]).as_deref(), Some("2.00×"));
        assert_eq!(range(&[14.0, 9.0, 150.0]).as_deref(), Some("9.00 … 150×"));
    }
}
