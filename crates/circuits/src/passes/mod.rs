//! What is read from circuits and done to them between recording and evaluation.
//!
//! Reading: [`cost`], [`multiplicative_depth`], [`operation_depth`], [`makespan`], [`noise`],
//! [`growth`], [`peak_bits`], [`peak_bytes`], [`provenance`]. Rewriting: [`remove_dead`], [`expand`],
//! [`reduce_depth`], [`reduce_sums`], [`map_to_lookups`], [`insert_refresh`], [`reuse`];
//! [`prepare`] is all that a target needs, in order ([`prepare_while`] with an end to it). A pass never changes what a circuit computes,
//! and takes time linear in its size, or nearly.
//!
//! What a circuit costs is read before it is run:
//!
//! ```
//! use blindcore_circuits::passes::{self, Cost, MultiplicativeDepth, Noise};
//! use blindcore_circuits::{Builder, Profile, library};
//!
//! let profile = Profile::lookup_simulation();
//! let mut build = Builder::new(&profile);
//! let (x, y) = (build.inputs(9), build.inputs(9));
//! library::add(&mut build, &x, &y).into_iter().for_each(|bit| build.output(bit));
//! let circuit = passes::prepare(&build.finish(), &profile);
//!
//! // Three slices of three columns, one after the other.
//! let cost: Cost = passes::cost(&circuit, &profile);
//! assert_eq!((cost.lookup, cost.bootstraps, cost.depth), (3, 3, 3));
//! assert_eq!(passes::makespan(&circuit, &profile), 3.0);
//! let depth: MultiplicativeDepth = passes::multiplicative_depth(&circuit);
//! assert_eq!((depth.outputs[0], depth.depth), (1, 3));
//! assert_eq!(passes::peak_bits(&circuit), cost.peak_bits);
//! let model = profile.lookup.unwrap().noise;
//! let noise: Noise = passes::noise(&circuit, &model);
//! assert!(noise.worst <= model.limit);
//! ```
//!
//! Each pass that rewrites does one thing, and [`prepare`] all of them in order:
//!
//! ```
//! use blindcore_circuits::passes::{self, Reduced, multiplicative_depth};
//! use blindcore_circuits::{Builder, Profile, sim};
//!
//! // A chain of fifteen ANDs, recorded as it came.
//! let gates = Profile::gate_simulation();
//! let mut build = Builder::new(&gates);
//! let bits = build.inputs(16);
//! let all = bits[1..].iter().fold(bits[0], |all, &bit| build.and(all, bit));
//! build.output(all);
//! let chain = build.finish();
//! assert_eq!(multiplicative_depth(&chain).depth, passes::operation_depth(&chain));
//!
//! // Where every level has a price, it becomes a tree.
//! let levelled = Profile::levelled_simulation();
//! let Reduced { circuit: tree, .. } = passes::reduce_depth(&chain, &levelled);
//! assert_eq!(multiplicative_depth(&tree).depth, 4);
//! assert_eq!(passes::reduce_sums(&tree, &levelled).len(), tree.len());
//! // With lookups, fifteen of its bits are one sum.
//! let lookups = Profile::lookup_simulation();
//! let mapped = passes::map_to_lookups(&passes::remove_dead(&chain), &lookups);
//! assert_eq!(passes::cost(&mapped, &lookups).bootstraps, 2);
//! assert_eq!(passes::cost(&passes::insert_refresh(&mapped, &lookups), &lookups).refresh, 0);
//! // And back to gates.
//! assert_eq!(passes::cost(&passes::expand(&mapped, &gates), &gates).lookup, 0);
//!
//! let ones = [u64::MAX; 16];
//! assert_eq!(sim::evaluate(&tree, &ones), sim::evaluate(&mapped, &ones));
//! ```

mod additions;
mod chains;
mod cost;
mod dead;
mod depth;
mod expand;
mod functions;
mod fuse;
mod goal;
mod growth;
mod halves;
pub(crate) mod makespan;
mod map;
mod masks;
mod memory;
mod nested;
mod noise;
mod pack;
mod provenance;
mod rebuild;
mod reduce_depth;
mod refresh;
mod selectors;
mod share;
mod subtotals;
mod sums;

pub(crate) use cost::work;
pub use cost::{Cost, cost};
pub use dead::remove_dead;
pub use depth::{MultiplicativeDepth, multiplicative_depth, operation_depth};
pub use expand::expand;
pub use growth::{Growth, growth};
pub use makespan::makespan;
pub use map::map_to_lookups;
pub use memory::{peak_bits, peak_bytes};
pub use noise::{Noise, half_outputs, noise};
pub use provenance::{Provenance, provenance, reuse};
pub use reduce_depth::{Reduced, reduce_depth};
pub use refresh::insert_refresh;
pub use sums::reduce_sums;

