//! Lookups against the clear computation, for any valid weighted sum, any
//! tables and any batch, on toy parameters.

use std::sync::LazyLock;

use blindcore_tfhe::{
    Lookup, LweCiphertext, SecretKey, SeededServerKey, ServerKey, TOY_BLOCK, TruthTable,
};
use proptest::prelude::*;
use random::Generator;

/// A key, its server's key, and encryptions of 0 and of 1, sixteen of each.
static PARTIES: LazyLock<(SecretKey, ServerKey, [Vec<LweCiphertext>; 2])> = LazyLock::new(|| {
    let mut generator = Generator::from_key([77; 32]);
    let secret = SecretKey::generate(TOY_BLOCK, &mut generator).unwrap();
    let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {}).unwrap();
    let server = ServerKey::expand(&seeded, 1, &|_, _| {}).unwrap();
    let bits = [false, true].map(|bit| secret.encrypt(&[bit; 16], &mut generator).unpack());
    (secret, server, bits)
});

/// One lookup in the clear: bits with weights, a constant, tables.
type Clear = (Vec<(bool, i8)>, i8, Vec<u16>);

/// Weights of absolute sum at most 15, and the one constant range that keeps
/// every partial choice of bits within 0..16.
fn clear_lookup() -> impl Strategy<Value = Clear> {
    let weights =
        prop::collection::vec(-5_i8..=5, 0..8).prop_filter("the sum's range must fit", |weights| {
            weights
                .iter()
                .map(|weight| weight.unsigned_abs())
                .sum::<u8>()
                <= 15
        });
    weights.prop_flat_map(|weights| {
        let below: i8 = weights.iter().filter(|weight| **weight < 0).sum();
        let above: i8 = weights.iter().filter(|weight| **weight > 0).sum();
        let bits = prop::collection::vec(any::<bool>(), weights.len());
        let tables = prop::collection::vec(any::<u16>(), 0..4);
        (bits, -below..=15 - above, tables).prop_map(move |(bits, constant, tables)| {
            (
                bits.into_iter().zip(weights.iter().copied()).collect(),
                constant,
                tables,
            )
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn lookups_compute_their_tables(
        clear in prop::collection::vec(clear_lookup(), 1..6),
        batch in 1_usize..5,
    ) {
        let (secret, server, [zeros, ones]) = &*PARTIES;
        let terms: Vec<Vec<_>> = clear
            .iter()
            .map(|(terms, _, _)| {
                let encrypted = terms.iter().enumerate().map(|(i, &(bit, weight))| {
                    (if bit { &ones[i] } else { &zeros[i] }, weight)
                });
                encrypted.collect()
            })
            .collect();
        let tables: Vec<Vec<_>> = clear
            .iter()
            .map(|(_, _, tables)| tables.iter().copied().map(TruthTable).collect())
            .collect();
        let lookups: Vec<_> = clear
            .iter()
            .zip(terms.iter().zip(&tables))
            .map(|(&(_, constant, _), (terms, tables))| Lookup { terms, constant, tables })
            .collect();
        let outputs = server.lookup_many(&mut server.scratch(batch), &lookups).unwrap();
        for ((terms, constant, tables), outputs) in clear.iter().zip(outputs) {
            let t: i8 = terms.iter().filter(|term| term.0).map(|term| term.1).sum();
            let t = (t + constant) as u32;
            for (table, output) in tables.iter().zip(outputs) {
                prop_assert_eq!(secret.decrypt(&output).unwrap(), TruthTable(*table).at(t));
            }
        }
    }
}
