//! Automorphisms `ζ → ζ^t`: rotations of the axes.

use super::index::{Axis, Index};

/// The automorphism `ζ → ζ^exponent` of `from`, on coefficients and on evaluations alike: the word
/// at the position of `e` goes to that of `e·exponent`.
///
/// On coefficients that is what the automorphism does with the basis. The evaluation at `ω^(1/e)`
/// of the image is that of the element at `ω^(exponent/e)`, which was at the position of
/// `e/exponent`.
///
/// # Panics
/// Unless the exponent is prime to the index and both have [`Index::degree`] words.
pub fn rotate(index: &Index, exponent: u32, from: &[u64], into: &mut [u64]) {
    let degree = index.degree();
    assert_eq!(from.len(), degree, "words of an element");
    assert_eq!(into.len(), degree, "words of an element");
    let logarithms: Option<Vec<usize>> = index.logarithms(exponent).collect();
    assert!(
        logarithms.is_some(),
        "{exponent} is not prime to {}",
        index.m()
    );
    along(
        index.axis_list(),
        &logarithms.unwrap_or_default(),
        from,
        into,
    );
}

fn along(axes: &[Axis], steps: &[usize], from: &[u64], into: &mut [u64]) {
    let ([axis, inner @ ..], [step, steps @ ..]) = (axes, steps) else {
        into.copy_from_slice(from);
        return;
    };
    if steps.iter().all(|&step| step == 0) {
        let (head, tail) = from.split_at(from.len() - step * axis.stride);
        into[..tail.len()].copy_from_slice(tail);
        into[tail.len()..].copy_from_slice(head);
        return;
    }
    for (number, from) in from.chunks_exact(axis.stride).enumerate() {
        let place = (number + step) % axis.length();
        let into = &mut into[place * axis.stride..][..axis.stride];
        along(inner, steps, from, into);
    }
}
