//! What a file holds: something of a scheme.

use std::fmt;

use crate::WireError;

/// A scheme that files belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// TFHE: single bits, any depth.
    Tfhe,
    /// BGV: rows of bits, limited depth.
    Bgv,
    /// The scheme of Gentry and Halevi, which protects nothing.
    GentryHalevi,
}

/// What a file is to its scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Role {
    /// A secret key: its holder can read everything.
    SecretKey,
    /// A public key: its holder can encrypt, not read.
    PublicKey,
    /// A server key: its holder can compute, not read.
    ServerKey,
    /// A selector key: with the server key its holder can also choose by secrets, not read.
    SelectorKey,
    /// Encrypted values of a program's variables, before a run.
    Inputs,
    /// Values of a program's variables after a run.
    Outputs,
    /// A run between two windows: what it takes to go on.
    Checkpoint,
    /// Rows of inputs, of a scheme whose ciphertexts hold one row.
    InputTable,
    /// Rows of outputs, likewise.
    OutputTable,
}

/// What a file holds. Not every scheme has every role: [`Kind::ALL`] lists those that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    scheme: Scheme,
    role: Role,
}

/// What is fixed for a kind.
struct Row {
    kind: Kind,
    /// The number in the header.
    code: u16,
    /// The newest format version; the oldest is 1.
    newest: u16,
    /// The longest payload that a reader accepts, in bytes.
    limit: u64,
}

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

const fn row(kind: Kind, code: u16, newest: u16, limit: u64) -> Row {
    Row {
        kind,
        code,
        newest,
        limit,
    }
}

/// All kinds, in the order of their codes.
const TABLE: [Row; 18] = [
    row(Kind::SECRET_KEY, 1, 2, MIB),
    row(Kind::SERVER_KEY, 2, 1, GIB),
    row(Kind::INPUTS, 3, 4, 4 * GIB),
    row(Kind::OUTPUTS, 4, 3, 4 * GIB),
    // Four million live bits, 16 KB each.
    row(Kind::CHECKPOINT, 5, 2, 64 * GIB),
    // Three numbers of up to 13 million bits.
    row(Kind::GENTRY_HALEVI_SECRET_KEY, 6, 2, 8 * MIB),
    // 1,427 such numbers take 2.3 GB.
    row(Kind::GENTRY_HALEVI_SERVER_KEY, 7, 1, 4 * GIB),
    row(Kind::GENTRY_HALEVI_INPUTS, 8, 1, 4 * GIB),
    row(Kind::GENTRY_HALEVI_OUTPUTS, 9, 1, 4 * GIB),
    row(Kind::BGV_SECRET_KEY, 10, 2, MIB),
    // A thousand rows of 256 kB.
    row(Kind::BGV_SERVER_KEY, 11, 1, 4 * GIB),
    // A fresh vector takes up to 8 MB.
    row(Kind::BGV_INPUTS, 12, 2, 16 * GIB),
    row(Kind::BGV_OUTPUTS, 13, 1, 16 * GIB),
    row(Kind::PUBLIC_KEY, 16, 1, MIB),
    // Twenty rows of 512 kB.
    row(Kind::BGV_PUBLIC_KEY, 17, 1, 64 * MIB),
    // Heads of tables: the rows are containers of their own.
    row(Kind::INPUT_TABLE, 18, 1, 1 << 10),
    row(Kind::OUTPUT_TABLE, 19, 1, 1 << 10),
    row(Kind::SELECTOR_KEY, 20, 1, GIB),
];

