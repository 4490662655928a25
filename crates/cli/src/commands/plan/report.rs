//! What a plan says on every target.

use processor::{
    Access, Asked, Finding, Operands, OutputPlan, Plan, PlannedQuestion, SelectionPlan, Site,
};
use serde_json::{Value, json};
use session::evaluator;

/// What a plan says on every target, before the costs.
pub(super) fn beginning(plan: &Plan, secret_bits: usize) -> String {
    let missing = match evaluator::check_given(plan) {
        Ok(()) => String::new(),
        Err(error) => format!("missing           {error}\n"),
    };
    format!(
        "entry             {}, with {secret_bits} secret bits\n\
         {missing}\
         instructions      {}, of which {} on secret data\n",
        plan.entry, plan.instructions, plan.secret_instructions,
    )
}

/// What a plan says on every target, behind the costs.
pub(super) fn end(plan: &Plan) -> String {
    let (branches, addresses) = sorted(plan);
    let mut text = String::new();
    for OutputPlan {
        name,
        ty,
        secret_bits,
        ..
    } in &plan.outputs
    {
        let secrecy = match *secret_bits {
            0 => "public".to_owned(),
            bits => format!("{bits} of {} bits secret", ty.bits()),
        };
        text.push_str(&format!("output            {name}: {ty}, {secrecy}\n"));
    }
    text.push_str(&sites("secret branches   ", &branches));
    text.push_str(&selections(&plan.selections));
    if !addresses.is_empty() {
        text.push_str(&sites("unknown objects   ", &addresses));
    }
    if !plan.bounded.is_empty() {
        let loops: Vec<&Site> = plan.bounded.iter().collect();
        text.push_str(&sites("loops at a bound  ", &loops));
    }
    for (site, reason) in &plan.faults {
        // The reason begins with the site.
        let reason = reason.strip_prefix(&format!("{site}: ")).unwrap_or(reason);
        text.push_str(&format!("a path ends       {site}: {reason}\n"));
    }
    for finding in &plan.findings {
        if let Finding::Unmerged(_, unmerged) = finding {
            text.push_str(&format!("not joined        {unmerged}\n"));
        }
    }
    if let Some(PlannedQuestion { site, asked }) = &plan.question {
        text.push_str(&format!(
            "first question    {site}\n\
             \u{20}                 {}\n\
             The costs are those until then: what comes after depends on the answer.\n",
            revealed(asked)
        ));
    } else if !plan.complete {
        text.push_str("The plan ends at the secret branch; what comes after is not counted.\n");
    }
    if plan.leaves_nothing()
        && let Some(error) = plan.obstacle()
    {
        text.push_str(&format!("output            none: {error}\n"));
    } else if !plan.is_runnable() {
        text.push_str(
            "The program cannot run like this: select values instead of branching \
             (x = c ? a : b), let both paths be executed (--branches both) or the key's owner \
             answer (--branches ask); index arrays that have a symbol, or name the bytes with \
             --object.\n",
        );
    }
    text
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A plan as an object: `own` has the costs on the target.
pub(super) fn document(plan: &Plan, own: Value) -> Value {
    let (branches, addresses) = sorted(plan);
    let outputs: Vec<Value> = plan
        .outputs
        .iter()
        .map(|output| {
            json!({
                "name": output.name,
                "type": output.ty.to_string(),
                "secret_bits": output.secret_bits,
            })
        })
        .collect();
    let before = json!({
        "entry": plan.entry,
        "runnable": plan.is_runnable(),
        "instructions": plan.instructions,
        "secret_instructions": plan.secret_instructions,
    });
    let after = json!({
        "outputs": outputs,
        "missing": plan.unset.iter().map(|variable| json!({
            "name": variable.name,
            "bytes": variable.size,
        })).collect::<Vec<_>>(),
        "complete": plan.complete,
        "fingerprint": hexadecimal(&plan.fingerprint()),
        "first_question": plan.question.as_ref().map(|question| json!({
            "site": described(&question.site),
            "asked": asked_word(&question.asked),
            "reveals": revealed(&question.asked),
        })),
        "secret_branches": branches.iter().map(|site| described(site)).collect::<Vec<_>>(),
        "secret_addresses": plan.selections.iter().map(selected).collect::<Vec<_>>(),
        "loops_at_a_bound": plan.bounded.iter().map(described).collect::<Vec<_>>(),
        "paths_that_end": plan.faults.iter().map(|(site, reason)| json!({
            "site": described(site),
            "reason": reason,
        })).collect::<Vec<_>>(),
        "unknown_objects": addresses.iter().map(|site| described(site)).collect::<Vec<_>>(),
    });
    let parts = [before, own, after]
        .into_iter()
        .filter_map(|part| match part {
            Value::Object(fields) => Some(fields),
            _ => None,
        });
    Value::Object(parts.flatten().collect())
}

/// The sites of secret branches and of secret addresses.
fn sorted(plan: &Plan) -> (Vec<&Site>, Vec<&Site>) {
    let mut branches = Vec::new();
    let mut addresses = Vec::new();
    for finding in &plan.findings {
        match finding {
            Finding::Branch(site) | Finding::Unmerged(site, _) | Finding::Target(site) => {
                branches.push(site);
            }
            Finding::Address(site, _) => addresses.push(site),
        }
    }
    (branches, addresses)
}

/// The accesses at secret addresses, with what they select over.
fn selections(selections: &[SelectionPlan]) -> String {
    if selections.is_empty() {
        return "secret addresses  none\n".to_owned();
    }
    let mut text = String::new();
    for (index, selection) in selections.iter().enumerate() {
        let title = if index == 0 { "secret addresses" } else { "" };
        let objects: Vec<String> = selection
            .objects
            .iter()
            .map(|object| format!("{} ({} bytes)", object.name, object.size))
            .collect();
        text.push_str(&format!(
            "{title:<18}{}: {} {}, {} {}, {} operations\n",
            selection.site,
            selection.access,
            objects.join(" and "),
            selection.times,
            if selection.times == 1 {
                "time"
            } else {
                "times"
            },
            selection.operations,
        ));
    }
    text
}

fn selected(selection: &SelectionPlan) -> Value {
    let mut value = described(&selection.site);
    let objects: Vec<Value> = selection
        .objects
        .iter()
        .map(|object| json!({"name": object.name, "address": object.address, "bytes": object.size}))
        .collect();
    value["access"] = match selection.access {
        Access::Store => "store",
        _ => "load",
    }
    .into();
    value["objects"] = objects.into();
    value["bytes"] = selection.bytes.into();
    value["times"] = selection.times.into();
    value["operations"] = selection.operations.into();
    value
}

/// What an answer to a question reveals to the party that runs the program.
fn revealed(asked: &Asked) -> String {
    match asked {
        Asked::Condition(condition) => {
            format!("reveals one bit: whether the condition {condition} holds")
        }
        Asked::Operands { holds, fails, .. } => format!(
            "reveals one bit: whether the program goes on at {holds:#010x} or at {fails:#010x}"
        ),
        Asked::Target => "reveals an address: where the jump goes".to_owned(),
    }
}

/// A question's kind, as programs read it.
fn asked_word(asked: &Asked) -> &'static str {
    match asked {
        Asked::Condition(_) => "condition",
        Asked::Operands {
            of: Operands::Sum, ..
        } => "operands",
        Asked::Operands {
            of: Operands::Flags,
            ..
        } => "flags",
        Asked::Target => "target",
    }
}

fn sites(title: &str, sites: &[&Site]) -> String {
    if sites.is_empty() {
        return format!("{title}none\n");
    }
    let mut text = String::new();
    for (index, site) in sites.iter().enumerate() {
        let title = if index == 0 { title } else { "" };
        text.push_str(&format!("{title:<18}{site}\n"));
    }
    text
}

pub(super) fn described(site: &Site) -> Value {
    let place = &site.place;
    json!({
        "address": place.address,
        "symbol": place.symbol.as_ref().map(|(name, _)| name),
        "file": place.line.as_ref().map(|(file, _)| file),
        "line": place.line.as_ref().map(|(_, line)| line),
        "instruction": site.instruction,
    })
}
