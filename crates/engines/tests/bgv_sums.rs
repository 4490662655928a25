//! Circuits that consist of sums above all: shift registers, checksums, chains, random networks.
//! Each at the parameters that are chosen for it, decrypted in every slot, and no noise above its
//! forecast.
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;

use bgv::{Keys, Parameters, SecretKey, Security};
use blindcore_engines::bgv::{Bgv, Vector, choose, forecast, profile, profile_without_parameters};
use circuits::passes::{multiplicative_depth, prepare};
use circuits::{Builder, Circuit, Pool, Wire, run, sim};
use random::Generator;

fn builder() -> Builder {
    Builder::new(&profile_without_parameters())
}

fn finish(mut build: Builder, outputs: &[Wire]) -> Circuit {
    outputs.iter().for_each(|&wire| build.output(wire));
    build.finish()
}

fn keys(parameters: &Parameters, generator: &mut Generator) -> Keys {
    let two = NonZeroUsize::new(2).unwrap();
    let go_on = |_| ControlFlow::Continue(());
    SecretKey::generate(parameters, &[], generator, two, &go_on).unwrap()
}

/// Evaluates a circuit on random bits in every slot. The answer is that of another circuit in
/// clear, 64 slots at a time; the noise of every output is measured.
fn evaluate(circuit: &Circuit, oracle: &Circuit, parameters: &Parameters, seed: u8) {
    let mut generator = Generator::from_key([seed; 32]);
    let keys = keys(parameters, &mut generator);
    let engine = Bgv::new(&keys.evaluation, profile(parameters)).unwrap();
    let slots = parameters.slots();
    let lanes: Vec<Vec<u64>> = (0..slots.div_ceil(64))
        .map(|_| (0..oracle.inputs()).map(|_| generator.uniform()).collect())
        .collect();
    let inputs: Vec<Arc<Vector>> = (0..oracle.inputs())
        .map(|input| {
            let bits: Vec<bool> = (0..slots)
                .map(|slot| lanes[slot / 64][input] >> (slot % 64) & 1 == 1)
                .collect();
            Arc::new(keys.secret.encrypt(&bits, &mut generator).unwrap().into())
        })
        .collect();
    let expected: Vec<Vec<u64>> = lanes
        .iter()
        .map(|lanes| sim::evaluate(oracle, lanes).unwrap())
        .collect();
    let outputs = run(&engine, circuit, &inputs, &Pool::new(2)).unwrap();
    let mut least = f64::INFINITY;
    for (number, (output, wire)) in outputs.iter().zip(circuit.outputs()).enumerate() {
        let ciphertext = output.ciphertext();
        let bits = keys.secret.decrypt(ciphertext).unwrap();
        for (slot, bit) in bits.into_iter().enumerate() {
            let right = expected[slot / 64][number] >> (slot % 64) & 1 == 1;
            assert_eq!(bit, right, "output {number}, slot {slot}");
        }
        if wire.as_constant().is_none() {
            let bound = ciphertext.noise().log2_bound();
            assert!(keys.secret.noise(ciphertext).unwrap() < bound);
            let room = ciphertext.forecast().room(parameters);
            assert!(keys.secret.room(ciphertext).unwrap() > room);
            least = least.min(room);
        }
    }
    // What was forecast is what ran.
    let forecast = forecast(circuit, parameters).unwrap().least.unwrap().1;
    assert!((forecast - least).abs() < 1e-6, "{forecast} {least}");
}

/// Prepared, with the parameters that are chosen for it.
fn check(circuit: &Circuit, seed: u8) -> Parameters {
    let prepared = prepare(circuit, &profile_without_parameters());
    let choice = choose(&prepared, 1, Security::Bits128).unwrap();
    assert!(choice.forecast.least.unwrap().1 >= 0.0);
    evaluate(&prepared, circuit, &choice.parameters, seed);
    choice.parameters
}

