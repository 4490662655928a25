//! Rules of what is answered, as people write them: what is read is written as the same, and
//! whatever fits the program answers no more than its bound, however a server asks.
//!
//! The text of the rules ends at a zero; what follows are questions.

#![no_main]

use std::sync::LazyLock;

use a32::Condition;
use libfuzzer_sys::fuzz_target;
use processor::{Asked, Operands, Otherwise, Program};
use session::policy::{Allowance, Asking, Asks, Guard, Journal, Policy, Rules};

const FILE: &[u8] = include_bytes!("../../crates/processor/tests/programs/refused.elf");

static PROGRAM: LazyLock<Program> = LazyLock::new(|| Program::load(FILE).expect("a fixture"));

fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|byte| *byte == 0);
    let (text, questions) = data.split_at(end.unwrap_or(data.len()));
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    if let Ok(allowance) = text.parse::<Allowance>() {
        let site = allowance.site.to_string();
        assert_eq!(site.parse().as_ref(), Ok(&allowance.site));
    }
    let rules = match Rules::from_toml(text) {
        Ok(rules) => rules,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let written = serde_json::to_string(&rules).expect("rules can be written");
    assert_eq!(
        serde_json::from_str::<Rules>(&written).ok().as_ref(),
        Some(&rules)
    );
    let Ok(policy) = Policy::new(&rules, &PROGRAM) else {
        return;
    };
    let asks = match questions.get(1).map_or(0, |byte| byte % 4) {
        0 => Asks::Anything,
        1 => Asks::from(Otherwise::Ask),
        2 => Asks::from(Otherwise::ClientHeld),
        _ => Asks::from(Otherwise::Refuse),
    };
    let mut guard = Guard::new(&PROGRAM, policy, Journal::in_memory(), asks);
    let base = PROGRAM.function("branch").expect("it is there").address;
    let mut decrypted = 0;
    for (number, question) in questions.chunks_exact(4).enumerate() {
        let condition = Condition::ALL[usize::from(question[1] >> 4) % Condition::ALL.len()];
        let address = base.wrapping_add(u32::from(question[0]));
        let asked = match question[1] % 4 {
            0 => Asked::Condition(condition),
            1 => Asked::Target,
            of => Asked::Operands {
                condition,
                of: if of == 2 {
                    Operands::Sum
                } else {
                    Operands::Flags
                },
                holds: address.wrapping_add(4 * u32::from(question[2])),
                fails: address.wrapping_add(4),
            },
        };
        let asking = Asking {
            job: "job",
            number: (number as u64) % 16,
            address,
            asked,
            hash: [question[3]; 32],
        };
        let kind = asks.includes(&asked);
        let _ = guard.answer(&asking, || {
            assert!(kind, "{asking:?} was decrypted");
            decrypted += 1;
            Ok::<_, String>(vec![question[2] & 1 == 1; usize::from(question[2] % 66)])
        });
        let used = guard.ledger().bits();
        assert!(used <= rules.bits(), "{used} bits of {}", rules.bits());
        // Nothing is decrypted for less than a bit.
        assert!(decrypted <= used, "{decrypted} in {used} bits");
    }
});
