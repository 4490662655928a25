//! What a multiplier is asked for.

use crate::Wire;
use crate::library::word::Signedness;

/// What is to be computed: `x·y`, `x·y + addend` or `addend − x·y` modulo 2^`width`.
pub(super) struct Problem<'a> {
    pub(super) signedness: Signedness,
    pub(super) x: &'a [Wire],
    pub(super) y: &'a [Wire],
    pub(super) width: usize,
    pub(super) addend: Option<&'a [Wire]>,
    pub(super) negative: bool,
}

impl<'a> Problem<'a> {
    pub(super) fn low(x: &'a [Wire], y: &'a [Wire]) -> Self {
        Self {
            width: x.len(),
            ..Self::long(Signedness::Unsigned, x, y)
        }
    }

    pub(super) fn long(signedness: Signedness, x: &'a [Wire], y: &'a [Wire]) -> Self {
        assert_eq!(x.len(), y.len(), "operands of different widths");
        Self {
            signedness,
            x,
            y,
            width: 2 * x.len(),
            addend: None,
            negative: false,
        }
    }

    pub(super) fn and_addend(mut self, addend: &'a [Wire]) -> Self {
        assert_eq!(
            addend.len(),
            self.width,
            "an addend of another width than the product"
        );
        self.addend = Some(addend);
        self
    }
}
