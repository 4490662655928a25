//! How many lookups one worker evaluates for one pass over the bootstrapping key.
//!
//! A key of 58.7 MB does not fit a core's own cache: alone, a lookup waits for the stream of key
//! elements; from about four on it is arithmetic that takes the time. What a batch writes, the
//! accumulators and spectra of its lookups (64 KB each for P16), should stay in the second-level
//! cache while the key streams through it, of which it gets a quarter. More than eight gain nothing
//! (`cargo run --release -p blindcore-tfhe --example lookup_time` shows it), and a layer of the
//! circuit would have to be wider to keep every worker busy.

use tfhe::Parameters;

/// Fewer leave the stream in charge.
const LEAST: usize = 4;
const MOST: usize = 8;

/// The batch for a parameter set on this machine: 4 to 8; 8 where the system does not tell its
/// caches.
#[must_use]
pub fn batch(parameters: &Parameters) -> usize {
    second_level_cache().map_or(MOST, |bytes| of_cache(bytes, parameters))
}

fn of_cache(bytes: usize, parameters: &Parameters) -> usize {
    let polynomials = 2 + 2 * parameters.bootstrap_decomposition().levels.get();
    let lookup = polynomials * parameters.polynomial_size().get() * size_of::<u64>();
    (bytes / 4 / lookup).clamp(LEAST, MOST)
}

/// Bytes of the first core's second-level cache, as Linux tells them.
fn second_level_cache() -> Option<usize> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index2/size").ok()?;
    size(text.trim())
}

/// "2048K" and the like.
fn size(text: &str) -> Option<usize> {
    let (number, unit) = match text.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => (text.strip_suffix('M')?, 1 << 20),
    };
    number.parse::<usize>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfhe::P16;

    #[test]
    fn a_quarter_of_the_cache() {
        let batches = [256 << 10, 1 << 20, 1280 << 10, 2 << 20, 16 << 20];
        assert_eq!(batches.map(|bytes| of_cache(bytes, &P16)), [4, 4, 5, 8, 8]);
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!(size("2048K"), Some(2 << 20));
        assert_eq!(size("1M"), Some(1 << 20));
        for other in ["", "K", "2048", "-1K", "x"] {
            assert_eq!(size(other), None, "{other}");
        }
    }
}
