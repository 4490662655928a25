//! The smaller and the larger of two words: an order ([`less_than_unsigned`]) and a selection,
//! n lookups or n selections beside the order's cost, one deeper.

use super::order::{less_than_signed, less_than_unsigned};
use crate::library::select::select;
use crate::library::word::{Signedness, Word};
use crate::{Builder, Wire};

/// The smaller of two words.
///
/// ```
/// use blindcore_circuits::library::{self, Signedness, constant};
/// use blindcore_circuits::{Builder, Profile, Wire};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// // 255 as an unsigned number, −1 as a signed one.
/// let (x, y) = (constant(255, 8), constant(1, 8));
/// assert_eq!(library::less_than_unsigned(b, &x, &y), Wire::FALSE);
/// assert_eq!(library::less_than_signed(b, &x, &y), Wire::TRUE);
/// assert_eq!(library::minimum(b, Signedness::Signed, &x, &y), x);
/// assert_eq!(library::maximum(b, Signedness::Unsigned, &x, &y), x);
/// assert_eq!(library::equal(b, &x, &y), Wire::FALSE);
/// assert_eq!(library::is_zero(b, &x), Wire::FALSE);
/// ```
pub fn minimum(b: &mut Builder, signedness: Signedness, x: &[Wire], y: &[Wire]) -> Word {
    let less = less_than(b, signedness, x, y);
    select(b, less, x, y)
}

/// The larger of two words.
pub fn maximum(b: &mut Builder, signedness: Signedness, x: &[Wire], y: &[Wire]) -> Word {
    let less = less_than(b, signedness, x, y);
    select(b, less, y, x)
}

fn less_than(b: &mut Builder, signedness: Signedness, x: &[Wire], y: &[Wire]) -> Wire {
    match signedness {
        Signedness::Unsigned => less_than_unsigned(b, x, y),
        Signedness::Signed => less_than_signed(b, x, y),
    }
}
