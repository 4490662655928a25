//! Questions that decrypt only where a guess is right.

use processor::Answer;
use session::policy::{Asks, Guard, Journal};

use super::party::{BITS, Probe, SECRET, parties, policy, program, rules};

/// A guess of all bits in one question, one guess after another under one number: what does not
/// decrypt says "no", and the first answer is the number.
#[test]
#[ignore = "slow: 17 s"]
fn guesses_that_do_not_decrypt_are_paid_for() {
    for bits in [1, 2, 7] {
        let (owner, server) = parties();
        let program = program();
        let policy = policy(&program, &rules(bits));
        let mut guard = Guard::new(&program, policy, Journal::in_memory(), Asks::Anything);
        let found = (0..=SECRET).find(|guess| {
            let probe = |bit| server.if_it_is(bit, guess >> bit & 1 == 1);
            let question = server.sum(0, (0..BITS).map(probe).collect());
            matches!(owner.answer(&mut guard, &question), Ok(Ok(_)))
        });
        let decrypted = owner.decrypted.get();
        assert_eq!(
            found, None,
            "read the secret by {decrypted} decryptions within {bits} bits"
        );
        // A question has three outcomes: two bits.
        assert!(
            u64::from(decrypted) <= bits / 2,
            "{decrypted} in {bits} bits"
        );
    }
}

/// The same in the bits that only fill a byte: seven guesses ride on a condition that is known.
#[test]
fn what_fills_a_byte_is_never_decrypted() {
    let (owner, server) = parties();
    let program = program();
    let mut guard = Guard::new(
        &program,
        policy(&program, &rules(256)),
        Journal::in_memory(),
        Asks::Anything,
    );
    let mut number = 0;
    let found = (0..=(SECRET & 0x7f)).find(|guess| {
        let mut bits = vec![Probe::Clear(true)];
        bits.extend((0..7).map(|bit| server.if_it_is(bit, guess >> bit & 1 == 1)));
        number += 1;
        let question = server.condition(number, bits);
        matches!(
            owner.answer(&mut guard, &question),
            Ok(Ok(Answer::Holds(_)))
        )
    });
    let decrypted = owner.decrypted.get();
    assert_eq!(found, None, "read seven bits by {decrypted} decryptions");
    assert_eq!(decrypted, 0);
}
