//! Loads and stores at secret addresses: sixty-four random indexes at a time against the plain
//! interpreter; what lies beyond an object; refusals.

use crate::simulated;

use blindcore_processor::{
    ASTRAY as ASTRAY_OUTPUT, Entry, Finding, Object, Outcome, Plan, Program, RunError, Task,
    Wanted, plan,
};
use circuits::Profile;
use simulated::{LANES, Random, agrees, gather, secret, simulate, spread, with_window};

const TABLES: &[u8] = include_bytes!("programs/tables.elf");

/// Values that keep every index of the program in range.
fn in_range(name: &str, random: u64) -> u64 {
    match name {
        "i16" => random % 16,
        "j12" | "wide" => random % 12,
        "n5" => random % 5,
        "k10" => random % 10,
        "from1" => 1 + random % 10,
        _ => random,
    }
}

const INDEXES: [&str; 7] = ["i16", "j12", "n5", "k10", "from1", "wide", "value"];

#[test]
fn secret_indexes_into_clear_data() {
    agrees(TABLES, &INDEXES, 1, in_range);
}

#[test]
#[ignore = "slow: 7 s"]
fn secret_indexes_into_secret_data() {
    let mut names = INDEXES.to_vec();
    names.extend([
        "before", "words", "bytes", "halves", "doubles", "records", "grid",
    ]);
    agrees(TABLES, &names, 2, in_range);
}

const ASTRAY: &[u8] = include_bytes!("programs/astray.elf");
const TABLE: usize = 40;

/// What one function of the fixture does: an access of `words` pieces of `size` bytes each, at
/// `scale · at + offset` bytes into the table.
struct Access {
    name: &'static str,
    scale: i64,
    offset: i64,
    size: usize,
    words: usize,
    signed: bool,
    store: bool,
    /// Only where the flag is below 100.
    conditional: bool,
    /// Only at multiples of four.
    aligned: bool,
}

const fn load(name: &'static str, scale: i64, offset: i64, size: usize) -> Access {
    Access {
        name,
        scale,
        offset,
        size,
        words: 1,
        signed: false,
        store: false,
        conditional: false,
        aligned: false,
    }
}

const fn store(name: &'static str, scale: i64, size: usize) -> Access {
    Access {
        store: true,
        ..load(name, scale, 0, size)
    }
}

const fn several(access: Access, words: usize) -> Access {
    Access {
        words,
        aligned: true,
        ..access
    }
}

const fn signed(access: Access) -> Access {
    Access {
        signed: true,
        ..access
    }
}

const fn conditional(access: Access) -> Access {
    Access {
        conditional: true,
        ..access
    }
}

const ACCESSES: [Access; 20] = [
    load("ldr_", 4, 0, 4),
    load("ldrb_", 1, 0, 1),
    signed(load("ldrsb_", 1, 0, 1)),
    load("ldrh_", 2, 0, 2),
    signed(load("ldrsh_", 2, 4, 2)),
    several(load("ldrd_", 8, 0, 4), 2),
    several(load("ldm_", 4, 4, 4), 3),
    load("ldr_bytes_", 1, 0, 4),
    several(load("ldrd_bytes_", 1, 0, 4), 2),
    conditional(load("ldrlo_", 4, 0, 4)),
    load("ldr_minus_", -4, 36, 4),
    store("str_", 4, 4),
    store("strb_", 1, 1),
    store("strh_", 2, 2),
    several(store("strd_", 8, 4), 2),
    several(store("stm_", 4, 4), 3),
    store("str_bytes_", 1, 4),
    conditional(store("strlo_", 4, 4)),
    conditional(store("strblo_", 1, 1)),
    conditional(store("strh_bytes_lo_", 1, 2)),
];

impl Access {
    /// The result's words and the table afterwards, and whether a byte was beyond the table.
    fn carry_out(
        &self,
        at: u32,
        flag: u32,
        result: &mut [u32; 4],
        table: &mut [u8; TABLE],
    ) -> bool {
        if self.conditional && flag >= 100 {
            return false;
        }
        let mut beyond = false;
        let first = (i64::from(at) * self.scale + self.offset) as u32;
        for (word, value) in result.iter_mut().enumerate().take(self.words) {
            let begin = first.wrapping_add(4 * word as u32);
            let allowed = !self.aligned || begin.is_multiple_of(4);
            let place = |byte: usize| {
                let place = begin.wrapping_add(byte as u32) as usize;
                (allowed && place < TABLE).then_some(place)
            };
            beyond |= (0..self.size).any(|byte| place(byte).is_none());
            if self.store {
                for byte in 0..self.size {
                    if let Some(place) = place(byte) {
                        table[place] = value.to_le_bytes()[byte];
                    }
                }
                continue;
            }
            let mut bytes = [0; 4];
            for (byte, read) in bytes.iter_mut().enumerate().take(self.size) {
                *read = place(byte).map_or(0, |place| table[place]);
            }
            *value = u32::from_le_bytes(bytes);
            if self.signed {
                let unused = 32 - 8 * self.size as u32;
                *value = ((*value << unused).cast_signed() >> unused).cast_unsigned();
            }
        }
        if self.name == "ldm_" {
            result[3] = at.wrapping_mul(4).wrapping_add(12);
        }
        beyond
    }
}

