//! Laws of residues: every operation of every instruction set at the extremes of what it takes.

use crate::InstructionSet;
use crate::integers::primes::arch::{Factor, Kernel, Machine, Modulus, Reduction, Residues};
use crate::integers::primes::field::{Field, Primes};

struct Laws {
    primes: Primes,
    modulus: Modulus,
    machine: Machine,
}

/// One word in all lanes and back, which must agree.
fn from_lanes<V: Residues>(v: V, x: V::Word) -> u64 {
    let mut memory = [0; 8];
    v.store(&mut v.vectors_mut(&mut memory)[0], x);
    assert!(memory[..V::LANES].iter().all(|&y| y == memory[0]));
    memory[0]
}

impl Kernel for Laws {
    fn run<V: Residues>(self, v: V) {
        let p = self.modulus.p;
        let field = Field::new(p);
        let prime = v.prime(&self.modulus);
        let limit = match self.machine.reduction(self.primes) {
            Reduction::Never => 1 << 10,
            Reduction::EachPass => 16,
            Reduction::EachLayer => 4,
        };
        let half = self.modulus.half;
        assert_eq!(half, limit / 2 * p);
        // Bits that a sum may leave above those that count.
        let excess = if V::RADIX == 52 {
            [0, 1 << 52, 0xabc << 52]
        } else {
            [0; 3]
        };
        let word = |x: u64| {
            v.splat(if V::RADIX == 0 {
                (x as f64).to_bits()
            } else {
                x
            })
        };
        // A word's number, which must be below `bound` times the prime, reduced.
        let residue = |x: V::Word, bound: u64| {
            let x = from_lanes(v, v.clean(x));
            let x = if V::RADIX == 0 {
                f64::from_bits(x) as i128
            } else {
                i128::from(x)
            };
            assert!(
                x.unsigned_abs() < u128::from(bound * p),
                "{x} is {bound} times {p}"
            );
            x.rem_euclid(p.into()) as u64
        };
        let mut residues = vec![
            0,
            1,
            2,
            p - 1,
            p,
            p + 1,
            2 * p - 1,
            half - 1,
            half,
            half + 1,
            limit * p - 1,
        ];
        residues.extend((0..limit.min(40)).map(|i| i * p + 0x1234_5678_9abc));
        for &x in &residues {
            for above in excess {
                let lazy = if above == 0 {
                    word(x)
                } else {
                    v.splat(x | above)
                };
                assert_eq!(residue(v.fold(prime, lazy), limit / 2), x % p);
                assert_eq!(residue(lazy, limit), x % p);
                for w in [0, 1, 2, p / 2, p - 1, 0x7654_3210_fedc] {
                    let [value, quotient] = self.machine.factor(w, p);
                    let factor = Factor::<V> {
                        value: v.splat(value),
                        quotient: v.splat(quotient),
                    };
                    let product = residue(v.mul(prime, lazy, factor), 2);
                    assert_eq!(product, field.multiply(x % p, w));
                    let sum = residue(v.mul_add(prime, word(2 * p - 1), lazy, factor), 4);
                    assert_eq!(sum, (product + p - 1) % p);
                }
            }
            for &y in &residues {
                let (a, b) = match V::RADIX {
                    52 => (v.splat(x | excess[2]), v.splat(y | excess[1])),
                    _ => (word(x), word(y)),
                };
                let product = residue(v.product(prime, a, b), limit / 2);
                let scaled = field.multiply(product, field.power_of_two(V::RADIX.into()));
                assert_eq!(scaled, field.multiply(x % p, y % p));
            }
            if x < 2 * p {
                assert_eq!(from_lanes(v, v.canonical(prime, word(x))), x % p);
                let difference = residue(v.sub::<2>(prime, word(2 * p - 1), word(x)), 4);
                assert_eq!(difference, (4 * p - 1 - x) % p);
            }
            if x < 4 * p && limit > 4 {
                let difference = residue(v.sub::<4>(prime, word(1), word(x)), 5);
                assert_eq!(difference, (4 * p + 1 - x) % p);
            }
        }
        for limb in [
            0,
            1,
            u64::MAX,
            1 << 63,
            p,
            0xffff_ffff,
            0xffff_ffff_0000_0000,
        ] {
            assert_eq!(residue(v.read(prime, v.splat(limb)), 2), limb % p);
        }
        let mut sum = word(2 * p - 1);
        for _ in 0..V::SUMMANDS {
            sum = v.add(sum, word(2 * p - 1));
        }
        let expected = field.multiply(p - 1, 1 + V::SUMMANDS as u64);
        assert_eq!(residue(v.collect(prime, sum), 2), expected);
        if V::RADIX == 0 {
            // Numbers may be negative.
            for x in [1, p / 2, p - 1, p, p + 1, 2 * p - 1] {
                let negative = v.splat((-(x as f64)).to_bits());
                assert_eq!(from_lanes(v, v.canonical(prime, negative)), (2 * p - x) % p);
                assert_eq!(residue(v.fold(prime, negative), limit / 2), (2 * p - x) % p);
            }
        }
        let mut memory: [u64; 64] = std::array::from_fn(|i| i as u64);
        let mut rows = [v.splat(0); 8];
        for (row, word) in rows.iter_mut().enumerate() {
            let lanes: [u64; 8] = std::array::from_fn(|lane| (row + 8 * lane) as u64);
            *word = v.load(&v.vectors(&lanes)[0]);
        }
        // Word by word, memory's order is that of vectors, each with a word of every row.
        for (i, word) in v.interleave(rows).into_iter().enumerate() {
            v.store(&mut v.vectors_mut(&mut memory)[i], word);
        }
        assert!(memory.iter().enumerate().all(|(i, &x)| x == i as u64));
        for (row, word) in v.separate(v.interleave(rows)).into_iter().enumerate() {
            let mut lanes = [0; 8];
            v.store(&mut v.vectors_mut(&mut lanes)[0], word);
            assert!((0..V::LANES).all(|lane| lanes[lane] == (row + 8 * lane) as u64));
        }
    }
}

#[test]
fn residues_keep_their_laws_at_the_extremes() {
    for set in InstructionSet::available() {
        let machine = Machine::new(set).unwrap();
        for primes in [Primes::Narrow, Primes::Wide] {
            for p in primes.moduli() {
                machine.dispatch(Laws {
                    primes,
                    modulus: machine.modulus(primes, p),
                    machine,
                });
            }
        }
    }
}
