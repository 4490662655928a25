//! The BGV engine against the laws that every engine obeys, and its forecasts against what
//! ciphertexts carry.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;

use bgv::{Error, Forecast, Keys, Parameters, SecretKey, Security};
use blindcore_engines::bgv::{
    Bgv, GateError, Vector, calibrate, choose, forecast, forecast_of, profile,
    profile_without_parameters,
};
use circuits::passes::prepare;
use circuits::{Builder, Circuit, ExecError, Gates as _, Pool, Wire, laws, library, run, sim};
use random::Generator;

struct Party {
    keys: Keys,
    engine: Bgv,
    generator: RefCell<Generator>,
}

impl Party {
    fn new(seed: u8) -> Self {
        let mut generator = Generator::from_key([seed; 32]);
        let parameters = Parameters::named("TOY_255").unwrap();
        let go_on = |_| ControlFlow::Continue(());
        let keys = SecretKey::generate(&parameters, &[], &mut generator, NonZeroUsize::MIN, &go_on)
            .unwrap();
        Self {
            engine: Bgv::new(&keys.evaluation, profile(&parameters)).unwrap(),
            keys,
            generator: RefCell::new(generator),
        }
    }

    fn parameters(&self) -> &Parameters {
        self.engine.evaluator().parameters()
    }

    /// The low bits of a word, one in each slot.
    fn encrypt(&self, lanes: u64) -> Vector {
        let bits: Vec<bool> = (0..self.parameters().slots())
            .map(|slot| lanes >> slot & 1 == 1)
            .collect();
        let mut generator = self.generator.borrow_mut();
        self.keys
            .secret
            .encrypt(&bits, &mut generator)
            .unwrap()
            .into()
    }

    fn decrypt(&self, bit: &Vector) -> u64 {
        let bits = self.keys.secret.decrypt(bit.ciphertext()).unwrap();
        let lanes = bits.iter().enumerate();
        lanes.fold(0, |lanes, (slot, &bit)| lanes | u64::from(bit) << slot)
    }

    fn run(
        &self,
        circuit: &Circuit,
        lanes: &[u64],
    ) -> Result<Vec<Arc<Vector>>, ExecError<GateError>> {
        let bits: Vec<_> = lanes.iter().map(|&l| Arc::new(self.encrypt(l))).collect();
        run(&self.engine, circuit, &bits, &Pool::new(2))
    }
}

/// A chain of products, each of two sums as noisy as the product before.
fn chain(length: usize) -> Circuit {
    let mut build = Builder::new(&profile_without_parameters());
    let inputs = build.inputs(length + 1);
    let mut all = inputs[0];
    for pair in inputs.windows(2) {
        let one = build.xor(all, pair[0]);
        let other = build.xor(all, !pair[1]);
        all = match pair[0] == all {
            true => build.and(all, other),
            false => build.and(one, other),
        };
    }
    build.output(inputs[0]);
    build.output(all);
    build.finish()
}

#[test]
fn toy_obeys_the_laws() {
    let party = Party::new(1);
    let encode = |bit: bool| party.encrypt(if bit { u64::MAX } else { 0 });
    let all = u64::MAX >> (64 - party.parameters().slots());
    let decode = |bit: &Vector| match party.decrypt(bit) {
        0 => false,
        lanes => {
            assert_eq!(lanes, all, "slots differ");
            true
        }
    };
    laws::gates(&party.engine, &encode, &decode, 4);
}

/// Sixteen additions and comparisons at once.
#[test]
fn every_slot_is_an_instance() {
    let party = Party::new(2);
    let mut build = Builder::new(party.engine.profile());
    let (x, y) = (build.inputs(6), build.inputs(6));
    let sum = library::add(&mut build, &x, &y);
    let less = library::less_than_unsigned(&mut build, &x, &y);
    sum.iter().for_each(|&wire| build.output(wire));
    build.output(!less);
    build.output(Wire::TRUE);
    let circuit = prepare(&build.finish(), party.engine.profile());
    let lanes: Vec<u64> = (1..13)
        .map(|i| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i) >> 40 & 0xffff)
        .collect();
    let expected = sim::evaluate(&circuit, &lanes).unwrap();
    let forecast = forecast(&circuit, party.parameters()).unwrap();
    let outputs = party.run(&circuit, &lanes).unwrap();
    let mut least = f64::INFINITY;
    for (output, expected) in outputs.iter().zip(&expected) {
        assert_eq!(party.decrypt(output), expected & 0xffff);
        let small = party.engine.shrink(output).unwrap();
        assert!(small.level() <= output.ciphertext().level());
        assert_eq!(party.decrypt(&small.into()), expected & 0xffff);
        let room = output.ciphertext().forecast().room(party.parameters());
        // The constant has more than any other.
        least = least.min(room);
    }
    // The forecast is what ciphertexts carry.
    assert!((forecast.least.unwrap().1 - least).abs() < 1e-9);
}