/// In range, just beyond on either side, anywhere.
fn index(random: &mut Random) -> u32 {
    let small = (random.next() % 48) as u32;
    match random.next() % 8 {
        0 => small.wrapping_sub(8),
        1 => random.next() as u32,
        2 => small | 1 << 31,
        3 => 1 << (random.next() % 32),
        4 => small & 15,
        _ => small,
    }
}

fn entered(program: &Program, names: &[&str], entry: &str) -> Task {
    Task {
        entry: Entry::Symbol(entry.to_owned()),
        ..secret(program, names)
    }
}

fn of_lane(outcome: &Outcome<u64>, name: &str, lane: usize) -> Vec<u8> {
    let found = outcome.outputs.iter().find(|output| output.name == name);
    values::bytes_of(&gather(&found.unwrap().bits, lane))
}

#[test]
#[ignore = "slow: 2 s"]
fn beyond_the_object_loads_give_zero_and_stores_do_nothing() {
    let program = Program::load(ASTRAY).unwrap();
    let mut random = Random(3);
    for access in &ACCESSES {
        let mut task = entered(&program, &["at", "flag", "result", "table"], access.name);
        let wanted = ["below", "table", "above", "result"];
        let wanted = wanted.map(|name| program.variable(name).unwrap().clone());
        task.wanted = Wanted::Variables(wanted.to_vec());
        let at: [u128; LANES] = std::array::from_fn(|_| index(&mut random).into());
        let flag: [u128; LANES] = std::array::from_fn(|_| (random.next() % 200).into());
        let result: Vec<[u128; LANES]> = (0..4)
            .map(|_| std::array::from_fn(|_| (random.next() as u32).into()))
            .collect();
        let table: Vec<[u128; LANES]> = (0..TABLE)
            .map(|_| std::array::from_fn(|_| (random.next() as u8).into()))
            .collect();
        let mut bits = spread(&at, 32);
        bits.extend(spread(&flag, 32));
        bits.extend(result.iter().flat_map(|word| spread(word, 32)));
        bits.extend(table.iter().flat_map(|byte| spread(byte, 8)));
        for (window, profile) in [
            (usize::MAX, Profile::lookup_simulation()),
            (1, Profile::lookup_simulation()),
            (usize::MAX, Profile::selector_simulation()),
            (1, Profile::selector_simulation()),
            (usize::MAX, Profile::gate_simulation()),
        ] {
            let outcome = simulate(&program, &with_window(&task, window), profile, &bits);
            for lane in 0..LANES {
                let mut words = std::array::from_fn(|i| result[i][lane] as u32);
                let mut bytes = std::array::from_fn(|i| table[i][lane] as u8);
                let beyond =
                    access.carry_out(at[lane] as u32, flag[lane] as u32, &mut words, &mut bytes);
                let words: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let place = format!("{} at {:#x} in lane {lane}", access.name, at[lane]);
                assert_eq!(of_lane(&outcome, "result", lane), words, "{place}");
                assert_eq!(of_lane(&outcome, "table", lane), bytes, "{place}");
                let astray = of_lane(&outcome, ASTRAY_OUTPUT, lane);
                assert_eq!(astray, [u8::from(beyond)], "{place}");
                for canary in ["below", "above"] {
                    assert_eq!(of_lane(&outcome, canary, lane), [0xc5; 16], "{place}");
                }
            }
        }
    }
}

fn planned(entry: &str, objects: &[Object]) -> Result<Plan, RunError> {
    let program = Program::load(ASTRAY).unwrap();
    let mut task = entered(&program, &["at", "flag", "result"], entry);
    task.objects = objects.to_vec();
    plan(&program, &task, &Profile::lookup_simulation())
}

#[test]
fn addresses_of_no_object_are_refused_by_name() {
    for (entry, access) in [
        ("nowhere_", blindcore_processor::Access::Load),
        ("nowhere_store_", blindcore_processor::Access::Store),
    ] {
        let found = planned(entry, &[]).unwrap();
        let [Finding::Address(site, found)] = &found.findings[..] else {
            panic!("{:?}", found.findings)
        };
        assert_eq!(*found, access);
        assert_eq!(site.place.symbol.as_ref().unwrap().0, entry);
    }
    let RunError::LargeObject { bytes, limit, .. } = planned("huge", &[]).unwrap_err() else {
        panic!("no error of size")
    };
    assert_eq!((bytes, limit), (70_000, 65_536));
    let frozen = planned("frozen_", &[]).unwrap_err();
    assert!(matches!(frozen, RunError::ReadOnly { .. }), "{frozen}");
}

