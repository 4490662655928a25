//! Files that are no circuits: each error by its value, with its place.

use blindcore_circuits::formats::{Format, FormatError, Place, Problem};

fn refused(format: Format, text: &str) -> FormatError {
    format
        .read(text.as_bytes())
        .map(|netlist| panic!("{netlist:?}"))
        .unwrap_err()
}

/// Each text and the line that a user sees.
fn check(format: Format, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(refused(format, text).to_string(), *expected, "{text:?}");
    }
}

#[test]
fn bristol() {
    check(
        Format::Bristol,
        &[
            (
                "",
                "line 1: the file ends where the numbers of gates and wires should follow: it is truncated",
            ),
            ("1", "line 1: the number of wires is missing"),
            (
                "1 x\n",
                "line 1, column 3: 'x' stands where the number of wires should",
            ),
            (
                "1 3 5\n1 1\n1 1\n",
                "line 1, column 5: '5' stands where the line's end should",
            ),
            (
                "1 2\n1 1\n",
                "line 2: the file ends where the sizes of the outputs, or a gate should follow: it is truncated",
            ),
            (
                "1 3\n2 1\n1 1\n2 1 0 1 2 AND\n",
                "line 2, column 1: 1 sizes of inputs, but there should be 2",
            ),
            (
                "2 4\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n",
                "line 5: the file ends where gate 2 of 2 should follow: it is truncated",
            ),
            (
                "1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n1 1 0 2 INV\n",
                "line 6: 'wire 2' is driven twice, the first time at line 5",
            ),
            (
                "1 4\n2 1 1\n1 1\n\n2 1 0 1 3 AND\n2 1 0 1 2 AND\n",
                "line 6: 2 gates or more, but there should be 1",
            ),
            (
                "1 3\n2 1 1\n1 1\n\n2 1 0 3 2 AND\n",
                "line 5, column 7: '3' stands where a wire's number below 3 should",
            ),
            (
                "1 4\n2 1 1\n1 1\n\n2 1 0 2 3 AND\n",
                "line 5: 'wire 2' is read, but no gate and no input drives it",
            ),
            (
                "1 4\n2 1 1\n2 1 1\n\n2 1 0 1 3 AND\n",
                "line 1: 'wire 2' is read, but no gate and no input drives it",
            ),
            (
                "2 4\n2 1 1\n1 1\n\n2 1 0 3 2 AND\n2 1 1 2 3 XOR\n",
                "line 6: 'wire 2' depends on itself: a circuit has no loops (if it is a register, unroll the clock)",
            ),
            (
                "1 3\n2 1 1\n1 1\n\n2 1 0 1 1 AND\n",
                "line 5: 'wire 1' is driven twice, the first time at line 1",
            ),
            (
                "1 3\n2 1 1\n1 1\n\n2 1 0 1 2 OR\n",
                "line 5, column 11: 'OR' stands where a gate (XOR, AND, INV, EQ, EQW, MAND) should",
            ),
            (
                "1 3\n2 1 1\n1 1\n\n1 1 0 1 2 AND\n",
                "line 5, column 1: 1 operands of AND, but there should be 2",
            ),
            (
                "1 3\n2 1 1\n1 1\n\n2 1 0 2 AND\n",
                "line 5: 2 wires of AND, but there should be 3",
            ),
            (
                "1 3\n2 1 1\n1 1\n\n2 1 0 1\n",
                "line 5: the gate's kind is missing",
            ),
            (
                "1 3\n2 1 1\n1 1\n\n1 1 2 2 EQ\n",
                "line 5, column 5: '2' stands where the constant 0 or 1 should",
            ),
            (
                "1 4\n2 1 1\n1 1\n\n4 2 0 1 2 3 MAND\n",
                "line 5: 4 wires of MAND, but there should be 6",
            ),
            (
                "0 1\n2 1 1\n1 1\n",
                "line 1: 1 wires in all, but there should be 2",
            ),
            // What a size says is never allocated.
            (
                "1 99999999999\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n",
                "line 1: 99999999999 wires (the file is too short for them) are more than the 8 that can be",
            ),
            (
                "1 18446744073709551615\n1 18446744073709551615\n1 1\n",
                "18446744073709551615 bits of input are more than the 1048576 that can be",
            ),
            (
                "1 9\n2 18446744073709551615 5\n1 1\n",
                "18446744073709551615 bits of input are more than the 1048576 that can be",
            ),
            (
                "18446744073709551615 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n",
                "line 5: the file ends where gate 2 of 18446744073709551615 should follow: it is truncated",
            ),
            (
                "1 3\n2 1 1\n1 1\n\n2 18446744073709551615 0 1 2 MAND\n",
                "line 5, column 1: 2 operands of MAND, but there should be 18446744073709551615",
            ),
            (
                "1 99999999999999999999\n",
                "line 1, column 3: '99999999999999999999' stands where the number of wires should",
            ),
        ],
    );
    // The older format has its own header.
    let old = "1 3\n1 1 1\n\n2 1 0 1 2 AND\n";
    let netlist = Format::Bristol.read(old.as_bytes()).unwrap();
    assert_eq!(netlist.interface().inputs.len(), 2);
    check(
        Format::Bristol,
        &[(
            "1 3\n1 1\n\n2 1 0 1 2 AND\n",
            "line 2: the number of bits of the output is missing",
        )],
    );
}

