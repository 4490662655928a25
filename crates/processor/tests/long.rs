//! A long run, mostly on clear data: a million instructions, ten thousand of them on secrets.

use blindcore_processor::{Control, Program, plan, run_planned};
use circuits::Profile;
use circuits::sim::Simulator;
use simulated::{LANES, Random, secret, spread, values, with_window};

use crate::simulated;

/// `main` of long.c on one array of secrets.
fn stirred(mut secrets: [u32; 64]) -> [u32; 64] {
    let mut state = 1u32;
    for round in 0..2000 {
        for _ in 0..122 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state ^= state >> 15;
        }
        let other = secrets[(round * 7 + 1) % 64] ^ state;
        secrets[round % 64] = secrets[round % 64].wrapping_add(other);
    }
    secrets
}

/// In windows, keeping few bits: 64 words are alive all the time, which is all that it may keep
/// beside what it is allowed to be ahead.
#[test]
fn a_million_instructions_agree_with_their_meaning() {
    let program = Program::load(include_bytes!("programs/long.elf")).unwrap();
    let profile = Profile::lookup_simulation();
    let task = with_window(&secret(&program, &["secrets"]), 5_000);
    let planned = plan(&program, &task, &profile).unwrap();
    assert!((1_000_000..1_100_000).contains(&planned.instructions));
    assert!((10_000..11_000).contains(&planned.secret_instructions));
    assert!(
        planned.windows.len() > 3,
        "{} windows",
        planned.windows.len()
    );
    for window in &planned.windows {
        assert!(
            window.cost.peak_bits < 3 * 64 * 32,
            "{} bits",
            window.cost.peak_bits
        );
    }

    let mut random = Random(9);
    // Sixty-four words, each with its value in every lane.
    let words: [[u32; LANES]; 64] =
        std::array::from_fn(|_| std::array::from_fn(|_| random.next() as u32));
    let mut bits = Vec::new();
    for word in &words {
        bits.extend(spread(&word.map(u128::from), 32));
    }
    let control = Control {
        threads: 2,
        memory: Some(8 * 10_000),
        ..Control::default()
    };
    let engine = Simulator::new(profile);
    let outcome = run_planned(&program, &task, &engine, bits, &control, &planned).unwrap();
    assert_eq!(outcome.instructions, planned.instructions);
    for lane in 0..LANES {
        let secrets = words.map(|word| word[lane]);
        let expected: Vec<i128> = stirred(secrets).into_iter().map(i128::from).collect();
        assert_eq!(values(&outcome, lane), [("secrets".to_owned(), expected)]);
    }
}
