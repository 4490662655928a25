//! The TFHE engine against the laws that every engine obeys, and its own promises.

// What fails to unwrap here fails the test, outside `#[test]` functions too.
use std::sync::Arc;

use blindcore_engines::tfhe_lookup::{self, Gate, TfheLookup};
use circuits::library::{self, Shift, Signedness, Word};
use circuits::{Builder, Gates as _, Job, Pool, Profile, Timing, laws, passes};
use random::Generator;
use tfhe::{P16, P16_UNIFORM, Parameters, SecretKey, SeededServerKey, ServerKey, TfheError};
use tfhe::{TOY_BLOCK, TOY_UNIFORM};

/// A key pair from a fixed seed, its engine and the generator that encrypts.
fn key_pair(parameters: Parameters, seed: u8) -> (SecretKey, TfheLookup, Generator) {
    let mut generator = Generator::from_key([seed; 32]);
    let secret = SecretKey::generate(parameters, &mut generator).unwrap();
    let seeded = SeededServerKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
    let server = ServerKey::expand(&seeded, 2, &|_, _| {}).unwrap();
    let profile = tfhe_lookup::profile(&parameters);
    (
        secret,
        TfheLookup::new(Arc::new(server), profile),
        generator,
    )
}

fn obeys_the_laws(parameters: Parameters, samples: usize) {
    let (secret, engine, generator) = key_pair(parameters, 1);
    let generator = std::cell::RefCell::new(generator);
    let encode = |bit| {
        secret
            .encrypt(&[bit], &mut generator.borrow_mut())
            .unpack()
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
fn toy_block_obeys_the_laws() {
    obeys_the_laws(TOY_BLOCK, 60);
}

#[test]
fn toy_uniform_obeys_the_laws() {
    obeys_the_laws(TOY_UNIFORM, 60);
}

#[test]
#[ignore = "real parameters, about 10 seconds"]
fn p16_obeys_the_laws() {
    obeys_the_laws(P16, 20);
}

#[test]
#[ignore = "real parameters, about 30 seconds"]
fn p16_uniform_obeys_the_laws() {
    obeys_the_laws(P16_UNIFORM, 10);
}

#[test]
fn named_gates_compute_their_tables() {
    let (secret, engine, mut generator) = key_pair(TOY_BLOCK, 2);
    let bits = secret.encrypt(&[false, true], &mut generator).unpack();
    let mut scratch = engine.scratch();
    for gate in Gate::ALL {
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let result = engine.gate(&mut scratch, gate, &bits[a], &bits[b]).unwrap();
            assert_eq!(
                secret.decrypt(&result),
                Ok(gate.of(a == 1, b == 1)),
                "{}",
                gate.name()
            );
        }
    }
    for (select, then, otherwise) in (0..8).map(|i| (i >> 2 & 1, i >> 1 & 1, i & 1)) {
        let [s, t, o] = [select, then, otherwise].map(|bit| &bits[bit]);
        let result = engine.gate_mux(&mut scratch, s, t, o).unwrap();
        assert_eq!(
            secret.decrypt(&result),
            Ok(if select == 1 { then } else { otherwise } == 1)
        );
    }
    assert_eq!(secret.decrypt(&engine.gate_constant(true)), Ok(true));
    assert_eq!(secret.decrypt(&engine.gate_copy(&bits[1])), Ok(true));
    assert_eq!(secret.decrypt(&engine.gate_not(&bits[1])), Ok(false));
}

/// The limit leaves the noisiest addition, whose operands both lie shifted against the slices, a
/// third more noise than it has, and is not generous: of ‖v‖² = 562, the share that all
/// coefficients have in common counts 94.
#[test]
fn the_noise_limit_admits_the_worst_addition() {
    for parameters in [P16, P16_UNIFORM] {
        let profile = tfhe_lookup::profile(&parameters);
        let model = profile.lookup.unwrap().noise;
        let addition = (1.0 - model.common) * 562.0 + model.common * 94.0;
        let room = model.limit / addition;
        assert!(
            (1.33..1.6).contains(&room),
            "{}: {addition} of {}",
            parameters.name(),
            model.limit
        );
    }
}

/// A unit of the library on words of n bits.
type Unit = fn(&mut Builder, &[Word]) -> Vec<Word>;

/// Every kind of unit.
const UNITS: &[(&str, Unit)] = &[
    ("add", |b, w| vec![library::add(b, &w[0], &w[1])]),
    ("subtract", |b, w| vec![library::subtract(b, &w[0], &w[1])]),
    ("add with flags", |b, w| {
        let added = library::add_with_carry(b, &w[0], &w[1], w[2][0]);
        vec![added.sum, vec![added.carry, added.overflow]]
    }),
    ("and", |b, w| vec![library::and(b, &w[0], &w[1])]),
    ("xor", |b, w| vec![library::xor(b, &w[0], &w[1])]),
    ("equal", |b, w| vec![vec![library::equal(b, &w[0], &w[1])]]),
    ("less", |b, w| {
        vec![vec![library::less_than_signed(b, &w[0], &w[1])]]
    }),
    ("select", |b, w| {
        vec![library::select(b, w[2][0], &w[0], &w[1])]
    }),
    ("shift left", |b, w| shifted(b, w, Shift::Left)),
    ("shift right", |b, w| shifted(b, w, Shift::ArithmeticRight)),
    ("rotate", |b, w| shifted(b, w, Shift::RotateRight)),
    ("multiply", |b, w| {
        vec![library::multiply_add(b, &w[0], &w[1], &w[2])]
    }),
    ("multiply long", |b, w| {
        let signedness = Signedness::Signed;
        vec![library::multiply_long(b, signedness, &w[0], &w[1])]
    }),
    ("divide", |b, w| {
        let divided = library::divide(b, Signedness::Signed, &w[0], &w[1]);
        vec![divided.quotient, divided.remainder]
    }),
    ("leading zeros", |b, w| {
        vec![library::count_leading_zeros(b, &w[0])]
    }),
];

fn shifted(b: &mut Builder, w: &[Word], kind: Shift) -> Vec<Word> {
    let amount = &w[1][..w[1].len().min(8)];
    vec![library::shift(b, kind, &w[0], amount, w[2][0]).0]
}

/// A unit on inputs, or on sums whose bits lie shifted by one against their slices.
fn recorded(unit: Unit, profile: &Profile, n: usize, computed: bool) -> circuits::Circuit {
    let mut b = Builder::new(profile);
    let words: Vec<Word> = (0..3)
        .map(|_| {
            let (x, y) = (b.inputs(n + 1), b.inputs(n + 1));
            match computed {
                true => library::add(&mut b, &x, &y)[1..].to_vec(),
                false => x[1..].to_vec(),
            }
        })
        .collect();
    for &wire in unit(&mut b, &words).iter().flatten() {
        b.output(wire);
    }
    b.finish()
}

/// What the parameter sets promise holds for what the library records and the passes prepare, with
/// the second part of the key and without.
#[test]
fn prepared_units_keep_the_promise() {
    let profiles = [P16, P16_UNIFORM].into_iter().flat_map(|parameters| {
        let profile = tfhe_lookup::profile(&parameters);
        let leveled = tfhe_lookup::with_selectors(profile.clone(), &parameters);
        [(parameters, profile), (parameters, leveled)]
    });
    for (parameters, profile) in profiles {
        let model = profile.lookup.unwrap().noise;
        for (name, unit) in UNITS {
            for (n, computed) in [(8, false), (32, false), (13, true), (32, true)] {
                let circuit = recorded(*unit, &profile, n, computed);
                let worst = passes::noise(&passes::prepare(&circuit, &profile), &model).worst;
                assert!(
                    worst <= model.limit,
                    "{name} of {n} bits for {}: {worst} of {}",
                    parameters.name(),
                    model.limit
                );
            }
        }
    }
}

#[test]
fn a_strange_operand_fails_alone() {
    let (secret, engine, mut generator) = key_pair(TOY_BLOCK, 3);
    let (stranger, _, _) = key_pair(TOY_BLOCK, 4);
    let bits = secret.encrypt(&[true, false], &mut generator).unpack();
    let theirs = stranger
        .encrypt(&[false], &mut generator)
        .unpack()
        .remove(0);
    let [one, zero] = [&bits[0], &bits[1]];
    let jobs = [
        Job::And(one, one),
        Job::Disjoint(vec![one, &theirs]),
        Job::Disjoint(vec![zero, one]),
        Job::Parity(vec![one, &theirs, zero]),
        Job::Refresh(zero),
    ];
    let answers = |jobs: &[Job<'_, _>]| -> Vec<Option<bool>> {
        let results = engine.apply_many(&mut engine.scratch(), jobs).into_iter();
        results
            .map(|result| Some(secret.decrypt(&result.ok()?[0]).unwrap()))
            .collect()
    };
    assert_eq!(
        answers(&jobs),
        [Some(true), None, Some(true), None, Some(false)]
    );
    // Sums among rotations that all succeed, and sums alone.
    assert_eq!(answers(&jobs[..3]), [Some(true), None, Some(true)]);
    assert_eq!(answers(&jobs[1..3]), [None, Some(true)]);
    let wrong = engine.disjoint(&mut engine.scratch(), &[one, &theirs]);
    assert!(matches!(wrong, Err(TfheError::WrongKey { .. })));
}

/// What a parity reads may have been added before, in parts: not a bit of its result is another.
#[test]
fn parts_of_a_parity_change_nothing() {
    let (secret, engine, mut generator) = key_pair(TOY_BLOCK, 5);
    let values: Vec<bool> = (0..23).map(|at| at % 3 != 1).collect();
    let bits = secret.encrypt(&values, &mut generator).unpack();
    let bits: Vec<_> = bits.iter().collect();
    let scratch = &mut engine.scratch();
    let whole = engine.parity(scratch, &bits).unwrap();
    let odd = values.iter().filter(|&&value| value).count() % 2 == 1;
    assert_eq!(secret.decrypt(&whole).unwrap(), odd);
    for first in [2, 5, 16, 22] {
        let (part, rest) = bits.split_at(first);
        let total = engine
            .apply(scratch, &Job::Subtotal(part.to_vec()))
            .unwrap();
        let read: Vec<_> = total.iter().chain(rest.iter().copied()).collect();
        assert!(engine.parity(scratch, &read).unwrap() == whole, "{first}");
    }
}

#[test]
fn calibration_measures_and_applies() {
    let calibration = tfhe_lookup::calibrate(&TOY_BLOCK).unwrap();
    assert!(calibration.batched.as_nanos() > 0 && calibration.alone.as_nanos() > 0);
    let mut profile = tfhe_lookup::profile(&TOY_BLOCK);
    calibration.apply(&mut profile);
    assert_eq!(profile.cost.lookup, calibration.batched.as_nanos() as f64);
}

#[test]
fn every_batch_is_timed() {
    let (_, engine, _) = key_pair(TOY_BLOCK, 6);
    let batch = engine.profile().batch;
    let timing = engine.timing(2).unwrap();
    let lengths: Vec<usize> = timing.rows().iter().map(Vec::len).collect();
    assert_eq!(lengths, [batch, batch]);
    let mut profile = engine.profile().clone();
    profile.set_timing(timing.clone());
    assert_eq!(profile.cost.lookup, timing.rotation());
    assert_eq!(profile.batch_time(1), timing.batch(1, 1));
    assert_eq!(profile.batch_time_beside(batch, 2), timing.batch(batch, 2));
    // A batch reads the key once, and writes each accumulator once: never dearer than one by one.
    // Other work on the machine may fall on the batches of one measurement, hardly on those of
    // three.
    let dear = |timing: &Timing| timing.batch(batch, 1) >= 1.5 * batch as f64 * timing.batch(1, 1);
    assert!(!dear(&timing) || (0..2).any(|_| !dear(&engine.timing(1).unwrap())));
    let calibration = tfhe_lookup::calibrate(&TOY_BLOCK).unwrap();
    calibration.apply(&mut profile);
    assert_eq!(profile.timing, None);
}

fn word(value: u32) -> Vec<bool> {
    (0..32).map(|index| value >> index & 1 == 1).collect()
}

/// The first thing that a user would try: a sum, a comparison and a product of 32-bit numbers,
/// through the whole path of builder, passes and scheduler.
fn computes_words(parameters: Parameters) {
    let (secret, engine, mut generator) = key_pair(parameters, 3);
    let (x, y) = (0xdead_beef_u32, 0x1234_5679_u32);
    let mut build = Builder::new(engine.profile());
    let (a, b) = (build.inputs(32), build.inputs(32));
    let sum = library::add(&mut build, &a, &b);
    let product = library::multiply(&mut build, &sum, &b);
    let less = library::less_than_unsigned(&mut build, &product, &a);
    for wire in sum.into_iter().chain(product).chain([less]) {
        build.output(wire);
    }
    let circuit = passes::prepare(&build.finish(), engine.profile());
    let bits = secret
        .encrypt(&[word(x), word(y)].concat(), &mut generator)
        .unpack();
    let inputs: Vec<_> = bits.into_iter().map(Arc::new).collect();
    let outputs = circuits::run(&engine, &circuit, &inputs, &Pool::new(2)).unwrap();
    let sum = x.wrapping_add(y);
    let product = sum.wrapping_mul(y);
    let expected = [word(sum), word(product), vec![product < x]].concat();
    let decrypted: Vec<bool> = outputs
        .iter()
        .map(|bit| secret.decrypt(bit).unwrap())
        .collect();
    assert_eq!(decrypted, expected);
}

#[test]
fn toy_computes_words() {
    computes_words(TOY_BLOCK);
}

#[test]
fn p16_computes_words() {
    computes_words(P16);
}
