//! What `Program::load` reads from compiled files, and what it refuses.

use blindcore_processor::{LoadError, Opacity, Passed, Program, SymbolError, Variable};

const TYPES: &[u8] = include_bytes!("programs/types.elf");
const CALLS: &[u8] = include_bytes!("programs/calls.elf");
const THUMB: &[u8] = include_bytes!("programs/thumb.elf");
const SHAPES: &[u8] = include_bytes!("programs/shapes.elf");
const CROWDED: &[u8] = include_bytes!("programs/crowded.elf");
const UNLINKED: &[u8] = include_bytes!("programs/unlinked.o");

fn ty(variable: &Variable) -> String {
    variable
        .ty
        .as_ref()
        .map_or("?".to_owned(), ToString::to_string)
}

#[test]
fn variables_have_the_types_of_the_source() {
    let program = Program::load(TYPES).unwrap();
    for (name, expected) in [
        ("a_u8", "u8"),
        ("a_i8", "i8"),
        ("a_u16", "u16"),
        ("a_i16", "i16"),
        ("a_u32", "u32"),
        ("a_i32", "i32"),
        ("a_u64", "u64"),
        ("a_i64", "i64"),
        ("a_bool", "bool"),
        ("a_text", "char[16]"),
        ("a_port", "u16"),
        ("a_colour", "u8"),
        ("a_matrix", "i8[3][4]"),
        ("a_pointer", "u32"),
        ("a_constant", "u32"),
        ("declared", "u32[3]"),
        ("count", "u32"),
        ("a_point", "?"),
        ("an_either", "?"),
        ("a_point.y", "i16"),
        ("a_rows[1].at[0].y", "i16"),
        ("a_rows[1].value", "u64"),
    ] {
        let variable = program.variable(name).unwrap();
        assert_eq!(ty(variable), expected, "{name}");
        if let Some(ty) = &variable.ty {
            assert_eq!(ty.size(), variable.size, "{name}");
        }
    }
    let rows = program.variable("a_rows").unwrap();
    assert_eq!((rows.size, rows.leaves().len()), (48, 12));
    let value = program.variable("a_rows[1].value").unwrap();
    assert_eq!(value.address, rows.address + 24 + 16);
    assert_eq!(
        program
            .variable("an_either")
            .unwrap()
            .type_or_bytes()
            .to_string(),
        "raw[4]"
    );
}

#[test]
fn functions_have_their_signatures() {
    let program = Program::load(CALLS).unwrap();
    let signature = |name: &str| {
        let function = program.function(name).unwrap();
        let parameters = function.parameters.as_ref().unwrap();
        let parameters: Vec<_> = parameters
            .iter()
            .map(|p| format!("{}: {}", p.name, p.element))
            .collect();
        let result = function
            .result
            .as_ref()
            .map_or("void".to_owned(), |result| result.to_string());
        format!("({}) {result}", parameters.join(", "))
    };
    assert_eq!(signature("score"), "(income: i32, debt: i32) i32");
    assert_eq!(
        signature("mixed"),
        "(a: u8, b: u64, c: i16, d: u32, e: i64) u64"
    );
    assert_eq!(signature("near"), "(a: i8, b: i8) bool");
    assert_eq!(signature("nothing"), "() void");
    assert_eq!(signature("main"), "() i32");
}

#[test]
fn places_have_symbols_and_lines() {
    let program = Program::load(CALLS).unwrap();
    let score = program.function("score").unwrap();
    let place = program.place(score.address + 4);
    assert_eq!(place.symbol, Some(("score".to_owned(), 4)));
    let (file, line) = place.line.unwrap();
    assert!(
        file.ends_with("calls.c") && (8..=11).contains(&line),
        "{file}:{line}"
    );
    let nowhere = program.place(0x1000_0000);
    assert_eq!((nowhere.symbol, nowhere.line), (None, None));
    assert_eq!(program.words(score).count() as u32, score.size / 4);
}

#[test]
fn names_that_do_not_exist_bring_near_ones() {
    let program = Program::load(TYPES).unwrap();
    assert_eq!(
        program.variable("a_matrx"),
        Err(SymbolError::Unknown {
            kind: "variable",
            name: "a_matrx".to_owned(),
            nearest: Some("a_matrix".to_owned()),
            merged: false,
        })
    );
    assert_eq!(
        program.function("entirely_else").unwrap_err().to_string(),
        "the program has no function 'entirely_else'"
    );
}

