//! The scheme as its users see it, at toy dimensions.
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use std::sync::Arc;
use std::sync::Mutex;

use blindcore_gentry_halevi::{
    Ciphertext, Encryptor, Error, Evaluator, KeyId, Noise, Parameters, Progress, PublicKey,
    SecretKey, Stage, Transforms,
};
use random::Generator;

const ONE: NonZeroUsize = NonZeroUsize::MIN;
const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

struct Party {
    generator: Generator,
    secret: SecretKey,
    encryptor: Encryptor,
    evaluator: Evaluator,
}

impl Party {
    fn new(parameters: Parameters, seed: u8, threads: NonZeroUsize) -> Self {
        let mut generator = Generator::from_key([seed; 32]);
        let (secret, public) = SecretKey::generate(parameters, &mut generator, threads, &|_| {
            ControlFlow::Continue(())
        })
        .unwrap();
        Self {
            generator,
            secret,
            encryptor: Encryptor::new(&public, Encryptor::MEMORY, threads).unwrap(),
            evaluator: Evaluator::new(&public, Transforms::Kept, threads).unwrap(),
        }
    }

    fn encrypt(&mut self, bit: bool) -> Ciphertext {
        let bits = self.encryptor.encrypt(&[bit], &mut self.generator);
        bits.unwrap().remove(0)
    }

    /// The bit, which must be `expected`, and the margin, which the bound must not exceed, nor fall
    /// behind by more than `slack` bits.
    fn check(&self, ciphertext: &Ciphertext, expected: bool, slack: f64) -> f64 {
        assert_eq!(self.secret.decrypt(ciphertext), Ok(expected));
        let margin = self.secret.margin(ciphertext).unwrap();
        let bound = self.evaluator.margin_bound(ciphertext);
        assert!(margin >= bound, "margin {margin}, bound {bound}");
        assert!(margin <= bound + slack, "margin {margin}, bound {bound}");
        margin
    }
}

/// What may be between the bound and one margin. Fresh noise is six deviations below the count that
/// is assumed, three bits are for the key and three for the tail of one coefficient; and a
/// coefficient is smaller than expected by 20 bits once in a million times.
const FRESH_SLACK: f64 = 34.0;

fn median(mut margins: Vec<f64>) -> f64 {
    margins.sort_by(f64::total_cmp);
    margins[margins.len() / 2]
}

/// (c), and bounds from both sides: no margin is below its bound, and the median of 64 is near it.
/// The median of log2 of a Gaussian variable's absolute value is 0.6 bits below its deviation's,
/// and that of 64 deviates from it by 0.3.
#[test]
fn truth_tables() {
    let mut party = Party::new(Parameters::TOY_64, 20, ONE);
    let mut margins = [const { Vec::new() }; 3];
    let mut bounds = [0.0; 3];
    for round in 0..64 {
        let (a, b) = (round & 1 == 1, round >> 1 & 1 == 1);
        let (x, y) = (party.encrypt(a), party.encrypt(b));
        let evaluator = &party.evaluator;
        let (xor, and) = (
            evaluator.xor(&x, &y).unwrap(),
            evaluator.and(&x, &y).unwrap(),
        );
        for (index, (ciphertext, bit)) in [(&x, a), (&xor, a ^ b), (&and, a & b)]
            .into_iter()
            .enumerate()
        {
            margins[index].push(party.check(ciphertext, bit, FRESH_SLACK));
            bounds[index] = evaluator.margin_bound(ciphertext);
        }
        party.check(&evaluator.not(&x), !a, FRESH_SLACK);
        // With itself: sums do not cancel, products are squares.
        party.check(&evaluator.xor(&x, &x).unwrap(), false, FRESH_SLACK);
        party.check(&evaluator.and(&x, &x).unwrap(), a, FRESH_SLACK);
    }
    for (margins, bound) in margins.into_iter().zip(bounds) {
        let spare = median(margins) - bound;
        assert!((2.0..9.0).contains(&spare), "{spare}");
    }
}

