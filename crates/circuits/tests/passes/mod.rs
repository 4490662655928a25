//! Passes keep what a circuit computes, and do what they are for.

mod additions;
mod causes;
mod chains;
mod choices;
mod counts;
mod depth;
mod functions;
mod lookups;
mod nested;
mod random;
pub(crate) mod recorded;
mod refreshes;
mod selections;
mod sums;
mod targets;
