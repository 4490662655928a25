//! Structures as JSON and CSV: random ones by a compiler, filled at random, written as `decrypt`
//! writes them and read as `encrypt` reads them. Each bit must come back.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use blindcore_session::program::{Row, bits_of_whole};
use blindcore_session::{ErrorKind, Program};
use processor::{Element, Type, Variable};
use values::{bits_of, bytes_of};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// The members of a structure.
fn members(random: &mut Random, depth: u32) -> String {
    let mut text = String::new();
    for member in 0..1 + random.below(5) {
        let name = format!("m{member}");
        text += &match random.below(if depth > 0 { 12 } else { 9 }) {
            0 => format!("float {name}; "),
            1 => format!("double {name}[{}]; ", 1 + random.below(3)),
            2 => format!("_Bool {name}; "),
            3 => format!("char {name}[{}]; ", 1 + random.below(9)),
            4 => format!("enum colour {name}; "),
            5 => format!("unsigned {name} : {}; ", 1 + random.below(31)),
            6 => format!("signed char {name}[2][{}]; ", 1 + random.below(3)),
            7 => format!("long long {name}; "),
            8 => format!("unsigned short {name}; "),
            9 => format!("struct {{ {}}} {name}; ", members(random, depth - 1)),
            10 => format!(
                "struct {{ {}}} {name}[{}]; ",
                members(random, depth - 1),
                1 + random.below(3)
            ),
            _ => format!("union {{ unsigned word; unsigned char bytes[4]; short half; }} {name}; "),
        };
    }
    text
}

fn program(folder: &Path, source: &str) -> Option<Program> {
    let path = folder.join("structures.c");
    std::fs::write(&path, source).unwrap();
    let elf = folder.join("structures.elf");
    let compiled = Command::new("arm-none-eabi-gcc")
        .args(["-g", "-O1", "-marm", "-march=armv7-a", "-ffreestanding"])
        .args(["-nostdlib", "-Wl,-e,main"])
        .args([&path, Path::new("-o"), &elf])
        .status();
    match compiled {
        // ./test installs it; elsewhere there may be none.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        compiled => {
            assert!(compiled.unwrap().success(), "{source}");
            Some(Program::load(&elf).unwrap())
        }
    }
}

/// Bits by their place in memory.
type Bits = BTreeMap<u64, bool>;

fn put(bits: &mut Bits, variable: &Variable, own: Vec<bool>) {
    let begin = 8 * u64::from(variable.address) + u64::from(variable.shift);
    bits.extend((begin..).zip(own));
}

/// Elements of a type at random, those left out that are not written as they are.
fn elements(random: &mut Random, ty: &Type) -> Vec<i128> {
    let values = (0..ty.elements()).map(|_| {
        let (low, high) = ty.range();
        let any = i128::from(random.next());
        let value = match random.below(4) {
            0 => [low, high, 0, 1][random.below(4) as usize].clamp(low, high),
            _ => low + any.rem_euclid(high - low + 1),
        };
        match ty.element() {
            Element::Float { bits: 32 } if f32::from_bits(value as u32).is_nan() => 0x8000_0000,
            Element::Float { bits: 64 } if f64::from_bits(value as u64).is_nan() => 1,
            // Text ends at its zeros, and is read back as bytes.
            Element::Character => value.rem_euclid(256),
            _ => value,
        }
    });
    values.collect()
}

/// A structure filled at random: what it holds, and its fields' values.
fn filled(random: &mut Random, variable: &Variable) -> (Bits, Vec<(String, Type, Vec<i128>)>) {
    let mut bits = Bits::new();
    for field in variable.leaves() {
        let ty = field.type_or_bytes();
        let bytes = ty.encode(&elements(random, &ty)).unwrap();
        let mut own = bits_of(&bytes);
        own.truncate(ty.bits());
        put(&mut bits, field, own);
    }
    // Members of a union are what is there in the end.
    let fields = variable.leaves().iter().map(|field| {
        let ty = field.type_or_bytes();
        let begin = 8 * u64::from(field.address) + u64::from(field.shift);
        let own: Vec<bool> = (begin..begin + ty.bits() as u64)
            .map(|place| bits[&place])
            .collect();
        let values = ty.decode(&bytes_of(&own));
        (field.name.clone(), ty, values)
    });
    let fields = fields.collect();
    (bits, fields)
}

