//! What was found of functions and cones before, in this process: circuits have many in common, as a
//! unit's architectures do of which one is chosen, and a program's windows.
//!
//! A plan depends on nothing but the functions and the effort, a cone's lookups on nothing but the cone and
//! the target: what is remembered is what would be found again, and counts as much effort. So a circuit
//! does not depend on what was mapped before it. All of this is of circuits, which are public.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::COMPARED;
use super::decomposition::Table;
use super::plan::{self, Plan};
use crate::{Circuit, Profile};

/// How many plans are remembered, most of them of a kilobyte or two and the largest of thirty, and how
/// many cones.
const PLANS: usize = 1 << 11;
const CONES: usize = 1 << 14;

/// Answers by question, of the process; it is emptied where there are too many.
type Known<Q, A> = LazyLock<Mutex<HashMap<Q, A>>>;

/// Bits, tables, and the lookups that a plan may take.
type Division = (usize, Vec<Table>, usize);

/// [`plan::divide`] with all of the effort that one set of functions may take.
pub(super) fn divide(bits: usize, tables: &[Table], most: usize) -> (Option<Plan>, usize) {
    static KNOWN: Known<Division, (Option<Plan>, usize)> = LazyLock::new(Mutex::default);
    let find = || plan::divide(bits, tables, most, COMPARED);
    remembered(&KNOWN, PLANS, (bits, tables.to_vec(), most), find)
}

/// What a cone is mapped for.
pub(super) struct Target(blake3::Hash);

impl Target {
    pub(super) fn of(profile: &Profile) -> Self {
        // All that there is to say of it, and each number so that it is read as the same one.
        Self(blake3::hash(format!("{profile:?}").as_bytes()))
    }
}

/// The lookups of a cone, or what `count` says of them.
pub(super) fn lookups(target: &Target, cone: &Circuit, count: impl FnOnce() -> usize) -> usize {
    static KNOWN: Known<(blake3::Hash, [u8; 32]), usize> = LazyLock::new(Mutex::default);
    remembered(&KNOWN, CONES, (target.0, cone.fingerprint()), count)
}

fn remembered<Q: Hash + Eq, A: Clone>(
    known: &Known<Q, A>,
    most: usize,
    question: Q,
    find: impl FnOnce() -> A,
) -> A {
    let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(answer) = known().get(&question) {
        return answer.clone();
    }
    // Nobody waits for it: whoever asks the same meanwhile finds the same.
    let answer = find();
    let mut known = known();
    if known.len() >= most {
        known.clear();
    }
    known.insert(question, answer.clone());
    answer
}
