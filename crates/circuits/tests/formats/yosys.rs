//! Netlists that Yosys made of `yosys/words.v`, against the meaning of its Verilog.

use blindcore_circuits::Profile;
use blindcore_circuits::formats::{Format, Interface, Meaning, Netlist};
use blindcore_circuits::library::catalogue::catalogue;

use super::{Numbers, both_ways, evaluate};

/// `words.v` on integers, outputs in order. `bits` of `reversed` are as the format numbers them.
fn expected(a: u128, reversed: u128, high: u128, c: u128) -> Vec<u128> {
    let signed = |word: u128| (word as i64) << 60 >> 60;
    let (x, y) = (signed(a), signed(high));
    let sum = if c == 1 { x - y } else { x + y };
    let ones = (a.count_ones() + high.count_ones()) % 2;
    vec![
        sum as u128 & 0x1f,
        (high * reversed) & 0x7f,
        reversed,
        c << 2 | 0b10,
        u128::from(ones) ^ c,
        u128::from(x < y),
    ]
}

fn check(name: &str, format: Format, bytes: &[u8], numbering: fn(u128) -> u128) -> Netlist {
    let netlist = format.read(bytes).unwrap();
    let interface = netlist.interface();
    let names = |ports: &[blindcore_circuits::formats::Port]| -> Vec<String> {
        ports
            .iter()
            .map(|port| format!("{}:{}", port.name, port.width))
            .collect()
    };
    assert_eq!(interface.name, "words", "{name}");
    assert_eq!(
        names(&interface.inputs),
        ["a:4", "reversed:3", "high:4", "c:1"],
        "{name}"
    );
    assert_eq!(
        names(&interface.outputs),
        [
            "sum:5",
            "product:7",
            "through:3",
            "fixed:3",
            "parity:1",
            "less:1"
        ],
        "{name}"
    );
    let mut numbers = Numbers(3);
    for _ in 0..16 {
        let values = numbers.assignments(&interface.inputs);
        let found = both_ways(&netlist, &values);
        for (value, found) in values.iter().zip(found) {
            let [a, reversed, high, c] = value[..] else {
                panic!("four words");
            };
            let expected = expected(a, numbering(reversed), high, c);
            assert_eq!(found, expected, "{name}: {value:?}");
        }
    }
    netlist
}

#[test]
fn cells_mean_what_yosys_means() {
    for (name, bytes, kinds) in [
        (
            "all",
            include_bytes!("yosys/all.json").as_slice(),
            &[
                "$_ANDNOT_",
                "$_NAND_",
                "$_ORNOT_",
                "$_XNOR_",
                "$_NMUX_",
                "$_OAI4_",
            ][..],
        ),
        (
            "complex",
            include_bytes!("yosys/complex.json"),
            &["$_AOI3_", "$_OAI3_", "$_NOT_", "$_MUX_", "$_OR_"],
        ),
        ("lut4", include_bytes!("yosys/lut4.json"), &["$lut"]),
    ] {
        let netlist = check(name, Format::Yosys, bytes, |reversed| reversed);
        for kind in kinds {
            assert!(netlist.kinds().contains_key(*kind), "{name}: {kind}");
        }
        assert_eq!(netlist.interface().inputs[0].meaning, Meaning::Signed);
        assert_eq!(netlist.interface().inputs[2].meaning, Meaning::Unsigned);
        assert_eq!(netlist.interface().outputs[0].meaning, Meaning::Signed);
    }
}