#[test]
fn constants_have_no_noise() {
    let mut party = Party::new(Parameters::TOY_32, 22, ONE);
    let x = party.encrypt(true);
    let evaluator = &party.evaluator;
    for bit in [false, true] {
        let constant = evaluator.constant(bit);
        assert_eq!(party.secret.decrypt(&constant), Ok(bit));
        assert_eq!(
            party.secret.decrypt(&evaluator.xor(&x, &constant).unwrap()),
            Ok(!bit)
        );
        let and = evaluator.and(&x, &constant).unwrap();
        assert_eq!(party.secret.decrypt(&and), Ok(bit));
        let recrypted = evaluator.recrypt(&constant).unwrap();
        assert_eq!(party.secret.decrypt(&recrypted), Ok(bit));
        let not = evaluator.not(&constant);
        assert_eq!(party.secret.decrypt(&not), Ok(!bit));
    }
}

/// (c): products until the bound says that the next could not be recrypted. Each product takes what
/// an independent model says: ‖a‖ of a fresh one is about √(1 + 4·noise), whatever the key.
#[test]
fn chains_of_products_stop_in_time() {
    let mut party = Party::new(Parameters::TOY_64, 23, ONE);
    let (mut product, mut bit) = (party.encrypt(true), true);
    let first = party.secret.margin(&product).unwrap();
    let mut margin = first;
    let mut factors = 1;
    let error = loop {
        let fresh = party.encrypt(factors % 7 != 6);
        match party.evaluator.and(&product, &fresh) {
            Ok(next) => {
                bit &= factors % 7 != 6;
                product = next;
                factors += 1;
                margin = party.check(&product, bit, FRESH_SLACK + 3.0 * f64::from(factors));
            }
            Err(error) => break error,
        }
    };
    let Error::NoiseExhausted {
        operation,
        margin: left,
        needed,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((operation, needed), ("an AND", 5.0));
    assert!(left < 5.0 && margin > 5.0, "{left} {margin}");
    // log2 √(1 + 4·32) = 3.5 for each factor; the mean of a logarithm is lower by less than half a
    // bit.
    let each = (first - margin) / f64::from(factors - 1);
    assert!((each - 3.5).abs() < 0.7, "{each} bits a factor");
    assert!(factors > 60, "{factors}");
    let recrypted = party.evaluator.recrypt(&product).unwrap();
    assert_eq!(party.secret.decrypt(&recrypted), Ok(bit));
}

#[test]
fn what_is_too_noisy_is_refused_before_it_is_wrong() {
    let mut party = Party::new(Parameters::TOY_32, 24, ONE);
    let fresh = party.encrypt(true);
    let limbs = fresh.limbs().to_vec();
    let noisy = Noise::from_parts(397.0, 1).unwrap();
    let noisy = party.evaluator.key().ciphertext(limbs, noisy).unwrap();
    let evaluator = &party.evaluator;
    for (result, expected) in [
        (evaluator.xor(&noisy, &fresh), "an XOR"),
        (evaluator.and(&noisy, &fresh), "an AND"),
        (evaluator.recrypt(&noisy), "a recryption"),
    ] {
        assert!(
            matches!(result, Err(Error::NoiseExhausted { operation, .. }) if operation == expected)
        );
    }
    // The noise of 2^401 itself.
    let mut limbs = party.evaluator.key().modulus().to_vec();
    limbs[0] &= !1;
    limbs.iter_mut().rev().fold(0, |carry, limb| {
        let low = *limb << 63;
        *limb = *limb >> 1 | carry;
        low
    });
    let half = party.evaluator.key().ciphertext(limbs, Noise::CONSTANT);
    assert!(matches!(
        party.secret.decrypt(&half.unwrap()),
        Err(Error::NoiseExhausted {
            operation: "decryption",
            ..
        })
    ));
}

#[test]
fn a_recrypted_product_of_recrypted_bits() {
    let mut party = Party::new(Parameters::TOY_32, 21, TWO);
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        let [x, y] = [a, b].map(|bit| {
            let fresh = party.encrypt(bit);
            let recrypted = party.evaluator.recrypt(&fresh).unwrap();
            party.check(&recrypted, bit, 30.0);
            recrypted
        });
        let and = party.evaluator.and(&x, &y).unwrap();
        party.check(&and, a & b, 50.0);
        let again = party.evaluator.recrypt(&and).unwrap();
        party.check(&again, a & b, 30.0);
    }
}

