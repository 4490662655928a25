//! One spelling for two disassemblers.

use std::collections::HashSet;

use blindcore_a32::{Condition, Instruction};

/// Our text, at address 0, in the common spelling.
pub(crate) fn ours(instruction: Instruction) -> String {
    let text = instruction.at(0).to_string();
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((&text, ""));
    normal(mnemonic, operands)
}

/// The common spelling: [`numbers_and_names`], and where one of the two writes a `push` or `pop` of
/// one register, the single load or store that it is. (Block transfers of one register keep their
/// braces: they are other encodings.)
///
/// A constant of floating point is written as Rust writes it.
pub(crate) fn normal(mnemonic: &str, operands: &str) -> String {
    if mnemonic.starts_with("vmov")
        && let Some((register, constant)) = operands.split_once(", #")
        && let Ok(constant) = constant.parse::<f64>()
    {
        return numbers_and_names(mnemonic, &format!("{register}, ")) + &format!(" {constant:?}");
    }
    let text = numbers_and_names(mnemonic, operands);
    let single = |name: &str| {
        let (suffix, rest) = text.strip_prefix(name)?.split_once(" {")?;
        let register = rest.strip_suffix('}').filter(|list| !list.contains(','))?;
        Some((suffix.to_owned(), register.to_owned()))
    };
    if let Some((suffix, register)) = single("push") {
        return format!("str{suffix} {register}, [sp, 4294967292]!");
    }
    if let Some((suffix, register)) = single("pop") {
        return format!("ldr{suffix} {register}, [sp], 4");
    }
    text
}

/// `HS` and `LO` become `CS` and `CC`, `sb` and `sl` become `r9` and `r10`, numbers become decimal
/// modulo 2³² (but −0 stays, for it is another encoding than 0), and `#` goes.
fn numbers_and_names(mnemonic: &str, operands: &str) -> String {
    let (stem, types) = match mnemonic.split_once('.') {
        Some((stem, types)) => (stem, format!(".{types}")),
        None => (mnemonic, String::new()),
    };
    let stem = match (stem.strip_suffix("hs"), stem.strip_suffix("lo")) {
        (Some(stem), _) => format!("{stem}cs"),
        (_, Some(stem)) => format!("{stem}cc"),
        _ => stem.to_owned(),
    };
    let mnemonic = stem + &types;
    let mut text = mnemonic + " ";
    let mut rest = operands;
    while let Some(next) = rest.chars().next() {
        let negative = rest.starts_with("#-") || is_negative_number(rest);
        let start = rest
            .find(|c| c != '#' && !(negative && c == '-'))
            .unwrap_or(rest.len());
        let token = &rest[start..];
        let end = token
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(token.len());
        if end == 0 {
            if next != '#' {
                text.push(next);
            }
            rest = &rest[next.len_utf8()..];
            continue;
        }
        match number(&token[..end]) {
            Some(0) if negative => text.push_str("-0"),
            Some(value) if negative => text.push_str(&value.wrapping_neg().to_string()),
            Some(value) => text.push_str(&value.to_string()),
            None => text.push_str(match &token[..end] {
                "sb" => "r9",
                "sl" => "r10",
                other => other,
            }),
        }
        rest = &token[end..];
    }
    text.trim_end().to_owned()
}

fn is_negative_number(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn number(token: &str) -> Option<u32> {
    match token.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => token.parse().ok(),
    }
}

/// Every mnemonic of the subset with every suffix it takes, and capstone's other names for some.
pub(crate) fn subset() -> HashSet<String> {
    const FLAGGED: [&str; 25] = [
        "and", "eor", "sub", "rsb", "add", "adc", "sbc", "rsc", "orr", "mov", "bic", "mvn", "lsl",
        "lsr", "asr", "ror", "rrx", "mul", "mla", "umull", "smull", "umlal", "smlal", "adr", "neg",
    ];
    const BLOCKS: [&str; 8] = [
        "ldmda", "ldmdb", "ldmib", "ldmia", "stmda", "stmdb", "stmib", "stmia",
    ];
    let flagged = FLAGGED.into_iter().map(|name| format!("{name}s"));
    let plain = blindcore_a32::MNEMONICS
        .iter()
        .chain(&BLOCKS)
        .chain(&FLAGGED);
    flagged
        .chain(plain.map(|name| (*name).to_owned()))
        .flat_map(|name| Condition::ALL.map(|condition| format!("{name}{}", condition.suffix())))
        .collect()
}