#[test]
fn blif() {
    let model = |rest: &str| format!(".model m\n.inputs a b\n.outputs y\n{rest}");
    for (rest, expected) in [
        (
            ".names a b y\n11 1\n",
            "line 5: the file ends where .end should follow: it is truncated",
        ),
        (
            ".end\n",
            "line 3: 'y' is read, but no gate and no input drives it",
        ),
        (
            ".names a c y\n11 1\n.end\n",
            "line 4: 'c' is read, but no gate and no input drives it",
        ),
        (
            ".names y a y\n11 1\n.end\n",
            "line 4: 'y' depends on itself: a circuit has no loops (if it is a register, unroll the clock)",
        ),
        (
            ".names y c\n1 1\n.names c y\n0 1\n.end\n",
            "line 4: 'y' depends on itself: a circuit has no loops (if it is a register, unroll the clock)",
        ),
        (
            ".names a y\n1 1\n.names b y\n1 1\n.end\n",
            "line 6: 'y' is driven twice, the first time at line 4",
        ),
        (
            ".names a\n1\n.names a b y\n11 1\n.end\n",
            "line 2: 'a' is driven twice, the first time at line 4",
        ),
        (
            ".names a b y\n1 1\n.end\n",
            "line 5, column 1: 1 values in the row, but there should be 2",
        ),
        (
            ".names a b y\n12 1\n.end\n",
            "line 5, column 2: '2' stands where 0, 1 or - should",
        ),
        (
            ".names a b y\n11 2\n.end\n",
            "line 5, column 4: '2' stands where the output's value, 0 or 1, should",
        ),
        (
            ".names a b y\n11\n.end\n",
            "line 5, column 1: the output's value is missing",
        ),
        (
            ".names a b y\n11 1\n00 0\n.end\n",
            "line 6, column 4: '0' stands where 1, as in the rows before, should",
        ),
        (
            ".names\n.end\n",
            "line 4, column 1: a list of names is missing",
        ),
        (
            "11 1\n.end\n",
            "line 4, column 1: '11' stands where a command (.names, .inputs, .end …) should",
        ),
        (
            ".bogus\n.end\n",
            "line 4, column 1: '.bogus' stands where a command of BLIF (.names, .inputs, .outputs, .end …) should",
        ),
        (
            ".latch a y 0\n.end\n",
            "line 4, column 1: '.latch', a register, cannot be read: a circuit here is combinational: unroll the clock, or make the registers inputs and outputs (yosys: expose -evert-dff)",
        ),
        (
            ".subckt full_adder a=a y=y\n.end\n",
            "line 4, column 1: '.subckt', a circuit within the circuit, cannot be read: flatten it first (yosys: flatten)",
        ),
        (
            ".gate nand2 A=a O=y\n.end\n",
            "line 4, column 1: '.gate', a cell of a library, cannot be read: map to plain logic first (yosys: synth -flatten; abc -g AND,XOR,MUX)",
        ),
        (
            ".outputs y\n.names a y\n1 1\n.end\n",
            "line 4, column 10: two outputs are called 'y'",
        ),
        (
            ".inputs a\n.names a y\n1 1\n.end\n",
            "line 4: 'a' is driven twice, the first time at line 2",
        ),
        (
            ".names a y\n1 1\n.model n\n.end\n",
            "line 6, column 1: '.model' stands where .end, before another model, should",
        ),
        (
            ".names a y\n1 1\n.end\nmore\n",
            "line 7, column 1: 'more' stands where the file's end should",
        ),
    ] {
        assert_eq!(
            refused(Format::Blif, &model(rest)).to_string(),
            expected,
            "{rest:?}"
        );
    }
}

