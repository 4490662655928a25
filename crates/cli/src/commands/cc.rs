//! `blindcore cc`: compiles C the way that costs least.
//!
//! A compiler counts instructions, which cost next to nothing here; operations on secrets are what
//! a run takes its time for. So the sources are compiled in several ways, each is planned on the
//! secrets, and the cheapest that can run is kept.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use compiler::{Compiled, Compiler, OPTIMISATIONS, Sources, Workshop};
use session::Program;
use session::evaluator::{self, Target};
use session::schemes;

use super::compiling::{is_c, pass_on};
use super::selectors::expected;
use super::{print, threads};
use crate::arguments::{Cc, Set};
use crate::failure::{Code, Failure};

/// What a run of a program would take, the costly first: smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Price {
    /// By the parameter set's costs, one operation after the other: a rotation that makes selectors
    /// takes as long as several others.
    milliseconds: u64,
    depth: usize,
    bootstraps: usize,
    selectors: usize,
    instructions: u64,
}

/// A program that could be kept.
struct Candidate {
    way: String,
    elf: Vec<u8>,
    price: Result<Price, Failure>,
}

/// Compiles, plans, chooses and writes the program.
pub(crate) fn cc(arguments: &Cc) -> Result<(), Failure> {
    let (files, names): (Vec<&String>, Vec<&String>) = arguments
        .words
        .iter()
        .partition(|word| is_c(Path::new(word)));
    if files.is_empty() {
        return Err(Failure::new(Code::Usage, "no C file is named (see --help)"));
    }
    if is_c(&arguments.out) {
        let message = format!("{}: a program is no C file", arguments.out.display());
        return Err(Failure::new(Code::Usage, message));
    }
    for file in &files {
        let path = Path::new(file);
        fs::metadata(path).map_err(|error| Failure::io(path, "open", &error))?;
    }
    let names: Vec<String> = names.into_iter().cloned().collect();
    let mut sources = Sources::files(files);
    for folder in &arguments.include {
        sources.options.push(format!("-I{}", folder.display()));
    }
    let flags = [
        ("-D", &arguments.define),
        ("-U", &arguments.undefine),
        ("-W", &arguments.warning),
        ("-f", &arguments.flag),
    ];
    for (flag, values) in flags {
        let values = values.iter().map(|value| format!("{flag}{value}"));
        sources.options.extend(values);
    }
    if let Some(standard) = arguments.std.as_ref().or(arguments.short_std.as_ref()) {
        sources.options.push(format!("-std={standard}"));
    }
    let workshop = Workshop::open(Compiler::find(arguments.compiler.as_deref())?, sources)?;
    let level = arguments.level.as_ref().map(|level| format!("-O{level}"));
    let ways: Vec<Vec<&str>> = match &level {
        Some(level) => vec![vec![level]],
        None => OPTIMISATIONS.map(<[_]>::to_vec).to_vec(),
    };

    print(&format!("{}\n", workshop.compiler().version()))?;
    let mut said = BTreeSet::new();
    let mut candidates: Vec<Candidate> = Vec::new();
    for flags in ways {
        let way = flags.join(" ");
        let Compiled { elf, messages } = workshop.compile(&flags)?;
        if said.insert(messages.clone()) {
            pass_on(&messages);
        }
        if let Some(same) = candidates.iter().find(|candidate| candidate.elf == elf) {
            print(&format!("{way:<24}the same as {}\n", same.way))?;
            continue;
        }
        let program = Program::from_bytes(&arguments.out, &elf)?;
        if !has_secrets(arguments, &names, &program) {
            return without_choice(arguments, &workshop);
        }
        let price = price(arguments, &names, &program);
        print(&format!("{way:<24}{}\n", shown(&price)))?;
        candidates.push(Candidate { way, elf, price });
    }
    let chosen = cheapest(candidates)?;
    write(&arguments.out, &chosen.elf)?;
    print(&format!("{}: {}\n", arguments.out.display(), chosen.way))
}

/// Whether anything is known to be secret, so that there is something to choose by.
fn has_secrets(arguments: &Cc, names: &[String], program: &Program) -> bool {
    let given = names.iter().any(|name| !name.contains('='));
    let marked = program.image().secret_variables().next().is_some();
    given || marked || arguments.execution.call.is_some()
}

