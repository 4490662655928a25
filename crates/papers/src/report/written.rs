//! How figures are written, in tables and charts alike.

use super::super::bench::{Figure, Times};
use super::{Cell, Origin};

/// Three significant digits, or all before the point.
pub(crate) fn significant(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v if v >= 0.1 => format!("{v:.3}"),
        v if v > 0.0 => {
            // As many digits as stand before the first that counts, and three.
            let digits = 2 - v.log10().floor() as i32;
            format!("{v:.*}", digits.clamp(4, 9) as usize)
        }
        v => format!("{v:.4}"),
    }
}

pub(crate) fn milliseconds(seconds: f64) -> String {
    significant(seconds * 1e3)
}

pub(crate) fn spread(times: &Times, scale: f64) -> String {
    format!(
        "{} … {}",
        significant(times.least * scale),
        significant(times.most * scale)
    )
}

pub(crate) fn ratio(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}×"),
        v if v >= 10.0 => format!("{v:.1}×"),
        v => format!("{v:.2}×"),
    }
}

/// The least and the largest of some ratios; `None` of none.
pub(crate) fn range(ratios: &[f64]) -> Option<String> {
    let least = ratios.iter().copied().min_by(f64::total_cmp)?;
    let most = ratios.iter().copied().max_by(f64::total_cmp)?;
    let (least, most) = (ratio(least), ratio(most));
    Some(match least == most {
        true => least,
        false => format!("{} … {most}", least.trim_end_matches('×')),
    })
}

/// What a parameter set promises.
pub(crate) fn promise(security_bits: f64, log2_failure: f64) -> String {
    format!(
        "{} bits of security, a bootstrap wrong at most once in 2^{:.0}",
        security_bits.floor(),
        -log2_failure
    )
}

impl Cell {
    /// A time in a unit of which a second has `scale`.
    pub(crate) fn figure(figure: &Figure, scale: f64) -> Self {
        let origin = match figure {
            Figure::Measured(_) => Origin::Measured,
            Figure::Computed(_) => Origin::Computed,
            Figure::Simulated(_) => Origin::Simulated,
        };
        Self::new(origin, significant(figure.seconds() * scale))
    }
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
            (0.001234, "0.00123"),
            (0.0002304, "0.000230"),
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