#[test]
fn a_stripped_program_still_loads() {
    // Without section headers there are no symbols.
    let mut bytes = TYPES.to_vec();
    bytes[0x20..0x24].fill(0);
    bytes[0x30..0x34].fill(0);
    let program = Program::load(&bytes).unwrap();
    assert!(program.variables().is_empty() && program.functions().is_empty());
    assert_eq!(program.segments().len(), 2);
}

fn patched(offset: usize, bytes: &[u8]) -> Result<Program, LoadError> {
    let mut file = TYPES.to_vec();
    file[offset..offset + bytes.len()].copy_from_slice(bytes);
    Program::load(&file)
}

/// Offset of the first program header's field.
fn segment(field: usize) -> usize {
    let header = u32::from_le_bytes(TYPES[0x1c..0x20].try_into().unwrap()) as usize;
    let kind = |at: usize| u32::from_le_bytes(TYPES[at..at + 4].try_into().unwrap());
    (0..8)
        .map(|i| header + 32 * i)
        .find(|at| kind(*at) == 1)
        .unwrap()
        + field
}

#[test]
fn files_that_are_no_a32_programs_are_refused_by_reason() {
    let refused = |bytes: &[u8]| Program::load(bytes).unwrap_err();
    assert_eq!(refused(b""), LoadError::NotElf);
    assert_eq!(refused(b"\x7fEL"), LoadError::NotElf);
    assert!(matches!(
        refused(b"#!/bin/sh\nexit 0\n"),
        LoadError::Assembly { .. }
    ));
    assert_eq!(patched(4, &[2]).unwrap_err(), LoadError::NotThirtyTwoBit);
    assert_eq!(patched(5, &[2]).unwrap_err(), LoadError::BigEndian);
    assert_eq!(
        patched(18, &[3]).unwrap_err(),
        LoadError::NotArm { machine: 3 }
    );
    assert_eq!(
        patched(16, &[3]).unwrap_err(),
        LoadError::NotExecutable { kind: 3 }
    );
    assert_eq!(refused(UNLINKED), LoadError::NotLinked);
    let thumb = refused(THUMB);
    assert!(matches!(&thumb, LoadError::Thumb { symbol: Some(name), .. } if name == "main"));
    assert!(thumb.to_string().contains("-marm"), "{thumb}");
    assert_eq!(
        refused(&TYPES[..200]),
        LoadError::Truncated { address: 0x8000 }
    );
    let cut = refused(&TYPES[..TYPES.len() - 20]);
    assert!(matches!(cut, LoadError::Malformed { .. }), "{cut}");
}

#[test]
fn absurd_segments_are_refused_before_anything_is_allocated() {
    let size = segment(20);
    assert!(matches!(
        patched(size, &u32::MAX.to_le_bytes()),
        Err(LoadError::OutsideAddressSpace {
            address: 0x8000,
            size: u32::MAX
        })
    ));
    assert!(matches!(
        patched(size, &0x7000_0000u32.to_le_bytes()),
        Err(LoadError::TooLarge {
            bytes: 0x7000_0000,
            ..
        })
    ));
    assert!(matches!(
        patched(size, &0x2000u32.to_le_bytes()),
        Err(LoadError::Overlap { first: 0x8000, .. })
    ));
    assert!(matches!(
        patched(segment(4), &0x7fff_ff00u32.to_le_bytes()),
        Err(LoadError::Truncated { address: 0x8000 })
    ));
    assert!(matches!(
        patched(size, &4u32.to_le_bytes()),
        Err(LoadError::Malformed { .. })
    ));
}

#[test]
fn members_have_their_types_and_places() {
    let program = Program::load(SHAPES).unwrap();
    let mixed = program.variable("a_mixed").unwrap();
    let fields: Vec<_> = mixed
        .leaves()
        .iter()
        .map(|field| {
            let name = field.name.strip_prefix("a_mixed.").unwrap();
            let offset = field.address - mixed.address;
            (
                name,
                offset,
                field.type_or_bytes().to_string(),
                field.opacity,
            )
        })
        .collect();
    let field = |name, offset, ty: &str, opacity| (name, offset, ty.to_owned(), opacity);
    assert_eq!(
        fields,
        [
            field("tag", 0, "u8", None),
            field("low", 1, "u32:3", None),
            field("high", 1, "u32:5", None),
            field("wide", 2, "u32:9", None),
            field("inner", 4, "i16", None),
            field("other", 6, "i16", None),
            field("word", 8, "u32", None),
            field("bytes", 8, "u8[4]", None),
            field("ratio", 12, "f32", None),
            field("last", 16, "i32", None),
        ]
    );
    let float = program.variable("a_float").unwrap();
    assert_eq!((ty(float).as_str(), float.opacity), ("f32", None));
    let shift = |name: &str| program.variable(name).unwrap().shift;
    assert_eq!((shift("a_mixed.low"), shift("a_mixed.high")), (0, 3));
    let deep = program.variable("deep").unwrap();
    assert_eq!((ty(deep).as_str(), deep.leaves().len()), ("?", 1));
    assert_eq!(ty(&deep.fields[0]), "u32[1][1][1][1][1][1][1][2]");
}

