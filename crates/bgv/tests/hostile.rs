//! Values that no honest caller gives: literals, demands, ciphertexts of other parameters, noises.
//! Errors, never panics.
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use blindcore_bgv::{
    Ciphertext, Demand, Error, EvaluationKey, Evaluator, Keys, Level, Noise, ParameterLiteral,
    Parameters, PublicKey, Ring, SecretKey, Security, SeededCiphertext,
};
use proptest::prelude::*;
use random::{Generator, SecretBuffer};

fn keys(name: &str, seed: u8) -> (Keys, Evaluator, Generator) {
    let mut generator = Generator::from_key([seed; 32]);
    let parameters = Parameters::named(name).unwrap();
    let watch = &|_| ControlFlow::Continue(());
    let one = NonZeroUsize::MIN;
    let keys = SecretKey::generate(&parameters, &[], &mut generator, one, watch).unwrap();
    let evaluator = Evaluator::new(&keys.evaluation, one).unwrap();
    (keys, evaluator, generator)
}

const GOOD: ParameterLiteral = ParameterLiteral::TOY_51;

#[test]
fn indices_that_are_none_are_refused() {
    for index in [0, 1, 2, 4, 9, 45, 16_513, (1 << 17) + 1, u32::MAX] {
        let found = Parameters::new(ParameterLiteral { index, ..GOOD });
        assert!(matches!(found, Err(Error::Ring(_))), "{index}");
        let demand = Demand::of_depth(1);
        let found = Parameters::for_circuit_in(index, &demand, Security::Bits128);
        assert!(matches!(found, Err(Error::Ring(_))), "{index}");
    }
    // 2 has the order 100 modulo 101: its one slot would be a field of 2^100 elements.
    let expected = Error::InvalidParameters {
        index: 101,
        reason: "the order of 2 modulo the index is at most 60",
    };
    let found = Parameters::new(ParameterLiteral { index: 101, ..GOOD });
    assert_eq!(found.err(), Some(expected));
    assert!(Parameters::new(ParameterLiteral { index: 59, ..GOOD }).is_ok());
}

#[test]
fn numbers_out_of_range_are_refused_each_with_its_reason() {
    let level = Level::from_number;
    for (literal, reason) in [
        (
            ParameterLiteral {
                top: level(0),
                ..GOOD
            },
            "the top level is from 1 to 500",
        ),
        (
            ParameterLiteral {
                top: level(501),
                ..GOOD
            },
            "the top level is from 1 to 500",
        ),
        (
            ParameterLiteral {
                top: level(u16::MAX),
                ..GOOD
            },
            "the top level is from 1 to 500",
        ),
        (
            ParameterLiteral {
                big_bits: 51,
                ..GOOD
            },
            "primes have at most 50 bits",
        ),
        (
            ParameterLiteral {
                big_bits: u32::MAX,
                ..GOOD
            },
            "primes have at most 50 bits",
        ),
        (
            ParameterLiteral {
                special_bits: 51,
                ..GOOD
            },
            "primes have at most 50 bits",
        ),
        (
            ParameterLiteral {
                special_bits: 0,
                ..GOOD
            },
            "primes have at least 20 bits",
        ),
        (
            ParameterLiteral {
                small_bits: 19,
                ..GOOD
            },
            "primes have at least 20 bits",
        ),
        (
            ParameterLiteral {
                small_bits: 45,
                ..GOOD
            },
            "small primes are shorter than big ones",
        ),
        (
            ParameterLiteral {
                small_bits: u32::MAX,
                ..GOOD
            },
            "small primes are shorter than big ones",
        ),
        (
            ParameterLiteral {
                big_bits: 0,
                ..GOOD
            },
            "small primes are shorter than big ones",
        ),
        (
            ParameterLiteral {
                specials: 0,
                ..GOOD
            },
            "special primes and primes of a digit are 1 to 16",
        ),
        (
            ParameterLiteral {
                specials: u32::MAX,
                ..GOOD
            },
            "special primes and primes of a digit are 1 to 16",
        ),
        (
            ParameterLiteral { digit: 0, ..GOOD },
            "special primes and primes of a digit are 1 to 16",
        ),
        (
            ParameterLiteral {
                digit: u32::MAX,
                ..GOOD
            },
            "special primes and primes of a digit are 1 to 16",
        ),
        (
            ParameterLiteral {
                security: Security::Bits128,
                ..GOOD
            },
            "no bound is known for this degree and security",
        ),
    ] {
        let expected = Error::InvalidParameters { index: 51, reason };
        assert_eq!(
            Parameters::new(literal).err(),
            Some(expected),
            "{literal:?}"
        );
    }
    // Twenty bits have few primes that are 1 modulo what the index asks for.
    let few = ParameterLiteral {
        special_bits: 20,
        specials: 16,
        index: 4369,
        ..GOOD
    };
    assert!(matches!(Parameters::new(few), Err(Error::Ring(_))));
}

