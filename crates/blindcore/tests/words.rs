//! Expressions over encrypted words give what the host's integers give.

use std::sync::OnceLock;

use blindcore::{Bit, ErrorKind, Keys, Word};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use proptest::{prelude::any, strategy::Strategy, strategy::ValueTree};

fn keys() -> &'static Keys {
    static KEYS: OnceLock<Keys> = OnceLock::new();
    KEYS.get_or_init(|| Keys::generate().unwrap())
}

/// A word, and what it must decrypt to.
#[derive(Clone)]
struct Known {
    word: Word<i16>,
    value: i16,
}

/// One operation on two words that are there, chosen by numbers.
fn next(words: &[Known], choice: (u8, usize, usize)) -> Known {
    let (a, b) = (
        &words[choice.1 % words.len()],
        &words[choice.2 % words.len()],
    );
    let (x, y) = (a.value, b.value);
    let (word, value) = match choice.0 % 13 {
        0 => (&a.word + &b.word, x.wrapping_add(y)),
        1 => (&a.word - &b.word, x.wrapping_sub(y)),
        2 => (&a.word * &b.word, x.wrapping_mul(y)),
        3 => (&a.word & &b.word, x & y),
        4 => (&a.word | &b.word, x | y),
        5 => (&a.word ^ &b.word, x ^ y),
        6 => (-&a.word, x.wrapping_neg()),
        7 => (!&a.word, !x),
        8 => (&a.word << 3, x << 3),
        9 => (&a.word >> 5, x >> 5),
        10 => (
            a.word.lt(&b.word).select(&a.word, &b.word),
            if x < y { x } else { y },
        ),
        11 => (
            a.word.eq(&b.word).word::<i16>() + 1000,
            i16::from(x == y) + 1000,
        ),
        _ => (
            a.word.cast::<i8>().cast::<i16>().max(&b.word),
            i16::from(x as i8).max(y),
        ),
    };
    Known { word, value }
}

#[test]
fn random_expressions_agree_with_the_host() {
    let keys = keys();
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]),
    );
    let choices = proptest::collection::vec((any::<u8>(), any::<usize>(), any::<usize>()), 12);
    for round in 0..4 {
        let values = (any::<i16>(), any::<i16>());
        let (x, y) = values.new_tree(&mut runner).unwrap().current();
        let mut words = vec![
            Known {
                word: keys.secret.encrypt_word(x).unwrap(),
                value: x,
            },
            Known {
                word: keys.secret.encrypt_word(y).unwrap(),
                value: y,
            },
            Known {
                word: 77.into(),
                value: 77,
            },
        ];
        for choice in choices.new_tree(&mut runner).unwrap().current() {
            words.push(next(&words, choice));
        }
        let all: Vec<Word<i16>> = words.iter().map(|known| known.word.clone()).collect();
        let evaluated = keys.server.evaluate(&all).unwrap();
        for (number, (word, known)) in evaluated.iter().zip(&words).enumerate() {
            let found = keys.secret.decrypt_word(word).unwrap();
            assert_eq!(found, known.value, "round {round}, word {number}");
        }
        // What is evaluated can be used again.
        let again: Vec<Known> = evaluated
            .into_iter()
            .zip(&words)
            .map(|(word, known)| Known {
                word,
                value: known.value,
            })
            .collect();
        let sum = next(&again, (0, 11, 7));
        let sum_of = keys.server.evaluate(&sum.word).unwrap();
        assert_eq!(keys.secret.decrypt_word(&sum_of).unwrap(), sum.value);
    }
}

#[test]
#[ignore = "slow: 4 s"]
fn division_is_the_processors() {
    let keys = keys();
    for (x, y) in [(1000_u16, 7_u16), (3, 9), (50, 0)] {
        let a = keys.secret.encrypt_word(x).unwrap();
        let b = keys.secret.encrypt_word(y).unwrap();
        let (quotient, remainder) = keys.server.evaluate(&(&a / &b, &a % &b)).unwrap();
        let quotient = keys.secret.decrypt_word(&quotient).unwrap();
        let remainder = keys.secret.decrypt_word(&remainder).unwrap();
        assert_eq!(quotient, x.checked_div(y).unwrap_or(0), "{x}/{y}");
        assert_eq!(remainder, x.checked_rem(y).unwrap_or(x), "{x}%{y}");
    }
}

#[test]
fn a_long_chain_is_no_deep_recursion() {
    let keys = keys();
    let one = keys.secret.encrypt_bit(true).unwrap();
    let mut bit = Bit::from(false);
    for _ in 0..100_000 {
        bit = &bit ^ &one;
    }
    let bit = keys.server.evaluate(&bit).unwrap();
    assert!(!keys.secret.decrypt_bit(&bit).unwrap());
}

#[test]
fn words_of_other_keys_and_expressions_are_refused() {
    let (keys, others) = (keys(), Keys::generate().unwrap());
    let a = keys.secret.encrypt_word(1_u8).unwrap();
    let b = others.secret.encrypt_word(2_u8).unwrap();
    let mixed = keys.server.evaluate(&(&a + &b)).unwrap_err();
    assert_eq!(mixed.kind, ErrorKind::Key, "{mixed}");
    let foreign = keys.secret.decrypt_word(&b).unwrap_err();
    assert_eq!(foreign.kind, ErrorKind::Key, "{foreign}");
    let open = keys.secret.decrypt_word(&(&a + 1)).unwrap_err();
    assert_eq!(open.kind, ErrorKind::Usage, "{open}");
}
