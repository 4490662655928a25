//! Additions of which nobody needs the bits as bits.
//!
//! Three columns in a lookup give sum bits that anybody can read; four give the carry alone, and the
//! sum as halves, for nothing more ([`fours`](crate::library::add_by_fours)). An author cannot know who
//! will read a sum; where it is only decrypted, summed by XOR or stored, the addition is recorded again
//! by fours, if that is faster on the target. Where only the carry is read, as in a comparison, it is
//! recorded in the form that is fastest for that ([`carry_alone`](crate::library::carry_alone)).

use std::collections::HashMap;

use super::halves::wanted_whole;
use super::makespan::makespan;
use super::rebuild::Rebuild;
use crate::ir::{Addition, Signal};
use crate::library::{self, Adder};
use crate::{Builder, Circuit, Profile, Wire};

/// An addition of two words: sum and carry.
type Adding<'a> = &'a dyn Fn(&mut Builder, &[Wire], &[Wire]) -> Option<(Vec<Wire>, Wire)>;

/// The circuit with such additions in another form; `None` where there are none that gain.
pub(super) fn settle(circuit: &Circuit, profile: &Profile) -> Option<Circuit> {
    if circuit.additions().is_empty() {
        return None;
    }
    let wanted = wanted_whole(circuit);
    let is_made = |addition: &Addition, wire: Wire| {
        let source = circuit.source(wire.signal());
        source.is_some_and(|node| node.index() >= addition.at as usize)
    };
    let can_be_halves = |addition: &&Addition| {
        let mut sum = addition.sum.iter().filter(|&&bit| is_made(addition, bit));
        let is_sum_read = sum.clone().next().is_some();
        addition.overflow.as_constant().is_some()
            && (profile.selectors.is_some() || !is_sum_read)
            && !sum.any(|bit| wanted[bit.signal().index()])
    };
    let candidates: Vec<&Addition> = circuit.additions().iter().filter(can_be_halves).collect();
    if candidates.is_empty() {
        return None;
    }
    let mut rebuild = Rebuild::new(circuit, profile);
    let mut candidates = candidates.into_iter().peekable();
    // Lookups by which trees of carries exceed chains of them, which is their author's wish.
    let mut wider = 0;
    // What stands for signals that are recorded later, and then nobody reads.
    let mut instead: HashMap<Signal, Wire> = HashMap::new();
    for node in circuit.nodes() {
        while let Some(addition) =
            candidates.next_if(|addition| addition.at as usize <= node.index())
        {
            rebuild.stand_for(node);
            let outputs = (addition.sum.iter().copied().chain([addition.carry]))
                .map(|wire| wire.as_constant().is_none() && is_made(addition, wire));
            let outputs: Vec<bool> = outputs.collect();
            let before = rebuild.build.len();
            let Some((sum, carry)) = otherwise(&mut rebuild, addition, &outputs) else {
                continue;
            };
            let chain = addition.x.len().div_ceil(3);
            wider += rebuild.build.operations_since(before).saturating_sub(chain);
            let made = sum.into_iter().chain([carry]);
            let old = addition.sum.iter().chain([&addition.carry]);
            for ((&old, new), _) in old.zip(made).zip(outputs).filter(|(_, is_read)| *is_read) {
                instead.insert(old.signal(), new.invert_if(old.is_inverted()));
            }
        }
        rebuild.copy(node);
        for signal in circuit.signals_of(node) {
            if let Some(&wire) = instead.get(&signal) {
                rebuild.set(signal, wire);
            }
        }
    }
    if instead.is_empty() {
        return None;
    }
    let settled = rebuild.finish();
    // Other sums may have shared their lookups with these.
    let bootstraps = |circuit| super::cost(circuit, profile).bootstraps;
    (bootstraps(&settled) <= bootstraps(circuit) + wider).then_some(settled)
}

/// Sum and carry in another form, if that is faster.
fn otherwise(
    rebuild: &mut Rebuild<'_>,
    addition: &Addition,
    outputs: &[bool],
) -> Option<(Vec<Wire>, Wire)> {
    let word = |word: &[Wire]| -> Vec<Wire> { word.iter().map(|&it| rebuild.wire(it)).collect() };
    let (x, y) = (word(&addition.x), word(&addition.y));
    let carry = rebuild.wire(addition.carry_in);
    let is_half = |wire: &Wire| rebuild.build.is_half(*wire);
    if x.iter().chain(&y).chain([&carry]).any(is_half) {
        return None;
    }
    if !outputs[..x.len()].contains(&true) {
        let carry = library::carry_alone(&mut rebuild.build, &x, &y, carry)?;
        return Some((vec![Wire::FALSE; x.len()], carry));
    }
    let is_secret = |(x, y): (&Wire, &Wire)| x.as_constant().is_none() && y.as_constant().is_none();
    let columns = x.iter().zip(&y).filter(|&column| is_secret(column)).count();
    let is_carry_read = outputs[x.len()];
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
