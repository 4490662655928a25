//! Programs in HE assembly: every instruction against integers, and what surrounds them.

use crate::simulated;

use a32::{Flag, Interpreter};
use blindcore_processor::{Bit, LoadError, Program, RunError, Task, plan};
use circuits::Profile;
use simulated::{LANES, Random, interpreter, read, secret, simulate, spread, values};

fn program(text: &str) -> Program {
    Program::load_as("test.hea", text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn put(machine: &mut Interpreter, program: &Program, name: &str, value: u32) {
    let variable = program.variable(name).unwrap();
    let bytes = value.to_le_bytes();
    machine
        .write_bytes(variable.address, &bytes[..variable.size as usize])
        .unwrap();
}

fn get(machine: &Interpreter, program: &Program, name: &str) -> i128 {
    read(machine, program.variable(name).unwrap())[0]
}

/// `x` as a number of `n` bits without a sign.
fn wrap(x: i128, n: u32) -> i128 {
    x.rem_euclid(1 << n)
}

/// `x` as a number of `n` bits with a sign.
fn signed(x: i128, n: u32) -> i128 {
    let x = wrap(x, n);
    if x >= 1 << (n - 1) { x - (1 << n) } else { x }
}

fn reversed(x: i128, n: u32, group: u32) -> i128 {
    let groups =
        (0..n / group).map(|i| (x >> (i * group) & ((1 << group) - 1)) << (n - group - i * group));
    groups.sum()
}

/// What an instruction does to the flags.
#[derive(Clone, Copy)]
enum Flags {
    Kept,
    /// N and Z of the given number of register bits.
    Result(u32),
    Sum,
    Difference,
}

/// An instruction `… R1 R2` and what R0 (and, above it, R3) holds afterwards.
struct Case {
    text: &'static str,
    result: fn(i128, i128, u32) -> i128,
    flags: Flags,
}

const fn case(text: &'static str, result: fn(i128, i128, u32) -> i128, flags: Flags) -> Case {
    Case {
        text,
        result,
        flags,
    }
}

const CASES: [Case; 37] = [
    case("MOV R0 R1", |a, _, _| a, Flags::Kept),
    case("MOV R0 R0 R1", |a, _, _| a, Flags::Kept),
    case("MOVS R0 R1", |a, _, _| a, Flags::Result(1)),
    case("ADD R0 R1, R2", |a, b, _| a + b, Flags::Kept),
    case("ADDS R0 R1 R2", |a, b, _| a + b, Flags::Sum),
    case("SUB R0 R1 R2", |a, b, _| a - b, Flags::Kept),
    case("SUBS R0 R1 R2", |a, b, _| a - b, Flags::Difference),
    case("MUL R0 R1 R2", |a, b, _| a * b, Flags::Kept),
    case("MULS R0 R1 R2", |a, b, _| a * b, Flags::Result(1)),
    case(
        "SMUL R0 R1 R2",
        |a, b, n| signed(a, n) * signed(b, n),
        Flags::Kept,
    ),
    case(
        "SMULS R0 R1 R2",
        |a, b, n| signed(a, n) * signed(b, n),
        Flags::Result(1),
    ),
    case("MUL R0 R3 R1 R2", |a, b, _| a * b, Flags::Kept),
    case("MULS R0 R3 R1 R2", |a, b, _| a * b, Flags::Result(2)),
    case(
        "SMUL R0 R3 R1 R2",
        |a, b, n| signed(a, n) * signed(b, n),
        Flags::Kept,
    ),
    case(
        "SMULS R0 R3 R1 R2",
        |a, b, n| signed(a, n) * signed(b, n),
        Flags::Result(2),
    ),
    case(
        "DIV R0 R1 R2",
        |a, b, _| if b == 0 { 0 } else { a / b },
        Flags::Kept,
    ),
    case(
        "SDIV R0 R1 R2",
        |a, b, n| signed(a, n).checked_div(signed(b, n)).unwrap_or(0),
        Flags::Kept,
    ),
    case(
        "LLS R0 R1 R2",
        |a, b, n| a << (b % i128::from(n)),
        Flags::Kept,
    ),
    case(
        "LRS R0 R1 R2",
        |a, b, n| a >> (b % i128::from(n)),
        Flags::Kept,
    ),
    case(
        "ARS R0 R1 R2",
        |a, b, n| signed(a, n) >> (b % i128::from(n)),
        Flags::Kept,
    ),
    case("LLS R0 R1 0", |a, _, _| a, Flags::Kept),
    case("LRS R0 R1 #15", |a, _, _| a >> 15, Flags::Kept),
    case("ARS R0 R1 7", |a, _, n| signed(a, n) >> 7, Flags::Kept),
    case("AND R0 R1 R2", |a, b, _| a & b, Flags::Kept),
    case("ANDS R0 R1 R2", |a, b, _| a & b, Flags::Result(1)),
    case("OR R0 R1 R2", |a, b, _| a | b, Flags::Kept),
    case("ORS R0 R1 R2", |a, b, _| a | b, Flags::Result(1)),
    case("XOR R0 R1 R2", |a, b, _| a ^ b, Flags::Kept),
    case("XORS R0 R1 R2", |a, b, _| a ^ b, Flags::Result(1)),
    case("ORN R0 R1 R2", |a, b, _| a | !b, Flags::Kept),
    case("ORNS R0 R1 R2", |a, b, _| a | !b, Flags::Result(1)),
    case("NOT R0 R1", |a, _, _| !a, Flags::Kept),
    case("NOTS R0 R1", |a, _, _| !a, Flags::Result(1)),
    case("RBIT R0 R1", |a, _, n| reversed(a, n, 1), Flags::Kept),
    case("REV R0 R1", |a, _, n| reversed(a, n, 8), Flags::Kept),
    case(
        "MOV R0 R1\nBFC R0 3 7",
        |a, _, _| a & !(0x7f << 3),
        Flags::Kept,
    ),
    case(
        "MOV R0 R1\nBFI R0 R2 5 11",
        |a, b, _| a & !(0x7ff << 5) | (b & 0x7ff) << 5,
        Flags::Kept,
    ),
];

/// N, Z, C, V after an instruction on operands of `n` bits; `before` it, those that it keeps.
fn flags(kind: Flags, a: i128, b: i128, result: i128, n: u32, before: [bool; 4]) -> [bool; 4] {
    let of = |n| (wrap(result, n) >> (n - 1) == 1, wrap(result, n) == 0);
    let outside = |x: i128| x != signed(x, n);
    let (sa, sb) = (signed(a, n), signed(b, n));
    match kind {
        Flags::Kept => before,
        Flags::Result(registers) => {
            let (negative, zero) = of(registers * n);
            [negative, zero, before[2], before[3]]
        }
        Flags::Sum => {
            let (negative, zero) = of(n);
            [negative, zero, a + b >= 1 << n, outside(sa + sb)]
        }
        Flags::Difference => {
            let (negative, zero) = of(n);
            [negative, zero, a >= b, outside(sa - sb)]
        }
    }
}

/// Pairs that carry, overflow, divide by zero and leave a width, then random ones.
fn operands(n: u32, count: usize, seed: u64) -> Vec<(i128, i128)> {
    let high = 1 << (n - 1);
    let edges = [
        0,
        1,
        2,
        high - 1,
        high,
        high + 1,
        2 * high - 1,
        0x55,
        15,
        16,
        31,
    ];
    let pairs = edges.iter().flat_map(|a| edges.map(|b| (*a, b)));
    let mut random = Random(seed);
    let more = std::iter::repeat_with(move || {
        let mut number = || wrap((random.next() >> (random.next() % 40)).into(), n);
        (number(), number())
    });
    pairs.chain(more).take(count).collect()
}

const FLAGS: [Flag; 4] = [Flag::Negative, Flag::Zero, Flag::Carry, Flag::Overflow];

#[test]
fn every_instruction_is_what_integers_say() {
    for n in [16, 32] {
        for case in &CASES {
            let program = program(&format!(".bits {n}\n{}\n", case.text));
            let fresh = interpreter(&program);
            let entry = program.entry_point();
            for (i, (a, b)) in operands(n, 600, 7).into_iter().enumerate() {
                let mut machine = fresh.clone();
                put(&mut machine, &program, "R1", a as u32);
                put(&mut machine, &program, "R2", b as u32);
                let before = std::array::from_fn(|k| i >> k & 1 == 1);
                for (flag, value) in FLAGS.into_iter().zip(before) {
                    machine.write_flag(flag, value);
                }
                machine.call(entry, &[], 100).unwrap();
                let place = || format!("{} of {a:#x}, {b:#x} in {n} bits", case.text);
                let result = (case.result)(a, b, n);
                assert_eq!(
                    get(&machine, &program, "R0"),
                    wrap(result, n),
                    "{}",
                    place()
                );
                if case.text.contains("R3") {
                    let high = wrap(result >> n, n);
                    assert_eq!(get(&machine, &program, "R3"), high, "{}", place());
                }
                let expected = flags(case.flags, a, b, result, n, before);
                let found = FLAGS.map(|flag| machine.read_flag(flag));
                assert_eq!(found, expected, "flags of {}", place());
            }
        }
    }
}

#[test]
fn every_instruction_is_the_same_on_secrets() {
    for n in [16, 32] {
        for case in &CASES {
            let program = program(&format!(".bits {n}\n{}\n", case.text));
            let pairs = operands(n, 121 + LANES, 11).split_off(121 - LANES / 2);
            let lanes = |first: bool| {
                let pick = |(a, b): &(i128, i128)| if first { *a } else { *b } as u128;
                let values: Vec<u128> = pairs.iter().take(LANES).map(pick).collect();
                spread(&values.try_into().unwrap(), n as usize)
            };
            let mut bits = lanes(true);
            let mut task = secret(&program, &["R1"]);
            if case.text.contains("R2") {
                task = secret(&program, &["R1", "R2"]);
                bits.extend(lanes(false));
            }
            let outcome = simulate(&program, &task, Profile::lookup_simulation(), &bits);
            for (lane, (a, b)) in pairs.iter().take(LANES).enumerate() {
                let result = (case.result)(*a, *b, n);
                let mut expected = vec![("R0".to_owned(), vec![wrap(result, n)])];
                if case.text.contains("R3") {
                    expected.push(("R3".to_owned(), vec![wrap(result >> n, n)]));
                }
                let found = values(&outcome, lane);
                assert_eq!(found, expected, "{} of {a:#x}, {b:#x}, {n} bits", case.text);
            }
        }
    }
}

/// Runs a program on clear data.
fn outcome(text: &str) -> Vec<(String, Vec<i128>)> {
    let program = program(text);
    let outcome = simulate(
        &program,
        &Task::default(),
        Profile::lookup_simulation(),
        &[],
    );
    values(&outcome, 0)
}

fn of(name: &str, value: i128) -> (String, Vec<i128>) {
    (name.to_owned(), vec![value])
}

#[test]
fn constants_stand_wherever_a_source_does() {
    for (text, result) in [
        ("ADD R0 40 2", 42),
        ("SUB R0 #1 2", 0xffff_ffff),
        ("MUL R0 -3 0x10", 0xffff_ffd0),
        ("LLS R0 1 31", 1 << 31),
        ("NOT R0 0b101", 0xffff_fffa),
        ("RBIT R0 1", 1 << 31),
        ("REV R0 0x11223344", 0x4433_2211),
        ("MOV R0 4294967295", 0xffff_ffff),
        ("MOV R0 -2147483648", 1 << 31),
        ("MOV R0 9\nBFI R0 6 1 3", 13),
    ] {
        assert_eq!(outcome(text), [of("R0", result)], "{text}");
    }
    assert_eq!(outcome(".bits 16\nMOV R0 -1"), [of("R0", 0xffff)]);
    assert_eq!(outcome(".bits 16\nRBIT R0 1"), [of("R0", 0x8000)]);
}

#[test]
fn every_condition_decides() {
    // Signed and unsigned order of (a, b), as in the architecture's table.
    type Holds = fn(i64, i64) -> bool;
    let holds: [(&str, Holds); 12] = [
        ("B_EQ", |a, b| a == b),
        ("B_NE", |a, b| a != b),
        ("B_CS", |a, b| a as u32 >= b as u32),
        ("b_hs", |a, b| a as u32 >= b as u32),
        ("B_CC", |a, b| (a as u32) < b as u32),
        ("B_LO", |a, b| (a as u32) < b as u32),
        ("B_HI", |a, b| a as u32 > b as u32),
        ("B_LS", |a, b| a as u32 <= b as u32),
        ("B_GE", |a, b| a >= b),
        ("B_LT", |a, b| a < b),
        ("B_GT", |a, b| a > b),
        ("B_LE", |a, b| a <= b),
    ];
    let numbers = [0, 1, -1, 7, i64::from(i32::MAX), i64::from(i32::MIN)];
    for (branch, holds) in holds {
        for (a, b) in numbers.iter().flat_map(|a| numbers.map(|b| (*a, b))) {
            let text = format!("CMP {a} {b}\n{branch} yes\nMOV R0 1\nHALT\nyes: MOV R0 2");
            let expected = if holds(a, b) { 2 } else { 1 };
            assert_eq!(outcome(&text), [of("R0", expected)], "{text}");
        }
    }
    for (branch, a, b, taken) in [
        ("B_MI", 1, 2, true),
        ("B_MI", 2, 1, false),
        ("B_PL", 2, 1, true),
        ("B_VS", i64::from(i32::MIN), 1, true),
        ("B_VS", 2, 1, false),
        ("B_VC", 2, 1, true),
        ("B_AL", 0, 0, true),
        ("B", 0, 0, true),
    ] {
        let text = format!("CMP {a} {b}\n{branch} yes\nMOV R0 1\nHALT\nyes: MOV R0 2");
        let expected = if taken { 2 } else { 1 };
        assert_eq!(outcome(&text), [of("R0", expected)], "{text}");
    }
}

#[test]
fn loads_and_stores_reach_words_arrays_and_memory() {
    let text = ".data table[4] = 10, 20, 30\n.data sum\n.memory 8 = 5, 6\n\
        MOV R1 2\nLOAD R0 table[R1]\nLOAD R2 table[1]\nLOAD R3 table\nLOAD R4 [R1]\nLOAD R5 1\n\
        ADD R0 R0 R2\nADD R0 R0 R3\nADD R0 R0 R4\nADD R0 R0 R5\nSTORE R0 sum\n\
        STORE R0 table[R1]\nSTORE R1 [7]\nSTORE R1 other";
    for bits in [16, 32] {
        let found = outcome(&format!(".bits {bits}\n{text}"));
        let expected = [
            ("table".to_owned(), vec![10, 20, 66, 0]),
            of("sum", 66),
            ("MEMORY".to_owned(), vec![5, 6, 0, 0, 0, 0, 0, 2]),
            of("other", 2),
        ];
        assert_eq!(found, expected, "{bits} bits");
    }
}

#[test]
fn many_registers_and_far_data_are_reached() {
    let text = "MOV R4095 7\nSTORE R4095 far[7999]\nLOAD R0 far[7999]\nADD R2000 R0 R4095\n\
        STORE R2000 near";
    for bits in [16, 32] {
        let text = format!(".bits {bits}\n.registers 4096\n.data far[20000]\n.data near\n{text}");
        let found = outcome(&text);
        assert_eq!(found[0].1[7999], 7);
        assert_eq!(found[1], of("near", 14));
    }
}

#[test]
fn a_loop_as_the_paper_writes_it() {
    let text = "MOV R0 R0 42\nLoop_label:\nSUBS R0 R0 1\nB_NE Loop_label\n";
    let program = program(text);
    let plan = plan(&program, &Task::default(), &Profile::lookup_simulation()).unwrap();
    assert_eq!(plan.total().bootstraps, 0);
    assert_eq!(outcome(text), [of("R0", 0)]);
}

#[test]
fn an_undefined_label_is_an_error_only_where_it_is_taken() {
    let text = "MOV R0 R0 1\nSUBS R0 R0 1\nB_NE ADDRESS_LABEL\n";
    let given = program(text);
    let warnings: Vec<String> = given.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "3:6: the label 'ADDRESS_LABEL' is not defined: the run ends with an error if it goes there"
        ]
    );
    assert_eq!(outcome(text), [of("R0", 0)]);
    let taken = program("MOV R0 2\nSUBS R0 R0 1\nB_NE ADDRESS_LABEL");
    let error = plan(&taken, &Task::default(), &Profile::lookup_simulation()).unwrap_err();
    let RunError::NotExecutable { place, from } = &error else {
        panic!("{error}");
    };
    let symbol = &place.symbol.as_ref().unwrap().0;
    assert_eq!(symbol, "ADDRESS_LABEL, a label that is not defined");
    let line = from.as_ref().unwrap().place.line.clone();
    assert_eq!(line, Some(("test.hea".to_owned(), 3)));
}

