//! Gates on encrypted bits: truth tables by every FFT processor, batches, and
//! what is refused.

use blindcore_tfhe::gate::{
    GATE_UNIFORM_128_PFAIL_2M64, Gate, GateCiphertext, GateJob, GateLiteral, GateParameters,
    GateSecretKey, GateServerKey, SeededGateServerKey, TFHE_2016_93, TFHE_LIB_118, TOY_GATE,
};
use blindcore_tfhe::{Fft, TfheError};
use random::Generator;

fn secret(parameters: GateParameters, seed: u8) -> (GateSecretKey, SeededGateServerKey, Generator) {
    let mut generator = Generator::from_key([seed; 32]);
    let secret = GateSecretKey::generate(parameters, &mut generator).unwrap();
    let seeded = SeededGateServerKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
    (secret, seeded, generator)
}

const VALUES: [bool; 2] = [false, true];

/// Every gate on every operand, alone and again on the results: a network in which
/// every later operand is a bootstrapped bit, of a gate or of a multiplexer.
fn truth_tables(
    (secret, seeded, generator): &mut (GateSecretKey, SeededGateServerKey, Generator),
    fft: Fft,
) {
    let server = GateServerKey::expand_for(seeded, fft, 2, &|_, _| {}).unwrap();
    assert_eq!(server.fft(), fft);
    let mut scratch = server.scratch(8);
    let mut bits = secret.encrypt(&VALUES, generator);
    for round in 0..2 {
        for gate in Gate::ALL {
            for (a, b) in VALUES.into_iter().flat_map(|a| VALUES.map(|b| (a, b))) {
                let [x, y] = [a, b].map(|bit| &bits[usize::from(bit)]);
                let result = server.gate(&mut scratch, gate, x, y).unwrap();
                let name = gate.name();
                assert_eq!(
                    secret.decrypt(&result),
                    Ok(gate.of(a, b)),
                    "{fft} {name} {a} {b}"
                );
            }
        }
        let mut jobs = Vec::new();
        for number in 0..8 {
            let [select, then, otherwise] =
                [4, 2, 1].map(|bit| &bits[usize::from(number & bit != 0)]);
            jobs.push(GateJob::Mux {
                select,
                then,
                otherwise,
            });
        }
        let results = server.gates(&mut scratch, &jobs).unwrap();
        for (number, result) in results.iter().enumerate() {
            let expected = if number & 4 != 0 {
                number & 2 != 0
            } else {
                number & 1 != 0
            };
            assert_eq!(
                secret.decrypt(result),
                Ok(expected),
                "{fft} MUX {number} in round {round}"
            );
        }
        // A false and a true one, from multiplexers.
        bits = vec![results[0].clone(), results[7].clone()];
        for (bit, value) in bits.iter().zip(VALUES) {
            assert_eq!(secret.decrypt(&bit.not()), Ok(!value));
            let refreshed = server.refresh(&mut scratch, bit).unwrap();
            assert_eq!(secret.decrypt(&refreshed), Ok(value));
        }
    }
}

fn truth_tables_by_every_processor(set: GateParameters) {
    let mut keys = secret(set, 1);
    for fft in Fft::available() {
        truth_tables(&mut keys, fft);
    }
}

#[test]
fn toy_truth_tables_by_every_processor() {
    truth_tables_by_every_processor(TOY_GATE);
}

#[test]
#[ignore = "real parameters, about 15 seconds"]
fn tfhe_2016_93_truth_tables_by_every_processor() {
    truth_tables_by_every_processor(TFHE_2016_93);
}

#[test]
#[ignore = "real parameters, about 20 seconds"]
fn tfhe_lib_118_truth_tables_by_every_processor() {
    truth_tables_by_every_processor(TFHE_LIB_118);
}

#[test]
#[ignore = "real parameters, about 20 seconds"]
fn gate_128_truth_tables_by_every_processor() {
    truth_tables_by_every_processor(GATE_UNIFORM_128_PFAIL_2M64);
}

