//! A profile as text and as JSON.

use std::num::NonZeroUsize;

use processor::{Attribution, LineCost, Program};
use serde_json::{Value, json};

use super::hints::Hint;

/// Functions, lines and hints, at most `top` of each.
pub(super) fn text(
    program: &Program,
    found: &Attribution,
    hints: &[Hint],
    threads: NonZeroUsize,
    top: usize,
) -> String {
    let total = total(found);
    let width = total.to_string().len().max(5);
    let mut text = format!(
        "bootstraps        {total}, as `blindcore plan` counts them for {threads} {}\n{}",
        if threads.get() == 1 {
            "thread"
        } else {
            "threads"
        },
        beginning(found),
    );
    if total == 0 {
        return text;
    }
    let functions = found.functions(program);
    text.push_str(&format!(
        "\n{:>width$}         {:>width$}          function\n",
        "own", "with callees"
    ));
    for cost in functions.iter().take(top) {
        text.push_str(&format!(
            "{:>width$} {:>6}  {:>callees$} {:>6}  {}\n",
            cost.own,
            share(cost.own, total),
            cost.with_callees,
            share(cost.with_callees, total),
            cost.name,
            callees = width.max("with callees".len()),
        ));
    }
    text.push_str(&more(functions.len(), top));
    let lines = found.lines(program);
    text.push_str(&format!("\n{:>width$}          line\n", "own"));
    for cost in lines.iter().take(top) {
        text.push_str(&format!(
            "{:>width$} {:>6}  {}\n",
            cost.bootstraps,
            share(cost.bootstraps, total),
            place(cost)
        ));
    }
    text.push_str(&more(lines.len(), top));
    if !hints.is_empty() {
        text.push_str("\nhints\n");
    }
    for hint in hints.iter().take(top) {
        text.push_str(&format!(
            "  {}: {} bootstraps{}: {}\n",
            hint.place,
            hint.bootstraps,
            times(hint.times),
            hint.advice
        ));
    }
    text.push_str(&more(hints.len(), top));
    text
}

/// What is missing in the counts.
fn beginning(found: &Attribution) -> String {
    if found.plan.complete {
        return String::new();
    }
    let end = match (&found.plan.question, found.plan.findings.last()) {
        (Some(question), _) => format!("at the first question, {}", question.site),
        (None, Some(finding)) => format!("at a secret branch, {}", finding.site()),
        (None, None) => "early".to_owned(),
    };
    format!("counted until     the plan ends {end}; what comes after costs more\n")
}

pub(super) fn total(found: &Attribution) -> u64 {
    found.plan.total().bootstraps as u64
}

fn times(times: u64) -> String {
    match times {
        0 | 1 => String::new(),
        times => format!(" in {times} executions"),
    }
}

fn more(count: usize, top: usize) -> String {
    match count.saturating_sub(top) {
        0 => String::new(),
        more => format!("  and {more} more (--top {count})\n"),
    }
}

fn share(part: u64, total: u64) -> String {
    format!("{:.1} %", part as f64 * 100.0 / total.max(1) as f64)
}

fn place(cost: &LineCost) -> String {
    let functions = cost.functions.join(", ");
    match &cost.line {
        Some((file, line)) => format!("{file}:{line}  {functions}"),
        None => format!("{functions} (no line: compile with -g)"),
    }
}

/// Everything.
pub(super) fn document(
    program: &Program,
    found: &Attribution,
    hints: &[Hint],
    threads: NonZeroUsize,
) -> Value {
    let functions = found.functions(program);
    let lines = found.lines(program);
    let stacks = found.stacks(program);
    json!({
        "bootstraps": total(found),
        "threads": threads,
        "complete": found.plan.complete,
        "functions": functions.iter().map(|cost| json!({
            "name": cost.name,
            "own": cost.own,
            "with_callees": cost.with_callees,
        })).collect::<Vec<_>>(),
        "lines": lines.iter().map(|cost| json!({
            "file": cost.line.as_ref().map(|(file, _)| file),
            "line": cost.line.as_ref().map(|(_, line)| line),
            "functions": cost.functions,
            "bootstraps": cost.bootstraps,
        })).collect::<Vec<_>>(),
        "instructions": found.instructions().iter().map(|(address, (bootstraps, times))| json!({
            "address": address,
            "bootstraps": bootstraps,
            "times": times,
        })).collect::<Vec<_>>(),
        "stacks": stacks.iter().map(|(stack, bootstraps)| json!({
            "functions": stack,
            "bootstraps": bootstraps,
        })).collect::<Vec<_>>(),
        "hints": hints.iter().map(|hint| json!({
            "address": hint.address,
            "place": hint.place,
            "bootstraps": hint.bootstraps,
            "times": hint.times,
            "advice": hint.advice,
        })).collect::<Vec<_>>(),
    })
}
