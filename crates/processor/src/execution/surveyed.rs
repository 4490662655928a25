//! What exploring found, as it is told.

use std::collections::BTreeMap;

use super::Execution;
use super::branches::{Explored, Seen};
use crate::error::{Access, Site};
use crate::plan::ObjectPlan;
use crate::survey::{Comparison, Rounds, SecretUse, Survey, Surveyed, Unexplored};
use crate::task::{Branches, Otherwise};

/// The widest secret whose number of values is offered as a bound.
const LIKELY_BITS: u32 = 16;

impl Execution<'_> {
    /// Everything that was found. `branches` is what a run does.
    pub(crate) fn surveyed(&mut self, branches: Branches) -> Survey {
        let entry = self.entry().to_owned();
        let behind = self.behind_loops();
        let missed = self.not_come_to();
        let Some(explored) = self.survey.take() else {
            return Survey {
                entry,
                found: Vec::new(),
                unexplored: Vec::new(),
                instructions: 0,
            };
        };
        let mut found: BTreeMap<(u32, u8), Surveyed> = BTreeMap::new();
        let mut note = |site: Site, rank: u8, found_here: SecretUse, stops: bool| {
            let at = (site.place.address, rank);
            found.entry(at).or_insert(Surveyed {
                site,
                found: found_here,
                stops,
            });
        };
        let is_asked = branches.otherwise != Otherwise::Refuse;
        let joins = branches.both.is_some_and(|limit| limit > 0);
        // Of a jump by a table its bounds check is no branch of its own, nor is its look at the table.
        let is_jump = |pc: &u32| explored.targets.contains_key(pc);
        for (pc, seen) in explored.branches.iter().filter(|(pc, _)| !is_jump(pc)) {
            let secret = self.branch(*pc, seen, &explored);
            let is_joined = match &secret {
                SecretUse::Branch { apart, .. } => apart.is_none(),
                SecretUse::Loop { rounds, .. } => !matches!(rounds, Rounds::Open(_)),
                _ => false,
            };
            note(self.site(*pc), 0, secret, !(is_asked || joins && is_joined));
        }
        for (pc, jump) in &explored.targets {
            let is_answered = branches.otherwise == Otherwise::ClientHeld;
            let is_followed = jump.is_followed && !explored.apart.contains_key(pc);
            let found = SecretUse::Jump {
                entries: jump.entries,
                is_followed,
            };
            note(
                self.site(*pc),
                1,
                found,
                !(is_answered || joins && is_followed),
            );
        }
        for (pc, access) in &explored.unknown {
            note(
                self.site(*pc),
                1,
                SecretUse::Unknown { access: *access },
                true,
            );
        }
        for ((pc, access), selected) in explored.selected.iter().filter(|((pc, _), _)| !is_jump(pc))
        {
            let objects = selected.objects.iter().map(|object| ObjectPlan {
                name: object.name.clone(),
                address: object.start,
                size: object.size,
            });
            let rank = 2 + u8::from(*access == Access::Store);
            let found = SecretUse::Access {
                access: *access,
                objects: objects.collect(),
            };
            note(self.site(*pc), rank, found, false);
        }
        for (pc, error) in &explored.errors {
            let site = self.site(*pc);
            let message = error.to_string();
            let message = message
                .strip_prefix(&format!("{site}: "))
                .unwrap_or(&message);
            let message = message.to_owned();
            note(site, 4, SecretUse::Error { message }, true);
        }
        let unexplored = self.unexplored(&explored, &behind, &missed);
        Survey {
            entry,
            found: found.into_values().collect(),
            unexplored,
            instructions: explored.instructions,
        }
    }

    fn branch(&mut self, pc: u32, seen: &Seen, explored: &Explored) -> SecretUse {
        let compared = seen.compared.clone();
        if let Some(unmerged) = explored.apart.get(&pc) {
            let apart = Some(unmerged.clone());
            return SecretUse::Branch { compared, apart };
        }
        let entry = self.program.place(pc).symbol;
        let entry = entry.map(|(_, offset)| pc.wrapping_sub(offset));
        let recursion = entry.filter(|entry| explored.bounds.contains_key(entry));
        let named = seen.leaves.and_then(|(head, _)| self.bound_of(pc, head));
        let rounds = match (seen.leaves, recursion) {
            (Some(_), _) if named.is_some() => Rounds::Bound(named.unwrap_or_default()),
            (Some((head, _)), _) if explored.bounds.contains_key(&head) => {
                Rounds::Open(compared.as_ref().and_then(likely))
            }
            (Some((_, rounds)), _) => Rounds::Ends(rounds),
            // In a function that calls itself without end, a branch outside of loops decides.
            (None, Some(entry)) => match self.bound_of(entry, entry) {
                Some(bound) => Rounds::Bound(bound),
                None => Rounds::Open(None),
            },
            (None, None) => {
                return SecretUse::Branch {
                    compared,
                    apart: None,
                };
            }
        };
        SecretUse::Loop {
            compared,
            rounds,
            recursion: seen.leaves.is_none(),
        }
    }

    /// The pieces of code that were not come to, where something was left out that may lead there.
    fn unexplored(&self, explored: &Explored, behind: &[u32], missed: &[u32]) -> Vec<Unexplored> {
        let mut unexplored: Vec<Unexplored> = explored
            .left
            .iter()
            .map(|(pc, why)| Unexplored {
                place: self.program.place(*pc),
                instructions: 0,
                reason: format!("a path was left here: {why}"),
            })
            .collect();
        let is_whole = explored.left.is_empty()
            && explored.bounds.is_empty()
            && explored.apart.is_empty()
            && explored.targets.is_empty()
            && explored.errors.is_empty();
        let pieces = missed.chunk_by(|a, b| a.wrapping_add(4) == *b);
        for piece in pieces.filter(|_| !is_whole) {
            let reason = match behind.contains(&piece[0]) {
                true => "a loop that only a secret ends was left before it was come to",
                false => "no path that was followed leads there",
            };
            unexplored.push(Unexplored {
                place: self.program.place(piece[0]),
                instructions: piece.len(),
                reason: reason.to_owned(),
            });
        }
        unexplored.sort_by_key(|left| left.place.address);
        unexplored
    }
}

/// As many rounds as what decides has values, where its secret bits are few.
fn likely(compared: &Comparison) -> Option<u64> {
    let secret = compared
        .operands
        .iter()
        .filter(|operand| operand.value.is_none());
    let widest = secret.map(|operand| operand.varies_by).max()?;
    (widest <= LIKELY_BITS).then(|| 1 << widest)
}