/// A NAND and an XOR at the real parameters in the default suite.
#[test]
#[ignore = "slow: 3 s"]
fn real_gates_compute() {
    for set in [TFHE_2016_93, TFHE_LIB_118, GATE_UNIFORM_128_PFAIL_2M64] {
        let (secret, seeded, mut generator) = secret(set, 2);
        let server = GateServerKey::expand(&seeded, 2, &|_, _| {}).unwrap();
        let bits = secret.encrypt(&VALUES, &mut generator);
        let mut jobs = Vec::new();
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            jobs.extend([Gate::Nand, Gate::Xor].map(|gate| GateJob::Two(gate, &bits[a], &bits[b])));
        }
        let results = server.gates(&mut server.scratch(8), &jobs).unwrap();
        let values: Vec<bool> = results
            .iter()
            .map(|bit| secret.decrypt(bit).unwrap())
            .collect();
        assert_eq!(
            values,
            [true, false, true, true, true, true, false, false],
            "{}",
            set.name()
        );
    }
}

/// A batch of mixed gates answers as single gates do, to the bit, whatever the
/// batch: gates are deterministic.
#[test]
fn batches_are_the_single_gates() {
    let (secret, seeded, mut generator) = secret(TOY_GATE, 3);
    let server = GateServerKey::expand_for(&seeded, Fft::Scalar, 1, &|_, _| {}).unwrap();
    let values: Vec<bool> = (0..12).map(|_| generator.below(2) == 1).collect();
    let bits = secret.encrypt(&values, &mut generator);
    let mut jobs = Vec::new();
    for i in 0..10 {
        jobs.push(GateJob::Two(Gate::ALL[i], &bits[i], &bits[i + 1]));
        jobs.push(GateJob::Mux {
            select: &bits[i],
            then: &bits[i + 1],
            otherwise: &bits[i + 2],
        });
        jobs.push(GateJob::Refresh(&bits[i]));
    }
    let mut alone = server.scratch(1);
    let singles: Vec<GateCiphertext> = jobs
        .iter()
        .map(|&job| server.gates(&mut alone, &[job]).unwrap().remove(0))
        .collect();
    for batch in [0, 1, 2, 3, 7, 64, 1000] {
        let mut scratch = server.scratch(batch);
        for count in [0, 1, 5, jobs.len()] {
            let results = server.gates(&mut scratch, &jobs[..count]).unwrap();
            assert_eq!(results, singles[..count], "{count} in batches of {batch}");
        }
    }
}

#[test]
fn keys_do_not_depend_on_threads() {
    let mut generators = [(); 2].map(|()| Generator::from_key([4; 32]));
    let secret = GateSecretKey::generate(TOY_GATE, &mut generators[0]).unwrap();
    let _ = GateSecretKey::generate(TOY_GATE, &mut generators[1]).unwrap();
    let [one, many] = [(0, 1), (1, 3)].map(|(i, threads)| {
        SeededGateServerKey::generate(&secret, &mut generators[i], threads, &|_, _| {}).unwrap()
    });
    assert!(one == many);
    assert!(!format!("{one:?}").contains("bootstrap"));
}

#[test]
fn constants_are_gates_operands() {
    let (secret, seeded, mut generator) = secret(TOY_GATE, 5);
    let server = GateServerKey::expand(&seeded, 1, &|_, _| {}).unwrap();
    let bit = secret.encrypt(&[true], &mut generator).remove(0);
    for value in VALUES {
        let constant = server.constant(value);
        assert_eq!(secret.decrypt(&constant), Ok(value));
        let both = server
            .gate(&mut server.scratch(1), Gate::And, &bit, &constant)
            .unwrap();
        assert_eq!(secret.decrypt(&both), Ok(value));
    }
}

