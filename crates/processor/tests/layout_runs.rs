//! Structures, bit-fields, enumerations, `bool` and what overlaps: values as debugging information
//! lays them out, against what the compiler itself reads and against the host.

use crate::compiled;
use crate::layouts;
use crate::simulated;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use blindcore_processor::{Content, Control, Entry, Input, Program, Task, Variable, Wanted, run};
use circuits::Profile;
use circuits::sim::Simulator;
use layouts::NUMBERS;
use simulated::{LANES, Random, gather, interpreter, read, secret, spread};
use values::{bits_of, bytes_of};

/// Compilers, by whether it is clang, with what they tell: both ways to tell a bit-field.
const COMPILERS: [(bool, &[&str]); 5] = [
    (false, &["-g", "-O0"]),
    (false, &["-g", "-O2"]),
    (false, &["-gdwarf-3", "-gstrict-dwarf", "-Os"]),
    (true, &["-gdwarf-5", "-Os"]),
    (true, &["-gdwarf-2", "-gstrict-dwarf", "-O0"]),
];

/// So that plain `char` and enumerations have the sign that they have for A32.
const LIKE_ARM: [&str; 3] = ["-funsigned-char", "-fshort-enums", "-fno-builtin"];

const NAMES: [&str; 9] = [
    "fields",
    "straddling",
    "flags",
    "bools",
    "names",
    "ways",
    "nested",
    "overlapping",
    "reals",
];

type Numbers = Vec<[i64; LANES]>;

/// Large and small ones.
fn numbers(random: &mut Random) -> Numbers {
    let mut number = || match random.next() % 4 {
        0 => (random.next() % 5) as i64 - 2,
        1 => random.next() as i32 as i64,
        _ => random.next() as i64,
    };
    (0..NUMBERS)
        .map(|_| std::array::from_fn(|_| number()))
        .collect()
}

/// By lane and object: what the host's compiler reads after it has written these.
fn of_host(source: &Path, numbers: &Numbers, objects: usize) -> Vec<Vec<Vec<i64>>> {
    let mut lines = String::new();
    for lane in 0..LANES {
        for number in numbers {
            writeln!(lines, "{}", number[lane]).unwrap();
        }
    }
    let output = compiled::of_host(source, &LIKE_ARM, &lines);
    let line = |line: &str| {
        line.split_whitespace()
            .map(|n| n.parse().unwrap())
            .collect()
    };
    let all: Vec<Vec<i64>> = output.lines().map(line).collect();
    assert_eq!(all.len(), LANES * objects);
    all.chunks(objects).map(<[_]>::to_vec).collect()
}

/// The values of a variable whose bits these are.
fn values(variable: &Variable, bits: &[bool]) -> Vec<i64> {
    let values = variable.type_or_bytes().decode(&bytes_of(bits));
    values.into_iter().map(|value| value as i64).collect()
}

struct Object<'a> {
    program: &'a Program,
    name: &'a str,
    leaves: &'a [Variable],
    plain: Variable,
}

