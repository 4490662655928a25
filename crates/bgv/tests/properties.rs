//! Random circuits of a few gates on toy parameters, against booleans.
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use blindcore_bgv::{Ciphertext, Evaluator, Keys, Parameters, SecretKey};
use proptest::prelude::*;
use random::Generator;

static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let parameters = Parameters::named("TOY_255").unwrap();
    let mut generator = Generator::from_key([1; 32]);
    let watch = &|_| ControlFlow::Continue(());
    SecretKey::generate(&parameters, &[], &mut generator, NonZeroUsize::MIN, watch).unwrap()
});

/// A gate and the places of its operands, taken modulo how many values there are.
#[derive(Clone, Copy, Debug)]
enum Gate {
    Xor(usize, usize),
    And(usize, usize),
    Not(usize),
    SumOfProducts(usize, usize, usize),
}

fn gates() -> impl Strategy<Value = Vec<Gate>> {
    let place = || 0_usize..1000;
    let gate = prop_oneof![
        (place(), place()).prop_map(|(a, b)| Gate::Xor(a, b)),
        (place(), place()).prop_map(|(a, b)| Gate::And(a, b)),
        place().prop_map(Gate::Not),
        (place(), place(), place()).prop_map(|(a, b, c)| Gate::SumOfProducts(a, b, c)),
    ];
    prop::collection::vec(gate, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Either the answer is right or the operation was refused for its noise.
    #[test]
    fn circuits_compute_what_booleans_do(
        inputs in prop::collection::vec(0_u16.., 3),
        gates in gates(),
        seed in any::<[u8; 32]>(),
    ) {
        let evaluator = Evaluator::new(&KEYS.evaluation, NonZeroUsize::MIN).unwrap();
        let mut generator = Generator::from_key(seed);
        let unpack = |word: u16| -> Vec<bool> { (0..16).map(|i| word >> i & 1 == 1).collect() };
        let mut values: Vec<(u16, Ciphertext)> = inputs
            .into_iter()
            .map(|word| (word, KEYS.public.encrypt(&unpack(word), &mut generator).unwrap()))
            .collect();
        for gate in gates {
            let of = |place: usize| &values[place % values.len()];
            let (clear, made) = match gate {
                Gate::Xor(a, b) => (of(a).0 ^ of(b).0, evaluator.xor(&of(a).1, &of(b).1)),
                Gate::And(a, b) => (of(a).0 & of(b).0, evaluator.and(&of(a).1, &of(b).1)),
                Gate::Not(a) => (!of(a).0, evaluator.not(&of(a).1)),
                Gate::SumOfProducts(a, b, c) => (
                    (of(a).0 & of(b).0) ^ (of(b).0 & of(c).0),
                    evaluator.sum_of_products(&[(&of(a).1, &of(b).1), (&of(b).1, &of(c).1)]),
                ),
            };
            match made {
                Ok(made) => {
                    prop_assert_eq!(KEYS.secret.decrypt(&made).unwrap(), unpack(clear));
                    values.push((clear, made));
                }
                Err(blindcore_bgv::Error::NoiseExhausted { .. }) => break,
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            }
        }
    }
}
