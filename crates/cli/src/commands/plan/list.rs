//! `blindcore plan --list`: everything that a program does by secrets, each with its remedy.

use circuits::exec::Cancel;
use processor::{Comparison, Rounds, SecretUse, Survey, Surveyed, Task, Unexplored, survey};
use serde_json::{Value, json};
use session::Program;
use session::evaluator::Planned;
use session::schemes::tfhe::Tfhe;

use super::report::described;
use crate::commands::{print, print_json};
use crate::failure::Failure;

/// Prints the list; fails as a run would.
pub(super) fn list(
    program: &Program,
    task: &Task,
    planned: Result<Planned, Failure>,
    as_json: bool,
) -> Result<(), Failure> {
    let verdict = planned.and_then(|planned| {
        planned.refuse_obstacles::<Tfhe>(program, true)?;
        planned.check_given().map_err(|error| {
            let error = session::Error::new(session::ErrorKind::Input, error.to_string());
            Failure::from(error)
        })
    });
    let found = survey(program.image(), task, &Cancel::new());
    let mut found = found.map_err(|error| program.error(&error))?;
    // A plan follows paths further.
    if verdict.is_ok() {
        found.found.iter_mut().for_each(|found| found.stops = false);
    }
    match as_json {
        true => print_json(&document(&found, &verdict))?,
        false => print(&text(&found, &verdict, task.secret_bits()))?,
    }
    verdict
}

fn text(survey: &Survey, verdict: &Result<(), Failure>, secret_bits: usize) -> String {
    let mut text = format!(
        "entry             {}, with {secret_bits} secret bits\n",
        survey.entry
    );
    let count = |title: &str| {
        survey
            .found
            .iter()
            .filter(|found| kind(found) == title)
            .count()
    };
    let counted = [
        ("branch", "branches"),
        ("loop", "loops"),
        ("recursion", "recursions"),
        ("jump", "jumps"),
        ("access", "addresses"),
        ("unknown object", "unknown objects"),
        ("error", "errors"),
    ];
    let counted = counted
        .into_iter()
        .filter_map(|(one, many)| match count(one) {
            0 => None,
            1 => Some(format!("1 {one}")),
            number => Some(format!("{number} {many}")),
        });
    let counted: Vec<String> = counted.collect();
    text.push_str(&format!(
        "decided by them   {}\n",
        match counted.is_empty() {
            true => "nothing".to_owned(),
            false => counted.join(", "),
        }
    ));
    for found in &survey.found {
        text.push_str(&format!("\n{}\n", found.site));
        let title = match &found.found {
            SecretUse::Access { access, objects } => {
                let names = objects
                    .iter()
                    .map(|o| format!("{} ({} bytes)", o.name, o.size));
                format!("{access} {}", names.collect::<Vec<_>>().join(" and "))
            }
            SecretUse::Unknown { access } => format!("{access} an unknown object"),
            SecretUse::Jump { entries: 0, .. } => "a jump to a secret address".to_owned(),
            SecretUse::Jump { entries, .. } => format!("a jump to one of {entries} places"),
            _ => format!("a secret {}", kind(found)),
        };
        let stops = if found.stops {
            "; a run stops here"
        } else {
            ""
        };
        let title = if kind(found) == "error" {
            "an error".to_owned()
        } else {
            title
        };
        text.push_str(&format!("    what          {title}{stops}\n"));
        if let Some(compared) = compared(&found.found) {
            text.push_str(&format!("    compared      {compared}\n"));
        }
        text.push_str(&format!("    remedy        {}\n", found.remedy()));
    }
    if !survey.unexplored.is_empty() {
        text.push_str("\nnot explored\n");
    }
    for Unexplored {
        place,
        instructions,
        reason,
    } in &survey.unexplored
    {
        let size = match instructions {
            0 => String::new(),
            1 => "1 instruction, ".to_owned(),
            many => format!("{many} instructions, "),
        };
        text.push_str(&format!("    {place}: {size}{reason}\n"));
    }
    text.push_str(match verdict {
        Ok(()) => "\nA run would go through.\n",
        Err(_) => "\nA run would not go through.\n",
    });
    text
}

fn document(survey: &Survey, verdict: &Result<(), Failure>) -> Value {
    let (code, error) = match verdict {
        Ok(()) => (0, None),
        Err(failure) => (failure.code as u8, Some(failure.message.clone())),
    };
    json!({
        "entry": survey.entry,
        "runnable": verdict.is_ok(),
        "exit_code": code,
        "error": error,
        "found": survey.found.iter().map(entry).collect::<Vec<_>>(),
        "unexplored": survey.unexplored.iter().map(|left| json!({
            "address": left.place.address,
            "symbol": left.place.symbol.as_ref().map(|(name, _)| name),
            "file": left.place.line.as_ref().map(|(file, _)| file),
            "line": left.place.line.as_ref().map(|(_, line)| line),
            "instructions": left.instructions,
            "reason": left.reason,
        })).collect::<Vec<_>>(),
    })
}

fn entry(found: &Surveyed) -> Value {
    let mut value = described(&found.site);
    value["kind"] = kind(found).into();
    value["stops"] = found.stops.into();
    value["remedy"] = found.remedy().into();
    if let Some(compared) = compared(&found.found) {
        let operands = compared.operands.iter().map(|operand| {
            json!({
                "register": operand.register,
                "value": operand.value,
                "secret_bits": operand.secret_bits,
            })
        });
        value["compared"] = json!({
            "address": compared.address,
            "instruction": compared.instruction,
            "operands": operands.collect::<Vec<_>>(),
        });
    }
    match &found.found {
        SecretUse::Loop { rounds, .. } => {
            let (name, rounds) = match rounds {
                Rounds::Ends(rounds) => ("ends_after", Some(*rounds)),
                Rounds::Bound(rounds) => ("bound", Some(*rounds)),
                Rounds::Open(likely) => ("likely_bound", *likely),
            };
            value[name] = rounds.into();
        }
        SecretUse::Branch { apart, .. } => {
            value["apart"] = apart.as_ref().map(ToString::to_string).into();
        }
        SecretUse::Jump { entries, .. } => value["entries"] = (*entries).into(),
        SecretUse::Access { access, objects } => {
            value["access"] = access.to_string().into();
            let objects = objects.iter();
            let objects =
                objects.map(|o| json!({"name": o.name, "address": o.address, "bytes": o.size}));
            value["objects"] = objects.collect();
        }
        SecretUse::Unknown { access } => value["access"] = access.to_string().into(),
        _ => {}
    }
    value
}

/// What it is, in a word or two.
fn kind(found: &Surveyed) -> &'static str {
    match &found.found {
        SecretUse::Branch { .. } => "branch",
        SecretUse::Loop {
            recursion: false, ..
        } => "loop",
        SecretUse::Loop {
            recursion: true, ..
        } => "recursion",
        SecretUse::Jump { .. } => "jump",
        SecretUse::Access { .. } => "access",
        SecretUse::Unknown { .. } => "unknown object",
        _ => "error",
    }
}

fn compared(found: &SecretUse) -> Option<&Comparison> {
    match found {
        SecretUse::Branch { compared, .. } | SecretUse::Loop { compared, .. } => compared.as_ref(),
        _ => None,
    }
}