#[test]
fn threads_and_kept_rows_change_no_result() {
    let mut one = Party::new(Parameters::TOY_32, 25, ONE);
    let mut two = Party::new(Parameters::TOY_32, 25, TWO);
    assert_eq!(one.evaluator.key().limbs(), two.evaluator.key().limbs());
    let (a, b) = (one.encrypt(true), two.encrypt(true));
    assert_eq!(a, b);
    let expected = one.evaluator.recrypt(&a).unwrap();
    assert_eq!(two.evaluator.recrypt(&b).unwrap(), expected);
    let transformed = Evaluator::new(one.evaluator.key(), Transforms::Computed, ONE).unwrap();
    assert_eq!(transformed.recrypt(&a).unwrap(), expected);
    let three = NonZeroUsize::new(3).unwrap();
    let three = Evaluator::new(one.evaluator.key(), Transforms::Computed, three).unwrap();
    assert_eq!(three.recrypt(&a).unwrap(), expected);
}

/// However large the table of powers is, it says the same.
#[test]
fn tables_of_every_size_encrypt() {
    let mut party = Party::new(Parameters::TOY_64, 26, ONE);
    let key = party.evaluator.key().clone();
    for memory in [0, 1 << 15, 1 << 17, usize::MAX] {
        let encryptor = Encryptor::new(&key, memory, ONE).unwrap();
        let mut generator = Generator::from_key([1; 32]);
        let mut again = Generator::from_key([1; 32]);
        let bits = [true, false, true];
        let encrypted = encryptor.encrypt(&bits, &mut generator).unwrap();
        assert_eq!(
            encrypted,
            party.encryptor.encrypt(&bits, &mut again).unwrap()
        );
        for (bit, ciphertext) in bits.into_iter().zip(&encrypted) {
            party.check(ciphertext, bit, FRESH_SLACK);
        }
    }
    assert_eq!(
        party.encryptor.encrypt(&[], &mut party.generator),
        Ok(vec![])
    );
}

/// (g), in memory: what is written is what is read, and its size is the formula's.
#[test]
fn keys_survive_their_parts() {
    let mut party = Party::new(Parameters::TOY_32, 27, ONE);
    let fresh = party.encrypt(true);
    let key = party.evaluator.key();
    let (set, part) = (*key.parameters(), key.residue_limbs());
    assert_eq!(key.limbs().len(), (2 + 15 + 15 * 46) * part);
    let again = PublicKey::from_limbs(set, Arc::new(key.limbs().to_vec())).unwrap();
    again.verify().unwrap();
    assert_eq!(again.key_id(), party.secret.key_id());
    let secret = SecretKey::from_parts(
        set,
        party.secret.key_id(),
        party.secret.modulus().to_vec(),
        party.secret.expose().to_vec(),
    )
    .unwrap();
    let evaluator = Evaluator::new(&again, Transforms::Computed, ONE).unwrap();
    let recrypted = evaluator.recrypt(&fresh).unwrap();
    assert_eq!(secret.decrypt(&recrypted), Ok(true));
}

