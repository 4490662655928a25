//! Lookups by the number-theoretic transform, whose products are exact: they decrypt to what the
//! clear computation says, as those of the complex FFT do.

use blindcore_tfhe::{
    Fft, Lookup, P16, Parameters, SecretKey, SeededServerKey, ServerKey, TOY_BLOCK, TOY_UNIFORM,
    TruthTable,
};
use random::Generator;

/// `t` from 0 to 15 as four encrypted bits, each looked up in several tables, in batches of the
/// buffers' size and one more.
fn every_value(parameters: Parameters) {
    let mut generator = Generator::from_key([11; 32]);
    let secret = SecretKey::generate(parameters, &mut generator).unwrap();
    let seeded = SeededServerKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
    let server = ServerKey::expand_for(&seeded, Fft::Ntt, 2, &|_, _| {}).unwrap();
    let mut scratch = server.scratch(5);
    let tables = [0xaaaa, 0x6996, 0xfffe, 0x1234].map(TruthTable);

    let bits: Vec<bool> = (0..64).map(|i| ((i / 4) >> (i % 4)) & 1 == 1).collect();
    let bits = secret.encrypt(&bits, &mut generator).unpack();
    let terms: Vec<Vec<_>> = bits
        .chunks(4)
        .map(|bits| bits.iter().zip([1, 2, 4, 8]).collect())
        .collect();
    let lookups: Vec<_> = terms
        .iter()
        .map(|terms| Lookup {
            terms,
            constant: 0,
            tables: &tables,
        })
        .collect();
    let results = server.lookup_many(&mut scratch, &lookups).unwrap();
    for (t, results) in results.iter().enumerate() {
        for (result, table) in results.iter().zip(tables) {
            let expected = table.0 >> t & 1 == 1;
            assert_eq!(
                secret.decrypt(result).unwrap(),
                expected,
                "{table:?} at {t}"
            );
        }
    }
    // The outputs serve as inputs: the parity of t once more, by a chain.
    let again: Vec<Vec<_>> = results.iter().map(|r| vec![(&r[1], 1)]).collect();
    let identity = [TruthTable(0xaaaa)];
    let lookups: Vec<_> = again
        .iter()
        .map(|terms| Lookup {
            terms,
            constant: 0,
            tables: &identity,
        })
        .collect();
    let results = server.lookup_many(&mut scratch, &lookups).unwrap();
    for (t, results) in (0u32..).zip(&results) {
        assert_eq!(
            secret.decrypt(&results[0]).unwrap(),
            t.count_ones() % 2 == 1
        );
    }
}

#[test]
fn toy_lookups() {
    for set in [TOY_BLOCK, TOY_UNIFORM] {
        every_value(set);
    }
}

#[test]
#[ignore = "real parameters, 20 s"]
fn p16_lookups() {
    every_value(P16);
}