#[test]
fn errors_of_a_run_name_the_line() {
    let program = program("; a comment\nLOAD R0 secret_word\nCMP R0 3\n\nB_LT less\nless:\n");
    let task = secret(&program, &["secret_word"]);
    let plan = plan(&program, &task, &Profile::lookup_simulation()).unwrap();
    let blindcore_processor::Finding::Branch(site) = &plan.findings[0] else {
        panic!("{:?}", plan.findings);
    };
    assert_eq!(site.place.line, Some(("test.hea".to_owned(), 5)));
    assert_eq!(site.place.symbol.as_ref().unwrap().0, "start");
}

/// Both paths of a branch on a secret are executed, where they rejoin.
#[test]
fn a_secret_branch_is_selected_from() {
    let text = "LOAD R0 a\nLOAD R1 b\nCMP R0 R1\nB_HI done\nMOV R0 R1\ndone: STORE R0 largest";
    for bits in [16, 32] {
        let program = program(&format!(".bits {bits}\n{text}"));
        let mut task = secret(&program, &["a", "b"]);
        task.branches.both = Some(100);
        let pairs = operands(bits, LANES, 5);
        let lanes = |pick: fn(&(i128, i128)) -> i128| {
            let values: Vec<u128> = pairs.iter().map(|pair| pick(pair) as u128).collect();
            spread(&values.try_into().unwrap(), bits as usize)
        };
        let secrets = [lanes(|pair| pair.0), lanes(|pair| pair.1)].concat();
        let outcome = simulate(&program, &task, Profile::lookup_simulation(), &secrets);
        for (lane, (a, b)) in pairs.iter().enumerate() {
            assert_eq!(values(&outcome, lane), [of("largest", *a.max(b))]);
        }
    }
}

