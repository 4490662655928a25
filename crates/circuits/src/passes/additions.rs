//! Additions of which nobody needs the bits as bits.
//!
//! Three columns in a lookup give sum bits that anybody can read; four give the carry alone, and the
//! sum as halves, for nothing more ([`fours`](crate::library::add_by_fours)). An author cannot know who
//! will read a sum; where it is only decrypted, summed by XOR or stored, the addition is recorded again
//! by fours, if that is faster on the target. Where only the carry is read, as in a comparison, it is
//! recorded in the form that is fastest for that ([`carry_alone`](crate::library::carry_alone)).

use super::halves::wanted_whole;
use super::makespan::makespan;
use super::rebuild::Rebuild;
use crate::ir::Addition;
use crate::ir::table::is_negacyclic;
use crate::library::{self, Adder};
use crate::{Builder, Circuit, Profile, Wire};

/// An addition of two words: sum and carry.
type Adding<'a> = &'a dyn Fn(&mut Builder, &[Wire], &[Wire]) -> Option<(Vec<Wire>, Wire)>;

/// The circuit with such additions in another form; `None` where there are none that gain.
pub(super) fn settle(circuit: &Circuit, profile: &Profile) -> Option<Circuit> {
    if circuit.additions().is_empty() || !profile.largest_sum().is_some_and(is_negacyclic) {
        return None;
    }
    let wanted = wanted_whole(circuit);
    let can_be_halves = |addition: &&Addition| {
        let mut sum = addition
            .sum
            .iter()
            .filter(|&&bit| addition.makes(circuit, bit));
        let is_sum_read = sum.clone().next().is_some();
        addition.overflow.as_constant().is_some()
            && (profile.selectors.is_some() || !is_sum_read)
            && !sum.any(|bit| wanted[bit.signal().index()])
    };
    let candidates: Vec<&Addition> = circuit.additions().iter().filter(can_be_halves).collect();
    if candidates.is_empty() {
        return None;
    }
    let mut candidates = candidates.into_iter().peekable();
    // A tree of carries may take more lookups than a chain: that is the price of its depth.
    let mut wider = 0;
    let settled = Rebuild::replacing(circuit, profile, |rebuild, node| {
        let mut instead = Vec::new();
        let begins = |addition: &&Addition| addition.at as usize <= node.index();
        while let Some(addition) = candidates.next_if(begins) {
            let outputs = addition.sum.iter().copied().chain([addition.carry]);
            let is_read =
                |wire: Wire| wire.as_constant().is_none() && addition.makes(circuit, wire);
            let read: Vec<bool> = outputs.clone().map(is_read).collect();
            let before = rebuild.build.len();
            let Some((sum, carry)) = otherwise(rebuild, addition, &read) else {
                continue;
            };
            let chain = addition.x.len().div_ceil(3);
            wider += rebuild.build.operations_since(before).saturating_sub(chain);
            let made = outputs.zip(sum.into_iter().chain([carry]));
            let made = made.zip(read).filter(|(_, is_read)| *is_read);
            instead.extend(
                made.map(|((old, new), _)| (old.signal(), new.invert_if(old.is_inverted()))),
            );
        }
        instead
    })?
    .finish();
    // Others may have shared lookups with these.
    let bootstraps = |circuit| super::work(circuit, profile).bootstraps;
    (bootstraps(&settled) <= bootstraps(circuit) + wider).then_some(settled)
}

/// Sum and carry in another form, if that is faster; `read` says which of them somebody reads.
fn otherwise(
    rebuild: &mut Rebuild<'_>,
    addition: &Addition,
    read: &[bool],
) -> Option<(Vec<Wire>, Wire)> {
    let word = |word: &[Wire]| -> Vec<Wire> { word.iter().map(|&it| rebuild.wire(it)).collect() };
    let (x, y) = (word(&addition.x), word(&addition.y));
    let carry = rebuild.wire(addition.carry_in);
    let is_half = |wire: &Wire| rebuild.build.is_half(*wire);
    if x.iter().chain(&y).chain([&carry]).any(is_half) {
        return None;
    }
    if !read[..x.len()].contains(&true) {
        let carry = library::carry_alone(&mut rebuild.build, &x, &y, carry)?;
        return Some((vec![Wire::FALSE; x.len()], carry));
    }
    let is_secret = |(x, y): (&Wire, &Wire)| x.as_constant().is_none() && y.as_constant().is_none();
    let columns = x.iter().zip(&y).filter(|&column| is_secret(column)).count();
    let is_carry_read = read[x.len()];
    let gains = rebuild.build.once(
        "an addition by fours",
        [columns, usize::from(is_carry_read)],
        |profile| usize::from(is_faster(profile, columns, is_carry_read)),
    );
    if gains == 0 || !library::is_quiet_by_fours(&rebuild.build, &x, &y) {
        return None;
    }
    library::add_by_fours(&mut rebuild.build, &x, &y, carry)
}

/// Whether an addition of so many columns takes less time by fours.
fn is_faster(profile: &Profile, columns: usize, is_carry_read: bool) -> bool {
    let time = |add: Adding<'_>| {
        let mut build = Builder::new(profile);
        let (x, y) = (build.inputs(columns), build.inputs(columns));
        let (sum, carry) = add(&mut build, &x, &y)?;
        let carry = [carry].into_iter().filter(|_| is_carry_read);
        let outputs = sum.into_iter().chain(carry);
        outputs.for_each(|wire| build.output(wire));
        Some(makespan(&build.finish(), profile))
    };
    let threes = time(&|b, x, y| {
        let added = library::add_with(b, Adder::Slices, x, y, Wire::FALSE);
        Some((added.sum, added.carry))
    });
    let fours = time(&|b, x, y| library::add_by_fours(b, x, y, Wire::FALSE));
    matches!((threes, fours), (Some(threes), Some(fours)) if fours < threes)
}
