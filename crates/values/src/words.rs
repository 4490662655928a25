//! Sizes and durations as people read them.

/// A number of bytes in words.
#[must_use]
pub fn bytes_in_words(count: u64) -> String {
    match count {
        0..10_000 => format!("{count} bytes"),
        10_000..1_000_000 => format!("{:.0} kB", count as f64 / 1e3),
        1_000_000..10_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}

/// A duration in words, two significant parts.
#[must_use]
pub fn duration_in_words(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match seconds {
        s if s < 0.01 => format!("{:.1} ms", s * 1e3),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{} min {:02} s", whole / 60, whole % 60),
        s if s < 172_800.0 => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
        _ => format!("{} days", whole / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        for (seconds, text) in [
            (0.0012, "1.2 ms"),
            (0.25, "250 ms"),
            (3.21, "3.2 s"),
            (59.0, "59 s"),
            (125.0, "2 min 05 s"),
            (7260.0, "2 h 01 min"),
            (1e6, "11 days"),
        ] {
            assert_eq!(duration_in_words(seconds), text);
        }
    }
}
