//! `blindcore symbols`: what of a program can be named on the command line.

use serde_json::{Value, json};

use ::processor::program::{Function, Variable};

use super::{load, print, print_json};
use crate::arguments::Symbols;
use crate::failure::Failure;
use session::Program;

/// Prints variables with types and sizes, and functions with parameters, in address order.
pub(crate) fn symbols(arguments: &Symbols) -> Result<(), Failure> {
    let program = load(&arguments.program)?;
    super::warn(&program);
    match arguments.json {
        true => print_json(&document(&program)),
        false => print(&text(&program, arguments.fields)),
    }
}

fn text(program: &Program, fields: bool) -> String {
    let image = program.image();
    let mut rows = Vec::new();
    for variable in image.variables() {
        rows.push(row(variable, 2, !variable.global));
        if fields {
            rows.extend(variable.fields.iter().map(|field| row(field, 4, false)));
        }
    }
    let mut text = String::from("variables\n");
    if rows.is_empty() {
        text.push_str("  none that have a symbol with a size\n");
    }
    text.push_str(&table(&rows));
    let functions: Vec<[String; 4]> = image
        .functions()
        .iter()
        .map(|function| {
            let line = image.place(function.address).line;
            let place = line.map_or(String::new(), |(file, line)| format!("{file}:{line}"));
            [
                format!("  {}", signature(function)),
                size(function.size),
                format!("{:#010x}", function.address),
                if function.thumb {
                    "Thumb: cannot run here".to_owned()
                } else {
                    place
                },
            ]
        })
        .collect();
    text.push_str("\nfunctions\n");
    if functions.is_empty() {
        text.push_str("  none that have a symbol\n");
    }
    text.push_str(&table(&functions));
    text
}

/// Name and type, size, address, and what is to be known.
fn row(variable: &Variable, indent: usize, hidden: bool) -> [String; 4] {
    let bit = match variable.shift {
        0 => String::new(),
        shift => format!(" bit {shift}"),
    };
    [
        format!("{:indent$}{}", "", typed(variable)),
        size(variable.size),
        format!("{:#010x}{bit}", variable.address),
        remark(variable, hidden),
    ]
}

fn typed(variable: &Variable) -> String {
    match (&variable.ty, variable.fields.len()) {
        (Some(ty), _) => format!("{}:{ty}", variable.name),
        (None, 0) => variable.name.clone(),
        (None, 1) => format!("{} {{1 field}}", variable.name),
        (None, fields) => format!("{} {{{fields} fields}}", variable.name),
    }
}

/// Why there is no type, or that the variable is not visible outside its file.
fn remark(variable: &Variable, hidden: bool) -> String {
    let untyped = variable.ty.is_none() && variable.fields.is_empty();
    let why = match (variable.opacity, untyped) {
        (Some(opacity), _) => Some(opacity.to_string()),
        (None, true) if variable.is_merged() => {
            Some("several variables in one: compile with -g, or with -mno-global-merge".to_owned())
        }
        (None, true) => Some("no type: compile with -g, or write NAME:TYPE".to_owned()),
        (None, false) => None,
    };
    let visibility = hidden.then(|| "static".to_owned());
    let parts: Vec<String> = visibility.into_iter().chain(why).collect();
    parts.join(", ")
}

fn signature(function: &Function) -> String {
    let Some(parameters) = &function.parameters else {
        return function.name.clone();
    };
    let parameters: Vec<String> = parameters
        .iter()
        .map(|parameter| format!("{}:{}", parameter.name, parameter.element))
        .collect();
    let result = function.result.as_ref();
    let result = result.map_or(String::new(), |ty| format!(" -> {ty}"));
    format!("{}({}){result}", function.name, parameters.join(", "))
}

fn size(bytes: u32) -> String {
    match bytes {
        0 => "size unknown".to_owned(),
        1 => "1 byte".to_owned(),
        _ => format!("{bytes} bytes"),
    }
}

/// Columns side by side, the second one to the right; without trailing blanks.
fn table(rows: &[[String; 4]]) -> String {
    // A few very long names do not push everything else out of sight.
    let width = |column: usize, limit: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.filter(|width| *width <= limit).max().unwrap_or(0)
    };
    let (name, size, address) = (width(0, 56), width(1, 16), width(2, 20));
    let line = |[first, second, third, fourth]: &[String; 4]| {
        let line = format!("{first:name$}  {second:>size$}  {third:address$}  {fourth}");
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}

fn document(program: &Program) -> Value {
    let image = program.image();
    let variables: Vec<Value> = image
        .variables()
        .iter()
        .map(|variable| {
            let mut entry = described(variable);
            entry["global"] = variable.global.into();
            entry["fields"] = variable.fields.iter().map(described).collect();
            entry
        })
        .collect();
    let functions: Vec<Value> = image
        .functions()
        .iter()
        .map(|function| {
            let line = image.place(function.address).line;
            json!({
                "name": function.name,
                "address": function.address,
                "size": function.size,
                "thumb": function.thumb,
                "parameters": function.parameters.as_ref().map(|parameters| {
                    let parameter = |parameter: &::processor::program::Parameter| {
                        json!({ "name": parameter.name, "type": parameter.element.to_string() })
                    };
                    parameters.iter().map(parameter).collect::<Vec<_>>()
                }),
                "result": function.result.as_ref().map(ToString::to_string),
                "file": line.as_ref().map(|(file, _)| file),
                "line": line.as_ref().map(|(_, line)| line),
            })
        })
        .collect();
    json!({
        "program": program.name(),
        "entry": image.entry_point(),
        "variables": variables,
        "functions": functions,
    })
}

fn described(variable: &Variable) -> Value {
    json!({
        "name": variable.name,
        "type": variable.ty.as_ref().map(ToString::to_string),
        "size": variable.size,
        "bits": variable.bits(),
        "address": variable.address,
        "bit": variable.shift,
        "why_no_type": variable.opacity.map(|opacity| opacity.to_string()),
    })
}
