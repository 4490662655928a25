//! Our own circuits, written and read back, are equivalent.

use blindcore_circuits::formats::{Format, Interface, Meaning, Port};
use blindcore_circuits::library::catalogue::catalogue;
use blindcore_circuits::library::{self, Signedness, Word};
use blindcore_circuits::{Builder, Circuit, Profile, Wire, sim};

use super::{Numbers, both_ways, evaluate};

type Unit = fn(&mut Builder, &[Word]) -> Vec<Word>;

/// Units of the library that have every kind of node and output between them.
const UNITS: [(&str, usize, Unit); 8] = [
    ("add", 2, |b, w| vec![library::add(b, &w[0], &w[1])]),
    ("subtract", 2, |b, w| {
        vec![library::subtract(b, &w[0], &w[1])]
    }),
    ("multiply", 2, |b, w| {
        vec![library::multiply_long(b, Signedness::Signed, &w[0], &w[1])]
    }),
    ("compare", 2, |b, w| {
        let less = library::less_than_signed(b, &w[0], &w[1]);
        let equal = library::equal(b, &w[0], &w[1]);
        vec![vec![less], vec![equal, !equal]]
    }),
    ("select", 3, |b, w| {
        vec![library::select(b, w[0][0], &w[1], &w[2])]
    }),
    ("parity", 3, |b, w| vec![vec![b.parity(&w.concat())]]),
    ("edges", 2, |_, w| {
        // An input, its inverse, the same twice, constants.
        let (a, b) = (&w[0], &w[1]);
        vec![
            a.clone(),
            library::not(b),
            vec![a[0], a[0], !a[0]],
            library::constant(5, 3),
        ]
    }),
    ("refreshed", 1, |b, w| {
        let inverse = !w[0][0];
        vec![vec![
            b.refresh(w[0][0]),
            b.refresh(inverse),
            b.refresh(w[0][1]),
        ]]
    }),
];

fn built(unit: Unit, operands: usize, width: usize, profile: &Profile) -> (Interface, Circuit) {
    let mut build = Builder::new(profile);
    let words: Vec<Word> = (0..operands).map(|_| build.inputs(width)).collect();
    let results = unit(&mut build, &words);
    let interface = Interface {
        name: "unit".to_owned(),
        inputs: (0..operands)
            .map(|at| Port::new(format!("x{at}"), width))
            .collect(),
        outputs: results
            .iter()
            .enumerate()
            .map(|(at, word)| Port::new(format!("y{at}"), word.len()))
            .collect(),
    };
    results
        .concat()
        .into_iter()
        .for_each(|wire| build.output(wire));
    (interface, build.finish())
}

#[test]
fn what_is_written_is_read_back() {
    let mut numbers = Numbers(1);
    for (name, operands, unit) in UNITS {
        for profile in [Profile::lookup_simulation(), Profile::gate_simulation()] {
            for width in [2, 5, 16] {
                let (interface, circuit) = built(unit, operands, width, &profile);
                let values = numbers.assignments(&interface.inputs);
                let expected = evaluate(&interface, &circuit, &values);
                for format in Format::ALL {
                    let text = format.write(&interface, &circuit).unwrap();
                    assert_eq!(Format::of_content(text.as_bytes()), Some(format));
                    let netlist = format.read(text.as_bytes()).unwrap();
                    let widths = |ports: &[Port]| -> Vec<usize> {
                        ports.iter().map(|port| port.width).collect()
                    };
                    let read = netlist.interface();
                    assert_eq!(widths(&read.inputs), widths(&interface.inputs));
                    assert_eq!(widths(&read.outputs), widths(&interface.outputs));
                    if format != Format::Bristol {
                        assert_eq!(read, &interface);
                    }
                    let found = both_ways(&netlist, &values);
                    assert_eq!(found, expected, "{name}, {width} bits, {format}");
                    // A second time nothing changes any more.
                    let gates = netlist.circuit(&Profile::gate_simulation());
                    let again = format.write(read, &gates).unwrap();
                    let netlist = format.read(again.as_bytes()).unwrap();
                    assert_eq!(both_ways(&netlist, &values), expected, "{name} again");
                }
            }
        }
    }
}

#[test]
fn names_make_words_again() {
    let interface = Interface {
        name: "names".to_owned(),
        inputs: vec![Port::new("a", 3), Port::new("b", 1), Port::new("c", 2)],
        outputs: vec![Port::new("b", 3), Port::new("a", 1)],
    };
    let mut build = Builder::new(&Profile::gate_simulation());
    let wires = build.inputs(6);
    for wire in [wires[5], wires[0], wires[1], wires[3]] {
        build.output(!wire);
    }
    let circuit = build.finish();
    let text = Format::Blif.write(&interface, &circuit).unwrap();
    let netlist = Format::Blif.read(text.as_bytes()).unwrap();
    // Inputs and outputs share their names in a file.
    let names = |ports: &[Port]| -> Vec<(String, usize)> {
        ports
            .iter()
            .map(|port| (port.name.clone(), port.width))
            .collect()
    };
    let read = netlist.interface();
    assert_eq!(names(&read.inputs), names(&interface.inputs));
    let expected = [("b".to_owned(), 3), ("a".to_owned(), 1)];
    assert!(text.contains(".outputs b[0] b[1] b[2] a\n"), "{text}");
    assert_eq!(names(&read.outputs), expected);
    // The circuit's own names say the same words.
    let again = netlist.circuit(&Profile::gate_simulation());
    assert_eq!(&Interface::of("names", &again), read);
    assert_eq!(
        sim::evaluate(&again, &[0, 1, 2, 3, 4, 5]).unwrap(),
        sim::evaluate(&circuit, &[0, 1, 2, 3, 4, 5]).unwrap()
    );
}