fn literals() -> impl Strategy<Value = ParameterLiteral> {
    let bits = || prop_oneof![18_u32..52, any::<u32>()];
    let few = || prop_oneof![0_u32..18, any::<u32>()];
    (
        (
            prop_oneof![0_u32..400, 0_u32..140_000],
            bits(),
            bits(),
            bits(),
        ),
        (
            prop_oneof![0_u16..40, any::<u16>()],
            few(),
            few(),
            0_usize..3,
        ),
    )
        .prop_map(
            |((index, big_bits, small_bits, special_bits), (top, specials, digit, security))| {
                ParameterLiteral {
                    index,
                    big_bits,
                    small_bits,
                    top: Level::from_number(top),
                    specials,
                    special_bits,
                    digit,
                    security: [Security::Toy, Security::Weak80, Security::Bits128][security],
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Any literal is refused, or gives a set whose primes, levels and figures are those of the
    /// rules.
    #[test]
    fn literals_give_sets_or_errors(literal in literals(), other in any::<u16>()) {
        let Ok(set) = Parameters::new(literal) else { return Ok(()) };
        let mut primes = set.primes().to_vec();
        primes.sort_unstable();
        primes.dedup();
        prop_assert_eq!(primes.len(), set.primes().len());
        prop_assert!(primes.iter().all(|q| q % 2 == 1 && q % u64::from(literal.index) == 1));
        prop_assert_eq!(ParameterLiteral::parse(&set.name()), Some(literal));
        // Levels that are not in the chain, too.
        let level = Level::from_number(other);
        prop_assert!(set.primes_of(level).iter().all(|&number| number < set.primes().len()));
        prop_assert!(set.transforms_of_product(level) > 0);
        prop_assert!(set.modulus_bits(level) >= 0.0);
        prop_assert!(set.ciphertext_size(level) <= set.ciphertext_size(set.top()));
    }
}

#[test]
fn demands_of_any_size_have_an_answer() {
    let demand = |depth, terms, slots| Demand {
        depth,
        terms,
        slots,
    };
    let of = |demand| Parameters::for_circuit_in(4369, &demand, Security::Bits128);
    for (depth, terms) in [(u32::MAX, 1), (1, u32::MAX), (u32::MAX, u32::MAX)] {
        let found = of(demand(depth, terms, 1)).unwrap_err();
        assert!(
            matches!(found, Error::TooDeep { depth: d, terms: t, most: 0..=3, .. } if (d, t) == (depth, terms)),
            "{found}"
        );
    }
    assert!(of(demand(0, 0, 0)).is_ok());
    assert_eq!(of(demand(1, 0, 0)).unwrap(), of(demand(1, 1, 0)).unwrap());
    let found = Parameters::for_circuit(&demand(1, 1, usize::MAX), Security::Bits128);
    assert!(matches!(
        found,
        Err(Error::TooDeep {
            most: 0,
            slots: usize::MAX,
            ..
        })
    ));
    let found = Parameters::for_circuit(&demand(1, 1, 1), Security::Toy);
    assert!(matches!(found, Err(Error::TooDeep { most: 0, .. })));
}

/// A ciphertext that was made for other parameters, with the identity of this key.
#[test]
fn forged_identities_do_not_reach_beyond_an_array() {
    let (ours, evaluator, _) = keys("TOY_51", 1);
    let (theirs, _, mut generator) = keys("TOY_255", 2);
    let id = ours.secret.key_id();
    let foreign = theirs.public.encrypt(&[true], &mut generator).unwrap();
    let forge = |parameters: &Parameters, a: &Ciphertext| {
        let parts = a.parts();
        Ciphertext::from_parts(parameters, id, a.level(), a.noise(), parts).unwrap()
    };
    let high = forge(theirs.secret.parameters(), &foreign);
    let (_, other, _) = keys("TOY_255", 3);
    let mut low = other.constant_at(true, Level::from_number(3));
    low = forge(other.parameters(), &low);
    let own = ours.public.encrypt(&[true], &mut generator).unwrap();
    let above = Error::LevelOutOfRange {
        level: Level::from_number(16),
        least: Level::LEAST,
        most: Level::from_number(10),
    };
    let long = Error::WrongLength {
        what: "ciphertext",
        expected: 32,
        found: 128,
    };
    // Of the same shape, modulo other primes.
    let primes = Parameters::new(ParameterLiteral {
        small_bits: 35,
        ..GOOD
    });
    let residues = forge(&primes.unwrap(), &evaluator.constant(true));
    let modulo = Error::NotReduced { what: "ciphertext" };
    for (forged, expected) in [(high, above), (low, long), (residues, modulo)] {
        let mut sum = own.clone();
        for refused in [
            evaluator.xor(&own, &forged).map(|_| ()),
            evaluator.xor(&forged, &forged).map(|_| ()),
            evaluator.xor_assign(&mut sum, &forged),
            evaluator.xor_all(&[&forged, &own]).map(|_| ()),
            evaluator.and(&forged, &own).map(|_| ()),
            evaluator.not(&forged).map(|_| ()),
            evaluator.relinearise(&forged).map(|_| ()),
            evaluator.switch_to(&forged, Level::LEAST).map(|_| ()),
            evaluator.rotate(&forged, 2).map(|_| ()),
            ours.secret.decrypt(&forged).map(|_| ()),
            ours.secret.noise(&forged).map(|_| ()),
        ] {
            assert_eq!(refused.err(), Some(expected.clone()));
        }
    }
    let seeded = theirs
        .secret
        .encrypt_seeded(&[true], theirs.public.seed(), 0, &mut generator);
    let rows = |ring: &Ring| ring.parameters().primes_of(ring.parameters().top()).len();
    assert_eq!(
        seeded.unwrap().expand(ours.secret.ring()).err(),
        Some(Error::WrongLength {
            what: "seeded ciphertext",
            expected: rows(ours.secret.ring()),
            found: rows(theirs.secret.ring()),
        })
    );
    let number = 1 << 53;
    let seed = theirs.public.seed();
    let refused = theirs
        .secret
        .encrypt_seeded(&[], seed, number, &mut generator);
    assert!(matches!(refused, Err(Error::WrongLength { found, .. }) if found == number as usize));
}

/// Estimates that a file may claim, from none at all to what squares beyond a number.
#[test]
fn claimed_noises_are_refused_or_computed_with() {
    let (keys, evaluator, mut generator) = keys("TOY_51", 4);
    let fresh = keys.public.encrypt(&[true], &mut generator).unwrap();
    let parameters = evaluator.parameters();
    for wrong in [f64::NAN, f64::INFINITY, -0.5, -f64::MIN_POSITIVE] {
        for place in 0..Noise::TERMS {
            let mut terms = fresh.noise().terms();
            terms[place] = wrong;
            assert_eq!(Noise::from_terms(terms), Err(Error::InvalidNoise));
        }
    }
    let claim = |value: f64| {
        let noise = Noise::from_terms([value; Noise::TERMS]).unwrap();
        let parts = fresh.parts();
        Ciphertext::from_parts(parameters, fresh.key_id(), fresh.level(), noise, parts).unwrap()
    };
    for small in [0.0, -0.0, f64::MIN_POSITIVE, 1.0] {
        let small = claim(small);
        let product = evaluator.and(&small, &small).unwrap();
        assert!(keys.secret.decrypt(&product).unwrap()[0]);
        assert!(
            keys.secret
                .decrypt(&evaluator.xor(&small, &fresh).unwrap())
                .is_ok()
        );
    }
    for large in [1e200, f64::MAX] {
        let large = claim(large);
        for refused in [
            evaluator.and(&large, &large),
            evaluator.and(&fresh, &large),
            evaluator.xor(&large, &large),
            evaluator.switch_to(&large, Level::LEAST),
        ] {
            assert!(
                matches!(refused, Err(Error::NoiseExhausted { .. })),
                "{refused:?}"
            );
        }
    }
}

/// One seed for keys and for ciphertexts is a mistake; it does not give equal masks.
#[test]
fn masks_of_ciphertexts_are_none_of_a_keys() {
    let (keys, _, mut generator) = keys("TOY_51", 5);
    let ring = keys.secret.ring();
    let seed = keys.public.seed();
    let zeros = |number| {
        let seeded = keys
            .secret
            .encrypt_seeded(&[], seed, number, &mut generator);
        seeded.unwrap().expand(ring).unwrap().parts()[1].clone()
    };
    let masks: Vec<Vec<Vec<u64>>> = (0..3).map(zeros).collect();
    assert!(masks[0] != masks[1] && masks[1] != masks[2]);
    // The public key's own mask is stream 0 of its seed: an encryption of 0 under it has the part
    // at s.
    let q = ring.parameters().primes()[0];
    let mut stream = vec![0; 4];
    random::MaskGenerator::new(seed, 0).fill(&mut stream);
    let first = stream.iter().map(|word| word & (q.next_power_of_two() - 1));
    let first = first.into_iter().find(|&word| word < q);
    assert_ne!(Some(masks[0][0][0]), first);
}

/// Keys whose parts are too many, too few, too long or not reduced.
#[test]
fn parts_that_make_no_key_are_refused() {
    let (keys, _, mut generator) = keys("TOY_51", 6);
    let (ring, id, seed) = (
        keys.secret.ring(),
        keys.secret.key_id(),
        *keys.public.seed(),
    );
    let parameters = ring.parameters();
    let length = |what, expected, found| Error::WrongLength {
        what,
        expected,
        found,
    };
    let body = keys.public.body().to_vec();
    let with = |change: &dyn Fn(&mut Vec<Vec<u64>>)| {
        let mut body = body.clone();
        change(&mut body);
        PublicKey::from_parts(ring, id, seed, body).err()
    };
    let what = "public key";
    let rows = body.len();
    assert_eq!(with(&|body| body.truncate(0)), Some(length(what, rows, 0)));
    assert_eq!(
        with(&|body| body.push(Vec::new())),
        Some(length(what, rows, rows + 1))
    );
    assert_eq!(with(&|body| body[1].push(0)), Some(length(what, 32, 33)));
    assert_eq!(
        with(&|body| body[rows - 1].clear()),
        Some(length(what, 32, 0))
    );
    assert_eq!(
        with(&|body| body[rows - 1][31] = u64::MAX),
        Some(Error::NotReduced { what })
    );
    assert_eq!(with(&|_| ()), None);

    let digits: Vec<Vec<Vec<u64>>> = keys
        .evaluation
        .relinearisation()
        .map(<[_]>::to_vec)
        .collect();
    let one = NonZeroUsize::MIN;
    for exponent in [0, 3, 51, 52, u32::MAX] {
        let rotations = vec![(exponent, digits.clone())];
        let found = EvaluationKey::from_parts(ring, id, seed, digits.clone(), rotations, one);
        let index = 51;
        assert_eq!(
            found.err(),
            Some(Error::NotAnAutomorphism { exponent, index })
        );
        let watch = &|_| ControlFlow::Continue(());
        let found = SecretKey::generate(parameters, &[exponent], &mut generator, one, watch);
        assert_eq!(
            found.err(),
            Some(Error::NotAnAutomorphism { exponent, index })
        );
    }
    for found in [0, 31, 33] {
        let coefficients = SecretBuffer::new(vec![0_i8; found]);
        assert_eq!(
            SecretKey::from_parts(ring, id, coefficients).err(),
            Some(length("coefficients of a secret key", 32, found))
        );
    }
    let seeded = SeededCiphertext::from_parts(parameters, id, seed, 0, Vec::new());
    let expected = parameters.primes_of(parameters.top()).len();
    assert_eq!(seeded.err(), Some(length("seeded ciphertext", expected, 0)));
}

/// Callers on threads of their own share an evaluator that has threads of its own.
#[test]
fn callers_share_an_evaluator() {
    let (keys, _, mut generator) = keys("TOY_255", 7);
    let two = NonZeroUsize::new(2).unwrap();
    let evaluator = Evaluator::new(&keys.evaluation, two).unwrap();
    let fresh = keys.public.encrypt(&[true], &mut generator).unwrap();
    let results: Vec<Ciphertext> = std::thread::scope(|scope| {
        let work = || {
            let square = evaluator.and(&fresh, &fresh).unwrap();
            evaluator.and(&square, &fresh).unwrap()
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(results.iter().all(|result| *result == results[0]));
    assert!(keys.secret.decrypt(&results[0]).unwrap()[0]);
}

/// The indices of the paper on integer arithmetic, slots of 2^5 … 2^50 elements.
#[test]
fn the_papers_indices_pack_bits() {
    for (m, slots) in [
        (7781, 150),
        (8191, 630),
        (13_981, 600),
        (14_351, 504),
        (18_631, 720),
    ] {
        let set = Parameters::new(ParameterLiteral {
            index: m,
            small_bits: 40,
            ..GOOD
        })
        .unwrap();
        assert_eq!(set.slots(), slots);
        let bits: Vec<bool> = (0..slots).map(|slot| slot * slot % 7 < 3).collect();
        let ring = Ring::new(&set).unwrap();
        let packing = ring.slots();
        assert_eq!(
            packing.decode(&packing.encode(&bits).unwrap()).unwrap(),
            bits
        );
    }
}