#[test]
fn what_blif_allows() {
    let text = "# a comment\n.model m # another\n.inputs a \\\n  b\n.inputs c\n.outputs y z one zero \\\nwide\n\
                .names a b c y # the zeros\n1-1 0\n-0- 0\n.area 5\n.names z\n\n1\n.names one\n1\n.names zero\n\
                .names t u v w x a b c wide\n1------- 1\n-0-1--11 1\n\
                .names a t\n0 1\n.names b u\n1 1\n.conn c v\n.names a b w\n00 1\n.names a b x\n-1 1\n1- 1\n.end\n";
    let netlist = Format::Blif.read(text.as_bytes()).unwrap();
    let values: Vec<Vec<u128>> = (0..8)
        .map(|v| (0..3).map(|at| v >> at & 1).collect())
        .collect();
    for (value, found) in values.iter().zip(super::both_ways(&netlist, &values)) {
        let [a, b, c] = [value[0] == 1, value[1] == 1, value[2] == 1];
        let (t, u, w) = (!a, b, !a & !b);
        let y = !(a & c | !b);
        let wide = t | (!u & w & b & c);
        let expected = [y, true, true, false, wide].map(u128::from);
        assert_eq!(found, expected, "{value:?}");
    }
}

#[test]
fn yosys() {
    let module = |ports: &str, cells: &str| {
        format!(
            r#"{{"modules": {{"m": {{"ports": {{"a": {{"direction": "input", "bits": [2, 3]}}, {ports}}},
            "cells": {{{cells}}}, "netnames": {{"a": {{"bits": [2, 3]}}, "y": {{"bits": [4]}}}}}}}}}}"#
        )
    };
    let y = r#""y": {"direction": "output", "bits": [4]}"#;
    let cell = |kind: &str, connections: &str| {
        format!(r#""g": {{"type": "{kind}", "connections": {{{connections}}}}}"#)
    };
    let and = cell("$_AND_", r#""A": [2], "B": [3], "Y": [4]"#);
    assert!(Format::Yosys.read(module(y, &and).as_bytes()).is_ok());
    let register = "cannot be read: a circuit here is combinational: unroll the clock, or make the registers inputs and outputs (yosys: expose -evert-dff)";
    let synthesise =
        "cannot be read: run yosys with: synth -flatten; abc -g AND,XOR,MUX; write_json FILE";
    for (document, expected) in [
        (module(y, ""), "port 'y': 'y' is read, but no gate and no input drives it".to_owned()),
        (module(y, &cell("$_AND_", r#""A": [2], "B": [4], "Y": [4]"#)), "cell 'g': 'y' depends on itself: a circuit has no loops (if it is a register, unroll the clock)".to_owned()),
        (module(y, &cell("$_AND_", r#""A": [2], "B": [7], "Y": [4]"#)), "cell 'g': 'wire 7' is read, but no gate and no input drives it".to_owned()),
        (module(y, &cell("$_AND_", r#""A": [2], "Y": [4]"#)), "cell 'g': 0 bits at B of $_AND_, but there should be 1".to_owned()),
        (module(y, &cell("$_AND_", r#""A": [2], "B": [2, 3], "Y": [4]"#)), "cell 'g': 2 bits at B of $_AND_, but there should be 1".to_owned()),
        (module(y, &cell("$_AND_", r#""A": [2], "B": [3], "Y": [3]"#)), "cell 'g': 'a[1]' is driven twice, the first time at port 'a'".to_owned()),
        (module(y, &cell("$_AND_", r#""A": [2], "B": ["z"], "Y": [4]"#)), "cell 'g': 'z' stands where a wire's number, \"0\", \"1\" or \"x\" should".to_owned()),
        (module(y, &cell("$_AND_", r#""A": [2], "B": [3], "Y": ["0"]"#)), "cell 'g': '0' stands where a wire to be driven should".to_owned()),
        (module(y, &cell("$_DFF_P_", r#""D": [2], "C": [3], "Q": [4]"#)), format!("cell 'g': a register ('$_DFF_P_') {register}")),
        (module(y, &cell("$dff", r#""D": [2], "CLK": [3], "Q": [4]"#)), format!("cell 'g': a register ('$dff') {register}")),
        (module(y, &cell("$add", r#""A": [2], "B": [3], "Y": [4]"#)), format!("cell 'g': a cell of kind '$add' {synthesise}")),
        (module(y, &cell("m", r#""a": [2, 3], "y": [4]"#)), format!("cell 'g': a circuit within the circuit ('m') {synthesise}")),
        (module(y, &cell("$lut", r#""A": [2, 3], "Y": [4]"#)), "cell 'g': the parameter LUT is missing".to_owned()),
        (module(y, r#""g": {"type": "$lut", "parameters": {"LUT": "101"}, "connections": {"A": [2, 3], "Y": [4]}}"#), "cell 'g': 3 entries of the table, but there should be 4".to_owned()),
        (module(y, r#""g": {"type": "$lut", "parameters": {"LUT": "10z0"}, "connections": {"A": [2, 3], "Y": [4]}}"#), "cell 'g': '10z0' stands where a table of 4 entries of 0 and 1 should".to_owned()),
        (module(y, r#""g": {"type": "$lut", "parameters": {"LUT": 16}, "connections": {"A": [2, 3], "Y": [4]}}"#), "cell 'g': '16' stands where a table of 4 entries of 0 and 1 should".to_owned()),
        (module(y, r#""g": {"type": "$lut", "parameters": {"LUT": -1}, "connections": {"A": [2, 3], "Y": [4]}}"#), "cell 'g': '-1' stands where a table of 4 entries of 0 and 1 should".to_owned()),
        (module(r#""a": {"direction": "output", "bits": [2]}"#, ""), "port 'a': two ports are called 'a'".to_owned()),
        (module(r#""y": {"direction": "inout", "bits": [4]}"#, ""), "port 'y': a port of direction 'inout' cannot be read: make an input and an output of it".to_owned()),
        (r#"{"modules": {}}"#.to_owned(), "a module is missing".to_owned()),
        (r#"{"modules": {"m": {}, "n": {}}}"#.to_owned(), "a file of several modules ('m', 'n' …) cannot be read: say which is meant (yosys: synth -flatten -top NAME)".to_owned()),
        ("{\n\"modules\": {\"m\"".to_owned(), "line 2, column 15: not a netlist of Yosys (write_json): EOF while parsing an object".to_owned()),
        ("{}".to_owned(), "line 1, column 2: not a netlist of Yosys (write_json): missing field `modules`".to_owned()),
        ("[]".to_owned(), "line 1, column 2: not a netlist of Yosys (write_json): invalid length 0, expected an object".to_owned()),
    ] {
        assert_eq!(refused(Format::Yosys, &document).to_string(), expected, "{document}");
    }
    let wide: Vec<String> = (0..21).map(|_| "2".to_owned()).collect();
    let lut = format!(
        r#""g": {{"type": "$lut", "parameters": {{"LUT": "1"}}, "connections": {{"A": [{}], "Y": [4]}}}}"#,
        wide.join(", ")
    );
    let expected = "cell 'g': 21 inputs of a $lut are more than the 20 that can be";
    assert_eq!(
        refused(Format::Yosys, &module(y, &lut)).to_string(),
        expected
    );
}

/// A file of two million bytes whose bits would have names of 250 billion bytes, and ports wider
/// than any format takes them.
#[test]
fn ports_out_of_proportion() {
    let module = |name: &str, width: usize| {
        let bits = vec!["\"0\""; width].join(",");
        format!(
            r#"{{"modules": {{"m": {{"ports": {{"{name}": {{"direction": "output", "bits": [{bits}]}}}}}}}}}}"#
        )
    };
    let limit = 1 << 20;
    assert!(Format::Yosys.read(module("y", limit).as_bytes()).is_ok());
    for (text, expected) in [
        (
            module(&"y".repeat(1_000_000), 250_000),
            "250000000000 bytes in the names of bits are more than the 134217728 that can be",
        ),
        (
            module("y", limit + 1),
            "1048577 bits of output are more than the 1048576 that can be",
        ),
    ] {
        let error = Format::Yosys.read(text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn every_prefix_of_a_file_is_refused() {
    let bristol = "2 4\n2 1 1\n2 1 1\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n";
    let blif = include_str!("yosys/gates.blif");
    for (format, text) in [(Format::Bristol, bristol), (Format::Blif, blif)] {
        assert!(format.read(text.as_bytes()).is_ok());
        // The end of line alone is not missed.
        for end in 0..text.trim_end().len() {
            assert!(
                format.read(&text.as_bytes()[..end]).is_err(),
                "{format}: {end} bytes"
            );
        }
    }
}

#[test]
fn bytes_that_are_no_text() {
    for format in Format::ALL {
        let error = format.read(b"1 2\n\xff\n").unwrap_err();
        assert_eq!(
            error,
            FormatError {
                place: Place::Column(2, 1),
                problem: Problem::NotText
            }
        );
    }
    assert_eq!(Format::of_content(b"\x7fELF"), None);
    assert_eq!(Format::of_content(b""), None);
    assert_eq!(Format::of_name("x.elf"), None);
    assert_eq!(Format::of_name("dir.txt/x"), None);
    assert_eq!(Format::of_name("x.TXT"), Some(Format::Bristol));
}

#[test]
fn chains_as_long_as_the_file() {
    let length = 200_000;
    // Backwards, so that a recursive sort would need as deep a stack.
    let mut text = format!("{length} {}\n1 1\n1 1\n", length + 1);
    for at in (0..length).rev() {
        text.push_str(&format!("1 1 {at} {} INV\n", at + 1));
    }
    let netlist = Format::Bristol.read(text.as_bytes()).unwrap();
    assert_eq!(netlist.gates(), length);
    assert_eq!(super::both_ways(&netlist, &[vec![0], vec![1]]), [[0], [1]]);
}
