//! The instructions' names: one table for reading, printing and for advice.

use std::fmt;

use a32::Condition;

/// What an instruction does, flags and branches apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// `LOAD R1 address`.
    Load,
    /// `STORE R1 address`.
    Store,
    /// `MOV R0 a`, and `MOV R0 R0 a` as the paper writes it.
    Mov,
    /// `ADD R0 a b`.
    Add,
    /// `SUB R0 a b`.
    Sub,
    /// `MUL R0 a b`: the low half; `MUL R0 R1 a b`: low and high half, unsigned.
    Mul,
    /// `SMUL R0 a b`, `SMUL R0 R1 a b`: signed.
    Smul,
    /// `DIV R0 a b`: unsigned quotient.
    Div,
    /// `SDIV R0 a b`: signed quotient.
    Sdiv,
    /// `LLS R0 a amount`.
    Lls,
    /// `LRS R0 a amount`.
    Lrs,
    /// `ARS R0 a amount`.
    Ars,
    /// `AND R0 a b`.
    And,
    /// `OR R0 a b`.
    Or,
    /// `XOR R0 a b`.
    Xor,
    /// `ORN R0 a b`: `a ∨ ¬b`.
    Orn,
    /// `NOT R0 a`.
    Not,
    /// `BFC R0 lowest width`.
    Bfc,
    /// `BFI R0 a lowest width`.
    Bfi,
    /// `RBIT R0 a`.
    Rbit,
    /// `REV R0 a`.
    Rev,
    /// `CMP a b`.
    Cmp,
    /// `NOP`.
    Nop,
    /// `HALT`.
    Halt,
}

/// Every verb, its name, and whether it has a form that sets the flags.
const VERBS: [(Verb, &str, bool); 24] = [
    (Verb::Load, "LOAD", false),
    (Verb::Store, "STORE", false),
    (Verb::Mov, "MOV", true),
    (Verb::Add, "ADD", true),
    (Verb::Sub, "SUB", true),
    (Verb::Mul, "MUL", true),
    (Verb::Smul, "SMUL", true),
    (Verb::Div, "DIV", false),
    (Verb::Sdiv, "SDIV", false),
    (Verb::Lls, "LLS", false),
    (Verb::Lrs, "LRS", false),
    (Verb::Ars, "ARS", false),
    (Verb::And, "AND", true),
    (Verb::Or, "OR", true),
    (Verb::Xor, "XOR", true),
    (Verb::Orn, "ORN", true),
    (Verb::Not, "NOT", true),
    (Verb::Bfc, "BFC", false),
    (Verb::Bfi, "BFI", false),
    (Verb::Rbit, "RBIT", false),
    (Verb::Rev, "REV", false),
    (Verb::Cmp, "CMP", false),
    (Verb::Nop, "NOP", false),
    (Verb::Halt, "HALT", false),
];

/// What people who know another assembly write, and what it is called here.
const FOREIGN: [(&str, &str); 24] = [
    ("LDR", "LOAD"),
    ("LD", "LOAD"),
    ("STR", "STORE"),
    ("ST", "STORE"),
    ("LSL", "LLS"),
    ("SHL", "LLS"),
    ("LSR", "LRS"),
    ("SHR", "LRS"),
    ("ASR", "ARS"),
    ("SAR", "ARS"),
    ("EOR", "XOR"),
    ("EORS", "XORS"),
    ("ORR", "OR"),
    ("ORRS", "ORS"),
    ("MVN", "NOT"),
    ("MVNS", "NOTS"),
    ("UDIV", "DIV"),
    ("UMUL", "MUL"),
    ("JMP", "B"),
    ("BAL", "B_AL"),
    ("END", "HALT"),
    ("STOP", "HALT"),
    ("RET", "HALT"),
    ("MOVE", "MOV"),
];

impl Verb {
    /// Its name, in capitals.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = VERBS.iter().find(|(verb, ..)| *verb == self);
        found.map_or("", |(_, name, _)| name)
    }
}

