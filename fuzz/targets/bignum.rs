//! Products and residues: every route against the product row by row, and a modulus's own way of
//! reducing against division. Bytes choose lengths and the operands' patterns, so that long
//! operands need few of them.

#![no_main]

use std::sync::LazyLock;

use bignum::{Error, Modulus, Montgomery, Multiplier, Options, Route};
use libfuzzer_sys::fuzz_target;

/// Longer operands only make the fuzzer slow.
const LONGEST: usize = 700;

static MULTIPLIERS: LazyLock<Vec<Multiplier>> = LazyLock::new(|| {
    let made = Route::ALL.iter().map(|&route| {
        Multiplier::new(0, Options { route, ..Options::default() })
    });
    made.collect::<Result<_, _>>().expect("every route has a plan here")
});

/// A number: a length, a pattern, and bytes that it repeats.
fn operand(data: &mut &[u8]) -> Vec<u64> {
    let mut byte = || {
        let (first, rest) = data.split_first().unwrap_or((&0, &[]));
        *data = rest;
        *first
    };
    let length = (usize::from(byte()) * 256 + usize::from(byte())) % LONGEST;
    let pattern = byte() % 4;
    let mut period: Vec<u64> = (0..1 + byte() % 8)
        .map(|_| u64::from_le_bytes([0; 8].map(|_: u8| byte())))
        .collect();
    if pattern == 1 {
        period = vec![u64::MAX];
    }
    let mut limbs: Vec<u64> = period.iter().copied().cycle().take(length).collect();
    match pattern {
        2 => limbs.iter_mut().skip(1).for_each(|limb| *limb = 0),
        3 => limbs.iter_mut().skip(1).step_by(7).for_each(|limb| *limb = u64::MAX),
        _ => {}
    }
    limbs
}

fuzz_target!(|data: &[u8]| {
    let mut data = data;
    let (a, b) = (operand(&mut data), operand(&mut data));
    let mut expected = vec![0; a.len() + b.len()];
    let schoolbook = MULTIPLIERS.iter().find(|one| one.options().route == Route::Schoolbook);
    schoolbook.expect("it is a route").multiply(&mut expected, &a, &b).expect("lengths agree");
    for multiplier in MULTIPLIERS.iter() {
        let mut found = vec![1; expected.len()];
        multiplier.multiply(&mut found, &a, &b).expect("lengths agree");
        assert_eq!(found, expected, "{:?}", multiplier.options());
    }

    let d = operand(&mut data);
    let modulus = match Modulus::new(&d, Options::default()) {
        Err(Error::ZeroModulus) => return assert!(d.iter().all(|&limb| limb == 0)),
        made => made.expect("any other number is a modulus"),
    };
    let n = modulus.limbs();
    let (mut quotient, mut expected) = (vec![0; expected.len()], vec![0; n]);
    let product = {
        let mut product = vec![0; a.len() + b.len()];
        bignum::multiply(&mut product, &a, &b).expect("lengths agree");
        product
    };
    bignum::divide(&mut quotient, &mut expected, &product, modulus.modulus()).expect("it is not zero");
    let mut found = vec![1; n];
    modulus.reduce(&mut found, &product).expect("lengths agree");
    assert_eq!(found, expected);
    if d[0] % 2 == 1 && a.len() <= n && b.len() <= n {
        let montgomery = Montgomery::new(&d, Options::default()).expect("it is odd");
        let (mut entered, mut found) = (vec![0; n], vec![0; n]);
        montgomery.enter(&mut entered, &a).expect("lengths agree");
        montgomery.multiply(&mut found, &entered, &b).expect("lengths agree");
        assert_eq!(found, expected);
    }
});
