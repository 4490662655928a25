//! The index of a cyclotomic ring and the order of its basis.
//!
//! With `m = p₁·…·p_k` odd and squarefree, the powers `ζ^e` with `e` prime to `m` are an integral
//! basis of the `m`-th cyclotomic ring (Hilbert, *Zahlbericht*, 1897, §105; Speiser, 1916), and
//! automorphisms permute it. Modulo each `p_i` an exponent is a power `g_i^a` of a generator, so
//! that `(a₁, …, a_k)` names it: automorphisms add to these logarithms. Words are in the order of
//! that array, the last logarithm running fastest.

use super::arithmetic::{generator, power, prime_factors};
use super::error::CyclotomicError;

/// The largest index.
pub const MOST_INDEX: u32 = 1 << 17;

/// One prime of an index, and the logarithms to its generator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) prime: u32,
    /// Positions from one logarithm to the next.
    pub(super) stride: usize,
    /// The number modulo `m` that is 1 modulo this prime and 0 modulo the others.
    idempotent: u64,
    /// Powers of the generator, from the 0th on.
    powers: Vec<u32>,
    /// Logarithms of the numbers from 1 on.
    logarithms: Vec<u32>,
}

impl Axis {
    pub(super) fn length(&self) -> usize {
        self.powers.len()
    }

    /// Powers of the generator, from the 0th on.
    pub(super) fn powers(&self) -> &[u32] {
        &self.powers
    }

    pub(super) fn idempotent(&self) -> u64 {
        self.idempotent
    }
}

/// An odd squarefree index `m` and the order of the basis `ζ^e`, `e` prime to `m`.
///
/// ```
/// use blindcore_transforms::cyclotomic::Index;
///
/// let index = Index::new(21_845)?;
/// assert_eq!((index.degree(), index.order_of_two(), index.slots()), (16_384, 16, 1024));
/// assert_eq!(index.position(index.exponent(5)), Some(5));
/// # Ok::<(), blindcore_transforms::cyclotomic::CyclotomicError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    m: u32,
    order_of_two: usize,
    axes: Vec<Axis>,
}

impl Index {
    /// # Errors
    /// [`CyclotomicError::UnsupportedIndex`] unless `m` is odd, squarefree and from 3 to
    /// [`MOST_INDEX`].
    pub fn new(m: u32) -> Result<Self, CyclotomicError> {
        let unsupported = CyclotomicError::UnsupportedIndex {
            m,
            most: MOST_INDEX,
        };
        if m < 3 || m.is_multiple_of(2) || m > MOST_INDEX {
            return Err(unsupported);
        }
        let mut primes = prime_factors(m.into());
        if primes.iter().product::<u64>() != u64::from(m) {
            return Err(unsupported);
        }
        // The axis that is transformed across registers is last: sixteen points where there is such
        // an axis, which needs no factors that differ between lanes.
        primes.sort_by_key(|&p| (p == 17, std::cmp::Reverse(p)));
        if !primes.contains(&17) {
            primes.rotate_left(1);
        }
        let mut stride = primes.iter().map(|p| *p as usize - 1).product();
        let mut axes = Vec::with_capacity(primes.len());
        for p in primes {
            stride /= p as usize - 1;
            axes.push(axis(p, m.into(), stride));
        }
        let mut order_of_two = 1;
        let mut x = 2 % m;
        while x != 1 {
            x = 2 * x % m;
            order_of_two += 1;
        }
        Ok(Self {
            m,
            order_of_two,
            axes,
        })
    }

    /// The index.
    pub fn m(&self) -> u32 {
        self.m
    }

    /// `φ(m)`: the words of a ring element modulo one prime.
    pub fn degree(&self) -> usize {
        self.axes.iter().map(Axis::length).product()
    }

    /// The primes that divide `m`, in the order of their axes, the outermost first.
    pub fn primes(&self) -> Vec<u32> {
        self.axes.iter().map(|axis| axis.prime).collect()
    }

    /// The length of each axis, one less than its prime.
    pub fn axes(&self) -> Vec<usize> {
        self.axes.iter().map(Axis::length).collect()
    }

    /// The order of 2 modulo `m`: the degree of each of the factors of `Φ_m` modulo 2.
    pub fn order_of_two(&self) -> usize {
        self.order_of_two
    }

