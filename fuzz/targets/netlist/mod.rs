//! What holds of every circuit format. Whatever the bytes are: an error of one line with its place,
//! or a netlist that is recorded, computes the same on gates and on lookups, and, written in either
//! format and read again, still does.

use circuits::formats::{Format, Netlist};
use circuits::{Profile, sim};

/// Wider circuits only make the fuzzer slow.
const LARGEST: usize = 4096;

fn lanes(count: usize) -> Vec<u64> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        state ^ state >> 31
    };
    (0..count).map(|_| next()).collect()
}

fn outputs(netlist: &Netlist, profile: &Profile) -> Vec<u64> {
    let circuit = netlist.circuit(profile);
    sim::evaluate(&circuit, &lanes(circuit.inputs())).expect("a netlist of a file is sound")
}

fn names(netlist: &Netlist) -> Vec<(String, usize)> {
    let interface = netlist.interface();
    let ports = interface.inputs.iter().chain(&interface.outputs);
    ports.map(|port| (port.name.clone(), port.width)).collect()
}

/// One input of the fuzzer as a file of this format.
pub fn check(format: Format, data: &[u8]) {
    let netlist = match format.read(data) {
        Ok(netlist) => netlist,
        Err(error) => return assert!(!error.to_string().contains('\n')),
    };
    let interface = netlist.interface();
    if interface.input_bits().max(interface.output_bits()) > LARGEST {
        return;
    }
    let expected = outputs(&netlist, &Profile::gate_simulation());
    assert_eq!(outputs(&netlist, &Profile::lookup_simulation()), expected);
    let circuit = netlist.circuit(&Profile::gate_simulation());
    for format in [Format::Bristol, Format::Blif] {
        let text = format
            .write(interface, &circuit)
            .expect("its own interface fits");
        let again = format
            .read(text.as_bytes())
            .expect("what was written can be read");
        // Names that BLIF cannot hold change, and may make other words.
        let same = format == Format::Bristol || names(&again) == names(&netlist);
        if same {
            assert_eq!(outputs(&again, &Profile::gate_simulation()), expected);
        }
    }
}
