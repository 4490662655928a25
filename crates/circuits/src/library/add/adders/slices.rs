//! The adder of lookups: several columns in one rotation.
//!
//! `t = Σ 2ⁱ(xᵢ + yᵢ) + c` over three columns takes the values 0 to 15, and one lookup gives the
//! three sum bits and the carry: ⌈n/3⌉ lookups at depth ⌈n/3⌉, 11 for 32 bits. Columns whose bits
//! are clear, equal or opposite cost nothing and end a slice, since the carry passes them or is
//! made anew; a column with one clear bit takes half the range.
//!
//! The overflow flag needs the carry into the top column, which the plain weights mix with the
//! top bits. Where the last slice has room, the top column's weight is raised above all that the
//! others can add up to (`t = (x₃₀ + y₃₀ + c) + 4(x₃₁ + y₃₁)`), and sum bits, carry and overflow
//! come from the same rotation. Otherwise (n a multiple of 3) overflow is a lookup of its own,
//! dropped if nobody reads it.
//!
//! With cores to spare some carries are computed ahead ([`carries`](super::carries)), and the
//! slices stay as they are.
//!
//! Source: multi-value bootstrapping (Carpov, Izabachène, Mollimard, CT-RSA 2019).

use std::sync::Arc;

use super::carries::{self, Node};
use crate::ir::Addition;
use crate::library::add::added::Added;
use crate::library::add::states::{self, Digit};
use crate::library::weighted::{functions, has_negacyclic};
use crate::{Builder, Wire};

/// Fewer slices than this are always a chain.
const FEWEST: usize = 3;

pub(super) fn add(b: &mut Builder, capacity: u32, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    let before = b.len();
    let added = recorded(b, capacity, x, y, carry_in);
    if has_negacyclic(b) {
        b.note_addition(Addition {
            at: before as u32,
            x: x.to_vec(),
            y: y.to_vec(),
            carry_in,
            sum: added.sum.clone(),
            carry: added.carry,
            overflow: added.overflow,
        });
    }
    added
}

/// The next slice: its sum, and the carry.
pub(super) fn slice(
    b: &mut Builder,
    capacity: u32,
    x: &[Wire],
    y: &[Wire],
    carry: Wire,
) -> (Vec<Wire>, Wire) {
    let made = Slice::from(capacity, x, y, carry).evaluate(b, false, capacity);
    (made.sum, made.carry)
}

fn recorded(b: &mut Builder, capacity: u32, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    let n = x.len();
    let mut sum = Vec::with_capacity(n);
    let mut carry = carry_in;
    let mut overflow = Wire::FALSE;
    // Columns below this one are a chain: that was decided for all of them together.
    let mut chain = 0;
    while sum.len() < n {
        let at = sum.len();
        if let Some((bit, next)) = settled(x[at], y[at], carry) {
            if at + 1 == n {
                overflow = b.xor(carry, next);
            }
            sum.push(bit);
            carry = next;
            continue;
        }
        let run = match at < chain || capacity < states::RANGE {
            true => Vec::new(),
            false => run(capacity, &x[at..], &y[at..], carry),
        };
        let columns: usize = run.iter().map(|slice| slice.x.len()).sum();
        let plan = match run.len() < FEWEST {
            true => Arc::default(),
            false => carries::plan(run.len(), b.profile()),
        };
        if plan.len() <= run.len() {
            chain = chain.max(at + columns);
            let slice = Slice::from(capacity, &x[at..], &y[at..], carry);
            let made = slice.evaluate(b, at + slice.x.len() == n, capacity);
            sum.extend(made.sum);
            (carry, overflow) = (made.carry, made.overflow);
        } else {
            let made = ahead(b, capacity, &run, &plan, at + columns == n);
            sum.extend(made.sum);
            (carry, overflow) = (made.carry, made.overflow);
        }
    }
    Added {
        sum,
        carry,
        overflow,
    }
}

/// The slices from a column on, up to one that needs no gate whatever its carry is.
fn run<'a>(capacity: u32, x: &'a [Wire], y: &'a [Wire], carry: Wire) -> Vec<Slice<'a>> {
    let breaks = x.iter().zip(y).position(|(&x, &y)| x == y || x == !y);
    let end = breaks.unwrap_or(x.len());
    let (mut run, mut at, mut carry) = (Vec::new(), 0, carry);
    // Wherever a carry comes from a lookup, any secret wire stands for it.
    let some = x[..end]
        .iter()
        .chain(y)
        .find(|wire| wire.as_constant().is_none());
    while at < end {
        let slice = Slice::from(capacity, &x[at..end], &y[at..end], carry);
        at += slice.x.len();
        run.push(slice);
        carry = some.copied().unwrap_or(carry);
    }
    run
}

