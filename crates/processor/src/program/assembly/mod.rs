//! Programs in HE assembly: from text to the same [`Program`] that an ELF file gives.
//!
//! The text becomes A32 code ([`code`]), so that everything which executes, plans, shows and serves
//! programs does so for both. Registers `R0`, `R1`, … and the data memory are variables; labels are
//! functions; every instruction knows its line.
//!
//! Source: the emulator of Gong and Negrut, *CryptoEmu*, §IV to §VI; `docs/assembly.md`.

mod code;
mod layout;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use assembly::{Unit, Width, check, parse};

use self::code::{Code, translate};
use self::layout::Layout;
use super::lines::LineTable;
use super::marks::Marks;
use super::{Function, LoadError, Program, Segment, Variable};
use values::{Element, Type};

/// Whether bytes are text, and so perhaps assembly: no compiled program is free of control
/// characters.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let control = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    std::str::from_utf8(bytes).is_ok_and(|text| {
        let mut characters = text.chars();
        !text.trim().is_empty() && !characters.any(control)
    })
}

/// Assembles a text; `file` is the name that places in it bear.
pub(super) fn assemble(file: &str, text: &str) -> Result<Program, LoadError> {
    let unit = parse(text)
        .and_then(|source| check(&source))
        .map_err(|errors| LoadError::Assembly { errors })?;
    let layout = Layout::new(&unit);
    let code = translate(&unit, &layout);
    let address = |step: usize| {
        let index = code.starts.get(step).copied().unwrap_or_default();
        layout.code + 4 * index as u32
    };
    let rows = unit.steps.iter().enumerate();
    let rows = rows.map(|(step, at)| (address(step), Some(at.at.line)));
    let end = (address(unit.steps.len()), None);
    let functions = functions(&unit, &layout, &code);
    // Execution begins at `main` where there is one: a datum of the name is none.
    let main = unit.labels.iter().find(|label| label.name == "main");
    let entry = layout.code;
    let main = main.map_or(entry, |label| address(label.step));
    let registers = layout.begin()..layout.register(unit.registers);
    let program = Program {
        entry,
        entry_begins_code: false,
        segments: segments(&unit, &layout, &code),
        variables: variables(&unit, &layout),
        functions,
        labels: BTreeMap::from([("main".to_owned(), main)]),
        lines: LineTable::of(file, rows.chain([end])),
        frames: Arc::default(),
        registers: Some(registers),
        marks: Marks::default(),
        detours: Arc::default(),
        thread_pointer: 0,
        warnings: unit.warnings,
    };
    Ok(program)
}

/// Registers and data in one, code in the other.
fn segments(unit: &Unit, layout: &Layout, code: &Code) -> Vec<Segment> {
    let begin = layout.begin();
    let mut bytes = Vec::new();
    for (index, datum) in unit.data.iter().enumerate() {
        if datum.values.iter().all(|value| *value == 0) {
            continue;
        }
        bytes.resize((layout.datum(index) - begin) as usize, 0);
        for value in &datum.values {
            let little = value.to_le_bytes();
            bytes.extend(little.iter().take(unit.width.bytes() as usize));
        }
    }
    let words = code.words.iter().flat_map(|word| word.to_le_bytes());
    let words: Vec<u8> = words.collect();
    vec![
        Segment {
            address: begin,
            bytes,
            size: layout.end - begin,
            writable: true,
            executable: false,
        },
        Segment {
            address: layout.code,
            size: words.len() as u32,
            bytes: words,
            writable: false,
            executable: true,
        },
    ]
}

/// Registers and data, in address order.
fn variables(unit: &Unit, layout: &Layout) -> Vec<Variable> {
    let element = Element::Integer {
        bits: match unit.width {
            Width::Half => 16,
            Width::Word => 32,
        },
        signed: false,
    };
    let variable = |name: String, address, count: u32, ty| Variable {
        name,
        address,
        size: count * unit.width.bytes(),
        shift: 0,
        ty,
        fields: Vec::new(),
        global: true,
        opacity: None,
    };
    let scalar = || Some(Type::scalar(element));
    let registers = (0..unit.registers).map(|number| {
        let address = layout.register(number);
        variable(format!("R{number}"), address, 1, scalar())
    });
    let data = unit.data.iter().enumerate().map(|(index, datum)| {
        let ty = if datum.array {
            Type::array(element, vec![datum.count]).ok()
        } else {
            scalar()
        };
        variable(datum.name.clone(), layout.datum(index), datum.count, ty)
    });
    registers.chain(data).collect()
}

/// A function for each label, up to the next one; for what comes before the first label; and for
/// each label that nobody defines, where there is no code.
fn functions(unit: &Unit, layout: &Layout, code: &Code) -> Vec<Function> {
    let mut names: Vec<(usize, String)> = Vec::new();
    if unit.labels.first().is_none_or(|label| label.step > 0) {
        let mut start = "start".to_owned();
        while unit.labels.iter().any(|label| label.name == start) {
            start.insert(0, '_');
        }
        names.push((0, start));
    }
    names.extend(unit.labels.iter().map(|l| (l.step, l.name.clone())));
    let function = |name: String, offset: u32, size: u32| Function {
        name,
        address: layout.code + offset,
        size,
        thumb: false,
        parameters: Some(Vec::new()),
        result: None,
        unsupported: None,
    };
    let offset = |step: usize| 4 * code.starts.get(step).copied().unwrap_or_default() as u32;
    let mut functions = Vec::with_capacity(names.len() + unit.undefined.len());
    // From the last to the first, so that the next place is known; labels of one place share it.
    let (mut end, mut place) = (4 * code.words.len() as u32, usize::MAX);
    let mut size = 0;
    for (step, name) in names.into_iter().rev() {
        if step != place {
            size = end - offset(step);
            (end, place) = (offset(step), step);
        }
        functions.push(function(name, offset(step), size));
    }
    functions.reverse();
    let undefined = unit.undefined.iter().enumerate();
    functions.extend(undefined.map(|(index, name)| {
        // Below 32 MB, as all of the code is.
        let offset = layout.undefined(code.words.len(), index) as u32;
        function(format!("{name}, a label that is not defined"), offset, 4)
    }));
    functions
}