impl<'a> Object<'a> {
    fn new(program: &'a Program, name: &'a str) -> Object<'a> {
        let variable = program.variable(name).unwrap();
        Object {
            program,
            name,
            leaves: variable.leaves(),
            plain: program.variable(&format!("plain_{name}")).unwrap().clone(),
        }
    }

    /// Whether all of it has types.
    fn is_typed(&self) -> bool {
        self.leaves.iter().all(|leaf| leaf.ty.is_some())
    }

    fn task(&self, function: &str, wanted: Vec<Variable>) -> Task {
        Task {
            entry: Entry::Symbol(format!("{function}_{}", self.name)),
            wanted: Wanted::Variables(wanted),
            ..Task::default()
        }
    }

    /// By output and lane.
    fn run(&self, task: &Task, bits: Vec<std::sync::Arc<u64>>) -> Vec<[Vec<i64>; LANES]> {
        let engine = Simulator::new(Profile::lookup_simulation());
        let control = Control {
            threads: 1,
            ..Control::default()
        };
        let outcome = run(self.program, task, &engine, bits, &control).unwrap();
        let Wanted::Variables(wanted) = &task.wanted else {
            return Vec::new();
        };
        assert_eq!(outcome.outputs.len(), wanted.len());
        let of = |(output, variable): (&blindcore_processor::Output<u64>, _)| {
            std::array::from_fn(|lane| values(variable, &gather(&output.bits, lane)))
        };
        outcome.outputs.iter().zip(wanted).map(of).collect()
    }

    /// What members hold after numbers were written into them is what the host's have.
    fn is_read_as_written(&self, numbers: &Numbers, expected: impl Fn(usize) -> Vec<i64>) {
        let task = Task {
            inputs: secret(self.program, &["in"]).inputs,
            ..self.task("fill", self.leaves.to_vec())
        };
        let bits = numbers.iter().flat_map(|lanes| {
            let lanes = lanes.map(|value| u128::from(value as u64));
            spread(&lanes, 64)
        });
        let found = self.run(&task, bits.collect());
        for lane in 0..LANES {
            let found: Vec<i64> = found.iter().flat_map(|leaf| leaf[lane].clone()).collect();
            assert_eq!(found, expected(lane), "{} in lane {lane}", self.name);
        }
        // The plain interpreter has the same, in memory and as the program reads it.
        let mut machine = interpreter(self.program);
        let at = self.program.variable("in").unwrap().address;
        for (k, lanes) in numbers.iter().enumerate() {
            let bytes = lanes[0].to_le_bytes();
            machine.write_bytes(at + 8 * k as u32, &bytes).unwrap();
        }
        for function in ["fill", "show"] {
            let entry = format!("{function}_{}", self.name);
            let entry = self.program.label(&entry).unwrap();
            machine.call(entry, &[], 100_000).unwrap();
        }
        let in_memory = self.leaves.iter().flat_map(|leaf| {
            let bytes = machine.read_bytes(leaf.address, leaf.size as usize);
            let bits = &bits_of(bytes.unwrap())[usize::from(leaf.shift)..][..leaf.bits()];
            values(leaf, bits)
        });
        assert_eq!(in_memory.collect::<Vec<_>>(), expected(0), "{}", self.name);
        let count = format!("count_{}", self.name);
        let count = read(&machine, self.program.variable(&count).unwrap())[0] as usize;
        let plain = read(&machine, &self.plain);
        let plain: Vec<i64> = plain[..count].iter().map(|value| *value as i64).collect();
        assert_eq!(plain, expected(0), "{}", self.name);
    }

    /// What is given as the members' values is what the program reads there.
    fn is_given_as_read(&self, random: &mut Random) {
        // One way of what overlaps.
        let mut given: Vec<&Variable> = Vec::new();
        for leaf in self.leaves {
            if !given.iter().any(|other| other.overlaps(leaf)) {
                given.push(leaf);
            }
        }
        let is_whole = given.len() == self.leaves.len();
        let (mut bits, mut clear, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        for leaf in &given {
            let ty = leaf.type_or_bytes();
            let (low, high) = ty.range();
            // What a `char` is given as a negative number reads back as a positive one.
            let low = if low == -128 && high == 255 { 0 } else { low };
            let mut value = || {
                let random = i128::from(random.next());
                low + random.rem_euclid(high - low + 1)
            };
            let elements: Vec<[i128; LANES]> = (0..ty.elements())
                .map(|_| std::array::from_fn(|_| value()))
                .collect();
            let width = leaf.bits() / elements.len();
            for lanes in &elements {
                let encoded = lanes.map(|value| value as u128);
                bits.extend(spread(&encoded, width));
                expected.push(lanes.map(|value| value as i64));
            }
            let first: Vec<i128> = elements.iter().map(|lanes| lanes[0]).collect();
            clear.push(ty.encode(&first).unwrap());
        }
        let input = |variable: &&Variable, content| Input {
            variable: (*variable).clone(),
            content,
        };
        let task = self.task("show", vec![self.plain.clone()]);
        let secrets = given.iter().map(|leaf| input(leaf, Content::Secret));
        let with_secrets = Task {
            inputs: secrets.collect(),
            ..task.clone()
        };
        let public = given.iter().zip(clear);
        let public = public.map(|(leaf, bytes)| input(leaf, Content::Clear(bytes)));
        let with_public = Task {
            inputs: public.collect(),
            ..task
        };
        let found = &self.run(&with_secrets, bits)[0];
        let clear = &self.run(&with_public, Vec::new())[0];
        if is_whole {
            for lane in 0..LANES {
                let expected: Vec<i64> = expected.iter().map(|lanes| lanes[lane]).collect();
                let found = &found[lane][..expected.len()];
                assert_eq!(found, expected, "{} in lane {lane}", self.name);
            }
        }
        assert_eq!(clear[0], found[0], "{}", self.name);
    }
}

