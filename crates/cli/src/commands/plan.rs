//! `blindcore plan`: what a run would cost, before there is a key or a ciphertext.

use circuits::passes::Cost;
use engines::tfhe_lookup::Calibration;
use processor::{
    Access, Asked, Finding, Operands, OutputPlan, Plan, PlannedQuestion, SelectionPlan, Site,
};
use serde_json::{Value, json};
use session::evaluator::{self, Target};
use tfhe::Parameters;
use tfhe::noise::NoiseBudget;

use super::{bgv, bytes, gentry_halevi, print, print_json, threads};
use crate::arguments::{self, Scheme};
use crate::engine;
use crate::failure::{Code, Failure};
use crate::memory;
use crate::progress::duration;
use session::Program;

/// Plans the run and prints what it costs and what stands in its way.
pub(crate) fn plan(arguments: &arguments::Plan) -> Result<(), Failure> {
    match arguments.engine {
        Scheme::Tfhe => {}
        Scheme::Bgv => return bgv::plan(arguments),
        Scheme::GentryHalevi => return gentry_halevi::plan(arguments),
    }
    if arguments.rows.is_some() {
        let message = "--rows is for --engine bgv (see --help)";
        return Err(Failure::new(Code::Usage, message));
    }
    if arguments.dimension.is_some() {
        let message = "--dimension is for --engine gentry-halevi; TFHE has --set (see --help)";
        return Err(Failure::new(Code::Usage, message));
    }
    let program = Program::load(&arguments.program)?;
    super::warn(&program);
    let call = arguments.execution.call.as_ref();
    let inputs = program.declared(&arguments.variables, call)?;
    let task = program.task(&arguments.execution.resolve()?, inputs)?;
    let parameters = arguments.set.parameters();
    let workers = threads(arguments.threads);
    let target = Target {
        parameters: &parameters,
        threads: workers,
        architectures: arguments.forced.architectures(),
    };
    let plan = evaluator::plan(program.image(), &task, &target)
        .map_err(|error| program.error(&error))?
        .plan;
    let calibration = engine::calibration(&parameters, arguments.fft)?;
    let figures = Figures::new(&plan, &parameters, workers.get(), &calibration);
    if arguments.json {
        print_json(&figures.json(&plan))
    } else {
        print(&figures.text(&plan, task.secret_bits()))
    }
}

/// Costs of all windows together.
struct Figures {
    parameters: &'static str,
    threads: usize,
    gates: usize,
    bootstraps: usize,
    depth: usize,
    key_bytes: u64,
    circuit_bytes: u64,
    peak_bytes: u64,
    log2_failure: f64,
    /// Of the worst lookup that the program really makes; `None` if it makes none.
    log2_worst_failure: Option<f64>,
    bootstrap_seconds: f64,
    seconds: f64,
}

impl Figures {
    fn new(
        plan: &Plan,
        parameters: &Parameters,
        threads: usize,
        calibration: &Calibration,
    ) -> Figures {
        let costs = || plan.windows.iter().map(|window| &window.cost);
        let seconds = costs()
            .map(|cost| estimate(cost, threads, calibration))
            .sum();
        let bootstraps = costs().map(|cost| cost.bootstraps).sum();
        let budget = NoiseBudget::new(parameters);
        Figures {
            parameters: parameters.name(),
            threads,
            gates: costs()
                .map(|c| c.and + c.xor + c.mux + c.lookup_outputs + c.refresh)
                .sum(),
            bootstraps,
            depth: costs().map(|cost| cost.depth).sum(),
            key_bytes: memory::of_key(parameters),
            circuit_bytes: memory::of_circuits(plan),
            peak_bytes: costs().map(|cost| cost.peak_bytes).max().unwrap_or(0),
            log2_failure: parameters.promise().log2_failure,
            log2_worst_failure: (bootstraps > 0).then(|| budget.log2_failure(plan.worst_noise())),
            bootstrap_seconds: calibration.batched.as_secs_f64(),
            seconds,
        }
    }

    fn text(&self, plan: &Plan, secret_bits: usize) -> String {
        let worst = self.log2_worst_failure.map_or_else(String::new, |worst| {
            format!("; the worst of this program with 2^{worst:.0}")
        });
        let (beginning, end) = (beginning(plan, secret_bits), end(plan));
        format!(
            "{beginning}\
             gates             {}\n\
             bootstraps        {}, depth {}, in {} {}\n\
             memory            {} for ciphertexts at the peak, {} for the key, {} for circuits: {} in all;\n\
             \x20                 where parallelism would take more, run stays below --memory\n\
             failures          a bootstrap is wrong with probability at most 2^{:.0}{worst}\n\
             time              {} on {} {} ({} a bootstrap, measured here; {})\n\
             {end}",
            self.gates,
            self.bootstraps,
            self.depth,
            plan.windows.len(),
            if plan.windows.len() == 1 {
                "window"
            } else {
                "windows"
            },
            bytes(self.peak_bytes),
            bytes(self.key_bytes),
            bytes(self.circuit_bytes),
            bytes(self.peak_bytes + self.key_bytes + self.circuit_bytes),
            self.log2_failure,
            duration(self.seconds),
            self.threads,
            if self.threads == 1 {
                "thread"
            } else {
                "threads"
            },
            duration(self.bootstrap_seconds),
            self.parameters,
        )
    }

    fn json(&self, plan: &Plan) -> Value {
        let own = json!({
            "gates": self.gates,
            "bootstraps": self.bootstraps,
            "depth": self.depth,
            "windows": plan.windows.len(),
            "ciphertext_bytes": self.peak_bytes,
            "key_bytes": self.key_bytes,
            "circuit_bytes": self.circuit_bytes,
            "log2_failure": self.log2_failure,
            "log2_worst_failure": self.log2_worst_failure,
            "parameters": self.parameters,
            "threads": self.threads,
            "bootstrap_seconds": self.bootstrap_seconds,
            "seconds": self.seconds,
        });
        document(plan, own)
    }
}

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
        "first_question": plan.question.as_ref().map(|question| json!({
            "site": described(&question.site),
            "asked": asked_word(&question.asked),
            "reveals": revealed(&question.asked),
        })),
        "secret_branches": branches.iter().map(|site| described(site)).collect::<Vec<_>>(),
        "secret_addresses": plan.selections.iter().map(selected).collect::<Vec<_>>(),
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

/// How long a window takes, in seconds. No schedule is shorter than the critical path, where each
/// bootstrap waits for the one before, or than an even share of the work, whose batches are full.
fn estimate(cost: &Cost, threads: usize, calibration: &Calibration) -> f64 {
    let path = cost.depth as f64 * calibration.alone.as_secs_f64();
    let work = cost.bootstraps as f64 * calibration.batched.as_secs_f64();
    path.max(work / threads as f64)
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

/// What an answer to a question tells whoever runs the program.
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

fn described(site: &Site) -> Value {
    let place = &site.place;
    json!({
        "address": place.address,
        "symbol": place.symbol.as_ref().map(|(name, _)| name),
        "file": place.line.as_ref().map(|(file, _)| file),
        "line": place.line.as_ref().map(|(_, line)| line),
        "instruction": site.instruction,
    })
}