impl Kind {
    /// A secret key of TFHE.
    pub const SECRET_KEY: Self = Self::of(Scheme::Tfhe, Role::SecretKey);
    /// A public key of TFHE.
    pub const PUBLIC_KEY: Self = Self::of(Scheme::Tfhe, Role::PublicKey);
    /// A server key of TFHE.
    pub const SERVER_KEY: Self = Self::of(Scheme::Tfhe, Role::ServerKey);
    /// A selector key of TFHE, the second part of a server key.
    pub const SELECTOR_KEY: Self = Self::of(Scheme::Tfhe, Role::SelectorKey);
    /// Inputs, encrypted by TFHE.
    pub const INPUTS: Self = Self::of(Scheme::Tfhe, Role::Inputs);
    /// Outputs, encrypted by TFHE.
    pub const OUTPUTS: Self = Self::of(Scheme::Tfhe, Role::Outputs);
    /// Rows of inputs, encrypted by TFHE.
    pub const INPUT_TABLE: Self = Self::of(Scheme::Tfhe, Role::InputTable);
    /// Rows of outputs, encrypted by TFHE.
    pub const OUTPUT_TABLE: Self = Self::of(Scheme::Tfhe, Role::OutputTable);
    /// A run on TFHE between two windows.
    pub const CHECKPOINT: Self = Self::of(Scheme::Tfhe, Role::Checkpoint);
    /// A secret key of BGV.
    pub const BGV_SECRET_KEY: Self = Self::of(Scheme::Bgv, Role::SecretKey);
    /// A public key of BGV.
    pub const BGV_PUBLIC_KEY: Self = Self::of(Scheme::Bgv, Role::PublicKey);
    /// A server key of BGV.
    pub const BGV_SERVER_KEY: Self = Self::of(Scheme::Bgv, Role::ServerKey);
    /// Rows of inputs, encrypted by BGV.
    pub const BGV_INPUTS: Self = Self::of(Scheme::Bgv, Role::Inputs);
    /// Rows of outputs, encrypted by BGV.
    pub const BGV_OUTPUTS: Self = Self::of(Scheme::Bgv, Role::Outputs);
    /// A secret key of the Gentry–Halevi scheme.
    pub const GENTRY_HALEVI_SECRET_KEY: Self = Self::of(Scheme::GentryHalevi, Role::SecretKey);
    /// A key of the Gentry–Halevi scheme that computes, and encrypts.
    pub const GENTRY_HALEVI_SERVER_KEY: Self = Self::of(Scheme::GentryHalevi, Role::ServerKey);
    /// Inputs, encrypted by the Gentry–Halevi scheme.
    pub const GENTRY_HALEVI_INPUTS: Self = Self::of(Scheme::GentryHalevi, Role::Inputs);
    /// Outputs, encrypted by the Gentry–Halevi scheme.
    pub const GENTRY_HALEVI_OUTPUTS: Self = Self::of(Scheme::GentryHalevi, Role::Outputs);

    /// All kinds, in the order of their codes.
    pub const ALL: [Kind; TABLE.len()] = {
        let mut all = [Kind::SECRET_KEY; TABLE.len()];
        let mut place = 0;
        while place < TABLE.len() {
            all[place] = TABLE[place].kind;
            place += 1;
        }
        all
    };

    /// That role of a scheme, which it may not have.
    #[must_use]
    pub const fn of(scheme: Scheme, role: Role) -> Self {
        Self { scheme, role }
    }

    /// The scheme.
    #[must_use]
    pub const fn scheme(self) -> Scheme {
        self.scheme
    }

    /// What it is to the scheme.
    #[must_use]
    pub const fn role(self) -> Role {
        self.role
    }

    /// Whether a file of this kind may take the place of one of the other: tables that of single
    /// rows, and the other way round.
    #[must_use]
    pub fn may_replace(self, other: Kind) -> bool {
        let plain = |role| match role {
            Role::InputTable => Role::Inputs,
            Role::OutputTable => Role::Outputs,
            role => role,
        };
        self.scheme == other.scheme && plain(self.role) == plain(other.role)
    }

    /// Whether it is a secret key, of whichever scheme.
    #[must_use]
    pub const fn is_secret_key(self) -> bool {
        matches!(self.role, Role::SecretKey)
    }

    /// The code in the header.
    #[must_use]
    pub fn code(self) -> u16 {
        self.row().code
    }

    /// The newest format version of its files; the oldest is 1.
    #[must_use]
    pub fn newest_version(self) -> u16 {
        self.row().newest
    }

    /// The longest payload that a reader accepts, in bytes. A declared length above it is refused
    /// before anything is allocated.
    #[must_use]
    pub fn payload_limit(self) -> u64 {
        self.row().limit
    }

    pub(crate) fn from_code(code: u16) -> Result<Kind, WireError> {
        let row = TABLE.iter().find(|row| row.code == code);
        row.map(|row| row.kind)
            .ok_or(WireError::UnknownKind { code })
    }

    fn row(self) -> &'static Row {
        // Kinds are made in this file only, and each has its row.
        let row = TABLE.iter().find(|row| row.kind == self);
        row.unwrap_or(&TABLE[0])
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.scheme, self.role) {
            // It is called by what it also does.
            (Scheme::GentryHalevi, Role::ServerKey) => "a public key",
            (_, Role::SecretKey) => "a secret key",
            (_, Role::PublicKey) => "a public key",
            (_, Role::ServerKey) => "a server key",
            (_, Role::SelectorKey) => "a selector key",
            (_, Role::Inputs) => "an inputs file",
            (_, Role::Outputs) => "an outputs file",
            (_, Role::Checkpoint) => "a checkpoint",
            (_, Role::InputTable) => "a table of inputs",
            (_, Role::OutputTable) => "a table of outputs",
        })?;
        match self.scheme {
            Scheme::Tfhe => Ok(()),
            Scheme::Bgv => f.write_str(" of BGV"),
            Scheme::GentryHalevi => f.write_str(" of the Gentry–Halevi scheme"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_row_and_a_code_of_its_own() {
        for kind in Kind::ALL {
            assert_eq!(kind.row().kind, kind);
            assert_eq!(Kind::from_code(kind.code()), Ok(kind));
        }
        assert_eq!(
            Kind::from_code(14),
            Err(WireError::UnknownKind { code: 14 })
        );
    }
}