#[test]
fn damaged_public_keys_are_refused() {
    let party = Party::new(Parameters::TOY_32, 28, ONE);
    let key = party.evaluator.key();
    let (set, part) = (*key.parameters(), key.residue_limbs());
    let with = |change: &dyn Fn(&mut Vec<u64>)| {
        let mut limbs = key.limbs().to_vec();
        change(&mut limbs);
        PublicKey::from_limbs(set, Arc::new(limbs)).map(|key| key.verify())
    };
    let length = Error::WrongLength {
        what: "a public key",
        expected: 707 * 201,
        found: 0,
    };
    assert_eq!(with(&|limbs| limbs.clear()).unwrap_err(), length);
    for change in [
        (&|limbs: &mut Vec<u64>| limbs.truncate(100)) as &dyn Fn(&mut Vec<u64>),
        &|limbs| limbs.push(0),
        &|limbs| limbs.resize(707 * 300, 0),
    ] {
        assert!(matches!(
            with(change),
            Err(Error::WrongLength {
                what: "a public key",
                ..
            })
        ));
    }
    let modulus = Error::NotAKey {
        reason: "the modulus is even, too large, or has a zero limb at its top",
    };
    assert_eq!(with(&|limbs| limbs[0] ^= 1).unwrap_err(), modulus);
    assert_eq!(with(&|limbs| limbs[part - 1] = 0).unwrap_err(), modulus);
    let reduced = Error::NotReduced {
        what: "a part of the public key",
    };
    for number in [1, 5, 706] {
        let top = (number + 1) * part - 1;
        assert_eq!(with(&|limbs| limbs[top] = u64::MAX).unwrap_err(), reduced);
    }
    let root = Error::NotAKey {
        reason: "r is no root of x^n + 1",
    };
    assert_eq!(with(&|limbs| limbs[part] ^= 1).unwrap(), Err(root));
    assert_eq!(with(&|_| ()).unwrap(), Ok(()));
}

#[test]
fn damaged_secret_keys_are_refused() {
    let party = Party::new(Parameters::TOY_32, 29, ONE);
    let with = |change: &dyn Fn(&mut Vec<u64>, &mut Vec<u64>)| {
        let mut modulus = party.secret.modulus().to_vec();
        let mut secret = party.secret.expose().to_vec();
        change(&mut modulus, &mut secret);
        let id = party.secret.key_id();
        SecretKey::from_parts(Parameters::TOY_32, id, modulus, secret).err()
    };
    let modulus = Some(Error::NotAKey {
        reason: "the modulus is even, too large, or has a zero limb at its top",
    });
    assert_eq!(with(&|_, _| ()), None);
    assert_eq!(with(&|d, _| d.clear()), modulus);
    assert_eq!(with(&|d, _| d[0] ^= 1), modulus);
    assert_eq!(with(&|d, _| d.push(1)), modulus);
    let length = party.secret.modulus().len();
    assert_eq!(
        with(&|_, w| w.push(0)),
        Some(Error::WrongLength {
            what: "the secret",
            expected: length,
            found: length + 1
        })
    );
    assert_eq!(
        with(&|d, w| w.copy_from_slice(d)),
        Some(Error::NotReduced { what: "the secret" })
    );
    assert_eq!(
        with(&|_, w| w[0] ^= 1),
        Some(Error::NotAKey {
            reason: "the secret is no odd coefficient"
        })
    );
}

#[test]
fn ciphertexts_of_another_key_are_refused() {
    let mut party = Party::new(Parameters::TOY_32, 30, ONE);
    let mut other = Party::new(Parameters::TOY_32, 31, ONE);
    let (ours, theirs) = (party.encrypt(true), other.encrypt(true));
    let expected = Error::WrongKey {
        expected: ours.key_id(),
        found: theirs.key_id(),
    };
    let evaluator = &party.evaluator;
    assert_eq!(evaluator.xor(&ours, &theirs), Err(expected.clone()));
    assert_eq!(evaluator.and(&theirs, &ours), Err(expected.clone()));
    assert_eq!(evaluator.recrypt(&theirs), Err(expected.clone()));
    assert_eq!(party.secret.decrypt(&theirs), Err(expected.clone()));
    assert_eq!(party.secret.margin(&theirs), Err(expected));
    assert_eq!(KeyId::from_bytes(*ours.key_id().as_bytes()), ours.key_id());
}

#[test]
fn damaged_ciphertexts_are_refused() {
    let mut party = Party::new(Parameters::TOY_32, 32, ONE);
    let fresh = party.encrypt(true);
    let key = party.evaluator.key();
    let limbs = fresh.limbs().to_vec();
    assert_eq!(
        key.ciphertext(limbs.clone(), fresh.noise()),
        Ok(fresh.clone())
    );
    assert_eq!(
        key.ciphertext(limbs[1..].to_vec(), fresh.noise()),
        Err(Error::WrongLength {
            what: "a ciphertext",
            expected: limbs.len(),
            found: limbs.len() - 1
        })
    );
    assert_eq!(
        key.ciphertext(key.modulus().to_vec(), fresh.noise()),
        Err(Error::NotReduced {
            what: "a ciphertext"
        })
    );
}