use std::convert::Infallible;

use crate::ir::Op;
use crate::{Circuit, Profile};

/// How often sums that are too noisy are written in gates; one round is enough for nearly all.
const ROUNDS: usize = 16;

/// Makes a circuit ready for a target: drops what is dead, maps gates into lookups or lookups into
/// gates, lowers the depth where every level has a price and reduces sums modulo 2, and inserts
/// refreshes. Afterwards no lookup exceeds the target's noise limit (see
/// [`NoiseModel::limit`](crate::NoiseModel) for what that takes).
#[must_use]
pub fn prepare(circuit: &Circuit, profile: &Profile) -> Circuit {
    let Ok(prepared) = steps(circuit, profile, &|| Ok::<(), Infallible>(()));
    subtotals::gather(prepared, profile)
}

/// The steps of [`prepare`], with a question before each.
fn steps<E>(
    circuit: &Circuit,
    profile: &Profile,
    alive: &dyn Fn() -> Result<(), E>,
) -> Result<Circuit, E> {
    alive()?;
    if profile.lookup.is_none() {
        let expanded = expand(&remove_dead(circuit), profile);
        alive()?;
        let shallow = match profile.levels {
            Some(_) if !profile.has_refresh() => shallow(&expanded, profile, alive)?,
            _ => expanded,
        };
        alive()?;
        return Ok(insert_refresh(&shallow, profile));
    }
    let whole = subtotals::dissolve(circuit, profile);
    let circuit = whole.as_ref().unwrap_or(circuit);
    let gathered = chains::settle(circuit, profile);
    let circuit = gathered.as_ref().unwrap_or(circuit);
    let by_fours = additions::settle(circuit, profile);
    let mut prepared = remove_dead(by_fours.as_ref().unwrap_or(circuit));
    let limit = profile.largest_sum().unwrap_or(0);
    let too_wide = |node| matches!(prepared.op(node), Op::Lookup { sum, .. } if sum.max > limit);
    if prepared.nodes().any(too_wide) {
        prepared = expand(&prepared, profile);
    }
    alive()?;
    let mut plain = quiet(mapped(&prepared, profile, alive)?, profile, alive)?;
    if let Some(chained) = nested::settle(&prepared, profile, alive)? {
        let chained = remove_dead(&chained);
        let otherwise = quiet(mapped(&chained, profile, alive)?, profile, alive)?;
        if is_better(&otherwise, &plain, profile) {
            (plain, prepared) = (otherwise, chained);
        }
    }
    let mut memory = functions::Memory::default();
    let mut best = fewer_functions(plain, profile, &mut memory, alive)?;
    alive()?;
    let Some(functions) = functions::find(&prepared, profile, functions::NEAR, &mut memory) else {
        return Ok(best);
    };
    // Neighbours of a cone are mapped with parts of it. A cone that saves one lookup by itself may cost them one:
    // there are two trials, without and with such cones.
    let gains = [2, 1].into_iter();
    for gain in gains.filter(|&gain| gain > 1 || functions.count(1) > functions.count(2)) {
        alive()?;
        let Some(otherwise) = functions.settle(gain) else {
            continue;
        };
        let otherwise = mapped(&remove_dead(&otherwise), profile, alive)?;
        let otherwise = quiet(otherwise, profile, alive)?;
        let found = fewer_functions(otherwise, profile, &mut memory, alive)?;
        best = better(found, best, profile);
    }
    Ok(best)
}

/// The circuit of lookups with functions of few bits in fewer, if there are any.
fn fewer_functions<E>(
    circuit: Circuit,
    profile: &Profile,
    memory: &mut functions::Memory,
    alive: &dyn Fn() -> Result<(), E>,
) -> Result<Circuit, E> {
    alive()?;
    let found = functions::find(&circuit, profile, functions::FAR, memory);
    let otherwise = found.and_then(|it| it.settle(1));
    Ok(match otherwise {
        Some(otherwise) => {
            let found = quiet(remove_dead(&otherwise), profile, alive)?;
            better(found, circuit, profile)
        }
        None => circuit,
    })
}

fn better(found: Circuit, before: Circuit, profile: &Profile) -> Circuit {
    match is_better(&found, &before, profile) {
        true => found,
        false => before,
    }
}

/// Whether what was found has fewer bootstraps than what was there and takes no longer: lookups one after the
/// other may, on many cores.
fn is_better(found: &Circuit, before: &Circuit, profile: &Profile) -> bool {
    let bootstraps = |circuit| work(circuit, profile).bootstraps;
    bootstraps(found) < bootstraps(before) && makespan(found, profile) <= makespan(before, profile)
}