#[test]
fn what_is_too_deep_is_refused_before_and_while_it_is_evaluated() {
    let party = Party::new(3);
    let limit = party.parameters().depth(2);
    let fits = chain(limit as usize);
    assert_eq!(forecast(&fits, party.parameters()).unwrap().depth, limit);
    let lanes: Vec<u64> = (0..=limit as u64).map(|i| 0xfff0 >> i).collect();
    let outputs = party.run(&fits, &lanes).unwrap();
    let expected = sim::evaluate(&fits, &lanes).unwrap();
    assert_eq!(party.decrypt(&outputs[1]), expected[1] & 0xffff);

    let deep = chain(limit as usize + 6);
    let refused = forecast(&deep, party.parameters()).unwrap_err();
    assert_eq!(
        (refused.depth, refused.limit, refused.output),
        (limit + 6, limit, 1)
    );
    let text = refused.to_string();
    assert!(text.contains(&format!("{} ANDs deep", limit + 6)), "{text}");
    let lanes = vec![3; limit as usize + 7];
    let error = party.run(&deep, &lanes).err().unwrap();
    let ExecError::Gate { source, .. } = error else {
        unreachable!("{error}")
    };
    let exhausted = matches!(source, GateError::Scheme(Error::NoiseExhausted { .. }));
    assert!(exhausted, "{source}");
}

#[test]
fn there_is_no_refresh() {
    let party = Party::new(4);
    let bit = party.encrypt(1);
    let refused = party.engine.refresh(&mut (), &bit).err().unwrap();
    assert_eq!(refused, GateError::NoRefresh);
}

#[test]
fn foreign_ciphertexts_are_refused() {
    let (party, other) = (Party::new(5), Party::new(6));
    let (own, foreign) = (party.encrypt(1), other.engine.not(&other.encrypt(1)));
    let refusals = [
        party.engine.and(&mut (), &own, &foreign).err(),
        party
            .engine
            .xor(&mut (), &party.engine.not(&foreign), &own)
            .err(),
    ];
    for refusal in refusals {
        assert!(matches!(
            refusal,
            Some(GateError::Scheme(Error::ForeignKey { .. }))
        ));
    }
}

/// The set for a circuit holds it; the circuit that no ring holds is refused with its depth.
#[test]
#[ignore = "slow: 3 s"]
fn parameters_follow_from_the_circuit() {
    let circuit = |levels: usize| prepare(&chain(levels), &profile_without_parameters());
    let small = choose(&circuit(3), 1, Security::Bits128).unwrap();
    assert_eq!(small.parameters.security(), Security::Bits128);
    assert!(small.forecast.least.unwrap().1 >= 0.0);
    let more = choose(&circuit(3), 600, Security::Bits128).unwrap();
    assert!(more.parameters.slots() >= 600);
    let error = choose(&chain(300), 1, Security::Bits128).unwrap_err();
    let Error::TooDeep { depth, most, .. } = error else {
        unreachable!("{error}")
    };
    assert!(depth == 300 && most > 20, "{depth} {most}");
}

#[test]
fn times_are_measured() {
    let parameters = Parameters::named("TOY_255").unwrap();
    let calibration = calibrate(&parameters).unwrap();
    let circuit = prepare(&chain(2), &profile(&parameters));
    let forecast = forecast(&circuit, &parameters).unwrap();
    assert_eq!(forecast.products.iter().sum::<usize>(), 2);
    assert!(calibration.time(&forecast, &parameters) > calibration.transform);
    assert!(calibration.and > calibration.xor);
}

/// The words of a computation on inputs of either key, and the forecast for the noisier of them, at
/// many random values: 200 evaluations, every slot of each.
#[test]
fn inputs_of_the_public_key_are_counted() {
    let party = Party::new(6);
    let mut build = Builder::new(party.engine.profile());
    let (x, y) = (build.inputs(4), build.inputs(4));
    let sum = library::add(&mut build, &x, &y);
    sum.iter().for_each(|&wire| build.output(wire));
    let circuit = prepare(&build.finish(), party.engine.profile());
    let parameters = party.parameters();
    let bound = |input: Forecast| input.noise().log2_bound();
    let (public, own) = (Forecast::fresh_public, Forecast::fresh);
    assert!(bound(public(parameters, 0)) > bound(own(parameters, 0)));
    let forecast = forecast_of(&circuit, parameters, public).unwrap();
    let slots = parameters.slots();
    let mut lanes: Vec<u64> = (1..9).collect();
    for round in 0..200 {
        for (place, lane) in lanes.iter_mut().enumerate() {
            *lane = (*lane + place as u64)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(round);
        }
        let bits: Vec<Arc<Vector>> = lanes
            .iter()
            .enumerate()
            .map(|(place, &lane)| {
                // In each round others are the owner's own.
                if place as u32 == round % 16 {
                    return Arc::new(party.encrypt(lane));
                }
                let bits: Vec<bool> = (0..slots).map(|slot| lane >> slot & 1 == 1).collect();
                let mut generator = party.generator.borrow_mut();
                let encrypted = party.keys.public.encrypt(&bits, &mut generator).unwrap();
                assert_eq!(encrypted.forecast().noise(), public(parameters, 0).noise());
                Arc::new(encrypted.into())
            })
            .collect();
        let outputs = run(&party.engine, &circuit, &bits, &Pool::new(2)).unwrap();
        let expected = sim::evaluate(&circuit, &lanes).unwrap();
        let all = u64::MAX >> (64 - slots);
        let mut least = f64::INFINITY;
        for (output, expected) in outputs.iter().zip(&expected) {
            assert_eq!(party.decrypt(output), expected & all, "round {round}");
            least = least.min(output.ciphertext().forecast().room(parameters));
        }
        assert!(least >= forecast.least.unwrap().1 - 1e-9, "round {round}");
    }
}