/// Compiles by the compiler's usual optimisation.
fn without_choice(arguments: &Cc, workshop: &Workshop) -> Result<(), Failure> {
    let way = workshop.compiler().usual_optimisation();
    let way = arguments
        .level
        .as_ref()
        .map_or(way.join(" "), |level| format!("-O{level}"));
    let flags: Vec<&str> = way.split(' ').collect();
    write(&arguments.out, &workshop.compile(&flags)?.elf)?;
    let out = arguments.out.display();
    print(&format!(
        "{out}: {way}, the usual; with the secret variables' names, or SECRET in the source, it is \
         the cheapest\n"
    ))
}

fn write(out: &Path, elf: &[u8]) -> Result<(), Failure> {
    fs::write(out, elf).map_err(|error| Failure::io(out, "write", &error))
}

/// Plans a run of the program on the given secrets.
fn price(arguments: &Cc, names: &[String], program: &Program) -> Result<Price, Failure> {
    let inputs = program.declared(names, arguments.execution.call.as_ref())?;
    let task = program.task(&arguments.execution.resolve()?, inputs)?;
    let target = Target {
        threads: threads(None),
        architectures: arguments.forced.architectures(),
        fft: None,
        selectors: expected(arguments.no_selectors),
    };
    let plan = schemes::tfhe::plan(
        program.image(),
        &task,
        &Set::default().parameters(),
        &target,
    )
    .map_err(|error| program.error(&error))?
    .plan;
    if let Some(obstacle) = plan.obstacle() {
        return Err(program.error(&obstacle).into());
    }
    evaluator::check_given(&plan).map_err(|error| {
        let message = format!("{}: {error}", arguments.out.display());
        Failure::new(Code::Input, message)
    })?;
    let total = plan.total();
    Ok(Price {
        milliseconds: (total.serial_ns / 1e6).round() as u64,
        depth: total.depth,
        bootstraps: total.bootstraps,
        selectors: total.selector,
        instructions: plan.instructions,
    })
}

fn shown(price: &Result<Price, Failure>) -> String {
    match price {
        Ok(price) => {
            let selectors = match price.selectors {
                0 => String::new(),
                selectors => format!(" ({selectors} of them make selectors)"),
            };
            format!(
                "{} bootstraps{selectors}, depth {}, {} instructions",
                price.bootstraps, price.depth, price.instructions
            )
        }
        Err(failure) => format!("does not run: {failure}"),
    }
}

/// The cheapest of those that run, the first of equals; the first one's failure if none does.
fn cheapest(candidates: Vec<Candidate>) -> Result<Candidate, Failure> {
    let mut best: Option<(Price, Candidate)> = None;
    let mut failure = None;
    for candidate in candidates {
        match &candidate.price {
            &Ok(price) if best.as_ref().is_none_or(|(other, _)| price < *other) => {
                best = Some((price, candidate));
            }
            Ok(_) => {}
            Err(error) => {
                failure.get_or_insert_with(|| error.clone());
            }
        }
    }
    match (best, failure) {
        (Some((_, candidate)), _) => Ok(candidate),
        (None, Some(failure)) => Err(failure),
        (None, None) => Err(super::internal("nothing was compiled")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(way: &str, bootstraps: Option<usize>) -> Candidate {
        let price = bootstraps.map(|bootstraps| Price {
            milliseconds: bootstraps as u64,
            depth: 1,
            bootstraps,
            selectors: 0,
            instructions: 10,
        });
        Candidate {
            way: way.to_owned(),
            elf: Vec::new(),
            price: price.ok_or_else(|| Failure::new(Code::Secret, way)),
        }
    }

    #[test]
    fn the_cheapest_that_runs_is_kept() {
        let tried = vec![
            candidate("branches", None),
            candidate("dear", Some(9)),
            candidate("cheap", Some(3)),
            candidate("as cheap", Some(3)),
        ];
        assert_eq!(
            cheapest(tried).ok().map(|kept| kept.way).as_deref(),
            Some("cheap")
        );
        let none = vec![candidate("first", None), candidate("second", None)];
        assert_eq!(
            cheapest(none).err().map(|why| why.message).as_deref(),
            Some("first")
        );
    }
}
