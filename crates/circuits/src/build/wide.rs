//! AND, OR and parity of many bits.
//!
//! Where lookups are native a rotation answers any of them for up to fifteen bits (or whatever
//! the target's largest value is), and bits that come from the same lookup cost nothing: they are
//! combined inside it first. Where parities are native, one rotation takes as many bits as their
//! noise allows, and leaves least noise. Elsewhere they are trees of gates. Either way the
//! shallowest bits are combined first, which gives the least depth.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Builder;
use crate::ir::{Record, Wire};

/// Parities of no more bits are lookups even where parities are native: another lookup fits
/// beside them, and other functions of the same sum share it.
pub(crate) const NARROW: usize = 4;

/// Bits of one question that are looked for behind gates.
const WIDEST: usize = 256;
/// Gates that make an OR of words.
const OF_WORDS: usize = 8;

/// What is asked of the bits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    Any,
    Parity,
}

impl Builder {
    /// Whether at least one bit is 1; `false` for none at all.
    ///
    /// ```
    /// use blindcore_circuits::{Builder, Profile, passes};
    ///
    /// let profile = Profile::lookup_simulation();
    /// let mut build = Builder::new(&profile);
    /// let bits = build.inputs(15);
    /// let (any, all) = (build.any(&bits), build.all(&bits));
    /// build.output(any);
    /// build.output(all);
    /// // Both are functions of how many of the bits are 1.
    /// let circuit = passes::prepare(&build.finish(), &profile);
    /// assert_eq!(passes::cost(&circuit, &profile).bootstraps, 1);
    /// ```
    pub fn any(&mut self, wires: &[Wire]) -> Wire {
        let mut wires = match self.profile.max_value() {
            Some(_) => self.any_below_gates(wires),
            None => wires.to_vec(),
        };
        wires.retain(|&wire| wire != Wire::FALSE);
        wires.sort_unstable();
        wires.dedup();
        if wires.contains(&Wire::TRUE) || wires.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Wire::TRUE;
        }
        let wires = self.combine_within_lookups(wires, Question::Any);
        self.wide(wires, Question::Any)
    }

    /// The bits, ORs among them by what they are ORs of: a lookup takes many bits where a gate takes two,
    /// and compilers write "are both words zero" as an OR of words.
    pub(crate) fn any_below_gates(&self, wires: &[Wire]) -> Vec<Wire> {
        let (mut bits, mut left) = (Vec::with_capacity(wires.len()), wires.to_vec());
        let mut gates = 0;
        while let Some(wire) = left.pop() {
            let record = self.source(wire).map(|node| self.records[node as usize]);
            match record {
                Some(Record::And(a, b))
                    if wire.is_inverted() && bits.len() + left.len() < WIDEST =>
                {
                    gates += 1;
                    left.extend([!a, !b]);
                }
                _ => bits.push(wire),
            }
        }
        // Few may be wanted by others, too.
        match gates < OF_WORDS {
            true => wires.to_vec(),
            false => bits,
        }
    }

    /// Whether every bit is 1; `true` for none at all.
    pub fn all(&mut self, wires: &[Wire]) -> Wire {
        let inverted: Vec<Wire> = wires.iter().map(|&wire| !wire).collect();
        !self.any(&inverted)
    }

    /// Whether an odd number of the bits is 1.
    pub fn parity(&mut self, wires: &[Wire]) -> Wire {
        let (mut odd, mut inverted) = odd_times(wires.iter().copied());
        if self.profile.has_parity() && odd.len() > NARROW {
            // Of sums the bits are taken: what they have in common vanishes, or is combined.
            let is_sum = |wire: &Wire| self.summands(wire.signal()).is_some();
            if odd.iter().any(is_sum) {
                let bits = odd.iter().flat_map(|&wire| {
                    let terms = self.summands(wire.signal()).unwrap_or_default();
                    let own = terms.is_empty().then_some(wire);
                    terms.iter().map(|term| term.wire).chain(own)
                });
                let (bits, flip) = odd_times(bits);
                (odd, inverted) = (bits, inverted ^ flip);
            }
        }
        let odd = self.combine_within_lookups(odd, Question::Parity);
        if self.profile.has_parity() && odd.len() > NARROW {
            return self.native_parity(odd).invert_if(inverted);
        }
        self.wide(odd, Question::Parity).invert_if(inverted)
    }

    /// Parities in the native form: each takes shallow bits while their noise allows, and its
    /// answer comes back as one quiet bit. All bits come from different nodes, so that their
    /// variances add up; but not those of bits that one condition chose.
    fn native_parity(&mut self, wires: Vec<Wire>) -> Wire {
        let mut inverted = false;
        let mut queue: BinaryHeap<Reverse<(u32, Wire)>> = BinaryHeap::with_capacity(wires.len());
        for wire in wires {
            inverted ^= wire.is_inverted();
            queue.push(Reverse((self.depth(wire), wire.positive())));
        }
        let is_chosen = |&Reverse((_, wire)): &Reverse<(u32, Wire)>| self.is_chosen(wire);
        let any_chosen = queue.iter().any(is_chosen);
        while queue.len() > 1 {
            let (mut group, mut variance): (Vec<Wire>, f64) = (Vec::new(), 0.0);
            while let Some(&Reverse((_, wire))) = queue.peek() {
                variance = match any_chosen {
                    true => {
                        let all = group.iter().copied().chain([wire]);
                        let all: Vec<(Wire, i8)> = all.map(|wire| (wire, 1)).collect();
                        self.variance(&all)
                    }
                    false => variance + self.variance(&[(wire, 1)]),
                };
                // Two bits are as quiet as any gate is.
                if group.len() >= 2 && variance > self.noise_limit() {
                    break;
                }
                group.push(wire);
                queue.pop();
            }
            group.sort_unstable();
            let answer = self.parity_node(&group);
            queue.push(Reverse((self.depth(answer), answer)));
        }
        queue
            .pop()
            .map_or(Wire::FALSE, |Reverse((_, wire))| wire)
            .invert_if(inverted)
    }

    /// The native parity of distinct, sorted, positive wires, found again or new.
    pub(crate) fn parity_node(&mut self, wires: &[Wire]) -> Wire {
        let count = wires.len() as u32;
        self.sum_of(wires, |first| Record::Parity { first, count })
    }

    fn wide(&mut self, wires: Vec<Wire>, question: Question) -> Wire {
        let arity = self
            .profile
            .max_value()
            .map_or(2, |max| usize::from(max).max(2));
        let mut queue: BinaryHeap<Reverse<(u32, Wire)>> = wires
            .into_iter()
            .map(|wire| Reverse((self.depth(wire), wire)))
            .collect();
        while queue.len() > 1 {
            // The first group takes the odd number, so that all later ones are full.
            let left = queue.len();
            let take = match (left - 1) % (arity - 1) {
                0 => arity,
                odd => odd + 1,
            };
            let group: Vec<Wire> = (0..take)
                .filter_map(|_| queue.pop())
                .map(|Reverse((_, wire))| wire)
                .collect();
            let answer = self.ask(&group, question);
            if question == Question::Any && answer == Wire::TRUE {
                return answer;
            }
            queue.push(Reverse((self.depth(answer), answer)));
        }
        queue.pop().map_or(Wire::FALSE, |Reverse((_, wire))| wire)
    }

    /// One group that fits a single lookup or gate.
    fn ask(&mut self, group: &[Wire], question: Question) -> Wire {
        match (group, question) {
            (&[], _) => Wire::FALSE,
            (&[only], _) => only,
            (&[a, b], Question::Any) => self.or(a, b),
            (&[a, b], Question::Parity) => self.xor(a, b),
            _ => {
                let terms: Vec<(Wire, i8)> = group.iter().map(|&wire| (wire, 1)).collect();
                let mask = match question {
                    Question::Any => 0xfffe,
                    Question::Parity => 0xaaaa,
                };
                self.lookup(&terms, 0, &[mask])
                    .first()
                    .copied()
                    .unwrap_or(Wire::FALSE)
            }
        }
    }

    /// The bits, those of one lookup combined inside it: as many or fewer of which any is 1.
    pub(super) fn any_within_lookups(&mut self, wires: Vec<Wire>) -> Vec<Wire> {
        self.combine_within_lookups(wires, Question::Any)
    }

    /// Replaces bits that are functions of one lookup's sum by a single one that is, too.
    fn combine_within_lookups(&mut self, wires: Vec<Wire>, question: Question) -> Vec<Wire> {
        let mut keyed: Vec<(Option<u32>, Wire)> = wires
            .into_iter()
            .map(|wire| (self.source_lookup(wire), wire))
            .collect();
        keyed.sort_unstable();
        let mut combined = Vec::with_capacity(keyed.len());
        for group in keyed.chunk_by(|a, b| a.0.is_some() && a.0 == b.0) {
            match *group {
                [(Some(node), _), _, ..] => {
                    let masks = group.iter().map(|&(_, wire)| self.mask(wire));
                    let mask = match question {
                        Question::Any => masks.fold(0, |all, mask| all | mask),
                        Question::Parity => masks.fold(0, |all, mask| all ^ mask),
                    };
                    combined.push(self.port(node, mask));
                }
                _ => combined.extend(group.iter().map(|&(_, wire)| wire)),
            }
        }
        // A merged bit may have become constant; then it decides, or it is nothing.
        if question == Question::Any && combined.contains(&Wire::TRUE) {
            return vec![Wire::TRUE];
        }
        if question == Question::Parity {
            let ones = combined.iter().filter(|wire| wire.is_inverted()).count();
            for wire in &mut combined {
                *wire = wire.positive();
            }
            combined.retain(|&wire| wire != Wire::FALSE);
            if ones % 2 == 1 {
                match combined.first_mut() {
                    Some(first) => *first = !*first,
                    None => combined.push(Wire::TRUE),
                }
            }
            return combined;
        }
        combined.retain(|&wire| wire != Wire::FALSE);
        combined
    }
}

/// The bits that come an odd number of times, sorted and read positive, and whether an odd number
/// of all was read inverted. Constants vanish.
fn odd_times(wires: impl Iterator<Item = Wire>) -> (Vec<Wire>, bool) {
    let mut inverted = false;
    let mut sorted: Vec<Wire> = Vec::with_capacity(wires.size_hint().0);
    for wire in wires {
        inverted ^= wire.is_inverted();
        sorted.push(wire.positive());
    }
    sorted.sort_unstable();
    let mut odd: Vec<Wire> = Vec::with_capacity(sorted.len());
    for wire in sorted {
        match odd.last() {
            Some(&last) if last == wire => _ = odd.pop(),
            _ => odd.push(wire),
        }
    }
    odd.retain(|&wire| wire != Wire::FALSE);
    (odd, inverted)
}
