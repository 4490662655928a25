use super::*;

fn slots(m: u32) -> Slots {
    Slots::new(&Arc::new(Index::new(m).unwrap()))
}

/// The definition: a polynomial's product modulo 2 in the basis, by exponents modulo m.
fn product(index: &Index, a: &[u8], b: &[u8]) -> Vec<u8> {
    let m = index.m() as usize;
    // Modulo x^m − 1, which the cyclotomic polynomial divides.
    let mut full = vec![0_u8; m];
    for (i, a) in a.iter().enumerate().filter(|term| *term.1 == 1) {
        for (j, b) in b.iter().enumerate().filter(|term| *term.1 == 1) {
            let place = (index.exponent(i) + index.exponent(j)) as usize % m;
            full[place] ^= a & b;
        }
    }
    // Along each prime p: the power with exponent 0 is the sum of all others (modulo 2).
    for p in index.primes() {
        let step = idempotent(m as u64, p.into()) as usize;
        for place in (0..m).filter(|place| place % p as usize == 0) {
            if full[place] == 1 {
                full[place] = 0;
                for k in 1..p as usize {
                    full[(place + k * step) % m] ^= 1;
                }
            }
        }
    }
    (0..index.degree())
        .map(|position| full[index.exponent(position) as usize])
        .collect()
}

fn bits(count: usize, seed: u64) -> Vec<bool> {
    let mut generator = random::Generator::from_key([seed as u8; 32]);
    generator
        .binary_secret(count)
        .expose()
        .iter()
        .map(|bit| *bit == 1)
        .collect()
}

#[test]
fn products_of_plaintexts_are_ands_of_slots() {
    for m in [7, 15, 21, 51, 85, 255, 341] {
        let slots = slots(m);
        let (a, b) = (bits(slots.count(), 1), bits(slots.count(), 2));
        let [x, y] = [&a, &b].map(|bits| slots.encode(bits).unwrap());
        assert_eq!(slots.decode(&x).unwrap(), a, "{m}");
        let product = Plaintext {
            coefficients: product(&slots.index, &x.coefficients, &y.coefficients),
        };
        let and: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a & b).collect();
        assert_eq!(slots.decode(&product).unwrap(), and, "{m}");
        let sum = Plaintext {
            coefficients: x
                .coefficients
                .iter()
                .zip(&y.coefficients)
                .map(|(a, b)| a ^ b)
                .collect(),
        };
        let xor: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a ^ b).collect();
        assert_eq!(slots.decode(&sum).unwrap(), xor, "{m}");
    }
}

#[test]
fn all_ones_are_the_constant_one() {
    for m in [51, 255, 4369] {
        let slots = slots(m);
        let ones = slots.encode(&vec![true; slots.count()]).unwrap();
        assert!(ones.coefficients.iter().all(|&bit| bit == 1));
    }
}

#[test]
fn automorphisms_permute_slots_as_announced() {
    for m in [51, 255, 341] {
        let slots = slots(m);
        let values = bits(slots.count(), 3);
        let plain = slots.encode(&values).unwrap();
        for exponent in (2..m).filter(|&e| slots.index.position(e).is_some()) {
            let mut moved = vec![0; plain.coefficients.len()];
            for (position, &bit) in plain.coefficients.iter().enumerate() {
                let image = u64::from(slots.index.exponent(position)) * u64::from(exponent);
                let image = slots.index.position((image % u64::from(m)) as u32).unwrap();
                moved[image] = bit;
            }
            let from = slots.permutation(exponent).unwrap();
            let expected: Vec<bool> = from.iter().map(|&slot| values[slot]).collect();
            let moved = Plaintext {
                coefficients: moved,
            };
            assert_eq!(slots.decode(&moved).unwrap(), expected);
        }
        assert_eq!(
            slots.permutation(3 * 17),
            Err(Error::NotAnAutomorphism {
                exponent: 51 % m,
                index: m
            })
            .or_else(|error| if m == 341 {
                slots.permutation(51)
            } else {
                Err(error)
            })
        );
    }
}

#[test]
fn the_first_generator_shifts_within_cycles() {
    for m in [255, 341, 13_107] {
        let slots = slots(m);
        let lengths: usize = slots.generators().iter().map(|g| g.1).product();
        assert_eq!(lengths, slots.count());
        let (generator, length) = slots.generators()[0];
        let from = slots.permutation(generator).unwrap();
        // The largest order of an element of a group is the exponent of the group: full cycles.
        for (slot, &source) in from.iter().enumerate() {
            let start = slot / length * length;
            assert_eq!(source, start + (slot - start + 1) % length, "{m}");
        }
    }
}

#[test]
fn other_plaintexts_are_no_bits() {
    let slots = slots(255);
    let mut plain = slots.encode(&[true, false, true]).unwrap();
    plain.coefficients[7] ^= 1;
    assert_eq!(slots.decode(&plain), Err(Error::NotBits));
    assert_eq!(
        slots.encode(&[false; 17]).err(),
        Some(Error::TooManyBits {
            bits: 17,
            slots: 16
        })
    );
}
