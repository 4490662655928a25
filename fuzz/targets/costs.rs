//! Time per byte of whatever reads what strangers write: a part of the input is repeated until the
//! text is long, and reading it may take no longer than texts of that length do. What is quadratic
//! in how often something stands there takes a hundred times as long.
//!
//! Of several tries the fastest counts, since the machine has other things to do.

#![no_main]

use std::hint::black_box;
use std::time::{Duration, Instant};

use circuits::formats::Format;
use libfuzzer_sys::fuzz_target;
use prost::Message;
use service::{proto, question, task};
use session::policy::Rules;
use session::program::Call;
use tfhe::{KeyId, TOY_BLOCK};
use values::{Assignment, Literal, Type};
use wire::{Checkpoint, Fingerprint, Inputs, Kind, Outputs, container, decode};

/// Bytes of a text.
const LENGTH: usize = 1 << 18;
/// What a byte may take, under the sanitizers that slow everything down by ten, and what a text may
/// take beside.
const PER_BYTE: Duration = Duration::from_micros(6);
const ONCE: Duration = Duration::from_millis(200);
const TRIES: usize = 4;

fuzz_target!(|data: &[u8]| {
    let [reader, begin, end, parts @ ..] = data else {
        return;
    };
    // What comes once, what comes again and again, and what comes last.
    let (begin, end) = (usize::from(*begin), usize::from(*end));
    let begin = begin.min(parts.len());
    let end = (begin + end).min(parts.len());
    let (before, again, after) = (&parts[..begin], &parts[begin..end], &parts[end..]);
    if again.is_empty() {
        return;
    }
    let mut text = before.to_vec();
    text.extend(
        again
            .iter()
            .cycle()
            .take(LENGTH / again.len() * again.len()),
    );
    text.extend(after);
    let most = ONCE + PER_BYTE * text.len() as u32;
    let mut fastest = Duration::MAX;
    for _ in 0..TRIES {
        let begin = Instant::now();
        read(reader % READERS, &text);
        fastest = fastest.min(begin.elapsed());
        if fastest <= most {
            return;
        }
    }
    let shown = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
    panic!(
        "reader {} takes {fastest:?} for {} bytes: {:?} {:?} {:?}",
        reader % READERS,
        text.len(),
        shown(before),
        shown(again),
        shown(after)
    );
});

const READERS: u8 = 15;

fn read(reader: u8, bytes: &[u8]) {
    let text = || String::from_utf8_lossy(bytes);
    match reader {
        0 => _ = black_box(text().parse::<Type>()),
        1 => {
            let ty: Type = "u32[65536]".parse().expect("a type");
            let literal = Literal::parse(&text(), "v", &ty);
            _ = black_box(literal.and_then(|value| value.elements("v", &ty)));
        }
        2 => {
            let ty: Type = "char[1024][64]".parse().expect("a type");
            let literal = Literal::parse(&text(), "v", &ty);
            _ = black_box(literal.and_then(|value| value.elements("v", &ty)));
        }
        3 => _ = black_box(text().parse::<Call>()),
        4 => _ = black_box(text().parse::<Assignment>()),
        5 => {
            let whole = text();
            // As many as a file has at most: to each of them its number is added here.
            let names = whole.lines().enumerate().take(65_536);
            let fields = names.map(|(at, name)| (format!("{name}{at}"), at.into()));
            _ = black_box(values::document(fields));
        }
        6 => {
            if let Ok(source) = assembly::parse(&text()) {
                _ = black_box(assembly::check(&source));
            }
        }
        7 => _ = black_box(processor::Program::load(bytes)),
        8 => _ = black_box(Format::Bristol.read(bytes)),
        9 => _ = black_box(Format::Blif.read(bytes)),
        10 => _ = black_box(Format::Yosys.read(bytes)),
        11 => {
            if let Ok(message) = proto::Task::decode(bytes) {
                _ = black_box(task::from_message(&message));
            }
        }
        12 => {
            if let Ok(mut message) = proto::Question::decode(bytes) {
                message.blake3 = question::question_hash(&message).to_vec();
                _ = black_box(question::from_message(&message));
            }
        }
        13 => _ = black_box(Rules::from_toml(&text())),
        _ => {
            let key = KeyId::from_bytes([1; 16]);
            let fingerprint = Fingerprint::of(&TOY_BLOCK);
            for kind in [Kind::INPUTS, Kind::OUTPUTS, Kind::CHECKPOINT] {
                let sealed = container::seal_as(1, kind, fingerprint, key, bytes);
                let Ok(sealed) = sealed else {
                    continue;
                };
                _ = black_box(decode::<Inputs>(&sealed));
                _ = black_box(decode::<Outputs>(&sealed));
                _ = black_box(decode::<Checkpoint>(&sealed));
            }
        }
    }
}
