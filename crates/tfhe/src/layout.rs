//! Where the bits of several values stand in packed inputs.
//!
//! A value of at least N bits begins a ciphertext of its own and fills its last one with zeros: an array
//! is then in the rows from which loads choose ([`crate::leveled`]), as it came. Smaller values follow
//! each other without gaps.

use std::ops::Range;

use crate::parameters::Parameters;

/// The places of values among the coefficients of packed inputs, one ciphertext after the other.
///
/// ```
/// use blindcore_tfhe::{Layout, TOY_BLOCK};
///
/// let n = TOY_BLOCK.polynomial_size().get();
/// // A byte, two rows and a bit, another byte.
/// let layout = Layout::of(&TOY_BLOCK, &[8, 2 * n + 1, 8]).unwrap();
/// assert_eq!(layout.padding(), [8..n, 3 * n + 1..4 * n]);
/// assert_eq!((layout.bits(), layout.coefficients()), (2 * n + 17, 4 * n + 8));
/// // Without large values there are no gaps.
/// assert!(!Layout::of(&TOY_BLOCK, &[8, n - 1]).unwrap().has_padding());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    bits: usize,
    coefficients: usize,
    padding: Vec<Range<usize>>,
}

impl Layout {
    /// The layout of values of these sizes, in bits; `None` beyond the address space.
    #[must_use]
    pub fn of(parameters: &Parameters, sizes: &[usize]) -> Option<Self> {
        let n = parameters.polynomial_size().get();
        let mut layout = Self::default();
        for &size in sizes {
            if size >= n {
                layout.fill_up(n)?;
            }
            layout.bits = layout.bits.checked_add(size)?;
            layout.coefficients = layout.coefficients.checked_add(size)?;
            if size >= n {
                layout.fill_up(n)?;
            }
        }
        Some(layout)
    }

    /// Bits without gaps.
    #[must_use]
    pub fn plain(bits: usize) -> Self {
        Self {
            bits,
            coefficients: bits,
            padding: Vec::new(),
        }
    }

    fn fill_up(&mut self, n: usize) -> Option<()> {
        let filled = self.coefficients.checked_next_multiple_of(n)?;
        if filled > self.coefficients {
            self.padding.push(self.coefficients..filled);
            self.coefficients = filled;
        }
        Some(())
    }

    /// Bits of all values.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Coefficients that they take, the zeros between them included.
    #[must_use]
    pub fn coefficients(&self) -> usize {
        self.coefficients
    }

    /// Where zeros are, ascending.
    #[must_use]
    pub fn padding(&self) -> &[Range<usize>] {
        &self.padding
    }

    /// Those within a range, counted from its start.
    pub(crate) fn gaps(&self, range: Range<usize>) -> Vec<usize> {
        let first = self.padding.partition_point(|gap| gap.end <= range.start);
        let gaps = self.padding.iter().skip(first);
        let gaps = gaps.take_while(|gap| gap.start < range.end);
        gaps.flat_map(|gap| gap.start.max(range.start)..gap.end.min(range.end))
            .map(|at| at - range.start)
            .collect()
    }

    /// Whether there are any.
    #[must_use]
    pub fn has_padding(&self) -> bool {
        !self.padding.is_empty()
    }

    /// The bits of all values, one after the other, with the zeros between them.
    #[must_use]
    pub fn padded(&self, bits: &[bool]) -> Vec<bool> {
        let mut padded = Vec::with_capacity(self.coefficients);
        let mut rest = bits;
        for gap in &self.padding {
            let (own, after) = rest.split_at((gap.start - padded.len()).min(rest.len()));
            padded.extend_from_slice(own);
            padded.resize(gap.end, false);
            rest = after;
        }
        padded.extend_from_slice(rest);
        padded
    }
}
