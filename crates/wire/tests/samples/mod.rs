//! One record of each kind under toy parameters, always the same: what the fixtures hold.

use std::sync::Arc;

use blindcore_wire::{Checkpoint, Inputs, OutputBit, Outputs, Variable};
use random::Generator;
use tfhe::leveled::SeededLeveledKey;
use tfhe::{LweCiphertext, Parameters, PublicKey, SecretKey, SeededServerKey, ShrunkBits};
use values::{Element, Type};

/// Not random at all.
pub(crate) fn generator() -> Generator {
    Generator::from_key([5; 32])
}

/// The key.
pub(crate) fn secret_key(parameters: Parameters) -> SecretKey {
    SecretKey::generate(parameters, &mut generator()).unwrap()
}

/// A variable.
pub(crate) fn variable(name: &str, kind: Type) -> Variable {
    Variable {
        name: name.to_owned(),
        kind,
    }
}

/// Inputs: a byte and three characters, every third bit set.
pub(crate) fn inputs(key: &SecretKey) -> Inputs {
    Inputs::new(variables(), key.encrypt(&bits(), &mut generator())).unwrap()
}

/// The same, made with the public key.
pub(crate) fn public_inputs(key: &SecretKey) -> Inputs {
    let encrypted = public_key(key).encrypt(&bits(), &mut generator());
    Inputs::new(variables(), encrypted.unwrap()).unwrap()
}

fn variables() -> Vec<Variable> {
    vec![
        variable("a", Type::scalar(Element::U8)),
        variable("text", Type::vector(Element::Character, 3)),
    ]
}

fn bits() -> Vec<bool> {
    (0..32).map(|bit| bit % 3 == 0).collect()
}

/// The key that encrypts.
pub(crate) fn public_key(key: &SecretKey) -> PublicKey {
    PublicKey::generate(key, &mut generator())
}

/// Outputs whose secret bits are no real ciphertexts: this crate never looks into them.
pub(crate) fn outputs(key: &SecretKey) -> Outputs {
    let variables = vec![
        variable("flag", Type::scalar(Element::Boolean)),
        variable(
            "pair",
            Type::vector(
                Element::Integer {
                    bits: 16,
                    signed: true,
                },
                2,
            ),
        ),
    ];
    let bits: Vec<OutputBit> = (0..40)
        .map(|bit| {
            if bit % 4 == 0 {
                OutputBit::Secret
            } else {
                OutputBit::Clear(bit % 3 == 0)
            }
        })
        .collect();
    let words = 10 * ShrunkBits::words_per_bit(key.parameters());
    let elements = (0..words).map(|word| (word * 257) as u16).collect();
    let secret = ShrunkBits::from_parts(*key.parameters(), key.key_id(), elements).unwrap();
    Outputs::new(variables, bits, secret).unwrap()
}

/// A checkpoint whose state means nothing, with three bits of which the first is 1. This crate
/// looks into neither.
pub(crate) fn checkpoint(key: &SecretKey) -> Checkpoint {
    let bits = (0..3).map(|bit| LweCiphertext::trivial(key.parameters(), key.key_id(), bit == 0));
    let (run, state) = ([7; 32], b"a state".to_vec());
    let bits = bits.map(Arc::new).collect();
    Checkpoint::new(*key.parameters(), key.key_id(), run, state, bits).unwrap()
}

/// The key that computes.
pub(crate) fn server_key(key: &SecretKey) -> SeededServerKey {
    SeededServerKey::generate(key, &mut generator(), 1, &|_, _| {}).unwrap()
}

/// Its second part.
pub(crate) fn selector_key(key: &SecretKey) -> SeededLeveledKey {
    SeededLeveledKey::generate(key, &mut generator(), 1, &|_, _| {}).unwrap()
}
