//! Packed rows against words of 64 bits, on every instruction set that the machine has.

use super::*;

/// Splitmix64.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A residue, often one at which something is carried.
    fn residue(&mut self, q: u64) -> u64 {
        const LOW: u64 = u32::MAX as u64;
        let edges = [0, 1, q - 1, q / 2, q / 2 + 1, LOW, LOW + 1, LOW & q];
        let high = [
            (1 << 48) - 1,
            1 << 48,
            (1 << 48) + 1,
            1 << 49,
            q - (q & LOW),
        ];
        let draw = self.next();
        match draw % 16 {
            0..8 => edges[(draw >> 8) as usize % edges.len()] % q,
            8..11 => high[(draw >> 8) as usize % high.len()] % q,
            _ => self.next() % q,
        }
    }

    /// A pair of residues, often with a sum next to the modulus.
    fn pair(&mut self, q: u64) -> [u64; 2] {
        let a = self.residue(q);
        let b = match self.next() % 4 {
            0 => (q - a) % q,
            1 => q - 1 - a,
            2 => (q - a + 1) % q,
            _ => self.residue(q),
        };
        [a, b]
    }
}

fn check(draws: &mut Draws, length: usize, q: u64) {
    let pairs: Vec<[u64; 2]> = (0..length).map(|_| draws.pair(q)).collect();
    let [a, b]: [Vec<u64>; 2] = [0, 1].map(|side| pairs.iter().map(|pair| pair[side]).collect());
    let expected: Vec<u64> = pairs.iter().map(|[a, b]| (a + b) % q).collect();
    let portable = Packed::on(Machine::available()[0], &expected, q);
    for machine in Machine::available() {
        let (mut sum, other) = (Packed::on(machine, &a, q), Packed::on(machine, &b, q));
        assert_eq!(sum.unpack(), a, "{length} below {q} on {machine:?}");
        assert_eq!(
            (sum.len(), sum.size()),
            (length, Packed::size_of(length, q))
        );
        sum.add(&other);
        assert_eq!(sum.unpack(), expected, "{length} below {q} on {machine:?}");
        let last = [0, length / 2, length - 1];
        assert_eq!(last.map(|at| sum.word(at)), last.map(|at| expected[at]));
        assert_eq!(sum, portable, "{length} below {q} on {machine:?}");
        assert_eq!(other.unpack(), b, "{length} below {q} on {machine:?}");
    }
}

/// The largest and the least odd number of so many bits, and some between.
fn moduli(draws: &mut Draws, bits: u32) -> Vec<u64> {
    let most = (1 << bits) - 1;
    let drawn = (1 << (bits - 1)) + draws.next() % (1 << (bits - 2));
    vec![most, most - 2, (1 << (bits - 1)) + 1, drawn | 1]
}

#[test]
fn sums_are_those_of_words() {
    let mut draws = Draws(1);
    for bits in 20..=50 {
        for q in moduli(&mut draws, bits) {
            for length in 1..=70 {
                check(&mut draws, length, q);
            }
        }
    }
}

#[test]
fn long_rows_end_where_they_should() {
    let mut draws = Draws(2);
    for bits in 20..=50 {
        for q in moduli(&mut draws, bits) {
            for length in [511, 512, 513, 575, 577, 1024, 1537, 8190, 13_981] {
                check(&mut draws, length, q);
            }
        }
    }
}

#[test]
fn rows_take_the_bits_of_their_moduli() {
    for (bits, bytes) in [(20, 2048), (32, 2048), (33, 2112), (40, 2560), (50, 3200)] {
        let row = Packed::new(&[1; 1024], (1 << bits) - 1);
        assert_eq!(row.size(), 2 * bytes, "{bits} bits");
    }
    assert!(Packed::new(&[], 17).is_empty());
}

#[test]
fn equal_rows_have_equal_moduli_and_words() {
    let row = Packed::new(&[1, 2, 3], 1 << 40 | 1);
    assert_eq!(row, Packed::new(&row.unpack(), row.modulus()));
    assert_ne!(row, Packed::new(&[1, 2, 4], row.modulus()));
    assert_ne!(row, Packed::new(&[1, 2, 3, 0], row.modulus()));
    assert_ne!(row, Packed::new(&[1, 2, 3], row.modulus() + 2));
}
