//! The lookup engine by every FFT processor of this machine: each computes what the clear
//! computation says, and the buffers of one are not taken for those of another.

// What fails to unwrap here fails the test, outside `#[test]` functions too.
use std::cell::RefCell;
use std::sync::Arc;

use blindcore_engines::tfhe_lookup::{self, TfheLookup};
use circuits::{Builder, Gates as _, Pool, laws, library, passes};
use random::Generator;
use tfhe::{
    Fft, Lookup, P16, Parameters, SecretKey, SeededServerKey, ServerKey, TOY_BLOCK, TOY_UNIFORM,
    TfheError, TruthTable,
};

/// One key pair, and its engine by every processor.
struct Family {
    secret: SecretKey,
    generator: RefCell<Generator>,
    engines: Vec<TfheLookup>,
}

impl Family {
    fn new(parameters: Parameters) -> Self {
        let mut generator = Generator::from_key([21; 32]);
        let secret = SecretKey::generate(parameters, &mut generator).unwrap();
        let seeded = SeededServerKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
        let engines = Fft::available().into_iter().map(|fft| {
            let key = ServerKey::expand_for(&seeded, fft, 2, &|_, _| {}).unwrap();
            assert_eq!(key.fft(), fft);
            TfheLookup::new(Arc::new(key), tfhe_lookup::profile(&parameters))
        });
        Self {
            engines: engines.collect(),
            secret,
            generator: RefCell::new(generator),
        }
    }

    fn obeys_the_laws(&self, samples: usize) {
        for engine in &self.engines {
            println!("{}", engine.key().fft());
            let encode = |bit| {
                let mut generator = self.generator.borrow_mut();
                self.secret
                    .encrypt(&[bit], &mut generator)
                    .unpack()
                    .remove(0)
            };
            let decode = |bit: &_| self.secret.decrypt(bit).unwrap();
            laws::gates(engine, &encode, &decode, samples);
        }
    }

    /// A sum of 32-bit numbers, through builder, passes and scheduler.
    fn adds(&self) {
        let (x, y) = (0xdead_beef_u32, 0x7234_5679_u32);
        let bits = |value: u32| (0..32).map(move |index| value >> index & 1 == 1);
        for engine in &self.engines {
            let mut build = Builder::new(engine.profile());
            let (a, b) = (build.inputs(32), build.inputs(32));
            for wire in library::add(&mut build, &a, &b) {
                build.output(wire);
            }
            let circuit = passes::prepare(&build.finish(), engine.profile());
            let plain: Vec<bool> = bits(x).chain(bits(y)).collect();
            let inputs = self
                .secret
                .encrypt(&plain, &mut self.generator.borrow_mut());
            let inputs: Vec<_> = inputs.unpack().into_iter().map(Arc::new).collect();
            let outputs = circuits::run(engine, &circuit, &inputs, &Pool::new(2)).unwrap();
            let sum: Vec<bool> = outputs
                .iter()
                .map(|bit| self.secret.decrypt(bit).unwrap())
                .collect();
            let expected: Vec<bool> = bits(x.wrapping_add(y)).collect();
            assert_eq!(sum, expected, "{}", engine.key().fft());
        }
    }
}

#[test]
fn toy_blocks_by_every_processor() {
    let family = Family::new(TOY_BLOCK);
    family.obeys_the_laws(10);
    family.adds();
}

#[test]
fn toy_uniform_keys_by_every_processor() {
    Family::new(TOY_UNIFORM).obeys_the_laws(10);
}

#[test]
#[ignore = "real parameters, about 20 seconds"]
fn p16_by_every_processor() {
    let family = Family::new(P16);
    family.obeys_the_laws(4);
    family.adds();
}

#[test]
fn buffers_belong_to_a_processor() {
    let family = Family::new(TOY_BLOCK);
    let [one, other, ..] = family.engines.as_slice() else {
        panic!("every machine has more than one");
    };
    let lookup = Lookup {
        terms: &[],
        constant: 1,
        tables: &[TruthTable(2)],
    };
    let refusal = TfheError::WrongScratch {
        expected: one.key().fft().name(),
        found: other.key().fft().name(),
    };
    let found = one
        .key()
        .lookup_many(&mut other.key().scratch(1), &[lookup]);
    assert_eq!(found.map(|_| ()), Err(refusal));
}

#[test]
fn processors_are_timed_in_turn() {
    let processors = Fft::available();
    let times = tfhe_lookup::compare(&TOY_BLOCK, &processors, 2, &mut |_| {}).unwrap();
    assert_eq!(times.len(), processors.len());
    for time in times {
        // Sixteen blocks of four transforms: no machine does that in two microseconds, and none
        // takes a second.
        for lookup in [time.alone, time.batched] {
            assert!(
                (2_000..1_000_000_000).contains(&lookup.as_nanos()),
                "{lookup:?}"
            );
        }
    }
}