/// A run of slices by a plan.
fn ahead(b: &mut Builder, capacity: u32, run: &[Slice<'_>], plan: &[Node], last: bool) -> Added {
    let mut carries: Vec<Option<Wire>> = vec![None; run.len() + 1];
    carries[0] = run.first().map(|slice| slice.carry);
    let mut digits: Vec<Digit> = Vec::with_capacity(plan.len());
    let mut sums: Vec<Vec<Wire>> = vec![Vec::new(); run.len()];
    let mut overflow = Wire::FALSE;
    for node in plan {
        let mut digit = Digit([Wire::FALSE; 2]);
        match node {
            &Node::Slice(at) => {
                let slice = Slice {
                    carry: carries[at].unwrap_or(Wire::FALSE),
                    ..run[at]
                };
                let made = slice.evaluate(b, last && at + 1 == run.len(), capacity);
                carries[at + 1].get_or_insert(made.carry);
                sums[at] = made.sum;
                overflow = made.overflow;
            }
            &Node::State(at) => {
                let columns = run[at].x.iter().zip(run[at].y);
                let columns: Vec<Digit> = columns.map(|(&x, &y)| Digit([x, y])).collect();
                digit = states::join(b, &columns);
            }
            Node::Group(units) => {
                let units: Vec<Digit> = units.iter().map(|&unit| digits[unit]).collect();
                digit = states::join(b, &units);
            }
            Node::Carry { from, into, units } => {
                let units: Vec<Digit> = units.iter().map(|&unit| digits[unit]).collect();
                let carry = carries[*from].unwrap_or(Wire::FALSE);
                carries[*into] = Some(states::carry_out(b, carry, &units));
            }
        }
        digits.push(digit);
    }
    Added {
        sum: sums.concat(),
        carry: carries[run.len()].unwrap_or(Wire::FALSE),
        overflow,
    }
}

/// Sum and carry of a column that needs no gate.
pub(in crate::library) fn settled(x: Wire, y: Wire, carry: Wire) -> Option<(Wire, Wire)> {
    // If two of the three bits are equal, they are the carry and the third is the sum; if two are
    // opposite, the third is the carry and its inverse the sum.
    [(x, y, carry), (y, carry, x), (carry, x, y)]
        .into_iter()
        .find_map(|(a, b, c)| {
            if a == b {
                Some((c, a))
            } else if a == !b {
                Some((!c, c))
            } else {
                None
            }
        })
}

/// Adjacent columns that one lookup adds.
#[derive(Clone, Copy)]
struct Slice<'a> {
    x: &'a [Wire],
    y: &'a [Wire],
    carry: Wire,
}

/// The number of wires that are not clear.
fn secret(wires: &[Wire]) -> u32 {
    wires
        .iter()
        .filter(|wire| wire.as_constant().is_none())
        .count() as u32
}

impl<'a> Slice<'a> {
    /// As many columns as fit, up to one that ends the chain for free; at least one.
    fn from(capacity: u32, x: &'a [Wire], y: &'a [Wire], carry: Wire) -> Self {
        let mut width = 0;
        let mut range = secret(&[carry]);
        for (&x, &y) in x.iter().zip(y) {
            range += secret(&[x, y]) << width;
            if width > 0 && (range > capacity || x == y || x == !y) {
                break;
            }
            width += 1;
        }
        Self {
            x: &x[..width],
            y: &y[..width],
            carry,
        }
    }

    fn evaluate(&self, b: &mut Builder, last: bool, capacity: u32) -> Added {
        let top = self.x.len() - 1;
        let mut terms = vec![(self.carry, 1)];
        for at in 0..top {
            terms.extend([(self.x[at], 1 << at), (self.y[at], 1 << at)]);
        }
        // All that the carry and the lower columns add up to, clear bits apart.
        let below: u32 = terms
            .iter()
            .map(|&(wire, weight)| secret(&[wire]) * weight as u32)
            .sum();
        let of_top = [self.x[top], self.y[top]];
        let apart = (1 << top).max(below + 1);
        let mut weight = 1u32 << top;
        if last && below + apart * secret(&of_top) <= capacity {
            weight = apart;
        }
        let knows_overflow = weight > below;

        // Clear bits would be mixed up by a raised weight, so they are added in the functions.
        let is_clear = |wire: Wire| u32::from(wire.as_constant() == Some(true));
        let clear_below: u32 = terms
            .iter()
            .map(|&(wire, w)| is_clear(wire) * w as u32)
            .sum();
        let clear_top: u32 = of_top.iter().map(|&wire| is_clear(wire)).sum();
        terms.extend(of_top.map(|wire| (wire, weight as i8)));
        terms.retain(|(wire, _)| wire.as_constant().is_none());

        let width = top + 1;
        let count = width + 1 + usize::from(knows_overflow);
        let mut made = functions(b, &terms, count, |t| {
            let t = t as u32;
            let (low, high) = if knows_overflow {
                (t % weight, t / weight)
            } else {
                (t, 0)
            };
            let into_top = (low + clear_below) >> top;
            let total = low + clear_below + ((high + clear_top) << top);
            let overflow = (into_top ^ total >> width) & 1;
            total & ((1 << (width + 1)) - 1) | overflow << (width + 1)
        });
        let overflow = if knows_overflow { made.pop() } else { None };
        let carry = made.pop().unwrap_or(self.carry);
        let overflow = match overflow {
            Some(overflow) => overflow,
            None if last => overflow_of(b, of_top, made[top]),
            None => Wire::FALSE,
        };
        Added {
            sum: made,
            carry,
            overflow,
        }
    }
}

/// Overflow from the signs alone: operands of one sign, a sum of the other.
fn overflow_of(b: &mut Builder, [x, y]: [Wire; 2], sum: Wire) -> Wire {
    functions(b, &[(x, 1), (y, 1), (sum, 3)], 1, |t| {
        u32::from(t == 2 || t == 3)
    })[0]
}