#[test]
fn progress_is_told_and_work_is_stopped() {
    let generate = |watch: &(dyn Fn(Progress) -> ControlFlow<()> + Sync)| {
        let mut generator = Generator::from_key([33; 32]);
        SecretKey::generate(Parameters::TOY_32, &mut generator, TWO, watch).err()
    };
    let seen = Mutex::new(Vec::new());
    let all = generate(&|progress| {
        seen.lock().unwrap().push(progress);
        ControlFlow::Continue(())
    });
    assert_eq!(all, None);
    let seen = seen.into_inner().unwrap();
    for (stage, steps) in [
        (Stage::Resultant, 5),
        (Stage::Root, 1),
        (Stage::Powers, 31),
        (Stage::Encryptions, 690),
    ] {
        let mut done: Vec<usize> = seen
            .iter()
            .filter(|progress| progress.stage == stage)
            .map(|progress| {
                assert_eq!(progress.steps, steps);
                progress.done
            })
            .collect();
        done.sort_unstable();
        done.dedup();
        assert_eq!(done, (1..=steps).collect::<Vec<_>>());
        let stopped = generate(&|progress| {
            if progress.stage == stage {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert_eq!(stopped, Some(Error::Interrupted));
    }
}

#[test]
fn modulus_and_root_are_enough_to_encrypt_and_the_secret_to_decrypt() {
    let one = NonZeroUsize::MIN;
    let mut generator = Generator::from_key([31; 32]);
    let go_on = |_| ControlFlow::Continue(());
    let parameters = Parameters::TOY_32;
    let (secret, public) = SecretKey::generate(parameters, &mut generator, one, &go_on).unwrap();
    let (modulus, root, memory) = (public.modulus(), public.root(), Encryptor::MEMORY);
    let encryptor = Encryptor::of_root(&parameters, modulus, root, 2, memory, one).unwrap();
    for (bit, encrypted) in [true, false]
        .into_iter()
        .zip(encryptor.encrypt(&[true, false], &mut generator).unwrap())
    {
        // As a file would bring them to the owner.
        let limbs = encrypted.limbs().to_vec();
        let read = secret.ciphertext(limbs, encrypted.noise()).unwrap();
        assert_eq!(read, encrypted);
        assert_eq!(secret.decrypt(&read), Ok(bit));
    }
    let modulus = public.modulus();
    assert!(matches!(
        secret.ciphertext(modulus.to_vec(), Noise::CONSTANT),
        Err(Error::NotReduced { .. })
    ));
    assert!(matches!(
        secret.ciphertext(vec![0; modulus.len() - 1], Noise::CONSTANT),
        Err(Error::WrongLength { .. })
    ));
    let of_root =
        |modulus, root| Encryptor::of_root(&parameters, modulus, root, 2, 1 << 20, one).err();
    let (short, root) = (&modulus[1..], public.root());
    for (numbers, found) in [
        ((modulus, modulus), of_root(modulus, modulus)),
        ((short, root), of_root(short, root)),
    ] {
        let refused = matches!(
            found,
            Some(Error::NotReduced { .. } | Error::WrongLength { .. })
        );
        assert!(refused, "{} limbs: {found:?}", numbers.0.len());
    }
}

#[test]
fn a_negation_cannot_fail() {
    let mut party = Party::new(Parameters::TOY_32, 32, NonZeroUsize::MIN);
    for bit in [false, true] {
        let fresh = party.encrypt(bit);
        let other = party.evaluator.not(&fresh);
        party.check(&other, !bit, 30.0);
        party.check(&party.evaluator.not(&other), bit, 30.0);
    }
    // What is another key's stays so, and is refused by whoever computes with it.
    let mut stranger = Party::new(Parameters::TOY_32, 33, NonZeroUsize::MIN);
    let theirs = stranger.encrypt(true);
    let kept = party.evaluator.not(&theirs);
    assert_eq!(kept, theirs);
    assert!(matches!(
        party.evaluator.xor(&kept, &kept),
        Err(Error::WrongKey { .. })
    ));
}
