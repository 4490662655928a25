//! The guard at the door: every question passes it before anything is decrypted.

use std::collections::HashSet;

use processor::{Answer, Asked, Place, Program};

use super::journal::Given;
use super::{Asks, Journal, Ledger, Policy, Refusal, Used, flow};

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

/// A policy, a program to hold questions against, the record of what was answered, and the count of
/// what that cost.
#[derive(Debug)]
pub struct Guard<'a> {
    program: &'a Program,
    policy: Policy,
    asks: Asks,
    journal: Journal,
    ledger: Ledger,
    /// Jobs of which the ledger has what the journal had before.
    adopted: HashSet<String>,
}

/// A question that may be decrypted.
struct Admitted {
    /// What it cost, now or before.
    bits: u64,
    /// Whether the record has what became of it.
    recorded: bool,
}

impl<'a> Guard<'a> {
    /// A guard for jobs that run this program and were submitted to ask this. It counts in memory
    /// until it is given a ledger.
    pub fn new(program: &'a Program, policy: Policy, journal: Journal, asks: Asks) -> Guard<'a> {
        Guard {
            program,
            policy,
            asks,
            journal,
            ledger: Ledger::in_memory(),
            adopted: HashSet::new(),
        }
    }

    /// The same, counting in the key's ledger.
    #[must_use]
    pub fn counting(self, ledger: Ledger) -> Guard<'a> {
        Guard {
            ledger,
            adopted: HashSet::new(),
            ..self
        }
    }

    /// The record of what was answered.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The count of what that cost.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Answers a question if it may be answered; either way it stands in the journal afterwards.
    ///
    /// `decrypt` gives the question's bits in the order that [`Asked`] says. It is called at most
    /// once, and only for a question that is this program's, that the policy allows, that no record
    /// has an answer to, and that has been paid for on the disk. It must give the same bits for the
    /// same question: a crash after it may make it be asked again.
    ///
    /// What a question costs does not depend on what it decrypts to, and the way of a refusal to
    /// decrypt, or to name a place, is one and the same.
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

    /// Writes down a question that is refused for a reason of the caller's, before anything of it
    /// was decrypted.
    pub fn refuse(&mut self, asking: &Asking<'_>, refusal: Refusal) -> Refusal {
        let place = self.program.place(asking.address);
        let recorded = self
            .journal
            .record(asking, &place, Err(&refusal.to_string()), 0);
        match recorded {
            Ok(()) => refusal,
            Err(error) => error.into(),
        }
    }

    /// What to say, and how many bits that costs which the journal does not have.
    fn decide<E: std::fmt::Display>(
        &mut self,
        asking: &Asking<'_>,
        place: &Place,
        decrypt: impl FnOnce() -> Result<Vec<bool>, E>,
    ) -> (Result<Answer, Refusal>, u64) {
        let admitted = match self.admit(asking, place) {
            Ok(admitted) => admitted,
            Err(refusal) => return (Err(refusal), 0),
        };
        if admitted.recorded
            && let Some(given) = self.journal.given(asking.job, asking.number)
            && let Some(answer) = given.answer
        {
            return (Ok(answer), 0);
        }
        let bits = if admitted.recorded { 0 } else { admitted.bits };
        let decided = self.decrypted(asking, place, decrypt);
        let Err(refusal) = &decided else {
            return (decided, bits);
        };
        // Whatever is asked next would tell more about the same secrets.
        let closed = self
            .ledger
            .page()
            .and_then(|mut page| page.close(asking.job, refusal.to_string()));
        match closed {
            Ok(()) => (decided, bits),
            Err(error) => (Err(error.into()), bits),
        }
    }

    /// What a question's bits say.
    fn decrypted<E: std::fmt::Display>(
        &self,
        asking: &Asking<'_>,
        place: &Place,
        decrypt: impl FnOnce() -> Result<Vec<bool>, E>,
    ) -> Result<Answer, Refusal> {
        let number = asking.number;
        let undecryptable = |reason| Refusal::Undecryptable { number, reason };
        let bits = decrypt().map_err(|error| undecryptable(error.to_string()))?;
        let expected = flow::length(&asking.asked);
        if bits.len() != expected {
            let reason = format!("it has {} bits, not {expected}", bits.len());
            return Err(undecryptable(reason));
        }
        let answer = flow::answer(self.program, &asking.asked, &bits);
        answer.ok_or_else(|| Refusal::Nowhere {
            number,
            place: Box::new(place.clone()),
        })
    }

    /// Charges a question, if it is new and may be answered. Nothing here depends on what it would
    /// decrypt to.
    fn admit(&mut self, asking: &Asking<'_>, place: &Place) -> Result<Admitted, Refusal> {
        let &Asking { job, number, .. } = asking;
        let mut page = self.ledger.page()?;
        // What was answered before there was this ledger counts, too. Once is enough: all that is
        // answered from then on is charged first, and to look again would cost as much for each
        // question as there were questions before.
        if !self.adopted.contains(job)
            && let Some(used) = self.journal.used(job)
        {
            for (number, given) in used.all() {
                let known = page.account(job);
                if known.is_none_or(|account| account.used.given(number).is_none()) {
                    page.adopt(job, number, given)?;
                }
            }
            self.adopted.insert(job.to_owned());
        }
        let account = page.account(job);
        if let Some(reason) = account.and_then(|account| account.closed.clone()) {
            return Err(Refusal::Closed { number, reason });
        }
        if let Some(given) = account.and_then(|account| account.used.given(number)) {
            let bits = given.bits;
            let recorded = self.journal.given(job, number);
            let same = |given: &Given| given.question == asking.hash;
            if !(same(given) && recorded.is_none_or(same)) {
                let refusal = Refusal::Changed { number };
                page.close(job, refusal.to_string())?;
                return Err(refusal);
            }
            let recorded = recorded.is_some();
            return Ok(Admitted { bits, recorded });
        }
        flow::check(self.program, self.asks, asking.address, &asking.asked).map_err(|reason| {
            Refusal::Foreign {
                number,
                place: Box::new(place.clone()),
                reason,
            }
        })?;
        let unused = Used::default();
        let used = account.map_or(&unused, |account| &account.used);
        let bits = self
            .policy
            .permit(place, &asking.asked, used, page.bits())?;
        page.charge(asking, bits)?;
        Ok(Admitted {
            bits,
            recorded: false,
        })
    }
}
