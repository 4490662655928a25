//! Words that the architecture calls UNPREDICTABLE and that capstone decodes all the same. For
//! each reason that our decoder gives, the rule is looked for in capstone's text.

use blindcore_a32::{DecodeError, decode};

use crate::spelling;

/// Panics unless the reason shows in what capstone reads.
pub(crate) fn justify(word: u32, reason: &str, theirs: &str) {
    let (mnemonic, operands) = theirs.split_once(' ').unwrap();
    let names: Vec<&str> = operands
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|name| !name.is_empty())
        .collect();
    let base = operands
        .find('[')
        .map(|at| operands[at + 1..].split([',', ']']).next().unwrap());
    let shown = match reason {
        "an operand is pc" => names.contains(&"pc") || names.contains(&"nzcv"),
        "the base is pc and written back" => base == Some("pc") || operands.starts_with("pc!, {"),
        "two results go to one register" => names[0] == names[1],
        "the base is written back and transferred" => match base {
            // A single or double transfer: base among the registers before the bracket.
            Some(base) => names[..2].contains(&base) || follows(names[0]) == Some(base),
            // A block: `r1!, {…, r1, …}`, or `push` and `pop` of sp.
            None if operands.starts_with('{') => names.contains(&"sp"),
            None => operands.contains("!, {") && names[1..].contains(&names[0]),
        },
        // capstone rounds the pair of an exclusive access down to an even one.
        "the first register of the pair is odd or lr" if mnemonic.contains("exd") => {
            let loads = mnemonic.starts_with("ld");
            let first = if loads { word >> 12 } else { word } & 15;
            first & 1 == 1 || first == 14
        }
        "the first register of the pair is odd or lr" => {
            let status =
                usize::from(mnemonic.starts_with("strex") || mnemonic.starts_with("stlex"));
            ["r1", "r3", "r5", "r7", "r9", "fp", "sp", "lr", "pc"].contains(&names[status])
        }
        "the index is one of the loaded registers" => {
            let index = names.last().unwrap();
            names[0] == *index || follows(names[0]) == Some(index)
        }
        "the bit field leaves the register" => match mnemonic.as_bytes()[0] {
            // capstone clamps the width of these: look at msb < lsb in the word.
            b'b' => word >> 16 & 31 < word >> 7 & 31,
            _ => {
                let end = |name: &str| name.parse::<u32>().unwrap();
                end(names[2]) + end(names[3]) > 32
            }
        },
        "the status goes to another operand" => names[1..].contains(&names[0]),
        "the base is one of the exchanged registers" => names[..2].contains(&names[2]),
        // capstone cuts a list off at the last register.
        "the registers go past the last or are more than 16" => {
            names.contains(&"s31") || names.contains(&"d31") || word & 0xff > 32
        }
        // capstone shows the first register even so.
        "the register list is empty" => mnemonic.starts_with('v') && word & 0xff == 0,
        "the number has a negative number of fraction bits" => {
            operands.contains(", 4294967") || operands.contains(", -")
        }
        "a reserved bit is not as it should be" => reads_the_same_when_repaired(word, theirs),
        other => panic!("{word:#010x}: {other}, but {theirs}"),
    };
    assert!(shown, "{word:#010x}: {reason}, but {theirs}");
}

/// The second register of a double transfer, as capstone names it.
fn follows(name: &str) -> Option<&'static str> {
    const NAMES: [&str; 16] = [
        "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "fp", "ip", "sp", "lr",
        "pc",
    ];
    let index = NAMES.iter().position(|&other| other == name)?;
    NAMES.get(index + 1).copied()
}

/// Whether some setting of reserved fields to zeros and to ones gives a word that we decode to
/// what capstone reads in the unrepaired one (or refuse for another reason).
fn reads_the_same_when_repaired(word: u32, theirs: &str) -> bool {
    const ZEROS: [u32; 11] = [
        0, 0x0f, 0x2f, 0xa0, 0xef, 0x0300, 0x0f00, 0x0ff0, 0x0fff, 0xf000, 0xf_0000,
    ];
    const ONES: [u32; 5] = [0, 0x0f00, 0xf000, 0xf_0000, 0x40_0000];
    let settings = ZEROS
        .iter()
        .flat_map(|zeros| ONES.iter().map(move |ones| (zeros, ones)));
    settings.into_iter().any(|(zeros, ones)| {
        let repaired = word & !zeros | ones;
        match decode(repaired) {
            Ok(instruction) => repaired != word && spelling::ours(instruction) == theirs,
            Err(DecodeError::Unpredictable { reason, .. }) => {
                reason != "a reserved bit is not as it should be"
            }
            Err(error) => error.mnemonic() == "exception return",
        }
    })
}
