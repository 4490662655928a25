//! Reciprocals of large integers by Newton's iteration.
//!
//! For `d` of `n` limbs with its top bit set, [`of`] gives `⌊B^2n/d⌋`, a number of `n + 1` limbs.
//! From a reciprocal `v` of the top `h` limbs, with `t = d·v`, the next is `v·B^(n−h) + v·(B^(n+h)
//! − t)/B^2h`: the number of right limbs doubles, less a few bits, so `h = n/2 + 1`. (Brent and
//! Zimmermann, Modern Computer Arithmetic, §3.4.1.) About three products of `n` limbs, the exact
//! correction at the end included.

use crate::{Error, Multiplier, division, limbs};

/// Up to this many limbs the reciprocal is a division row by row.
const NEWTON: usize = 24;

/// `⌊B^2n/d⌋` for `d` of `n` limbs with its top bit set.
pub(crate) fn of(d: &[u64], with: &Multiplier) -> Result<Vec<u64>, Error> {
    let n = d.len();
    let mut v = approximate(d, with)?;
    if n <= NEWTON {
        return Ok(v);
    }
    // What is left of B^2n decides whether the last units are right.
    let mut product = vec![0; 2 * n + 1];
    with.multiply(&mut product, d, &v)?;
    while product[2 * n] != 0 {
        // Too large, if by no more than that it gives B^2n itself.
        if product[2 * n] == 1 && limbs::length(&product[..2 * n]) == 0 {
            break;
        }
        limbs::decrement(&mut v);
        limbs::subtract_assign(&mut product, d);
    }
    // B^2n − d·v, which must be below d.
    let mut rest = vec![0; 2 * n + 1];
    rest[2 * n] = 1;
    limbs::subtract_assign(&mut rest, &product);
    while limbs::compare(&rest, d).is_ge() {
        limbs::increment(&mut v);
        limbs::subtract_assign(&mut rest, d);
    }
    Ok(v)
}

/// The reciprocal but for a few units.
fn approximate(d: &[u64], with: &Multiplier) -> Result<Vec<u64>, Error> {
    let n = d.len();
    if n <= NEWTON {
        let mut power = vec![0; 2 * n + 1];
        power[2 * n] = 1;
        let mut quotient = vec![0; n + 1];
        division::by_rows(&mut quotient, &mut power, d);
        return Ok(quotient);
    }
    let h = n / 2 + 1;
    let head = approximate(&d[n - h..], with)?;
    let mut product = vec![0; n + h + 1];
    with.multiply(&mut product, d, &head)?;
    // B^(n+h) − d·head, which has a sign.
    let above = product[n + h] != 0;
    let mut rest = product;
    if above {
        rest[n + h] -= 1;
    } else {
        let mut power = vec![0; n + h + 1];
        power[n + h] = 1;
        limbs::subtract_from(&mut rest, &power);
    }
    let rest = limbs::trim(&rest[h..]);
    let mut v = vec![0; n + 1];
    v[n - h..].copy_from_slice(&head);
    if rest.is_empty() {
        return Ok(v);
    }
    let mut step = vec![0; rest.len() + head.len()];
    with.multiply(&mut step, rest, &head)?;
    let step = limbs::trim(&step[h.min(rest.len() + head.len())..]);
    if above {
        limbs::subtract_assign(&mut v, step);
    } else {
        limbs::add_assign(&mut v, step);
    }
    Ok(v)
}
