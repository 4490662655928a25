//! The Gentry–Halevi engine against the laws that every engine obeys, and refreshes where noise
//! asks.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;

use blindcore_engines::gentry_halevi::{GentryHalevi, calibrate, profile};
use circuits::passes::{self, cost, prepare};
use circuits::{
    Builder, Circuit, ExecError, Gates as _, NoiseAmount, Pool, Wire, laws, library, run,
};
use gentry_halevi::{Ciphertext, Encryptor, Error, Parameters, SecretKey, Transforms};
use random::Generator;

const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

/// A key pair from a fixed seed, its engine, and who encrypts.
struct Party {
    secret: SecretKey,
    engine: GentryHalevi,
    encryptor: Encryptor,
    generator: RefCell<Generator>,
}

impl Party {
    fn new(parameters: Parameters, rows: Transforms) -> Self {
        let mut generator = Generator::from_key([11; 32]);
        let go_on = |_| ControlFlow::Continue(());
        let (secret, public) =
            SecretKey::generate(parameters, &mut generator, TWO, &go_on).unwrap();
        Self {
            secret,
            engine: GentryHalevi::new(&public, profile(&parameters), rows, TWO).unwrap(),
            encryptor: Encryptor::new(&public, Encryptor::MEMORY, TWO).unwrap(),
            generator: RefCell::new(generator),
        }
    }

    fn encrypt(&self, bits: &[bool]) -> Vec<Ciphertext> {
        let mut generator = self.generator.borrow_mut();
        self.encryptor.encrypt(bits, &mut generator).unwrap()
    }

    /// Evaluates a circuit as it is.
    fn run(&self, circuit: &Circuit, inputs: &[bool]) -> Result<Vec<bool>, ExecError<Error>> {
        let bits: Vec<_> = self.encrypt(inputs).into_iter().map(Arc::new).collect();
        let outputs = run(&self.engine, circuit, &bits, &Pool::new(2))?;
        Ok(outputs
            .iter()
            .map(|bit| self.secret.decrypt(bit).unwrap())
            .collect())
    }
}

/// An AND of `inputs` inputs, one after the other.
fn chain(length: usize) -> Circuit {
    let mut build = Builder::new(&profile(&Parameters::TOY_32));
    let inputs = build.inputs(length);
    let all = inputs.into_iter().reduce(|a, b| build.and(a, b));
    build.output(all.unwrap_or(Wire::TRUE));
    build.finish()
}

#[test]
fn toy_obeys_the_laws() {
    let party = Party::new(Parameters::TOY_32, Transforms::Kept);
    let encode = |bit| party.encrypt(&[bit]).remove(0);
    let decode = |bit: &Ciphertext| party.secret.decrypt(bit).unwrap();
    laws::gates(&party.engine, &encode, &decode, 12);
}

#[test]
fn circuits_count_noise_as_ciphertexts_carry_it() {
    let party = Party::new(Parameters::TOY_32, Transforms::Computed);
    let model = party.engine.profile().growth.unwrap();
    let own = |bit: &Ciphertext| NoiseAmount {
        bits: bit.noise().log2_norm(),
        degree: bit.noise().degree(),
    };
    let agree = |bit: &Ciphertext, counted: NoiseAmount| {
        let carried = own(bit);
        assert!(
            (carried.bits - counted.bits).abs() < 1e-9,
            "{carried:?} {counted:?}"
        );
        assert_eq!(carried.degree, counted.degree);
    };
    let fresh = party.encrypt(&[true]).remove(0);
    agree(&fresh, model.fresh);
    let refreshed = party.engine.refresh(&mut (), &fresh).unwrap();
    agree(&refreshed, model.refreshed);
    agree(&party.engine.constant(true), NoiseAmount::NONE);
    // Sums, products and negations, until one is refused: the first that the model refuses.
    let (mut bit, mut counted, mut products) = (fresh.clone(), model.fresh, 0);
    loop {
        let sum = party.engine.xor(&mut (), &bit, &fresh).unwrap();
        bit = party.engine.not(&sum);
        counted = counted.plus(model.fresh).plus(NoiseAmount::NONE);
        agree(&bit, counted);
        counted = counted.times(model.fresh);
        match party.engine.and(&mut (), &bit, &fresh) {
            Ok(product) => bit = product,
            Err(error) => {
                assert!(matches!(error, Error::NoiseExhausted { .. }), "{error}");
                assert!(counted.bits > model.limit);
                break;
            }
        }
        assert!(counted.bits <= model.limit);
        agree(&bit, counted);
        products += 1;
    }
    assert!((30..90).contains(&products), "{products} products");
}