#[test]
fn strangers_are_refused() {
    let (secret_key, seeded, mut generator) = secret(TOY_GATE, 6);
    let server = GateServerKey::expand(&seeded, 1, &|_, _| {}).unwrap();
    let (stranger, ..) = secret(TOY_GATE, 7);
    let ours = secret_key.encrypt(&[true], &mut generator).remove(0);
    let theirs = stranger.encrypt(&[true], &mut generator).remove(0);
    let mut scratch = server.scratch(2);
    let wrong_key = TfheError::WrongKey {
        what: "encrypted bit",
        expected: secret_key.key_id(),
        found: stranger.key_id(),
    };
    assert_eq!(secret_key.decrypt(&theirs), Err(wrong_key.clone()));
    for pair in [(&ours, &theirs), (&theirs, &ours)] {
        let refused = server.gate(&mut scratch, Gate::Or, pair.0, pair.1);
        assert_eq!(refused, Err(wrong_key.clone()));
    }
    assert_eq!(
        server.mux(&mut scratch, &ours, &ours, &theirs),
        Err(wrong_key)
    );
    assert_eq!(
        GateCiphertext::from_parts(&TOY_GATE, secret_key.key_id(), vec![0; 45]),
        Err(TfheError::WrongLength {
            what: "an encrypted bit",
            expected: 46,
            found: 45
        })
    );

    // Buffers of another set, and of a processor with other spectra.
    let other = GateParameters::new(GateLiteral {
        name: "OTHER",
        lwe_dimension: 46,
        ..*TOY_GATE.literal()
    });
    let (_, seeded_other, _) = secret(other.unwrap(), 8);
    let other = GateServerKey::expand(&seeded_other, 1, &|_, _| {}).unwrap();
    assert_eq!(
        server.gate(&mut other.scratch(2), Gate::Or, &ours, &ours),
        Err(TfheError::WrongScratch {
            expected: "TOY_GATE",
            found: "OTHER"
        })
    );
    for fft in Fft::available()
        .into_iter()
        .filter(|&fft| fft != server.fft())
    {
        let other = GateServerKey::expand_for(&seeded, fft, 1, &|_, _| {}).unwrap();
        let refused = server.gate(&mut other.scratch(2), Gate::Or, &ours, &ours);
        assert!(
            matches!(refused, Err(TfheError::WrongScratch { .. })),
            "{fft}"
        );
    }
}

#[test]
fn every_set_is_found_by_name() {
    for set in blindcore_tfhe::gate::GATE_SETS {
        assert_eq!(GateParameters::new(*set.literal()), Ok(set));
        assert_eq!(GateParameters::named(set.name()), Some(set));
    }
    assert_eq!(GateParameters::named("TFHE_LIB_128"), None);
}

#[test]
fn invalid_literals_say_why() {
    let good = *TFHE_LIB_118.literal();
    for (literal, word) in [
        (
            GateLiteral {
                polynomial_size: 1000,
                ..good
            },
            "polynomial_size",
        ),
        (
            GateLiteral {
                polynomial_size: 32,
                ..good
            },
            "polynomial_size",
        ),
        (
            GateLiteral {
                lwe_dimension: 0,
                ..good
            },
            "lwe_dimension",
        ),
        (
            GateLiteral {
                lwe_dimension: u32::MAX,
                ..good
            },
            "lwe_dimension",
        ),
        (
            GateLiteral {
                bootstrap_levels: u32::MAX,
                ..good
            },
            "bootstrap gadget",
        ),
        (
            GateLiteral {
                bootstrap_base_log: 0,
                ..good
            },
            "bootstrap gadget",
        ),
        (
            GateLiteral {
                key_switch_levels: 16,
                ..good
            },
            "key switch gadget",
        ),
        (
            GateLiteral {
                key_switch_base_log: 17,
                ..good
            },
            "key switch gadget",
        ),
        (
            GateLiteral {
                log2_lwe_deviation: f64::NAN,
                ..good
            },
            "deviation",
        ),
        (
            GateLiteral {
                log2_lwe_deviation: -30.0,
                ..good
            },
            "deviation",
        ),
        (
            GateLiteral {
                log2_lwe_deviation: -1.0,
                ..good
            },
            "deviations",
        ),
        (
            GateLiteral {
                log2_glwe_deviation: -70.0,
                ..good
            },
            "deviations",
        ),
    ] {
        match GateParameters::new(literal) {
            Err(TfheError::InvalidParameters { name, reason }) => {
                assert_eq!(name, good.name);
                assert!(reason.contains(word), "{reason}");
            }
            other => panic!("{word}: {other:?}"),
        }
    }
}