#[test]
fn blif_of_yosys() {
    // BLIF has no order of bits but their indices: `through` is `reversed` with its bits numbered
    // from the least significant one, so both are the same word again.
    for (name, bytes) in [
        ("gates", include_bytes!("yosys/gates.blif").as_slice()),
        ("lut6", include_bytes!("yosys/lut6.blif")),
    ] {
        let netlist = Format::Blif.read(bytes).unwrap();
        let mut numbers = Numbers(5);
        let values = numbers.assignments(&netlist.interface().inputs);
        let found = both_ways(&netlist, &values);
        let mirrored = |word: u128| word >> 2 & 1 | word & 2 | (word & 1) << 2;
        for (value, found) in values.iter().zip(found) {
            let expected = expected(value[0], mirrored(value[1]), value[2], value[3]);
            assert_eq!(found, expected, "{name}: {value:?}");
        }
        let widths: Vec<usize> = netlist
            .interface()
            .inputs
            .iter()
            .map(|port| port.width)
            .collect();
        assert_eq!(widths, [4, 3, 4, 1], "{name}");
    }
}

/// Complex cells that ABC did not happen to choose: every one by its definition.
#[test]
fn every_simple_cell() {
    type Cell = (&'static str, &'static str, fn(&[bool]) -> bool);
    let cells: [Cell; 16] = [
        ("$_BUF_", "A", |x| x[0]),
        ("$_NOT_", "A", |x| !x[0]),
        ("$_AND_", "AB", |x| x[0] & x[1]),
        ("$_NAND_", "AB", |x| !(x[0] & x[1])),
        ("$_OR_", "AB", |x| x[0] | x[1]),
        ("$_NOR_", "AB", |x| !(x[0] | x[1])),
        ("$_XOR_", "AB", |x| x[0] ^ x[1]),
        ("$_XNOR_", "AB", |x| !(x[0] ^ x[1])),
        ("$_ANDNOT_", "AB", |x| x[0] & !x[1]),
        ("$_ORNOT_", "AB", |x| x[0] | !x[1]),
        ("$_MUX_", "ABS", |x| if x[2] { x[1] } else { x[0] }),
        ("$_NMUX_", "ABS", |x| !(if x[2] { x[1] } else { x[0] })),
        ("$_AOI3_", "ABC", |x| !(x[0] & x[1] | x[2])),
        ("$_OAI3_", "ABC", |x| !((x[0] | x[1]) & x[2])),
        ("$_AOI4_", "ABCD", |x| !(x[0] & x[1] | x[2] & x[3])),
        ("$_OAI4_", "ABCD", |x| !((x[0] | x[1]) & (x[2] | x[3]))),
    ];
    for (kind, ports, function) in cells {
        let connections: Vec<String> = ports
            .chars()
            .enumerate()
            .map(|(at, port)| format!("\"{port}\": [{}]", at + 2))
            .collect();
        let inputs: Vec<String> = (0..ports.len()).map(|at| (at + 2).to_string()).collect();
        let document = format!(
            r#"{{"modules": {{"m": {{
                "ports": {{
                    "x": {{"direction": "input", "bits": [{}]}},
                    "y": {{"direction": "output", "bits": [9]}}
                }},
                "cells": {{"g": {{"type": "{kind}", "connections": {{{}, "Y": [9]}}}}}}
            }}}}}}"#,
            inputs.join(", "),
            connections.join(", "),
        );
        let netlist = Format::Yosys.read(document.as_bytes()).unwrap();
        let values: Vec<Vec<u128>> = (0..1 << ports.len()).map(|value| vec![value]).collect();
        for (value, found) in values.iter().zip(both_ways(&netlist, &values)) {
            let bits: Vec<bool> = (0..4).map(|at| value[0] >> at & 1 == 1).collect();
            assert_eq!(found, [u128::from(function(&bits))], "{kind} {value:?}");
        }
    }
}

