//! Functions of few bits, written the long way.

use blindcore_circuits::library::{self, Word, constant};
use blindcore_circuits::passes::{self, cost};
use blindcore_circuits::{Builder, Circuit, Profile, Wire, sim};
use proptest::prelude::*;

/// All values of up to eight bits, sixty-four a block.
fn all(bits: usize) -> Vec<Vec<u64>> {
    let lane = |at: usize, block: u64| {
        (0..64).fold(0, |all, lane| all | ((64 * block + lane) >> at & 1) << lane)
    };
    (0..4)
        .map(|block| (0..bits).map(|at| lane(at, block)).collect())
        .collect()
}

/// What is made of a byte, prepared, and compared with what was recorded for all values.
fn prepared(
    profile: &Profile,
    make: impl Fn(&mut Builder, &[Wire]) -> Vec<Wire>,
) -> (Circuit, usize) {
    let mut b = Builder::new(profile);
    let byte = b.inputs(8);
    for wire in make(&mut b, &byte) {
        b.output(wire);
    }
    let circuit = b.finish();
    let prepared = passes::prepare(&circuit, profile);
    for inputs in all(8) {
        let [before, after] =
            [&circuit, &prepared].map(|circuit| sim::evaluate(circuit, &inputs).unwrap());
        assert_eq!(before, after);
    }
    let bootstraps = cost(&prepared, profile).bootstraps;
    (prepared, bootstraps)
}

fn profiles() -> [Profile; 2] {
    [Profile::lookup_simulation(), Profile::selector_simulation()]
}

/// Whether a byte is from one letter to another.
fn between(b: &mut Builder, byte: &[Wire], least: u8, most: u8) -> Wire {
    let [least, most] = [least, most].map(|letter| constant(letter.into(), 8));
    let below = library::less_than_unsigned(b, byte, &least);
    let above = library::less_than_unsigned(b, &most, byte);
    b.nor(below, above)
}

/// The byte less 32 where it is a small letter.
fn capital(b: &mut Builder, byte: &[Wire]) -> Word {
    let is_small = between(b, byte, b'a', b'z');
    let other = library::subtract(b, byte, &constant(32, 8));
    library::select(b, is_small, &other, byte)
}

#[test]
fn letters_take_three_lookups() {
    for profile in profiles() {
        let (_, taken) = prepared(&profile, |b, byte| vec![between(b, byte, b'a', b'z')]);
        assert!(taken <= 4, "{taken}");
        let (_, taken) = prepared(&profile, capital);
        assert!(taken <= 3, "{taken}");
        // A letter of either case, or a digit.
        let (_, taken) = prepared(&profile, |b, byte| {
            let kinds = [(b'a', b'z'), (b'A', b'Z'), (b'0', b'9')];
            let kinds = kinds.map(|(least, most)| between(b, byte, least, most));
            vec![b.any(&kinds)]
        });
        assert!(taken <= 3, "{taken}");
    }
}

/// What is no such function stays as it is, and so does what others share.
#[test]
fn others_stay() {
    for profile in profiles() {
        let (_, sum) = prepared(&profile, |b, byte| library::add(b, &byte[..4], &byte[4..]));
        assert!(sum <= 2, "{sum}");
        let (_, product) = prepared(&profile, |b, byte| {
            library::multiply(b, &byte[..4], &byte[4..])
        });
        let (_, both) = prepared(&profile, |b, byte| {
            let mut product = library::multiply(b, &byte[..4], &byte[4..]);
            product.push(between(b, byte, b'a', b'z'));
            product
        });
        assert!(both <= product + 4, "{both} {product}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Random functions of a byte by tables of constants, random ranges, random mixtures of both.
    #[test]
    fn random_functions(
        table in prop::collection::vec(any::<u8>(), 256),
        few in 1..5u8,
        ranges in prop::collection::vec(any::<(u8, u8)>(), 1..5),
    ) {
        for profile in profiles() {
            prepared(&profile, |b, byte| {
                let words: Vec<u64> = table.iter().map(|&word| (word % (few + 1)).into()).collect();
                let bits = library::rom(b, byte, 3, &words);
                let within: Vec<Wire> = (ranges.iter())
                    .map(|&(from, to)| between(b, byte, from.min(to), from.max(to)))
                    .collect();
                let odd = b.parity(&within);
                let some = b.any(&within);
                let mixed = b.mux(odd, bits[0], some);
                [bits, vec![odd, some, mixed]].concat()
            });
        }
    }
}
