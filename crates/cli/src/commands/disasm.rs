//! `blindcore disasm`: the program as the processor sees it.

use std::collections::BTreeMap;

use circuits::Profile;
use processor::{Listing, Touch};

use super::{load, print};
use crate::arguments::Disasm;
use crate::failure::Failure;

/// Disassembles every function. With secret variables, the program is planned first, and each
/// executed instruction is marked: `·` clear (computed at once), `S` secret, `!` where a secret
/// decides a branch or an address and the program cannot go on, `?` where it first asks.
pub(crate) fn disasm(arguments: &Disasm) -> Result<(), Failure> {
    let program = load(&arguments.program)?;
    super::warn(&program);
    let call = arguments.execution.call.as_ref();
    let inputs = program.declared(&arguments.variables, call)?;
    let mut text = String::new();
    let (touched, findings, question) = if inputs.is_empty() && call.is_none() {
        (BTreeMap::new(), Vec::new(), None)
    } else {
        let task = program.task(&arguments.execution.resolve()?, inputs)?;
        // Which instructions touch secrets does not depend on the target.
        let mut profile = Profile::lookup_simulation();
        profile.architectures = arguments.forced.architectures();
        let plan = processor::plan(program.image(), &task, &profile)
            .map_err(|error| program.error(&error))?;
        text.push_str("  · executed on clear data   S executed on secret data");
        text.push_str("   ! branches on a secret or addresses by one\n");
        if plan.question.is_some() {
            text.push_str("  ? asks the key's owner; what comes after is not followed\n");
        }
        (plan.touched, plan.findings, plan.question)
    };
    let obstacles: Vec<u32> = findings
        .iter()
        .map(|finding| finding.site().place.address)
        .collect();
    let asks = question.map(|question| question.site.place.address);
    let mut source = None;
    for line in Listing::new(program.image(), &touched).lines {
        if let Some(function) = &line.function {
            text.push_str(&format!("\n{function}:\n"));
        }
        let mark = match line.touch {
            _ if obstacles.contains(&line.address) => '!',
            _ if asks == Some(line.address) => '?',
            Some(Touch::Secret) => 'S',
            Some(Touch::Clear) => '·',
            None => ' ',
        };
        let mut row = format!(
            "{mark} {:08x}  {:08x}  {}",
            line.address, line.word, line.text
        );
        if line.source != source
            && let Some((file, number)) = &line.source
        {
            let width = row.chars().count();
            row.push_str(&" ".repeat(60_usize.saturating_sub(width).max(2)));
            row.push_str(&format!("; {file}:{number}"));
        }
        source = line.source;
        text.push_str(&row);
        text.push('\n');
    }
    print(&text)
}