/// Tables that are numbers (`write_json -compat-int`): one of 32 entries has a sign.
#[test]
fn tables_that_are_numbers() {
    for (inputs, written, table) in [
        (2, "6", 0b0110u64),
        (5, "-2147483647", 0x8000_0001),
        (5, "4294967294", 0xffff_fffe),
        (6, "18446744073709551614", u64::MAX - 1),
    ] {
        let bits: Vec<String> = (0..inputs).map(|at| (at + 2).to_string()).collect();
        let bits = bits.join(", ");
        let document = format!(
            r#"{{"modules": {{"m": {{
                "ports": {{
                    "x": {{"direction": "input", "bits": [{bits}]}},
                    "y": {{"direction": "output", "bits": [9]}}
                }},
                "cells": {{"g": {{"type": "$lut", "parameters": {{"LUT": {written}}},
                    "connections": {{"A": [{bits}], "Y": [9]}}}}}}
            }}}}}}"#,
        );
        let netlist = Format::Yosys.read(document.as_bytes()).unwrap();
        let values: Vec<Vec<u128>> = (0..1 << inputs).map(|value| vec![value]).collect();
        for (value, found) in values.iter().zip(both_ways(&netlist, &values)) {
            assert_eq!(found, [u128::from(table >> value[0] & 1)], "{written}");
        }
    }
}

/// What is written is what Verilog means, by Yosys's own reader and its SAT solver; and what it
/// writes of that is read again.
#[test]
#[ignore = "needs yosys, 5 s"]
fn yosys_proves_what_is_written() {
    let profile = Profile::lookup_simulation();
    for (operation, width, verilog) in [
        ("add", 24, "a + b"),
        ("subtract", 24, "a - b"),
        ("multiply", 6, "a * b"),
        ("less_than_signed", 16, "$signed(a) < $signed(b)"),
    ] {
        let units = catalogue();
        let unit = units
            .iter()
            .find(|unit| unit.operation == operation)
            .unwrap();
        let drawn = unit.draw(&profile, width);
        let interface = Interface::numbered("ours", &drawn.operands, &drawn.results);
        let folder = tempfile::tempdir().unwrap();
        for (format, file) in [(Format::Blif, "ours.blif"), (Format::Yosys, "ours.json")] {
            let text = format.write(&interface, &drawn.circuit).unwrap();
            std::fs::write(folder.path().join(file), text).unwrap();
        }
        let (top, result) = (width - 1, drawn.results[0] - 1);
        let theirs = format!(
            "module theirs(input [{top}:0] a, b, output [{result}:0] out);\n\
             assign out = {verilog};\nendmodule\n"
        );
        std::fs::write(folder.path().join("theirs.v"), theirs).unwrap();
        let script = "read_verilog theirs.v; proc; read_blif -wideports ours.blif; \
                      miter -equiv -flatten -make_assert theirs ours m; \
                      sat -verify -prove-asserts m; \
                      delete m ours; read_json ours.json; \
                      miter -equiv -flatten -make_assert theirs ours m; \
                      sat -verify -prove-asserts m; \
                      delete m theirs; synth -flatten; abc -g all; opt_clean -purge; \
                      write_json again.json; \
                      design -reset; read_blif ours.blif; \
                      synth -flatten; abc -g all; opt_clean -purge; write_blif again.blif";
        // With wide ports Yosys 0.23 writes BLIF that drives some wires twice, hence the second
        // reading.
        let done = std::process::Command::new("yosys")
            .args(["-q", "-p", script])
            .current_dir(folder.path())
            .output()
            .expect("yosys is installed");
        assert!(done.status.success(), "{operation}: {done:?}");
        let values = Numbers(11).assignments(&interface.inputs);
        let expected = evaluate(&interface, &drawn.circuit, &values);
        for (format, file) in [(Format::Yosys, "again.json"), (Format::Blif, "again.blif")] {
            let bytes = std::fs::read(folder.path().join(file)).unwrap();
            let netlist = format.read(&bytes).unwrap();
            // Yosys may list the words in another order.
            let place = |name: &str| interface.inputs.iter().position(|port| port.name == name);
            let order: Vec<usize> = netlist
                .interface()
                .inputs
                .iter()
                .map(|port| place(&port.name).unwrap())
                .collect();
            let ordered = |value: &Vec<u128>| order.iter().map(|&at| value[at]).collect();
            let values: Vec<Vec<u128>> = values.iter().map(ordered).collect();
            let found = both_ways(&netlist, &values);
            assert_eq!(found, expected, "{operation}, {file}");
        }
    }
}
