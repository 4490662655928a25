//! Gentry and Halevi's scheme on the simulated chip: every long product of the evaluation is its.
#![cfg(feature = "whole")]

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use bignum::device;
use blindcore_hardware::{Chip, Lanes};
use gentry_halevi::{Ciphertext, Encryptor, Evaluator, Parameters, SecretKey, Transforms};
use random::Generator;

/// A device is of the whole process.
static ALONE: Mutex<()> = Mutex::new(());

struct Party {
    secret: SecretKey,
    evaluator: Evaluator,
    fresh: Vec<Ciphertext>,
}

/// Keys, and encryptions of 1, 1 and 0, on this machine.
fn party(parameters: Parameters) -> Party {
    let two = NonZeroUsize::new(2).unwrap();
    let mut generator = Generator::from_key([7; 32]);
    let (secret, public) = SecretKey::generate(parameters, &mut generator, two, &|_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    let encryptor = Encryptor::new(&public, Encryptor::MEMORY, two).unwrap();
    Party {
        secret,
        evaluator: Evaluator::new(&public, Transforms::Kept, two).unwrap(),
        fresh: encryptor
            .encrypt(&[true, true, false], &mut generator)
            .unwrap(),
    }
}

/// What runs with the chip installed.
fn on<T>(chip: &Arc<Chip>, run: impl FnOnce() -> T) -> T {
    device::install(Some(Arc::clone(chip) as Arc<dyn device::Device>));
    let result = run();
    device::install(None);
    result
}

#[test]
fn an_and_on_the_chip() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let party = party(Parameters::BROKEN_512);
    let chip = Arc::new(Chip::new(Lanes::Sixteen));
    for (other, expected) in [(1, true), (2, false)] {
        let (a, b) = (&party.fresh[0], &party.fresh[other]);
        let product = on(&chip, || party.evaluator.and(a, b)).unwrap();
        let (products, cycles) = chip.take();
        println!("AND: {products} products, {cycles} cycles");
        assert_eq!(products, 3);
        assert!(product == party.evaluator.and(a, b).unwrap());
        assert_eq!(party.secret.decrypt(&product), Ok(expected));
    }
}

#[test]
fn a_recryption_on_the_chip() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let party = party(Parameters::BROKEN_2048);
    let chip = Arc::new(Chip::new(Lanes::SixtyFour));
    let product = party
        .evaluator
        .and(&party.fresh[0], &party.fresh[1])
        .unwrap();
    let fresh = on(&chip, || party.evaluator.recrypt(&product)).unwrap();
    let (products, cycles) = chip.take();
    println!("recryption: {products} products, {cycles} cycles");
    assert_eq!(products, 1649);
    assert!(fresh == party.evaluator.recrypt(&product).unwrap());
    assert_eq!(party.secret.decrypt(&fresh), Ok(true));
}
