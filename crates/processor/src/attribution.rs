//! Which instruction a run's bootstraps are for, in which call.
//!
//! A plan counts what a run costs in all. Here the program is planned once more, and everything
//! that is recorded carries the number of the instruction that it is recorded for and of the calls
//! that led there ([`circuits::Cause`]). Passes keep these numbers, so every bootstrap that is left
//! belongs to one instruction, and together they are the plan's total.
//!
//! - Of several instructions that compute the same bit the first pays; a bit that nobody needs
//!   costs nobody.
//! - A lookup into which another one was fused is the later one's; one that serves two instructions
//!   side by side is the earlier one's.
//! - Where paths of a secret branch become one, the branch pays for the selections.
//! - The zero flag is computed when it is read: a conditional instruction or a branch pays for it.
//! - What a window's end costs (a refresh for each live bit) is paid by what made the bit.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use circuits::exec::Cancel;
use circuits::{Circuit, Profile};

use crate::error::RunError;
use crate::plan::{Plan, plan_charging};
use crate::program::Program;
use crate::task::Task;

/// A call: which function, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Where the function begins; for the outermost, where execution began.
    pub entry: u32,
    /// The calling call, by its place in [`Attribution::calls`], and the address of its
    /// instruction; `None` for the outermost.
    pub caller: Option<(usize, u32)>,
}

/// What an instruction costs in one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The call, by its place in [`Attribution::calls`].
    pub call: usize,
    /// The instruction's address.
    pub address: u32,
    /// Bootstraps.
    pub bootstraps: u64,
    /// How often it worked on secret data, on paths that were given up too.
    pub times: u64,
}

/// What a function costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCost {
    /// Its name, or its address where it has none.
    pub name: String,
    /// Bootstraps of its own instructions.
    pub own: u64,
    /// Bootstraps with those of all that it called, each once.
    pub with_callees: u64,
}

/// What a line costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCost {
    /// The source file and line; `None` for instructions of which no line is known.
    pub line: Option<(String, u32)>,
    /// The functions that have instructions there.
    pub functions: Vec<String>,
    /// Bootstraps.
    pub bootstraps: u64,
}

/// What a run costs, by instruction and call.
///
/// ```
/// use blindcore_processor::{Call, Charge, Content, FunctionCost, Input, LineCost, Program, Task, attribute};
/// use circuits::{Profile, exec::Cancel};
///
/// let text = b".data a\n.data b\nmain:\n LOAD R0, a\n LOAD R1, b\n ADD R0, R0, R1\n MUL R1, R0, R1\n STORE R1, a";
/// let program = Program::load_as("sum.s", text)?;
/// let secret = |name: &str| -> Result<Input, Box<dyn std::error::Error>> {
///     Ok(Input { variable: program.variable(name)?.clone(), content: Content::Secret })
/// };
/// let task = Task { inputs: vec![secret("a")?, secret("b")?], ..Task::default() };
/// let found = attribute(&program, &task, &Profile::lookup_simulation(), &Cancel::new())?;
///
/// let total = found.plan.total().bootstraps as u64;
/// let charges: &[Charge] = &found.charges;
/// assert_eq!(charges.iter().map(|charge| charge.bootstraps).sum::<u64>(), total);
/// let lines: Vec<LineCost> = found.lines(&program);
/// assert_eq!(lines[0].line, Some(("sum.s".to_owned(), 7)), "the multiplication is dearest");
/// assert_eq!(lines.iter().map(|line| line.bootstraps).sum::<u64>(), total);
/// let functions: Vec<FunctionCost> = found.functions(&program);
/// assert_eq!((functions[0].own, functions[0].with_callees), (total, total));
/// let outermost: &Call = &found.calls[0];
/// assert_eq!(outermost.caller, None);
/// assert_eq!(found.stacks(&program).values().sum::<u64>(), total);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Attribution {
    /// The plan, whose total is that of all charges.
    pub plan: Plan,
    /// All calls, each after its caller.
    pub calls: Vec<Call>,
    /// What each instruction costs in each call: those that cost something, or worked on secrets.
    pub charges: Vec<Charge>,
}

