//! The guard at the door: every question passes it before anything is decrypted.

use processor::{Answer, Asked, Place, Program};

use super::{Journal, Policy, Refusal, Used, flow};

/// A question, without what is to be decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking<'a> {
    /// Which job asks. Numbers and limits count within it.
    pub job: &'a str,
    /// The question's number within the job.
    pub number: u64,
    /// The instruction.
    pub address: u32,
    /// What is asked.
    pub asked: Asked,
    /// A hash of all that the question says, ciphertexts included.
    pub hash: [u8; 32],
}

/// A policy, a program to hold questions against, and the journal of what was answered.
#[derive(Debug)]
pub struct Guard<'a> {
    program: &'a Program,
    policy: Policy,
    journal: Journal,
}

impl<'a> Guard<'a> {
    /// A guard for jobs that run this program.
    pub fn new(program: &'a Program, policy: Policy, journal: Journal) -> Guard<'a> {
        Guard {
            program,
            policy,
            journal,
        }
    }

    /// The record of what was answered.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Answers a question if it may be answered; either way it stands in the journal afterwards.
    ///
    /// `decrypt` gives the question's bits in the order that [`Asked`] says. It is called at most
    /// once, and only for a question that is this program's, that the policy allows, and that was
    /// not answered before.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn answer<E: std::fmt::Display>(
        &mut self,
        asking: &Asking<'_>,
        decrypt: impl FnOnce() -> Result<Vec<bool>, E>,
    ) -> Result<Answer, Refusal> {
        let place = self.program.place(asking.address);
        let (decided, bits) = self.decide(asking, &place, decrypt);
        let outcome = decided.as_ref().copied().map_err(Refusal::to_string);
        let outcome = outcome.as_ref().copied().map_err(String::as_str);
        self.journal.record(asking, &place, outcome, bits)?;
        decided
    }

    /// What to say, and how many bits that reveals.
    fn decide<E: std::fmt::Display>(
        &self,
        asking: &Asking<'_>,
        place: &Place,
        decrypt: impl FnOnce() -> Result<Vec<bool>, E>,
    ) -> (Result<Answer, Refusal>, u64) {
        let number = asking.number;
        let nowhere = || Refusal::Nowhere {
            number,
            place: Box::new(place.clone()),
        };
        if let Some((question, answer)) = self.journal.answer(asking.job, number) {
            if *question != asking.hash {
                return (Err(Refusal::Changed { number }), 0);
            }
            return (answer.ok_or_else(nowhere), 0);
        }
        let bits = match self.check(asking, place) {
            Ok(bits) => bits,
            Err(refusal) => return (Err(refusal), 0),
        };
        let undecryptable = |reason| (Err(Refusal::Undecryptable { number, reason }), 0);
        let decrypted = match decrypt() {
            Ok(decrypted) => decrypted,
            Err(error) => return undecryptable(error.to_string()),
        };
        let expected = flow::length(&asking.asked);
        if decrypted.len() != expected {
            return undecryptable(format!("it has {} bits, not {expected}", decrypted.len()));
        }
        // That a jump leads nowhere says something about it, and is paid for like an answer.
        let answer = flow::answer(self.program, &asking.asked, &decrypted);
        (answer.ok_or_else(nowhere), bits)
    }

    /// What a new question's answer would cost, if it may be answered.
    fn check(&self, asking: &Asking<'_>, place: &Place) -> Result<u64, Refusal> {
        flow::check(self.program, asking.address, &asking.asked).map_err(|reason| {
            Refusal::Foreign {
                number: asking.number,
                place: Box::new(place.clone()),
                reason,
            }
        })?;
        let unused = Used::default();
        let used = self.journal.used(asking.job).unwrap_or(&unused);
        self.policy.permit(place, &asking.asked, used)
    }
}
