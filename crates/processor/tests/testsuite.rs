//! The processor: all tests from outside, one program. Each links everything, so one for each file
//! would take longer to build than to run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod addresses;
mod agreement;
mod assembly;
mod astray;
mod attribution;
mod beginnings;
mod branches;
mod checkpoints;
mod comparisons;
mod compiled;
mod crafted;
mod damaged;
mod floating;
mod floating_runs;
mod floats;
mod indexed;
mod indexed_runs;
mod layout_runs;
mod layouts;
mod loading;
mod lockstep;
mod long;
mod looping;
mod loops;
mod oracle;
mod quotients;
mod recursion;
mod refusals;
mod runs;
mod selections;
mod simulated;
mod stock;
mod structured;
mod structured_runs;
mod structures;
mod surveys;
mod unset;
