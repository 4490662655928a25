//! The gate engine against the laws that every engine obeys.

use std::cell::RefCell;
use std::sync::Arc;

use blindcore_engines::tfhe_gate::{self, TfheGate};
use circuits::{Builder, Gates as _, Job, Pool, laws, library, passes};
use random::Generator;
use tfhe::gate::{
    GATE_UNIFORM_128_PFAIL_2M64, GateParameters, GateSecretKey, GateServerKey, SeededGateServerKey,
    TFHE_2016_93, TFHE_LIB_118, TOY_GATE,
};

/// A key pair from a fixed seed, its engine and the generator that encrypts.
fn key_pair(parameters: GateParameters, seed: u8) -> (GateSecretKey, TfheGate, Generator) {
    let mut generator = Generator::from_key([seed; 32]);
    let secret = GateSecretKey::generate(parameters, &mut generator).unwrap();
    let seeded = SeededGateServerKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
    let server = GateServerKey::expand(&seeded, 2, &|_, _| {}).unwrap();
    let profile = tfhe_gate::profile(&parameters);
    (secret, TfheGate::new(Arc::new(server), profile), generator)
}

fn obeys_the_laws(parameters: GateParameters, samples: usize) {
    let (secret, engine, generator) = key_pair(parameters, 1);
    let generator = RefCell::new(generator);
    let encode = |bit| {
        secret
            .encrypt(&[bit], &mut generator.borrow_mut())
            .remove(0)
    };
    laws::gates(
        &engine,
        &encode,
        &|bit| secret.decrypt(bit).unwrap(),
        samples,
    );
}

#[test]
fn toy_obeys_the_laws() {
    obeys_the_laws(TOY_GATE, 60);
}

#[test]
#[ignore = "real parameters, about 20 seconds"]
fn tfhe_lib_118_obeys_the_laws() {
    obeys_the_laws(TFHE_LIB_118, 10);
}

#[test]
#[ignore = "real parameters, about 20 seconds"]
fn tfhe_2016_93_obeys_the_laws() {
    obeys_the_laws(TFHE_2016_93, 10);
}

#[test]
#[ignore = "real parameters, about 20 seconds"]
fn gate_128_obeys_the_laws() {
    obeys_the_laws(GATE_UNIFORM_128_PFAIL_2M64, 10);
}

/// What a user would try first: a sum and a comparison, through builder, passes and scheduler.
#[test]
fn toy_computes_words() {
    let (secret, engine, mut generator) = key_pair(TOY_GATE, 2);
    let (x, y) = (0xdead_beef_u32, 0x1234_5679_u32);
    let word = |value: u32| (0..32).map(move |index| value >> index & 1 == 1);
    let mut build = Builder::new(engine.profile());
    let (a, b) = (build.inputs(32), build.inputs(32));
    let sum = library::add(&mut build, &a, &b);
    let less = library::less_than_unsigned(&mut build, &sum, &a);
    for wire in sum.into_iter().chain([less]) {
        build.output(wire);
    }
    let circuit = passes::prepare(&build.finish(), engine.profile());
    let inputs: Vec<bool> = word(x).chain(word(y)).collect();
    let inputs: Vec<_> = secret
        .encrypt(&inputs, &mut generator)
        .into_iter()
        .map(Arc::new)
        .collect();
    let outputs = circuits::run(&engine, &circuit, &inputs, &Pool::new(2)).unwrap();
    let sum = x.wrapping_add(y);
    let expected: Vec<bool> = word(sum).chain([sum < x]).collect();
    let found: Vec<bool> = outputs
        .iter()
        .map(|bit| secret.decrypt(bit).unwrap())
        .collect();
    assert_eq!(found, expected);
}

/// A bit of another key spoils its own job only.
#[test]
fn a_strange_operand_fails_alone() {
    let (secret, engine, mut generator) = key_pair(TOY_GATE, 3);
    let (stranger, _, _) = key_pair(TOY_GATE, 4);
    let ours = secret.encrypt(&[true], &mut generator).remove(0);
    let theirs = stranger.encrypt(&[true], &mut generator).remove(0);
    let jobs = [
        Job::And(&ours, &ours),
        Job::Xor(&ours, &theirs),
        Job::Refresh(&ours),
    ];
    let results = engine.apply_many(&mut engine.scratch(), &jobs);
    let values: Vec<Option<bool>> = results
        .iter()
        .map(|result| {
            result
                .as_ref()
                .ok()
                .map(|bits| secret.decrypt(&bits[0]).unwrap())
        })
        .collect();
    assert_eq!(values, [Some(true), None, Some(true)]);
}

#[test]
fn batches_and_multiplexers_are_timed() {
    let (_, engine, _) = key_pair(TOY_GATE, 5);
    let batch = engine.profile().batch;
    let calibration = engine.calibrate(2).unwrap();
    let lengths: Vec<usize> = calibration.timing.rows().iter().map(Vec::len).collect();
    assert_eq!(lengths, [batch, batch]);
    let mut profile = engine.profile().clone();
    calibration.apply(&mut profile);
    assert_eq!(profile.cost.and, calibration.timing.rotation());
    assert_eq!(profile.cost.xor, profile.cost.and);
    assert_eq!(profile.cost.mux, calibration.mux);
    assert_eq!(
        profile.batch_time(batch),
        calibration.timing.batch(batch, 1)
    );
}