/// An instruction's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mnemonic {
    /// `ADD`: the flags stay, but for `CMP`.
    Plain(Verb),
    /// `ADDS`: sets flags.
    Flags(Verb),
    /// `B`.
    Branch,
    /// `B_NE`, `B_AL`.
    BranchIf(Condition),
}

impl Mnemonic {
    /// The instruction of a name, in letters of either case.
    #[must_use]
    pub fn find(name: &str) -> Option<Mnemonic> {
        let name = name.to_ascii_uppercase();
        if name == "B" {
            return Some(Mnemonic::Branch);
        }
        if let Some(suffix) = name.strip_prefix("B_") {
            return condition(suffix).map(Mnemonic::BranchIf);
        }
        let find = |name: &str| VERBS.iter().find(|(_, other, _)| *other == name);
        if let Some((verb, ..)) = find(&name) {
            return Some(Mnemonic::Plain(*verb));
        }
        let (verb, _, flags) = find(name.strip_suffix('S')?)?;
        flags.then_some(Mnemonic::Flags(*verb))
    }

    /// What is probably meant by a name that is none.
    #[must_use]
    pub fn advice(name: &str) -> Option<String> {
        let name = name.to_ascii_uppercase();
        if let Some((_, ours)) = FOREIGN.iter().find(|(theirs, _)| *theirs == name) {
            return Some((*ours).to_owned());
        }
        // BNE, B.NE
        let suffix = name.strip_prefix('B')?.trim_start_matches('.');
        condition(suffix).map(|condition| Mnemonic::BranchIf(condition).to_string())
    }
}

/// The condition of a suffix in capitals.
fn condition(suffix: &str) -> Option<Condition> {
    match suffix {
        "HS" => Some(Condition::CarrySet),
        "LO" => Some(Condition::CarryClear),
        _ => Condition::ALL
            .into_iter()
            .find(|condition| condition.to_string().to_ascii_uppercase() == suffix),
    }
}

impl fmt::Display for Mnemonic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mnemonic::Plain(verb) => f.pad(verb.name()),
            Mnemonic::Flags(verb) => f.pad(&format!("{}S", verb.name())),
            Mnemonic::Branch => f.pad("B"),
            Mnemonic::BranchIf(condition) => {
                f.pad(&format!("B_{}", condition.to_string().to_ascii_uppercase()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_they_are_printed() {
        let plain = VERBS.iter().map(|(verb, ..)| Mnemonic::Plain(*verb));
        let with = VERBS.iter().filter(|(.., flags)| *flags);
        let flags = with.map(|(verb, ..)| Mnemonic::Flags(*verb));
        let branches = Condition::ALL.into_iter().map(Mnemonic::BranchIf);
        for mnemonic in plain.chain(flags).chain(branches).chain([Mnemonic::Branch]) {
            let name = mnemonic.to_string();
            assert_eq!(Mnemonic::find(&name), Some(mnemonic), "{name}");
            assert_eq!(Mnemonic::find(&name.to_lowercase()), Some(mnemonic));
            assert_eq!(Mnemonic::advice(&name), None, "{name}");
        }
        for name in ["CMPS", "LLSS", "B_", "B_XX", "S", "", "ADDSS"] {
            assert_eq!(Mnemonic::find(name), None, "{name}");
        }
    }

    #[test]
    fn advice_names_instructions_that_exist() {
        for (theirs, ours) in FOREIGN {
            assert_eq!(Mnemonic::find(theirs), None, "{theirs}");
            assert!(Mnemonic::find(ours).is_some(), "{ours}");
        }
        assert_eq!(Mnemonic::advice("bne").as_deref(), Some("B_NE"));
        assert_eq!(Mnemonic::advice("b.lt").as_deref(), Some("B_LT"));
        assert_eq!(Mnemonic::advice("frobnicate"), None);
    }
}