#[test]
fn functions_that_pass_more_than_numbers_say_so() {
    let program = Program::load(SHAPES).unwrap();
    let unsupported = |name: &str| program.function(name).unwrap().unsupported.clone();
    assert_eq!(unsupported("counted"), None);
    let result = |opacity| Some((Passed::Result, opacity));
    assert_eq!(unsupported("paired"), result(Opacity::Structure));
    assert_eq!(unsupported("halved"), result(Opacity::Float));
    let parameter = Passed::Parameter("x".to_owned());
    assert_eq!(unsupported("scaled"), Some((parameter, Opacity::Float)));
}

#[test]
fn names_that_occur_twice_are_told_apart() {
    let program = Program::load(SHAPES).unwrap();
    // The global comes before the one inside a function.
    let count = program.variable("count").unwrap();
    assert!(count.global && count.name == "count");
    let ambiguous = |name: &str| match program.variable(name) {
        Err(SymbolError::Ambiguous { candidates, .. }) => candidates,
        other => panic!("{other:?}"),
    };
    let ticks = ambiguous("tick");
    assert_eq!(ticks.len(), 2);
    assert!(
        ticks.iter().all(|tick| tick.starts_with("tick.")),
        "{ticks:?}"
    );
    let states = ambiguous("state");
    assert_eq!(states.len(), 2);
    for candidate in ticks.iter().chain(&states) {
        let found = program.variable(candidate).unwrap();
        assert!(candidate.starts_with(&found.name), "{candidate}");
    }
    let message = program.variable("state").unwrap_err().to_string();
    assert_eq!(
        message,
        format!(
            "several static variables are called 'state': write {} or {}",
            states[0], states[1]
        )
    );
}

#[test]
fn few_bytes_that_describe_many_members_cost_nothing() {
    let program = Program::load(CROWDED).unwrap();
    let forest = program.variable("forest").unwrap();
    assert!(forest.fields.is_empty());
    let holes = program.variable("full_of_holes").unwrap();
    assert_eq!((holes.size, holes.fields.len()), (64 << 20, 0));
}

/// Clang lays small variables into one object; each is found all the same, by its own name and type.
#[test]
fn merged_variables_are_told_apart() {
    let program = Program::load(include_bytes!("programs/merged.elf")).unwrap();
    let names: Vec<&str> = program
        .variables()
        .iter()
        .map(|variable| &*variable.name)
        .collect();
    assert!(
        names.iter().all(|name| !name.contains("Merged")),
        "{names:?}"
    );
    for (name, ty, size, global) in [
        ("a", "i32", 4, true),
        ("b", "i32", 4, true),
        ("result", "u32", 4, true),
        ("first", "i32", 4, false),
        ("second", "i32", 4, false),
        ("flags", "u8[3]", 3, false),
    ] {
        let variable = program.variable(name).unwrap();
        let found = variable.ty.as_ref().map(ToString::to_string);
        assert_eq!(
            (found.as_deref(), variable.size),
            (Some(ty), size),
            "{name}"
        );
        assert_eq!(variable.global, global, "{name}");
        assert!(!variable.is_merged());
    }
    let places: Vec<u32> = ["first", "a", "flags"]
        .iter()
        .map(|name| program.variable(name).unwrap().address)
        .collect();
    assert!(places[0] != places[1] && places[1] != places[2]);

    // Where static variables have no symbols of their own, debugging information has them.
    let program = Program::load(include_bytes!("programs/hidden.elf")).unwrap();
    let second = program.variable("second").unwrap();
    assert_eq!(
        second.ty.as_ref().map(ToString::to_string).as_deref(),
        Some("i32")
    );
    assert!(!second.global);
    // Without either, the way out is said.
    let program = Program::load(include_bytes!("programs/nameless.elf")).unwrap();
    assert!(
        program
            .variables()
            .iter()
            .any(|variable| variable.is_merged())
    );
    let error = program.variable("second").unwrap_err().to_string();
    assert!(
        error.contains("-g") && error.contains("-mno-global-merge"),
        "{error}"
    );
}