/// The bits that values give, by their place.
fn given(program: &Program, texts: &[String]) -> Result<Bits, blindcore_session::Error> {
    let mut assignments = Vec::new();
    for text in texts {
        assignments.extend(program.assignments(text)?);
    }
    let row = Row::new(program, &assignments, None)?;
    let mut found = Bits::new();
    let mut rest = row.bits.as_slice();
    for variable in &row.variables {
        let (own, after) = rest.split_at(variable.kind.bits());
        rest = after;
        put(
            &mut found,
            program.image().variable(&variable.name).unwrap(),
            own.to_vec(),
        );
    }
    Ok(found)
}

fn document(fields: &[(String, Type, Vec<i128>)]) -> serde_json::Value {
    let fields = fields.iter();
    values::document(fields.map(|(name, ty, values)| (name.clone(), values::json(ty, values))))
}

#[test]
fn random_structures_come_back_from_json_and_csv() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(17);
    let mut source = String::from("enum colour { RED, GREEN = 7, BLUE = 200 };\n");
    for number in 0..12 {
        let text = members(&mut random, 2);
        source += &format!("struct {{ {text}}} one{number}, many{number}[3];\n");
    }
    source += "int main(void) { return 0; }\n";
    let Some(program) = program(folder.path(), &source) else {
        eprintln!("left out: there is no arm-none-eabi-gcc");
        return;
    };
    let (json, csv) = (
        folder.path().join("all.json"),
        folder.path().join("many.csv"),
    );
    for number in 0..12 {
        for round in 0..10 {
            let one = program.image().variable(&format!("one{number}")).unwrap();
            let many = program.image().variable(&format!("many{number}")).unwrap();
            let (mut expected, mut fields) = filled(&mut random, one);
            let (more, of_many) = filled(&mut random, many);
            expected.extend(more.clone());
            fields.extend(of_many.clone());
            let text = document(&fields).to_string();
            std::fs::write(&json, &text).unwrap();
            let found = given(&program, &[format!("@{}", json.display())]);
            assert_eq!(found.unwrap(), expected, "{number} {round} {text}");
            // As two arguments, one of them a part of the file.
            let parts = [
                format!("one{number}={}", document(&fields)[format!("one{number}")]),
                format!("many{number}=@{}:many{number}", json.display()),
            ];
            assert_eq!(given(&program, &parts).unwrap(), expected, "{text}");

            // A column for each member, a row for each structure.
            let name = |field: &str, item: usize| {
                let rest = field.strip_prefix(&format!("many{number}[{item}]"));
                rest.map(|rest| rest.trim_start_matches('.').to_owned())
            };
            let mut writer = csv::Writer::from_path(&csv).unwrap();
            let header = of_many.iter().filter_map(|(own, ..)| name(own, 0));
            writer.write_record(header).unwrap();
            for item in 0..3 {
                let own = of_many.iter().filter(|(own, ..)| name(own, item).is_some());
                let cells = own.map(|(_, ty, values)| values::text(ty, values));
                writer.write_record(cells).unwrap();
            }
            drop(writer);
            let rows = [format!("many{number}=@{}", csv.display())];
            let shown = std::fs::read_to_string(&csv).unwrap();
            assert_eq!(given(&program, &rows).unwrap(), more, "{source}{shown}");
        }
    }
}