/// Plans a run on a target, and charges its bootstraps to instructions and calls.
///
/// # Errors
/// As for [`plan_until`](crate::plan_until).
pub fn attribute(
    program: &Program,
    task: &Task,
    profile: &Profile,
    cancel: &Cancel,
) -> Result<Attribution, RunError> {
    let mut counts: Vec<u64> = Vec::new();
    let mut count = |circuit: &Circuit| {
        for node in circuit.nodes() {
            if circuit.op(node).is_bootstrap(profile) {
                let cause = circuit.cause(node).unwrap_or_default().0 as usize;
                if cause >= counts.len() {
                    counts.resize(cause + 1, 0);
                }
                counts[cause] += 1;
            }
        }
    };
    let (plan, callers) = plan_charging(program, task, profile, cancel, &mut count)?;
    let calls = callers.calls().iter().map(|call| Call {
        entry: call.entry,
        caller: call.caller.map(|(number, at)| (number as usize, at)),
    });
    let sites = callers.sites().enumerate();
    let charges = sites.map(|(number, (site, times))| Charge {
        call: site.call as usize,
        address: site.address,
        bootstraps: counts.get(number).copied().unwrap_or(0),
        times,
    });
    Ok(Attribution {
        plan,
        calls: calls.collect(),
        charges: charges
            .filter(|charge| charge.bootstraps > 0 || charge.times > 0)
            .collect(),
    })
}

impl Attribution {
    /// By function, the dearest first.
    #[must_use]
    pub fn functions(&self, program: &Program) -> Vec<FunctionCost> {
        let mut costs: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for (stack, bootstraps) in self.stacks(program) {
            if let Some(last) = stack.last() {
                costs.entry(last.clone()).or_default().0 += bootstraps;
            }
            // One that calls itself is counted once.
            let each: BTreeSet<String> = stack.into_iter().collect();
            for name in each {
                costs.entry(name).or_default().1 += bootstraps;
            }
        }
        let mut functions: Vec<FunctionCost> = costs
            .into_iter()
            .map(|(name, (own, with_callees))| FunctionCost {
                name,
                own,
                with_callees,
            })
            .collect();
        functions.sort_by_key(|cost| std::cmp::Reverse((cost.own, cost.with_callees)));
        functions
    }

    /// By source line, the dearest first; what has no line is one entry for each function.
    #[must_use]
    pub fn lines(&self, program: &Program) -> Vec<LineCost> {
        type Key = (Option<(String, u32)>, Option<String>);
        let mut costs: BTreeMap<Key, (u64, BTreeSet<String>)> = BTreeMap::new();
        for (address, (bootstraps, _)) in self.instructions() {
            if bootstraps == 0 {
                continue;
            }
            let line = program.place(address).line;
            let name = function_at(program, address);
            let apart = line.is_none().then(|| name.clone());
            let (sum, names) = costs.entry((line, apart)).or_default();
            *sum += bootstraps;
            names.insert(name);
        }
        let mut lines: Vec<LineCost> = costs
            .into_iter()
            .map(|((line, _), (bootstraps, names))| LineCost {
                line,
                functions: names.into_iter().collect(),
                bootstraps,
            })
            .collect();
        lines.sort_by_key(|cost| std::cmp::Reverse(cost.bootstraps));
        lines
    }

    /// By instruction: bootstraps in all calls together, and how often it worked on secrets.
    #[must_use]
    pub fn instructions(&self) -> BTreeMap<u32, (u64, u64)> {
        let mut costs: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for charge in &self.charges {
            let (bootstraps, times) = costs.entry(charge.address).or_default();
            *bootstraps += charge.bootstraps;
            *times += charge.times;
        }
        costs
    }

    /// By call stack, the outermost function first, what costs something.
    #[must_use]
    pub fn stacks(&self, program: &Program) -> BTreeMap<Vec<String>, u64> {
        let mut names: HashMap<u32, String> = HashMap::new();
        let mut name = |address: u32| {
            let known = names.entry(address);
            known
                .or_insert_with(|| function_at(program, address))
                .clone()
        };
        let mut stacks = BTreeMap::new();
        for charge in self.charges.iter().filter(|charge| charge.bootstraps > 0) {
            let mut stack = Vec::new();
            let mut next = Some(charge.call);
            while let Some(call) = next.and_then(|number| self.calls.get(number)) {
                stack.push(name(call.entry));
                next = call.caller.map(|(number, _)| number);
            }
            // A jump into another function that was not seen to be a call.
            let own = name(charge.address);
            if stack.first() != Some(&own) && program.place(charge.address).symbol.is_some() {
                stack.insert(0, own);
            }
            stack.reverse();
            *stacks.entry(stack).or_default() += charge.bootstraps;
        }
        stacks
    }
}

/// The function around an address, or the address where none is known.
fn function_at(program: &Program, address: u32) -> String {
    match program.place(address).symbol {
        Some((name, _)) => name,
        None => format!("{address:#010x}"),
    }
}