/// The circuit with refreshes, and without gates.
fn quiet<E>(
    circuit: Circuit,
    profile: &Profile,
    alive: &dyn Fn() -> Result<(), E>,
) -> Result<Circuit, E> {
    alive()?;
    let mut prepared = insert_refresh(&circuit, profile);
    // A sum that no refresh could save was written in gates, whose sums are the quietest there
    // are. Mapped one by one they may come to share rotations, and their correlation may in rare
    // cases make another heavy sum too noisy; each round has fewer of these. What selectors choose
    // may turn out to be one bit where it was two, and a sum of it noisier.
    let gate = |op: Op<'_>| matches!(op, Op::And(..) | Op::Xor(..) | Op::Mux { .. });
    for _ in 0..ROUNDS {
        prepared = selectors::make(&prepared, profile);
        let is_gate = |node| gate(prepared.op(node));
        if !prepared.nodes().any(is_gate) && selectors::are_quiet(&prepared, profile) {
            break;
        }
        alive()?;
        prepared = insert_refresh(&map::each_gate(&prepared, profile), profile);
    }
    Ok(prepared)
}

/// The circuit in lookups and choices.
fn mapped<E>(
    circuit: &Circuit,
    profile: &Profile,
    alive: &dyn Fn() -> Result<(), E>,
) -> Result<Circuit, E> {
    let settled = selectors::settle(&halves::settle(circuit, profile), profile);
    alive()?;
    map::map_while(&settled, profile, alive)
}

/// The circuit with as few levels as pay, and each source once in its sums. What vanishes modulo 2
/// may have been the deepest, but rounds that lower the depth find more in some sums as they were
/// written: the better of both.
fn shallow<E>(
    circuit: &Circuit,
    profile: &Profile,
    alive: &dyn Fn() -> Result<(), E>,
) -> Result<Circuit, E> {
    let reduced = |circuit| reduce_sums(&reduce_depth(circuit, profile).circuit, profile);
    let plain = reduced(circuit);
    alive()?;
    let summed = reduced(&reduce_sums(circuit, profile));
    let price = |circuit| reduce_depth::price(reduce_depth::figures(circuit), profile);
    Ok(match price(&plain) < price(&summed) {
        true => plain,
        false => summed,
    })
}

/// How often a circuit is prepared again after what its inputs hold has been taken out of it.
const REUSES: usize = 16;

/// As [`prepare`], for inputs of which is known how they were made: what one of them holds already
/// is not computed again, for it would be the same ciphertext and not one with noise of its own
/// ([`reuse`]).
#[must_use]
pub fn prepare_knowing(circuit: &Circuit, profile: &Profile, inputs: &[Provenance]) -> Circuit {
    let alive = || Ok::<(), Infallible>(());
    let Ok(prepared) = prepare_while(circuit, profile, inputs, &alive);
    prepared
}

/// As [`prepare_knowing`], while `alive` says so. It is asked before each walk over the circuit:
/// for a million nodes that is about once a second.
///
/// # Errors
/// The first one of `alive`.
///
/// ```
/// use blindcore_circuits::{Builder, Profile, exec::Cancel, passes};
///
/// let profile = Profile::lookup_simulation();
/// let mut build = Builder::new(&profile);
/// let (x, y) = (build.input(), build.input());
/// let both = build.and(x, y);
/// build.output(both);
/// let circuit = build.finish();
///
/// let cancel = Cancel::new();
/// let alive = || match cancel.is_cancelled() {
///     true => Err("cancelled"),
///     false => Ok(()),
/// };
/// let inputs = [passes::Provenance::original(0), passes::Provenance::original(1)];
/// assert_eq!(passes::prepare_while(&circuit, &profile, &inputs, &alive).map(|found| found.inputs()), Ok(2));
/// cancel.cancel();
/// assert_eq!(passes::prepare_while(&circuit, &profile, &inputs, &alive).err(), Some("cancelled"));
/// ```
pub fn prepare_while<E>(
    circuit: &Circuit,
    profile: &Profile,
    inputs: &[Provenance],
    alive: &dyn Fn() -> Result<(), E>,
) -> Result<Circuit, E> {
    let mut circuit = steps(circuit, profile, alive)?;
    for round in 0..=REUSES {
        alive()?;
        let Some(fewer) = reuse(&circuit, inputs, profile) else {
            break;
        };
        // Where it came again each time, it is left as it is; whoever evaluates it looks at its
        // noise.
        circuit = match round < REUSES {
            true => steps(&fewer, profile, alive)?,
            false => fewer,
        };
    }
    alive()?;
    Ok(subtotals::gather(circuit, profile))
}