fn xor(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Vec<Wire> {
    x.iter().zip(y).map(|(&x, &y)| b.xor(x, y)).collect()
}

/// Zeros come in; to the left for positive numbers.
fn shifted(word: &[Wire], by: isize) -> Vec<Wire> {
    let places = 0..word.len() as isize;
    places
        .map(|place| {
            let from = usize::try_from(place - by).ok();
            from.and_then(|from| word.get(from))
                .copied()
                .unwrap_or(Wire::FALSE)
        })
        .collect()
}

/// Marsaglia's generator; after each of the last rounds that are asked for, an AND with the round
/// before.
fn xorshift32(rounds: usize, ands: usize) -> Circuit {
    let mut b = builder();
    let mut x = b.inputs(32);
    let mut outputs = Vec::new();
    for round in 0..rounds {
        let before = x.clone();
        for by in [13, -17, 5] {
            let moved = shifted(&x, by);
            x = xor(&mut b, &x, &moved);
        }
        if round + ands >= rounds {
            outputs.extend(x.iter().zip(&before).map(|(&x, &y)| b.and(x, y)));
        }
    }
    outputs.extend(x);
    finish(b, &outputs)
}

/// A shift register of 64 bits; every so often what comes out is multiplied by what came in.
fn lfsr64(steps: usize, product_every: usize) -> Circuit {
    let mut b = builder();
    let mut state = b.inputs(64);
    let mut outputs = Vec::new();
    for step in 1..=steps {
        let feedback = [0, 1, 3, 4].map(|tap| state[tap]);
        let bit = b.parity(&feedback);
        let out = state.remove(0);
        state.push(bit);
        if step % product_every == 0 {
            outputs.push(b.and(out, bit));
        }
    }
    outputs.extend(state);
    finish(b, &outputs)
}

/// The checksum of `bytes` secret bytes, bit by bit.
fn crc32(bytes: usize) -> Circuit {
    let mut b = builder();
    let data = b.inputs(8 * bytes);
    let mut crc = vec![Wire::TRUE; 32];
    for bit in data {
        let out = b.xor(crc[0], bit);
        crc = shifted(&crc, -1);
        for (place, wire) in crc.iter_mut().enumerate() {
            if 0xedb8_8320_u32 >> place & 1 == 1 {
                *wire = b.xor(*wire, out);
            }
        }
    }
    let outputs: Vec<Wire> = crc.into_iter().map(|wire| !wire).collect();
    finish(b, &outputs)
}

fn fibonacci(steps: usize) -> Circuit {
    let mut b = builder();
    let (mut u, mut v) = (b.input(), b.input());
    for _ in 0..steps {
        (u, v) = (v, b.xor(u, v));
    }
    let product = b.and(u, v);
    finish(b, &[u, v, product])
}

/// Sums of any two values before, and now and then a product, no more than `depth` of which follow
/// each other.
fn random(inputs: usize, gates: usize, product_every: usize, depth: u32, seed: u8) -> Circuit {
    let mut generator = Generator::from_key([seed; 32]);
    let mut b = builder();
    let mut wires = b.inputs(inputs);
    for gate in 1..=gates {
        let mut pick = || {
            // Half of them among the last ones, so that chains are long.
            let from = match generator.uniform() % 2 {
                0 => 0,
                _ => wires.len().saturating_sub(16),
            };
            let place = from + (generator.uniform() % (wires.len() - from) as u64) as usize;
            wires[place].invert_if(generator.uniform() % 2 == 1)
        };
        let (x, y) = (pick(), pick());
        let product = gate % product_every == 0 && b.depth(x).max(b.depth(y)) < depth;
        wires.push(match product {
            true => b.and(x, y),
            false => b.xor(x, y),
        });
    }
    let last = wires.len() - 24;
    finish(b, &wires[last..])
}

#[test]
#[ignore = "slow: 3 s"]
fn xorshift_of_any_length() {
    for (rounds, ands) in [(12, 0), (16, 0), (32, 1), (64, 2), (1000, 0)] {
        let parameters = check(&xorshift32(rounds, ands), 1);
        // It takes no more than one round does.
        assert_eq!(parameters.degree(), 4096, "{rounds} rounds");
    }
}

#[test]
fn registers_checksums_and_chains() {
    check(&lfsr64(200, 8), 2);
    check(&crc32(16), 3);
    for steps in [80, 64, 5000] {
        check(&fibonacci(steps), 4);
    }
}

#[test]
fn random_networks() {
    check(&random(8, 3000, usize::MAX, 0, 5), 5);
    check(&random(40, 2000, 50, 2, 6), 6);
}

/// What is evaluated as it was written is refused, or right: the bound counts what the pass would
/// have removed.
#[test]
fn networks_that_are_not_rewritten_are_refused_or_right() {
    let parameters = Parameters::named("TOY_255").unwrap();
    let (mut refused, mut right) = (0, 0);
    for seed in 0..40 {
        let circuit = match seed % 4 {
            0 => fibonacci(20 * usize::from(seed)),
            1 => xorshift32(usize::from(seed), 1),
            2 => random(6, 60 * usize::from(seed), 9, 3, seed),
            _ => random(30, 10 * usize::from(seed), 20, 4, seed),
        };
        match forecast(&circuit, &parameters) {
            Ok(found) if found.least.is_some() => {
                evaluate(&circuit, &circuit, &parameters, seed);
                right += 1;
            }
            Ok(_) => {}
            Err(error) => {
                assert!(matches!(error.reason, bgv::Error::NoiseExhausted { .. }));
                refused += 1;
            }
        }
    }
    assert!(refused >= 5 && right >= 5, "{refused} {right}");
}

/// Thousands of sums of a few sources at real parameters, with products between.
#[test]
#[ignore = "real parameters, a minute and a half on two busy cores"]
fn random_networks_gates_10000() {
    for seed in 0..8 {
        let circuit = random(24, 10_000, 400, 6, 100 + seed);
        let parameters = check(&circuit, 100 + seed);
        let depth = multiplicative_depth(&circuit).depth;
        println!("{}: {depth} ANDs deep", parameters.name());
    }
    check(&lfsr64(10_000, 100), 120);
    check(&xorshift32(1000, 20), 121);
    // That of four times as many bytes holds ten gigabytes of ciphertexts, where no bound on memory
    // is given.
    check(&crc32(64), 122);
}