#[test]
fn execution_begins_at_main_and_variables_have_types() {
    let text = ".bits 16\n.data main = 3\n.data list[2]\nMOV R0 1\nLOAD R1 main\nADD R0 R0 R1\n";
    assert_eq!(outcome(text), [of("R0", 4), of("R1", 3)]);
    assert_eq!(outcome("MOV R0 1\nmain:\nMOV R1 5"), [of("R1", 5)]);
    let program = program(text);
    let ty = |name: &str| program.variable(name).unwrap().type_or_bytes().to_string();
    assert_eq!(ty("R31"), "u16");
    assert_eq!(ty("list"), "u16[2]");
    assert!(program.variable("R32").is_err());
}

#[test]
fn a_text_that_is_no_assembly_says_so() {
    let error = Program::load(b"int main(void)\n{ return 0; }\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "as HE assembly: line 1, column 9: '(' means nothing here; a comment begins with ; or //. \
         There is one more error: `blindcore assembly check` shows both"
    );
    assert!(matches!(error, LoadError::Assembly { errors } if errors.len() == 2));
    assert_eq!(Program::load(b" \n").unwrap_err(), LoadError::NotElf);
    assert_eq!(Program::load(b"ADD\0").unwrap_err(), LoadError::NotElf);
}

/// What the circuits of single instructions cost on secrets: as much as the operation alone does.
#[test]
fn instructions_cost_what_their_operations_do() {
    let lookups = |bits: u32, text: &str| {
        let program = program(&format!(".bits {bits}\n{text}"));
        let names: &[&str] = if text.contains("R2") {
            &["R1", "R2"]
        } else {
            &["R1"]
        };
        let task = secret(&program, names);
        let plan = plan(&program, &task, &Profile::lookup_simulation()).unwrap();
        plan.total().bootstraps
    };
    for (text, half, word) in [
        ("ADD R0 R1 R2", 6, 11),
        ("ADDS R0 R1 R2", 6, 11),
        ("SUB R0 R1 R2", 6, 11),
        ("SUBS R0 R1 R2", 6, 11),
        ("MUL R0 R1 R2", 51, 146),
        ("MULS R0 R1 R2", 51, 146),
        ("MUL R0 R3 R1 R2", 94, 270),
        ("SMUL R0 R3 R1 R2", 98, 272),
        ("DIV R0 R1 R2", 117, 406),
        ("SDIV R0 R1 R2", 140, 453),
        ("LLS R0 R1 R2", 18, 43),
        ("LRS R0 R1 R2", 16, 43),
        ("ARS R0 R1 R2", 16, 43),
        ("LLS R0 R1 5", 0, 0),
        ("AND R0 R1 R2", 8, 16),
        ("XORS R0 R1 R2", 8, 16),
        ("ORN R0 R1 R2", 8, 16),
        ("NOT R0 R1", 0, 0),
        ("MOV R0 R1", 0, 0),
        ("RBIT R0 R1", 0, 0),
        ("REV R0 R1", 0, 0),
        ("BFC R1 3 7", 0, 0),
        ("BFI R1 R2 5 11", 0, 0),
    ] {
        assert_eq!(
            (lookups(16, text), lookups(32, text)),
            (half, word),
            "{text}"
        );
    }
}

#[test]
fn clear_registers_stay_clear() {
    let program = program("LOAD R1 a\nMOV R2 3\nADD R3 R2 4\nADD R4 R1 R3\nSTORE R4 b\nSTORE R3 c");
    let task = secret(&program, &["a"]);
    let bits = spread(&[5; LANES], 32);
    let outcome = simulate(&program, &task, Profile::lookup_simulation(), &bits);
    let c = outcome
        .outputs
        .iter()
        .find(|output| output.name == "c")
        .unwrap();
    assert!(c.bits.iter().all(|bit| matches!(bit, Bit::Clear(_))));
    assert_eq!(values(&outcome, 3), [of("b", 12), of("c", 7)]);
}