    /// How many factors `Φ_m` has modulo 2.
    pub fn slots(&self) -> usize {
        self.degree() / self.order_of_two
    }

    /// The exponent `e` of the basis element `ζ^e` at a position, which is also that of the
    /// evaluation at the root `ω^(1/e)`.
    ///
    /// # Panics
    /// If there are no more positions than that.
    pub fn exponent(&self, position: usize) -> u32 {
        let degree = self.degree();
        assert!(position < degree, "position {position} of {degree}");
        let terms = self.axes.iter().map(|axis| {
            let logarithm = position / axis.stride % axis.length();
            u64::from(axis.powers[logarithm]) * axis.idempotent
        });
        (terms.sum::<u64>() % u64::from(self.m)) as u32
    }

    /// The position of the basis element `ζ^exponent`, the exponent being taken modulo `m`; `None`
    /// if it is not prime to `m`.
    pub fn position(&self, exponent: u32) -> Option<usize> {
        let mut position = 0;
        for (axis, logarithm) in self.axes.iter().zip(self.logarithms(exponent)) {
            position += logarithm? * axis.stride;
        }
        Some(position)
    }

    /// The coefficient that the number 1 has everywhere in the basis: 1 or −1, by the number of
    /// primes.
    pub fn one(&self) -> i8 {
        // The sum of the p − 1 primitive p-th roots is −1.
        if self.axes.len().is_multiple_of(2) {
            1
        } else {
            -1
        }
    }

    /// The logarithm of an exponent along each axis, `None` where the prime divides it.
    pub(super) fn logarithms(&self, exponent: u32) -> impl Iterator<Item = Option<usize>> {
        self.axes.iter().map(move |axis| {
            let residue = exponent % axis.prime;
            let place = (residue as usize).checked_sub(1)?;
            Some(axis.logarithms[place] as usize)
        })
    }

    pub(super) fn axis_list(&self) -> &[Axis] {
        &self.axes
    }
}

fn axis(p: u64, m: u64, stride: usize) -> Axis {
    let g = generator(p);
    let cofactor = m / p;
    let mut powers = Vec::with_capacity(p as usize - 1);
    let mut logarithms = vec![0; p as usize - 1];
    let mut x = 1;
    for logarithm in 0..p - 1 {
        powers.push(x as u32);
        logarithms[x as usize - 1] = logarithm as u32;
        x = x * g % p;
    }
    Axis {
        prime: p as u32,
        stride,
        idempotent: cofactor * power(cofactor, p - 2, p) % m,
        powers,
        logarithms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gcd(a: u32, b: u32) -> u32 {
        if b == 0 { a } else { gcd(b, a % b) }
    }

    #[test]
    fn positions_and_exponents_are_inverse() {
        for m in [3, 15, 21, 51, 105, 255, 1105, 4369] {
            let index = Index::new(m).unwrap();
            let mut seen = vec![false; m as usize];
            for position in 0..index.degree() {
                let exponent = index.exponent(position);
                assert_eq!(gcd(exponent, m), 1);
                assert_eq!(index.position(exponent), Some(position));
                seen[exponent as usize] = true;
            }
            for exponent in 0..m {
                assert_eq!(seen[exponent as usize], gcd(exponent, m) == 1);
                assert_eq!(index.position(exponent).is_some(), gcd(exponent, m) == 1);
            }
        }
    }

    #[test]
    fn the_rings_of_the_default_family() {
        let figures = [
            (4369, 4096, 16, 256),
            (13_107, 8192, 16, 512),
            (21_845, 16_384, 16, 1024),
            (65_535, 32_768, 16, 2048),
            (65_537, 65_536, 32, 2048),
            (8191, 8190, 13, 630),
            (255, 128, 8, 16),
        ];
        for (m, degree, order, slots) in figures {
            let index = Index::new(m).unwrap();
            let found = (index.degree(), index.order_of_two(), index.slots());
            assert_eq!(found, (degree, order, slots), "{m}");
        }
        assert_eq!(Index::new(65_535).unwrap().axes(), [256, 4, 2, 16]);
    }

    #[test]
    fn other_indices_are_refused() {
        for m in [0, 1, 2, 4, 9, 45, 30, MOST_INDEX + 1, u32::MAX] {
            let expected = CyclotomicError::UnsupportedIndex {
                m,
                most: MOST_INDEX,
            };
            assert_eq!(Index::new(m), Err(expected));
        }
    }
}