#[test]
fn what_is_not_prepared_ends_with_a_named_place() {
    let party = Party::new(Parameters::TOY_32, Transforms::Computed);
    let circuit = chain(90);
    let error = party.run(&circuit, &[true; 90]).unwrap_err();
    let ExecError::Gate {
        op, level, source, ..
    } = error
    else {
        unreachable!("{error}")
    };
    assert_eq!(op, "and");
    assert!((30..90).contains(&level), "level {level}");
    assert!(
        matches!(source, Error::NoiseExhausted { operation: "an AND", margin, needed } if margin < needed),
        "{source}"
    );
}

#[test]
fn refreshes_let_chains_be_of_any_length() {
    let party = Party::new(Parameters::TOY_32, Transforms::Kept);
    let prepared = prepare(&chain(130), party.engine.profile());
    let refreshes = cost(&prepared, party.engine.profile()).refresh;
    assert!((1..4).contains(&refreshes), "{refreshes} refreshes");
    for zero in [None, Some(0), Some(129)] {
        let inputs: Vec<bool> = (0..130).map(|at| Some(at) != zero).collect();
        assert_eq!(party.run(&prepared, &inputs), Ok(vec![zero.is_none()]));
    }
}

#[test]
#[ignore = "slow: 5 s"]
fn a_sixth_power_needs_refreshes_and_is_right() {
    let party = Party::new(Parameters::TOY_32, Transforms::Kept);
    let target = party.engine.profile();
    // (x²·x)² of four bits: degrees multiply.
    let mut build = Builder::new(target);
    let mut x = build.inputs(4);
    x.resize(16, Wire::FALSE);
    let square = library::multiply(&mut build, &x, &x);
    let cube = library::multiply(&mut build, &square, &x);
    for wire in library::multiply(&mut build, &cube, &cube) {
        build.output(wire);
    }
    let prepared = prepare(&build.finish(), target);
    assert!(cost(&prepared, target).refresh > 0);
    let model = target.growth.unwrap();
    assert!(passes::growth(&prepared, &model).worst <= model.limit);
    for x in [13_u16, 2] {
        let inputs: Vec<bool> = (0..4).map(|at| x >> at & 1 == 1).collect();
        let power = x.pow(3).wrapping_mul(x.pow(3));
        let expected = (0..16).map(|at| power >> at & 1 == 1).collect();
        assert_eq!(party.run(&prepared, &inputs), Ok(expected), "{x}");
    }
}

#[test]
fn costs_are_measured_without_a_key() {
    let mut target = profile(&Parameters::TOY_32);
    let quick = calibrate(&Parameters::TOY_32, None).unwrap();
    assert_eq!(quick.refresh, None);
    let ratio = target.cost.refresh / target.cost.and;
    quick.apply(&mut target);
    assert!((target.cost.refresh / target.cost.and - ratio).abs() < 1e-6);
    assert!(!target.has_mux());
    let whole = calibrate(&Parameters::TOY_32, Some((Transforms::Kept, TWO))).unwrap();
    whole.apply(&mut target);
    assert!(target.cost.refresh > target.cost.and);
}

#[test]
#[ignore = "dimension 512: five seconds"]
fn two_numbers_of_four_bits_at_dimension_512() {
    let party = Party::new(Parameters::BROKEN_512, Transforms::Kept);
    let target = party.engine.profile();
    let mut build = Builder::new(target);
    let (a, b) = (build.inputs(4), build.inputs(4));
    let sum = library::add(&mut build, &a, &b);
    // Through a recryption each.
    for wire in sum {
        let refreshed = build.refresh(wire);
        build.output(refreshed);
    }
    let circuit = build.finish();
    for (a, b) in [(7_u8, 5_u8), (15, 15), (0, 9)] {
        let inputs: Vec<bool> = [a, b]
            .iter()
            .flat_map(|value| (0..4).map(move |at| value >> at & 1 == 1))
            .collect();
        let expected: Vec<bool> = (0..4).map(|at| (a + b) >> at & 1 == 1).collect();
        assert_eq!(party.run(&circuit, &inputs), Ok(expected), "{a} + {b}");
    }
}
