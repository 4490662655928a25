//! Bristol Fashion and Bristol Format: see [`netlist`] for what holds of them.

#![no_main]

mod netlist;

use circuits::formats::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| netlist::check(Format::Bristol, data));
