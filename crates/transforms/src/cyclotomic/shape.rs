//! The points of a convolution and the passes over them.
//!
//! All axes are powers of two, so that a point's number is a row of binary digits, those of the
//! outermost axis first. The transform has a layer of butterflies for each digit. A *pass* is four
//! of them, whether they belong to one axis or to several, and leaves independent transforms in
//! a *chunk* of its own for each value of its digits. The last pass has the last four digits of the
//! innermost axis: sixteen consecutive words.

use super::index::Index;

/// Layers of a pass, and points that it combines.
pub(super) const DIGITS: u32 = 4;
pub(super) const RADIX: usize = 1 << DIGITS;
/// Words on which all remaining passes are made before the next ones are taken up: most of a
/// first-level cache of 48 KiB.
pub(super) const CACHED_WORDS: usize = 4096;
/// Rows of sixteen words that the last pass takes at once: as many as the widest register has
/// words.
pub(super) const ROWS: usize = 8;
/// Words of these.
pub(super) const TILE: usize = RADIX * ROWS;

/// Digits of one axis that a pass transforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) axis: usize,
    /// Digits of the axis before these.
    pub(super) before: u32,
    pub(super) digits: u32,
    /// Digits of the axis after these.
    pub(super) after: u32,
}

/// The layers of one pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) segments: Vec<Segment>,
    /// Words that its transforms spread over.
    pub(super) chunk: usize,
}

impl Pass {
    pub(super) fn radix(&self) -> usize {
        1 << self.segments.iter().map(|s| s.digits).sum::<u32>()
    }

    /// Chunks with factors of their own: those of one line of the axis that it begins within.
    pub(super) fn blocks(&self) -> usize {
        self.segments.first().map_or(1, |s| 1 << s.before)
    }
}

/// The length of the cyclic convolution along each axis: the axis' own where that is a power of
/// two, or one that the linear convolution with `2·length − 1` values fits into.
pub(super) fn convolution_lengths(index: &Index) -> Vec<usize> {
    let axes = index.axes();
    let fitting = |length: usize| (2 * length - 1).next_power_of_two();
    let exact = |length: &usize| {
        if length.is_power_of_two() {
            *length
        } else {
            fitting(*length)
        }
    };
    let mut lengths: Vec<usize> = axes.iter().map(exact).collect();
    let rest = lengths
        .split_last()
        .map_or(1, |(_, rest)| rest.iter().product());
    if let (Some(length), Some(axis)) = (lengths.last_mut(), axes.last())
        && (*length < RADIX || *length * rest < TILE)
    {
        // A larger one that is no longer cyclic in the axis has to have room for all.
        *length = fitting(*axis).max(RADIX).max(TILE / rest);
    }
    lengths
}

/// The passes of a transform with these lengths.
pub(super) fn passes(lengths: &[usize]) -> Vec<Pass> {
    let mut digits = Vec::new();
    for (axis, length) in lengths.iter().enumerate() {
        let all = length.trailing_zeros();
        digits.extend((0..all).map(|before| Segment {
            axis,
            before,
            digits: 1,
            after: all - before - 1,
        }));
    }
    let (outer, last) = digits.split_at(digits.len() - DIGITS as usize);
    let mut chunk: usize = lengths.iter().product();
    let mut passes = Vec::new();
    let mut rest = outer;
    loop {
        // Parts of a chunk that no first-level cache holds are as far apart as its ways: eight of
        // them have room.
        let most = if chunk > CACHED_WORDS {
            DIGITS - 1
        } else {
            DIGITS
        };
        let (group, after) = rest.split_at(rest.len().min(most as usize));
        rest = after;
        let group = if group.is_empty() { last } else { group };
        let mut segments: Vec<Segment> = Vec::new();
        for digit in group {
            match segments.last_mut() {
                Some(segment) if segment.axis == digit.axis => {
                    segment.digits += 1;
                    segment.after -= 1;
                }
                _ => segments.push(*digit),
            }
        }
        let pass = Pass { segments, chunk };
        chunk /= pass.radix();
        passes.push(pass);
        if chunk == 1 {
            return passes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(m: u32) -> Vec<usize> {
        convolution_lengths(&Index::new(m).unwrap())
    }

    #[test]
    fn convolutions_have_room() {
        assert_eq!(lengths(21_845), [256, 4, 16]);
        assert_eq!(lengths(65_537), [65_536]);
        assert_eq!(lengths(8191), [16_384]);
        assert_eq!(lengths(51), [2, 64]);
        assert_eq!(lengths(3), [128]);
        for m in (3..2000).chain(130_000..131_072).step_by(2) {
            let Ok(index) = Index::new(m) else { continue };
            let lengths = convolution_lengths(&index);
            assert!(lengths.iter().product::<usize>() >= TILE);
            assert!(*lengths.last().unwrap() >= RADIX);
            for (axis, length) in index.axes().into_iter().zip(lengths) {
                assert!(length == axis || length >= 2 * axis, "{m}");
            }
        }
    }

    #[test]
    fn passes_have_every_digit_once() {
        let segment = |axis, before, digits, after| Segment {
            axis,
            before,
            digits,
            after,
        };
        let expected = [
            (vec![segment(0, 0, 3, 5)], 32_768),
            (vec![segment(0, 3, 4, 1)], 4096),
            (
                vec![
                    segment(0, 7, 1, 0),
                    segment(1, 0, 2, 0),
                    segment(2, 0, 1, 0),
                ],
                256,
            ),
            (vec![segment(3, 0, 4, 0)], 16),
        ];
        let expected = expected.map(|(segments, chunk)| Pass { segments, chunk });
        assert_eq!(passes(&lengths(65_535)), expected);
        for m in [3, 51, 255, 8191, 13_107, 65_537] {
            let lengths = lengths(m);
            let passes = passes(&lengths);
            let product: usize = passes.iter().map(Pass::radix).product();
            assert_eq!(product, lengths.iter().product::<usize>());
            assert_eq!(passes.last().unwrap().chunk, RADIX);
        }
    }
}
