//! Reading Bristol Fashion and the older Bristol Format.

use crate::formats::draft::{Draft, Mark, Names, Net, Read};
use crate::formats::interface::PORT_LIMIT;
use crate::formats::lines::{Word, text, words};
use crate::formats::netlist::Function;
use crate::formats::{FormatError, Interface, Netlist, Place, Problem};

/// No gate's result takes fewer bytes: a MAND needs three numbers for each, the others a line.
const RESULT_BYTES: u64 = 6;

/// Reads a circuit.
///
/// # Errors
/// A [`FormatError`] that names the line.
pub fn read(bytes: &[u8]) -> Result<Netlist, FormatError> {
    let text = text(bytes)?;
    let mut lines = Lines {
        rest: text.lines().enumerate(),
        last: 1,
    };
    let sizes = lines.next("the numbers of gates and wires")?;
    let [gates, wires] = numbers(&sizes, ["the number of gates", "the number of wires"])?;
    let second = lines.next("the sizes of the inputs")?;
    let third = lines.next("the sizes of the outputs, or a gate")?;
    let old = third.last().is_some_and(|word| !is_number(word));
    let (inputs, outputs) = if old {
        let what = [
            "the number of bits of the first input",
            "the number of bits of the second input",
            "the number of bits of the output",
        ];
        let [a, b, out] = numbers(&second, what)?;
        let present = |sizes: &[u64]| -> Vec<u64> {
            sizes.iter().copied().filter(|&size| size > 0).collect()
        };
        (present(&[a, b]), present(&[out]))
    } else {
        (list("inputs", &second)?, list("outputs", &third)?)
    };
    let input_bits = total("bits of input", &inputs)?;
    let output_bits = total("bits of output", &outputs)?;
    let header = Place::Line(1);
    // Every wire beyond the inputs is some gate's result, and stands in the file.
    let limit = input_bits + text.len() as u64 / RESULT_BYTES;
    if wires > limit {
        let what = "wires (the file is too short for them)".to_owned();
        let found = wires;
        return Err(Problem::TooMany { what, found, limit }.at(header));
    }
    if wires < input_bits.max(output_bits) {
        return Err(Problem::Count {
            what: "wires in all".to_owned(),
            expected: input_bits.max(output_bits),
            found: wires,
        }
        .at(header));
    }

    let mut draft = Draft::default();
    for _ in 0..wires {
        draft.net();
    }
    for wire in 0..input_bits {
        draft.input(Net(wire as u32), 1, &Wires)?;
    }
    let mut found = 0;
    let mut first = old.then_some(third);
    loop {
        let words = match first.take() {
            Some(words) => words,
            None => match lines.maybe() {
                Some(words) => words,
                None => break,
            },
        };
        gate(&mut draft, &words, wires)?;
        found += 1;
        if found > gates {
            let place = words
                .first()
                .map_or(Place::File, |word| Place::Line(word.line));
            let what = "gates or more".to_owned();
            let expected = gates;
            return Err(Problem::Count {
                what,
                expected,
                found,
            }
            .at(place));
        }
    }
    if found < gates {
        let expected = format!("gate {} of {gates}", found + 1);
        return Err(Problem::Truncated { expected }.at(Place::Line(lines.last)));
    }
    let outputs_begin = wires - output_bits;
    let bits: Vec<(Read, Mark)> = (outputs_begin..wires)
        .map(|wire| (Read::from(Net(wire as u32)), 1))
        .collect();
    let interface = Interface::numbered("", &widths(&inputs), &widths(&outputs));
    draft.finish(interface, &bits, &Wires)
}

/// Wires go by their numbers, and marks are lines.
struct Wires;

impl Names for Wires {
    fn net(&self, net: Net) -> String {
        format!("wire {}", net.0)
    }

    fn place(&self, mark: Mark) -> Place {
        Place::Line(mark as usize)
    }
}

/// The lines that are not empty.
struct Lines<'a> {
    rest: std::iter::Enumerate<std::str::Lines<'a>>,
    last: usize,
}

impl<'a> Lines<'a> {
    fn maybe(&mut self) -> Option<Vec<Word<'a>>> {
        for (at, line) in self.rest.by_ref() {
            self.last = at + 1;
            let words: Vec<Word<'a>> = words(line, at + 1).collect();
            if !words.is_empty() {
                return Some(words);
            }
        }
        None
    }

    fn next(&mut self, expected: &str) -> Result<Vec<Word<'a>>, FormatError> {
        self.maybe().ok_or_else(|| {
            let expected = expected.to_owned();
            Problem::Truncated { expected }.at(Place::Line(self.last))
        })
    }
}

