//! How a transform of `2^k` or `3·2^k` points is taken apart.
//!
//! The points are eight interleaved transforms of `M = N/8` points each, so that every register of
//! eight words has one point of each. The first pass makes them (see `first`); what follows is the
//! same for all lanes:
//!
//! - the root pass, of radix 3, 6, 12, 2, 4, 8 or 16, whose parts are *blocks*;
//! - inner passes, of radix 16 or less, each in blocks of its own: their product is a block's
//!   length, a multiple of eight vectors.
//!
//! Blocks begin 512 bytes later than their length says: at a distance that is a power of two the
//! sixteen lines that the root pass loads together would all fall into one set of a cache.

use super::error::PrimesError;

/// The most points.
pub(super) const MOST_POINTS: usize = 1 << 21;
const FEWEST_POINTS: usize = 128;
/// Words of a vector: one point of each interleaved transform.
pub(super) const VECTOR: usize = 8;
/// Vectors that one step of the first pass makes.
pub(super) const TILE: usize = 8;

/// The passes of one size of transform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    /// `N`.
    pub(super) points: usize,
    /// 1 or 3.
    pub(super) threes: usize,
    /// Radix of what the root pass does after the radix 3: 1, 2, 4, 8 or 16.
    pub(super) root: usize,
    /// Radices within a block.
    pub(super) inner: Vec<usize>,
    /// Vectors of a block.
    pub(super) block: usize,
    /// Vectors from one block to the next in memory.
    pub(super) stride: usize,
}

impl Shape {
    /// The shortest of at least that many points.
    pub(super) fn covering(points: usize) -> Result<Self, PrimesError> {
        let unsupported = PrimesError::UnsupportedLength {
            limbs: points,
            most: MOST_POINTS,
        };
        if points == 0 || points > MOST_POINTS {
            return Err(unsupported);
        }
        let power = points.next_power_of_two().max(FEWEST_POINTS);
        let three = power / 4 * 3;
        let (threes, twos) = if three >= points && three >= 3 * 64 {
            (3, power / 4)
        } else {
            (1, power)
        };
        Ok(Self::new(threes, twos.trailing_zeros()))
    }

    fn new(threes: usize, log: u32) -> Self {
        let log = log - VECTOR.trailing_zeros();
        // Blocks have at least eight vectors; the root pass takes what it can of the rest.
        let most = if threes == 3 { 2 } else { 4 };
        let mut root = (log - TILE.trailing_zeros()).min(most);
        let inner = loop {
            match split(log - root) {
                // One pass less is worth a smaller root.
                inner if root > 2 && split(log - root + 1).len() < inner.len() => root -= 1,
                inner => break inner,
            }
        };
        let block = inner.iter().product();
        Self {
            points: (threes * VECTOR) << log,
            threes,
            root: 1 << root,
            inner,
            block,
            stride: block + TILE,
        }
    }

    /// Blocks of a transform.
    pub(super) fn blocks(&self) -> usize {
        self.threes * self.root
    }

    /// Points of each interleaved transform.
    pub(super) fn vectors(&self) -> usize {
        self.points / VECTOR
    }

    /// Words that a transform takes in memory.
    pub(super) fn words(&self) -> usize {
        self.blocks() * self.stride * VECTOR
    }
}

/// Radices of at most 16 and at least 4 whose product is `2^log`: as few as there can be, the
/// largest last, where data are in the cache. `log` is at least 3.
fn split(log: u32) -> Vec<usize> {
    let passes = log.div_ceil(4);
    (0..passes)
        .map(|pass| 1 << ((log + pass) / passes))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_is_taken_apart_whole() {
        for log in 7..=21 {
            for (threes, points) in [(1, 1 << log), (3, 3 << (log - 2))] {
                if threes == 3 && points < 192 {
                    continue;
                }
                let shape = Shape::covering(points).unwrap();
                assert_eq!(shape.points, points);
                assert_eq!(shape.threes, threes);
                assert_eq!(shape.blocks() * shape.block * VECTOR, points);
                assert_eq!(shape.block % TILE, 0);
                assert!(
                    shape.inner.iter().all(|r| [4, 8, 16].contains(r)),
                    "{shape:?}"
                );
                assert!(shape.blocks() <= 16);
                assert_eq!(Shape::covering(points - 1).unwrap(), shape);
            }
        }
        assert_eq!(Shape::covering(24_576).unwrap().inner, [16, 16]);
        assert_eq!(Shape::covering(1).unwrap().points, 128);
        let refusal = |limbs| PrimesError::UnsupportedLength {
            limbs,
            most: 1 << 21,
        };
        assert_eq!(Shape::covering(0), Err(refusal(0)));
        assert_eq!(Shape::covering((1 << 21) + 1), Err(refusal((1 << 21) + 1)));
    }
}