/// The objects of a source, each by one of `share` compilers. Few have unknown types, and only
/// those of clang, which gives impossible places for some bit-fields.
fn agree(source: &Path, names: &[&str], seed: u64, share: usize) {
    let mut random = Random(seed);
    let numbers = numbers(&mut random);
    let host = of_host(source, &numbers, names.len());
    let (mut opaque, mut all) = (0, 0);
    for (number, (clang, flags)) in COMPILERS.iter().enumerate() {
        let elf = source.with_extension(format!("{number}.elf"));
        let flags = [flags, &["-fshort-enums"][..]].concat();
        let program = compiled::compile(source, &elf, *clang, &flags);
        for (at, name) in names.iter().enumerate() {
            if (at + number) % share != 0 {
                continue;
            }
            let object = Object::new(&program, name);
            all += 1;
            if !object.is_typed() {
                assert!(clang, "{flags:?}: {name} has no types");
                opaque += 1;
                continue;
            }
            object.is_read_as_written(&numbers, |lane| host[lane][at].clone());
            object.is_given_as_read(&mut random);
        }
    }
    assert!(10 * opaque <= all, "{opaque} of {all} have no types");
}

/// Fifty random structures.
fn made_up(name: &str, seed: u64, share: usize) {
    let mut random = Random(seed);
    let source = compiled::folder("layouts").join(format!("{name}.c"));
    fs::write(&source, layouts::source(&mut random, 50)).unwrap();
    let names: Vec<String> = (0..50).map(|number| format!("s{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    agree(&source, &names, seed + 1, share);
}

#[test]
fn every_kind_of_member_is_read_as_the_source_says() {
    let source = compiled::folder("layouts").join("layouts.c");
    fs::write(&source, include_str!("programs/layouts.c")).unwrap();
    agree(&source, &NAMES, 1, 1);
}

/// A bit-field as wide as its type behind one without a name, in a packed structure: clang gives
/// neither its width nor its first bit.
#[test]
fn a_field_that_clang_displaces_is_no_value() {
    let source = compiled::folder("layouts").join("displaced.c");
    let text = "struct { char a; short : 5; unsigned char b : 8; char c; } __attribute__((packed)) hidden;\n\
        struct { char a; int : 5; short b; char c; int d; } gaps;\n\
        int main(void) { hidden.b = gaps.b; return 0; }\n";
    fs::write(&source, text).unwrap();
    let elf = source.with_extension("elf");
    let typed = |clang| {
        let program = compiled::compile(&source, &elf, clang, &["-g", "-O1"]);
        let hidden = program.variable("hidden").unwrap();
        let b = program.variable("hidden.b").ok();
        let gaps = program.variable("gaps").unwrap();
        assert_eq!(gaps.leaves().len(), 4);
        b.map(|b| {
            (
                b.address - hidden.address,
                b.shift,
                b.type_or_bytes().to_string(),
            )
        })
    };
    assert_eq!(typed(false), Some((1, 5, "u8:8".to_owned())));
    assert_eq!(typed(true), None);
}

#[test]
#[ignore = "slow: 4 s"]
fn random_structures_are_read_as_the_compiler_reads_them() {
    made_up("random", 2, 5);
}

#[test]
#[ignore = "slow: 75 times as many, 2 min"]
fn many_random_structures_are_read_as_the_compiler_reads_them() {
    for seed in 0..15 {
        made_up("many", 100 + 10 * seed, 1);
    }
}
