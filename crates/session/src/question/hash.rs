//! The hash of a question, by which it is known again.

/// All that a question says, as its hash takes it.
#[derive(Clone, Copy, Debug)]
pub struct QuestionContent<'a> {
    /// The job.
    pub job: &'a str,
    /// The question's number within the job.
    pub number: u64,
    /// The instruction's address.
    pub address: u32,
    /// The symbol that the address lies in, and how far behind it.
    pub symbol: (&'a str, u32),
    /// The place in the source.
    pub line: (&'a str, u32),
    /// The instruction in words.
    pub instruction: &'a str,
    /// What is asked.
    pub asked: AskedWords<'a>,
    /// The outputs file of its ciphertexts.
    pub record: &'a [u8],
}

/// What is asked, before anybody knows whether it means anything.
#[derive(Clone, Copy, Debug)]
pub enum AskedWords<'a> {
    /// Nothing that is known.
    Nothing,
    /// Whether the named condition holds.
    Condition(&'a str),
    /// Where a branch goes, by a sum, by flags, or by something unknown.
    Operands {
        /// 2 for a sum, 3 for flags, else 0.
        of: u8,
        /// The condition's name.
        condition: &'a str,
        /// Where it goes if it holds.
        holds: u32,
        /// Where it goes if it does not.
        fails: u32,
    },
    /// Where a jump goes.
    Target,
}

impl QuestionContent<'_> {
    /// BLAKE3 of all of it: the fields in their order, each after its length in eight bytes.
    /// Integers are little-endian, in their own width. What is asked is one byte (1 a condition, 2
    /// a sum, 3 flags, 4 a target, 0 none of these), then the condition's name and the two
    /// addresses where it has them.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        let mut bytes = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        bytes(self.job.as_bytes());
        bytes(&self.number.to_le_bytes());
        bytes(&self.address.to_le_bytes());
        bytes(self.symbol.0.as_bytes());
        bytes(&self.symbol.1.to_le_bytes());
        bytes(self.line.0.as_bytes());
        bytes(&self.line.1.to_le_bytes());
        bytes(self.instruction.as_bytes());
        match self.asked {
            AskedWords::Nothing => bytes(&[0]),
            AskedWords::Condition(condition) => {
                bytes(&[1]);
                bytes(condition.as_bytes());
            }
            AskedWords::Operands {
                of,
                condition,
                holds,
                fails,
            } => {
                bytes(&[of]);
                bytes(condition.as_bytes());
                bytes(&holds.to_le_bytes());
                bytes(&fails.to_le_bytes());
            }
            AskedWords::Target => bytes(&[4]),
        }
        bytes(self.record);
        hasher.finalize().into()
    }
}