fn is_number(word: &Word<'_>) -> bool {
    word.text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A line of `count` numbers.
fn numbers<const N: usize>(words: &[Word<'_>], what: [&str; N]) -> Result<[u64; N], FormatError> {
    let mut found = [0; N];
    for (at, (slot, what)) in found.iter_mut().zip(what).enumerate() {
        let Some(word) = words.get(at) else {
            let line = words.first().map_or(1, |word| word.line);
            let expected = what.to_owned();
            return Err(Problem::Missing { expected }.at(Place::Line(line)));
        };
        *slot = word.number(what)?;
    }
    match words.get(N) {
        None => Ok(found),
        Some(more) => Err(more.unexpected("the line's end")),
    }
}

/// `n size … size`.
fn list(what: &str, words: &[Word<'_>]) -> Result<Vec<u64>, FormatError> {
    let Some((count, sizes)) = words.split_first() else {
        return Ok(Vec::new());
    };
    let expected = count.number(&format!("the number of {what}"))?;
    let found = sizes.len() as u64;
    if expected != found {
        let what = format!("sizes of {what}");
        return Err(Problem::Count {
            what,
            expected,
            found,
        }
        .at(count.place()));
    }
    let of_one = format!("the bits of one of the {what}");
    sizes.iter().map(|size| size.number(&of_one)).collect()
}

/// The bits of all words, if they are not absurdly many: a port is as wide as a number says.
fn total(what: &str, sizes: &[u64]) -> Result<u64, FormatError> {
    let found = sizes
        .iter()
        .fold(0u64, |sum, &size| sum.saturating_add(size));
    if found > PORT_LIMIT {
        let (what, limit) = (what.to_owned(), PORT_LIMIT);
        return Err(Problem::TooMany { what, found, limit }.at(Place::File));
    }
    Ok(found)
}

/// Sizes that are below the limit of ports.
fn widths(sizes: &[u64]) -> Vec<usize> {
    sizes.iter().map(|&size| size as usize).collect()
}

/// One line of a gate.
fn gate(draft: &mut Draft, words: &[Word<'_>], wires: u64) -> Result<(), FormatError> {
    let (Some(head), Some(kind)) = (words.first(), words.last()) else {
        return Ok(());
    };
    let line = head.line;
    if is_number(kind) {
        let expected = "the gate's kind".to_owned();
        return Err(Problem::Missing { expected }.at(Place::Line(line)));
    }
    let several = kind.text == "MAND";
    let (reads, writes) = match kind.text {
        "XOR" | "AND" => (2, 1),
        // The older format's name of INV.
        "INV" | "NOT" | "EQ" | "EQW" => (1, 1),
        "MAND" => {
            let results = words.get(1).map_or(Ok(0), |word| word.number("a number"))?;
            (results.saturating_mul(2), results)
        }
        _ => return Err(kind.unexpected("a gate (XOR, AND, INV, EQ, EQW, MAND)")),
    };
    let numbers = &words[..words.len() - 1];
    for (word, expected, what) in [
        (numbers.first(), reads, "operands"),
        (numbers.get(1), writes, "results"),
    ] {
        let Some(word) = word else {
            let expected = format!("the number of {what}");
            return Err(Problem::Missing { expected }.at(Place::Line(line)));
        };
        let found = word.number(&format!("the number of {what}"))?;
        if found != expected {
            let what = format!("{what} of {}", kind.text);
            return Err(Problem::Count {
                what,
                expected,
                found,
            }
            .at(word.place()));
        }
    }
    let own = &numbers[2..];
    let (expected, found) = (reads.saturating_add(writes), own.len() as u64);
    if found != expected {
        let what = format!("wires of {}", kind.text);
        return Err(Problem::Count {
            what,
            expected,
            found,
        }
        .at(Place::Line(line)));
    }
    let wire = |word: &Word<'_>| -> Result<Net, FormatError> {
        let number = word.number("a wire's number")?;
        if number >= wires {
            let expected = format!("a wire's number below {wires}");
            return Err(word.unexpected(expected));
        }
        Ok(Net(number as u32))
    };
    let mark = line as Mark;
    draft.count(kind.text);
    if several {
        let (reads, results) = own.split_at(reads as usize);
        let (a, b) = reads.split_at(results.len());
        for ((a, b), out) in a.iter().zip(b).zip(results) {
            let operands = [Read::from(wire(a)?), Read::from(wire(b)?)];
            draft.drive(wire(out)?, (Function::All, false), operands, mark, &Wires)?;
        }
        return Ok(());
    }
    let (result, reads) = match own.split_last() {
        Some((result, reads)) => (wire(result)?, reads),
        None => return Ok(()),
    };
    let operands = match (kind.text, reads) {
        ("EQ", [value]) => match value.text {
            "0" => vec![Read::Constant(false)],
            "1" => vec![Read::Constant(true)],
            _ => return Err(value.unexpected("the constant 0 or 1")),
        },
        _ => {
            let reads = reads.iter().map(|word| wire(word).map(Read::from));
            reads.collect::<Result<Vec<_>, _>>()?
        }
    };
    let function = match kind.text {
        "AND" => Function::All,
        _ => Function::Parity,
    };
    let inverted = matches!(kind.text, "INV" | "NOT");
    draft.drive(result, (function, inverted), operands, mark, &Wires)
}