/// What of an array of structures is not given is 0, and what is wrong is said with its place.
#[test]
fn rows_and_members_are_held_against_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let source = "enum kind { SPOT, FUTURE = 9 };\n\
        struct { unsigned short id; float price; enum kind kind; struct { signed char x, y; } at; } orders[4], order;\n\
        union { unsigned word; unsigned char bytes[4]; } either;\n\
        int main(void) { return 0; }\n";
    let Some(program) = program(folder.path(), source) else {
        eprintln!("left out: there is no arm-none-eabi-gcc");
        return;
    };
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let same = |one: &[String], other: &[String]| {
        assert_eq!(
            given(&program, one).unwrap(),
            given(&program, other).unwrap()
        );
    };
    let csv = file(
        "two.csv",
        "kind, id, price, at.x, at.y\nFUTURE, 1, 0.1, -1, 2\nSPOT, 65535, 1e3, 3, -128\n",
    );
    let zero = "{\"id\":0,\"price\":0,\"kind\":0,\"at\":{\"x\":0,\"y\":0}}";
    let items = "{\"id\":1,\"price\":0.1,\"kind\":\"FUTURE\",\"at\":{\"x\":-1,\"y\":2}},\
         {\"id\":65535,\"price\":1000,\"kind\":\"SPOT\",\"at\":{\"x\":3,\"y\":-128}}";
    let whole = format!("orders=[{items},{zero},{zero}]");
    same(&[format!("orders=@{csv}")], std::slice::from_ref(&whole));
    same(&[format!("orders=[{items}]")], &[whole]);
    let one = file("one.csv", "id,price,kind,at.x,at.y\n7,2.5,SPOT,0,0\n");
    same(
        &[format!("order=@{one}")],
        &["order={\"id\":7,\"price\":2.5,\"kind\":0,\"at\":{\"x\":0,\"y\":0}}".to_owned()],
    );
    // Both members of a union, where they agree.
    same(
        &["either={\"word\":258,\"bytes\":[2,1,0,0]}".to_owned()],
        &["either.word=258".to_owned()],
    );

    let refused = |text: String, parts: &[&str]| {
        let error = given(&program, &[text]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Input, "{error}");
        for part in parts {
            assert!(error.message.contains(part), "no {part:?} in {error}");
        }
    };
    let header = "id,price,kind,at.x,at.y\n";
    let row = "1,1,SPOT,1,1\n";
    for (text, parts) in [
        (
            format!("{header}{row}{row}2,1,SPOT,128,1\n"),
            &["bad.csv: line 4", "orders[2].at.x", "128 does not fit i8"][..],
        ),
        (
            format!("{header}1,cheap,SPOT,1,1\n"),
            &["line 2", "orders[0].price", "'cheap'", "not a number"],
        ),
        (
            format!("{header}1,1,SWAP,1,1\n"),
            &["line 2", "orders[0].kind", "'SWAP'"],
        ),
        (
            format!("{header}{}", row.repeat(5)),
            &["line 6", "room for 4 rows"],
        ),
        (
            "id,prise,kind,at.x,at.y\n1,1,SPOT,1,1\n".to_owned(),
            &["line 1", "'prise'", "at.x, at.y, id, kind, price"],
        ),
        (
            "id,id\n1,1\n".to_owned(),
            &["line 1", "two columns", "'id'"],
        ),
        (
            "id,price,kind,at.x\n1,1,SPOT,1\n".to_owned(),
            &["no value for orders[0].at.y"],
        ),
        (format!("{header}1,1\n"), &["bad.csv"]),
    ] {
        refused(format!("orders=@{}", file("bad.csv", &text)), parts);
    }
    let two = file("rows.csv", &format!("{header}{row}{row}"));
    refused(format!("order=@{two}"), &["one structure", "2 rows"]);
    refused(
        "either={\"word\":258,\"bytes\":[2,1,0,1]}".to_owned(),
        &["either.", "something else of the same bits"],
    );
    refused(
        "orders=[{\"id\":1,\"price\":1,\"kind\":0,\"at\":{\"x\":1}}]".to_owned(),
        &["no value for orders[0].at.y"],
    );
    // What has no type comes back as bytes.
    let bits = bits_of_whole(
        &program.find_input("either.bytes", None, None).unwrap(),
        &[1, 2, 3, 4],
    );
    assert_eq!(bits.len(), 32);
}
