//! The real sets through the public API: a chain of additions in the alignment
//! with the most noise, from encryption to shrunk outputs.

use blindcore_tfhe::{
    Lookup, LweCiphertext, P16, P16_UNIFORM, Parameters, Scratch, SecretKey, SeededServerKey,
    ServerKey, TruthTable,
};
use random::Generator;

/// x + y in eleven lookups: slices of three bits, the last of two.
fn add(
    server: &ServerKey,
    scratch: &mut Scratch,
    x: &[LweCiphertext],
    y: &[LweCiphertext],
) -> Vec<LweCiphertext> {
    let mut carry = server.constant(false);
    let mut sum = Vec::new();
    for (x, y) in x.chunks(3).zip(y.chunks(3)) {
        let terms: Vec<_> = x
            .iter()
            .zip([1, 2, 4])
            .chain(y.iter().zip([1, 2, 4]))
            .chain([(&carry, 1)])
            .collect();
        let tables: Vec<_> = (0..=x.len())
            .map(|bit| TruthTable::of(|t| t >> bit & 1 == 1))
            .collect();
        let lookup = Lookup {
            terms: &terms,
            constant: 0,
            tables: &tables,
        };
        let mut outputs = server.lookup_many(scratch, &[lookup]).unwrap().remove(0);
        carry = outputs.pop().unwrap();
        sum.extend(outputs);
    }
    sum
}

/// Moves every bit one place up, as a shift by one does: afterwards no slice
/// holds outputs of one rotation only, which is the worst case for its noise.
fn double(server: &ServerKey, x: &[LweCiphertext]) -> Vec<LweCiphertext> {
    std::iter::once(server.constant(false))
        .chain(x[..31].iter().cloned())
        .collect()
}

fn additions(parameters: Parameters, rounds: u32) {
    let mut generator = Generator::from_key([42; 32]);
    let secret = SecretKey::generate(parameters, &mut generator).unwrap();
    let seeded = SeededServerKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
    let server = ServerKey::expand(&seeded, 2, &|_, _| {}).unwrap();
    let mut scratch = server.scratch(1);

    let (mut x, mut y) = (0x89ab_cdef_u32, 0x7654_3211_u32);
    let bits = |word: u32| (0..32).map(move |i| word >> i & 1 == 1);
    let inputs: Vec<bool> = bits(x).chain(bits(y)).collect();
    let inputs = secret.encrypt(&inputs, &mut generator).unpack();
    let (mut a, mut b) = (inputs[..32].to_vec(), inputs[32..].to_vec());
    for _ in 0..rounds {
        (x, y) = (x.wrapping_add(y), x);
        (a, b) = (add(&server, &mut scratch, &a, &b), a);
        (x, y) = (x << 1, y << 1);
        (a, b) = (double(&server, &a), double(&server, &b));
    }
    let outputs: Vec<_> = a.iter().chain(&b).collect();
    let shrunk = server.shrink(&mut scratch, &outputs).unwrap();
    assert_eq!(
        shrunk.elements().len(),
        64 * (parameters.lwe_dimension().get() + 1)
    );
    let expected: Vec<bool> = bits(x).chain(bits(y)).collect();
    assert_eq!(secret.decrypt_shrunk(&shrunk).unwrap(), expected);
}

#[test]
#[ignore = "slow: 2 s"]
fn p16_adds() {
    additions(P16, 5);
}

#[test]
#[ignore = "slow: 2 s"]
fn p16_uniform_adds() {
    additions(P16_UNIFORM, 3);
}