/// Names that become the same in BLIF take numbers: underscore upon underscore would make a file
/// that is quadratic in the names, and take time that is cubic.
#[test]
fn names_that_become_the_same() {
    let names = |inputs: &[(&str, usize)]| -> Vec<(String, usize)> {
        let ports = inputs.iter().map(|&(name, width)| Port::new(name, width));
        let interface = Interface {
            inputs: ports.collect(),
            ..Interface::default()
        };
        let mut build = Builder::new(&Profile::gate_simulation());
        build.inputs(interface.input_bits());
        let text = Format::Blif.write(&interface, &build.finish()).unwrap();
        let netlist = Format::Blif.read(text.as_bytes()).unwrap();
        let ports = netlist.interface().inputs.iter();
        ports.map(|port| (port.name.clone(), port.width)).collect()
    };
    for (inputs, expected) in [
        (
            &[("a b", 1), ("a\tb", 1), ("a_b", 1)][..],
            &[("a_b", 1), ("a_b_", 1), ("a_b_2", 1)][..],
        ),
        (
            &[("a", 2), ("a", 3), ("a[7]", 1)],
            &[("a", 2), ("a_", 3), ("a[7]_", 1)],
        ),
        (&[("a[7]", 1), ("a", 2)], &[("a", 1), ("a_", 2)]),
    ] {
        let expected: Vec<(String, usize)> = expected
            .iter()
            .map(|&(name, width)| (name.to_owned(), width))
            .collect();
        assert_eq!(names(inputs), expected, "{inputs:?}");
    }
    let many = vec![("a", 1); 20_000];
    assert_eq!(names(&many)[19_999], ("a_19999".to_owned(), 1));
}

/// Found by fuzzing: a writer that sized its table by the outputs.
#[test]
fn circuits_without_outputs() {
    let text = "2 4\n2 1 1\n1 0\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n";
    let netlist = Format::Bristol.read(text.as_bytes()).unwrap();
    let circuit = netlist.circuit(&Profile::gate_simulation());
    for format in [Format::Bristol, Format::Blif] {
        let text = format.write(netlist.interface(), &circuit).unwrap();
        let again = format.read(text.as_bytes()).unwrap();
        assert_eq!(again.interface().input_bits(), 2, "{format}");
        assert_eq!(again.interface().output_bits(), 0, "{format}");
    }
}

#[test]
fn interfaces_fit_their_circuits() {
    let (mut interface, circuit) = built(UNITS[0].2, 2, 4, &Profile::gate_simulation());
    interface.outputs[0].width = 5;
    for format in [Format::Bristol, Format::Blif] {
        let error = format.write(&interface, &circuit).unwrap_err();
        let expected = "a circuit of 4 output bits does not fit words of 5 bits";
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn every_unit_of_the_catalogue_travels() {
    let mut numbers = Numbers(7);
    let profile = Profile::lookup_simulation();
    for unit in catalogue() {
        for width in [3, 8] {
            let drawn = unit.draw(&profile, width);
            let ports = |widths: &[usize], name: &str| -> Vec<Port> {
                let widths = widths.iter().enumerate();
                widths
                    .map(|(at, &width)| Port::new(format!("{name}{at}"), width))
                    .collect()
            };
            let interface = Interface {
                name: unit.name(),
                inputs: ports(&drawn.operands, "x"),
                outputs: ports(&drawn.results, "y"),
            };
            let values = numbers.assignments(&interface.inputs);
            let expected = evaluate(&interface, &drawn.circuit, &values);
            for format in [Format::Bristol, Format::Blif] {
                let text = format.write(&interface, &drawn.circuit).unwrap();
                let netlist = format.read(text.as_bytes()).unwrap();
                let gates = netlist.circuit(&Profile::gate_simulation());
                let found = evaluate(netlist.interface(), &gates, &values);
                assert_eq!(found, expected, "{}, {width} bits, {format}", unit.name());
            }
        }
    }
}

#[test]
fn yosys_has_signs_and_names_of_its_own() {
    use Meaning::{Signed, Unsigned};

    let port = |name: &str, width, meaning| Port {
        meaning,
        ..Port::new(name, width)
    };
    let interface = Interface {
        name: "a module".to_owned(),
        inputs: vec![
            port("x", 2, Signed),
            port("none", 0, Unsigned),
            port("$y", 1, Unsigned),
        ],
        outputs: vec![
            port("x", 3, Signed),
            port("", 1, Unsigned),
            port("x", 1, Unsigned),
        ],
    };
    let mut build = Builder::new(&Profile::gate_simulation());
    let wires = build.inputs(3);
    for wire in [wires[0], !wires[1], !wires[1], wires[2], Wire::TRUE] {
        build.output(wire);
    }
    let circuit = build.finish();
    let text = Format::Yosys.write(&interface, &circuit).unwrap();
    let netlist = Format::Yosys.read(text.as_bytes()).unwrap();
    let read = netlist.interface();
    assert_eq!(read.name, "a_module");
    assert_eq!(
        read.inputs,
        [port("x", 2, Signed), port("_$y", 1, Unsigned)]
    );
    let outputs = [
        port("x_", 3, Signed),
        port("output", 1, Unsigned),
        port("x_2", 1, Unsigned),
    ];
    assert_eq!(read.outputs, outputs);
    for values in [[0, 0], [1, 1], [2, 1], [3, 0]] {
        let expected = vec![
            values[0] & 1 | (!values[0] & 2) | (!values[0] & 2) << 1,
            values[1],
            1,
        ];
        assert_eq!(both_ways(&netlist, &[values.to_vec()]), [expected]);
    }
    // Of another size than the words.
    let none = Builder::new(&Profile::gate_simulation()).finish();
    assert!(Format::Yosys.write(&interface, &none).is_err());
}