#[test]
fn an_object_that_is_named_is_selected_over() {
    let program = Program::load(ASTRAY).unwrap();
    let big = program.variable("big").unwrap().address;
    let object = Object {
        address: big,
        size: 24,
    };
    let plan = planned("huge", &[object]).unwrap();
    assert!(plan.is_runnable());
    let [selection] = &plan.selections[..] else {
        panic!("{:?}", plan.selections)
    };
    assert_eq!((selection.times, selection.bytes), (1, 1));
    let [reached] = &selection.objects[..] else {
        panic!("{selection:?}")
    };
    assert_eq!((reached.address, reached.size), (big, 24));
}

#[test]
fn plans_tell_each_access_once_with_its_object_and_cost() {
    let plan = planned("str_", &[]).unwrap();
    let [selection] = &plan.selections[..] else {
        panic!("{:?}", plan.selections)
    };
    assert_eq!(selection.access, blindcore_processor::Access::Store);
    assert_eq!((selection.times, selection.bytes), (1, 4));
    let names: Vec<_> = selection
        .objects
        .iter()
        .map(|o| (o.name.as_str(), o.size))
        .collect();
    assert_eq!(names, [("table", 40)]);
    assert!(
        selection.operations > 10 && selection.operations < 200,
        "{selection:?}"
    );
    // A run has no other cost than what is planned.
    assert!(plan.total().bootstraps >= selection.operations / 2);
}

const AES: &[u8] = include_bytes!("../../../examples/aes/aes.elf");
const HISTOGRAM: &[u8] = include_bytes!("../../../examples/histogram/histogram.elf");

#[test]
#[ignore = "slow: 2 s"]
fn a_cipher_with_a_table_gives_its_published_answers() {
    let program = Program::load(AES).unwrap();
    let task = secret(&program, &["key", "plain"]);
    // FIPS 197, appendices B and C.1, in alternate lanes.
    let keys: [u128; 2] = [
        0x2b7e1516_28aed2a6_abf71588_09cf4f3c,
        0x00010203_04050607_08090a0b_0c0d0e0f,
    ];
    let plains: [u128; 2] = [
        0x3243f6a8_885a308d_313198a2_e0370734,
        0x00112233_44556677_8899aabb_ccddeeff,
    ];
    let ciphers: [u128; 2] = [
        0x3925841d_02dc09fb_dc118597_196a0b32,
        0x69c4e0d8_6a7b0430_d8cdb780_70b4c55a,
    ];
    let lanes = |values: [u128; 2]| -> [u128; LANES] {
        std::array::from_fn(|lane| values[lane % 2].swap_bytes())
    };
    let mut bits = spread(&lanes(keys), 128);
    bits.extend(spread(&lanes(plains), 128));
    let profile = Profile::lookup_simulation();
    let outcome = simulate(&program, &task, profile.clone(), &bits);
    for lane in 0..LANES {
        let expected = ciphers[lane % 2].to_be_bytes();
        assert_eq!(of_lane(&outcome, "cipher", lane), expected, "lane {lane}");
    }
    // 200 bytes are looked up: 160 of the state, 40 of the keys, at 29 operations each.
    let plan = plan(&program, &task, &profile).unwrap();
    let times: u64 = plan
        .selections
        .iter()
        .map(|selection| selection.times)
        .sum();
    let operations: usize = plan.selections.iter().map(|s| s.operations).sum();
    println!(
        "{} instructions, {} bootstraps",
        plan.instructions,
        plan.total().bootstraps
    );
    assert_eq!((times, operations), (200, 29 * 200));
}

#[test]
#[ignore = "slow: 2 s"]
fn counts_go_into_secret_classes() {
    agrees(HISTOGRAM, &["readings"], 4, |_, random| random % 256);
    let program = Program::load(HISTOGRAM).unwrap();
    let task = secret(&program, &["readings"]);
    let plan = plan(&program, &task, &Profile::lookup_simulation()).unwrap();
    for selection in &plan.selections {
        println!("{selection:?}");
    }
    println!(
        "{} instructions, {} bootstraps",
        plan.instructions,
        plan.total().bootstraps
    );
    let mut names: Vec<_> = plan
        .selections
        .iter()
        .flat_map(|selection| &selection.objects)
        .map(|object| object.name.as_str())
        .collect();
    names.dedup();
    assert_eq!(names, ["histogram", "limits"]);
}
