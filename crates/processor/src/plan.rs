//! A run without ciphertexts: what it would cost, and where it would fail.
//!
//! The program is executed exactly as [`run`](crate::run()) does it, with fresh inputs in place of
//! ciphertexts; circuits are prepared for the target and counted instead of evaluated. So a plan
//! has exactly the instructions, windows and nodes of its run.

use std::collections::BTreeMap;

use circuits::exec::Cancel;
use circuits::passes::{self, Cost};
use circuits::{Circuit, Op, Profile, Wire};

use crate::error::{Access, RunError, Site, Unmerged};
use crate::execution::{EndBit, Evaluate, Execution, Query, Window};
use crate::host::{Answer, Asked};
use crate::listing::Touch;
use crate::machine::Callers;
use crate::program::Program;
use crate::task::Task;
use values::Type;

/// One circuit of a run.
#[derive(Clone, Debug)]
pub struct WindowPlan {
    /// Instructions executed to record it.
    pub instructions: u64,
    /// Ciphertexts that enter.
    pub inputs: usize,
    /// Ciphertexts that leave.
    pub outputs: usize,
    /// Nodes that take time, as they will be evaluated: bootstraps where every operation is one.
    pub nodes: usize,
    /// What evaluating it costs on the target.
    pub cost: Cost,
    /// The largest noise, at most the target's limit: the variance of a sum in units of its
    /// [`NoiseModel`](circuits::NoiseModel), or bits of its [`NoiseGrowth`](circuits::NoiseGrowth);
    /// 0 where there is neither.
    pub worst_noise: f64,
    /// A hash of the circuit: machines that record the same have the same.
    pub fingerprint: [u8; 32],
}

/// A place where the program does what this processor cannot do on secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A branch whose condition is secret. The plan ends there.
    Branch(Site),
    /// A branch whose condition is secret, and whose paths cannot both be executed. The plan ends
    /// there.
    Unmerged(Site, Unmerged),
    /// A jump to a secret address. The plan ends there.
    Target(Site),
    /// A secret address whose object is unknown. The plan goes on with an unknown value
    /// (a load) or without effect (a store), and does not count what the access would cost.
    Address(Site, Access),
}

impl Finding {
    /// Where it is.
    #[must_use]
    pub fn site(&self) -> &Site {
        match self {
            Self::Branch(site)
            | Self::Unmerged(site, _)
            | Self::Target(site)
            | Self::Address(site, _) => site,
        }
    }

    /// The error with which a run stops here.
    #[must_use]
    pub(crate) fn into_error(self) -> RunError {
        match self {
            Self::Branch(site) => RunError::SecretBranch {
                site: Box::new(site),
            },
            Self::Unmerged(site, unmerged) => RunError::Unmerged {
                site: Box::new(site),
                unmerged,
            },
            Self::Target(site) => RunError::SecretTarget {
                site: Box::new(site),
            },
            Self::Address(site, access) => RunError::SecretAddress {
                site: Box::new(site),
                access,
            },
        }
    }
}

/// An object that an access at a secret address selects over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectPlan {
    /// The variable, or where the bytes are.
    pub name: String,
    /// The first address.
    pub address: u32,
    /// The size in bytes.
    pub size: u32,
}

/// An instruction that loads or stores at a secret address.
///
/// ```
/// use blindcore_processor::{Access, Content, Input, ObjectPlan, Program, SelectionPlan, Task, plan};
/// use circuits::Profile;
///
/// let program = Program::load(b".data list[8]\n.data at\n LOAD R0, at\n LOAD R1, list[R0]\n STORE R1, at")?;
/// let secret = Input { variable: program.variable("at")?.clone(), content: Content::Secret };
/// let task = Task { inputs: vec![secret], ..Task::default() };
/// let plan = plan(&program, &task, &Profile::lookup_simulation())?;
/// let selection: &SelectionPlan = &plan.selections[0];
/// assert_eq!((selection.access, selection.bytes, selection.times), (Access::Load, 4, 1));
/// let list: &ObjectPlan = &selection.objects[0];
/// assert_eq!((&*list.name, list.size), ("list", 32));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectionPlan {
    /// Where.
    pub site: Site,
    /// Load or store.
    pub access: Access,
    /// Bytes of one access: 1, 2 or 4.
    pub bytes: u32,
    /// How many accesses there are in the whole run; with them those on paths that were executed
    /// and then given up, because they did not meet.
    pub times: u64,
    /// What they all select over.
    pub objects: Vec<ObjectPlan>,
    /// Operations recorded for all of them, those left out that something before had needed as
    /// well. Preparing the circuit packs some of them and adds refreshes.
    pub operations: usize,
}

/// A wanted output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPlan {
    /// The variable's name, or the function's for the result of a call.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// How many of its bits are secret; the others are known without the key.
    pub secret_bits: usize,
    /// The multiplicative depth of the deepest of them within the last window.
    pub depth: u32,
}

/// A variable that the program reads and nobody gave: it is 0 and stays so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unset {
    /// The variable, or the field of one.
    pub name: String,
    /// The first address.
    pub address: u32,
    /// The size in bytes.
    pub size: u32,
}

/// The first question of a run: what comes after it depends on the answer.
///
/// ```
/// use blindcore_processor::{Asked, Branches, Content, Input, Otherwise, PlannedQuestion, Program, Task, plan};
/// use circuits::Profile;
///
/// let program = Program::load(b".data a\n LOAD R0, a\n CMP R0, 5\n B_HI end\n STORE R1, a\nend: HALT")?;
/// let secret = Input { variable: program.variable("a")?.clone(), content: Content::Secret };
/// let branches = Branches { both: None, otherwise: Otherwise::Ask };
/// let task = Task { inputs: vec![secret], branches, ..Task::default() };
/// let plan = plan(&program, &task, &Profile::lookup_simulation())?;
/// let question: PlannedQuestion = plan.question.expect("the branch");
/// assert!(matches!(question.asked, Asked::Condition(_)) && !plan.complete);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedQuestion {
    /// Where the program asks.
    pub site: Site,
    /// What the client is asked, and so what its answer reveals.
    pub asked: Asked,
}

/// What a run will do.
///
/// ```
/// use blindcore_processor::{
///     Branches, Content, Finding, Input, Otherwise, OutputPlan, Plan, Program, SymbolError, Task, Touch, Unset,
///     WindowPlan, plan,
/// };
/// use circuits::Profile;
///
/// let profile = Profile::lookup_simulation();
/// let program = Program::load(b"
///     .data a
///     .data b
///     .data larger
///     main:
///         LOAD  R0, a
///         LOAD  R1, b
///         STORE R0, larger
///         CMP   R0, R1
///         B_HS  done
///         STORE R1, larger
///     done:
///         HALT
/// ")?;
/// let secret = |name: &str| -> Result<Input, SymbolError> {
///     Ok(Input { variable: program.variable(name)?.clone(), content: Content::Secret })
/// };
///
/// // One number is secret, the other was forgotten, and the run would stop at the branch.
/// let task = Task { inputs: vec![secret("b")?], ..Task::default() };
/// let refused: Plan = plan(&program, &task, &profile)?;
/// assert!(matches!(&refused.findings[..], [Finding::Branch(site)] if site == refused.findings[0].site()));
/// assert!(refused.obstacle().is_some() && !refused.is_runnable());
/// assert!(matches!(&refused.unset[..], [Unset { name, .. }] if name == "a"));
///
/// // With both paths executed there is one circuit, of a comparison and a selection.
/// let branches = Branches { both: Some(100), otherwise: Otherwise::Refuse };
/// let task = Task { inputs: vec![secret("a")?, secret("b")?], branches, ..Task::default() };
/// let both = plan(&program, &task, &profile)?;
/// assert!(both.is_runnable() && !both.leaves_nothing());
/// let window: &WindowPlan = &both.windows[0];
/// assert_eq!((window.inputs, window.outputs), (64, 32));
/// assert_eq!((both.nodes(), both.total().bootstraps), (window.nodes, window.cost.bootstraps));
/// assert_eq!(both.worst_noise(), window.worst_noise);
/// let larger: &OutputPlan = &both.outputs[0];
/// assert_eq!(larger.name, "larger");
/// assert!(both.touched.values().any(|touch| *touch == Touch::Secret));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    /// The function or label where execution begins, or its address where it has no name.
    pub entry: String,
    /// Executed instructions.
    pub instructions: u64,
    /// Those among them that touched secret bits.
    pub secret_instructions: u64,
    /// Bytes that the program wrote out by a supervisor call.
    pub written: u64,
    /// The circuits, in order.
    pub windows: Vec<WindowPlan>,
    /// What stands in the way of a run, each site once, in the order met.
    pub findings: Vec<Finding>,
    /// Where the plan ends because the client is asked; the costs are those until then.
    pub question: Option<PlannedQuestion>,
    /// Accesses at secret addresses, each instruction once, by address.
    pub selections: Vec<SelectionPlan>,
    /// Paths of secret branches that end in a fault, with the error, each site once, the first few:
    /// where the output [`FAULTED`](crate::FAULTED) comes from.
    pub faults: Vec<(Site, String)>,
    /// Branches at which loops ended at their bounds: where the output
    /// [`EXCEEDED`](crate::EXCEEDED) comes from.
    pub bounded: Vec<Site>,
    /// Whether the program ended; false if a secret branch stopped the plan.
    pub complete: bool,
    /// The outputs; empty if the program did not end.
    pub outputs: Vec<OutputPlan>,
    /// Variables that look like inputs and are none of the task's: visible to the linker, 0, read
    /// and never written; by address.
    pub unset: Vec<Unset>,
    /// Every executed instruction's address, and whether it ever touched secret bits.
    pub touched: BTreeMap<u32, Touch>,
}

impl Plan {
    /// Nodes of all windows that progress counts, as they will be evaluated.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.windows.iter().map(|window| window.nodes).sum()
    }

    /// What the run costs in all: counts and times summed over the windows, which follow each other
    /// in time; memory of the largest.
    #[must_use]
    pub fn total(&self) -> Cost {
        let mut total = Cost::default();
        for WindowPlan { cost, .. } in &self.windows {
            total.inputs += cost.inputs;
            total.outputs += cost.outputs;
            total.and += cost.and;
            total.xor += cost.xor;
            total.mux += cost.mux;
            total.lookup += cost.lookup;
            total.lookup_outputs += cost.lookup_outputs;
            total.parity += cost.parity;
            total.disjoint += cost.disjoint;
            total.refresh += cost.refresh;
            total.selector += cost.selector;
            total.choice += cost.choice;
            total.load += cost.load;
            total.store += cost.store;
            total.linear += cost.linear;
            total.row_choice += cost.row_choice;
            total.bootstraps += cost.bootstraps;
            total.depth += cost.depth;
            total.serial_ns += cost.serial_ns;
            total.critical_ns += cost.critical_ns;
            total.peak_bits = total.peak_bits.max(cost.peak_bits);
            total.peak_bytes = total.peak_bytes.max(cost.peak_bytes);
        }
        total
    }

    /// The largest [`WindowPlan::worst_noise`]; 0 if there is no window.
    #[must_use]
    pub fn worst_noise(&self) -> f64 {
        let noises = self.windows.iter().map(|window| window.worst_noise);
        noises.fold(0.0, f64::max)
    }

    /// A hash of all circuits, in order.
    #[must_use]
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for window in &self.windows {
            hasher.update(&window.fingerprint);
        }
        hasher.finalize().into()
    }

    /// Whether the program ends and leaves neither outputs nor anything that it wrote out.
    #[must_use]
    pub fn leaves_nothing(&self) -> bool {
        self.complete && self.outputs.is_empty() && self.written == 0
    }

    /// The error with which a run stops before anything is evaluated: the first
    /// [finding](Self::findings), or that nothing would be left.
    #[must_use]
    pub fn obstacle(&self) -> Option<RunError> {
        if let Some(finding) = self.findings.first() {
            return Some(finding.clone().into_error());
        }
        self.leaves_nothing().then(|| RunError::NoOutput {
            entry: self.entry.clone(),
        })
    }

    /// Whether a [run](crate::Run) would reach the program's end with something to
    /// show for it, as far as can be known before the first [`question`](Self::question).
    #[must_use]
    pub fn is_runnable(&self) -> bool {
        (self.complete || self.question.is_some()) && self.obstacle().is_none()
    }
}

/// Plans a run on a target.
///
/// # Errors
/// Everything that stops a run but secret branches and addresses, which are
/// [findings](Plan::findings).
pub fn plan(program: &Program, task: &Task, profile: &Profile) -> Result<Plan, RunError> {
    plan_until(program, task, profile, &Cancel::new())
}

/// As [`plan()`], until somebody cancels: a program may execute millions of instructions first.
///
/// # Errors
/// As for [`plan()`], and [`RunError::Cancelled`].
///
/// ```
/// use blindcore_processor::{Program, RunError, Task, plan_until};
/// use circuits::{Profile, exec::Cancel};
///
/// let program = Program::load(b"MOV R0, 10000000\nnext: SUBS R0, R0, 1\n B_NE next")?;
/// let cancel = Cancel::new();
/// cancel.cancel();
/// let plan = plan_until(&program, &Task::default(), &Profile::gate_simulation(), &cancel);
/// assert!(matches!(plan, Err(RunError::Cancelled)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan_until(
    program: &Program,
    task: &Task,
    profile: &Profile,
    cancel: &Cancel,
) -> Result<Plan, RunError> {
    plan_observed(program, task, profile, cancel, &mut |_| {})
}

/// As [`plan_until`], with a look at each window's circuit, as it will be evaluated.
///
/// # Errors
/// As there.
///
/// ```
/// use blindcore_processor::{Content, Input, Program, Task, plan_observed};
/// use circuits::{Profile, exec::Cancel};
///
/// let program = Program::load(b".data a\n LOAD R0, a\n ADD R0, R0, 5\n STORE R0, a")?;
/// let secret = Input { variable: program.variable("a")?.clone(), content: Content::Secret };
/// let task = Task { inputs: vec![secret], ..Task::default() };
/// let mut lookups = 0;
/// let mut observe = |circuit: &circuits::Circuit| {
///     lookups += circuit.nodes().filter(|&node| circuit.op(node).name() == "lookup").count();
/// };
/// let plan = plan_observed(&program, &task, &Profile::lookup_simulation(), &Cancel::new(), &mut observe)?;
/// assert_eq!(lookups, plan.total().lookup);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan_observed(
    program: &Program,
    task: &Task,
    profile: &Profile,
    cancel: &Cancel,
    observe: &mut dyn FnMut(&Circuit),
) -> Result<Plan, RunError> {
    let mut execution = Execution::new(program, task, profile)?.noting_secret_uses();
    plan_execution(&mut execution, task, cancel, observe)
}

/// As [`plan_observed`], with everything charged to instructions and calls.
pub(crate) fn plan_charging(
    program: &Program,
    task: &Task,
    profile: &Profile,
    cancel: &Cancel,
    observe: &mut dyn FnMut(&Circuit),
) -> Result<(Plan, Callers), RunError> {
    let execution = Execution::new(program, task, profile)?.noting_secret_uses();
    let mut execution = execution.charging();
    let plan = plan_execution(&mut execution, task, cancel, observe)?;
    let callers = execution.into_callers();
    Ok((plan, callers))
}

fn plan_execution(
    execution: &mut Execution<'_>,
    task: &Task,
    cancel: &Cancel,
    observe: &mut dyn FnMut(&Circuit),
) -> Result<Plan, RunError> {
    let mut counter = Counter {
        windows: Vec::new(),
        depths: Vec::new(),
        in_rows: None,
        observe,
    };
    let end = execution.run(&mut counter, cancel)?;
    let outputs = end.outputs.iter().map(|output| {
        let secret = output.bits.iter().filter_map(|bit| match bit {
            EndBit::Secret(number) => Some(counter.depths.get(*number).copied().unwrap_or(0)),
            EndBit::Clear(_) => None,
        });
        OutputPlan {
            name: output.name.clone(),
            ty: output.ty.clone(),
            secret_bits: secret.clone().count(),
            depth: secret.max().unwrap_or(0),
        }
    });
    let outputs = outputs.collect();
    Ok(Plan {
        entry: execution.entry().to_owned(),
        instructions: end.instructions,
        secret_instructions: end.secret_instructions,
        written: end.written,
        windows: counter.windows,
        findings: end.findings,
        question: end.question,
        selections: execution.selections(),
        faults: execution.faults().to_vec(),
        bounded: execution.bounded(),
        complete: end.complete,
        outputs,
        unset: execution.unset(&task.inputs),
        touched: execution.touched(),
    })
}

struct Counter<'a> {
    windows: Vec<WindowPlan>,
    /// The multiplicative depths of the last window's outputs.
    depths: Vec<u32>,
    /// By input of the next window: whether it is in a row still, as what was encrypted is and what
    /// was stored to arrays. All of the first window's are.
    in_rows: Option<Vec<bool>>,
    observe: &'a mut dyn FnMut(&Circuit),
}

impl Counter<'_> {
    fn is_in_row(&self, input: u32) -> bool {
        let known = self.in_rows.as_ref();
        known.is_none_or(|known| known.get(input as usize) == Some(&true))
    }
}

impl Evaluate for Counter<'_> {
    fn ask(&mut self, _: Query) -> Result<Option<Answer>, RunError> {
        Ok(None)
    }

    fn write(&mut self, _: &[u8]) -> Result<(), RunError> {
        Ok(())
    }

    fn window(&mut self, window: Window) -> Result<(), RunError> {
        let circuit = &window.circuit;
        let mut profile = window.profile.clone();
        let is_in_row = |wire: &Wire| match circuit.source(wire.signal()).map(|it| circuit.op(it)) {
            Some(Op::Input(number)) => self.is_in_row(number),
            _ => circuit.is_half(wire.signal()),
        };
        let kept = window.kept.iter().map(|&kept| &circuit.outputs()[kept]);
        let kept: Vec<bool> = kept.map(is_in_row).collect();
        let inputs = circuit.inputs() as u64;
        let in_rows = (0..inputs).filter(|&input| self.is_in_row(input as u32));
        let in_rows = in_rows.count() as u64;
        if let Some(others) = inputs.checked_sub(in_rows).filter(|others| *others > 0) {
            let bytes = in_rows * profile.bytes_per_input + others * profile.bytes_per_bit;
            profile.bytes_per_input = bytes / inputs;
        }
        self.in_rows = Some(kept);
        let cost = passes::cost(circuit, &profile);
        self.depths = passes::multiplicative_depth(circuit).outputs;
        (self.observe)(circuit);
        self.windows.push(WindowPlan {
            instructions: window.instructions,
            inputs: circuit.inputs(),
            outputs: window.kept.len(),
            nodes: operations(circuit, &window.profile),
            cost,
            worst_noise: window.worst_noise,
            fingerprint: circuit.fingerprint(),
        });
        Ok(())
    }
}

/// The nodes that progress counts: neither inputs nor sums, which cost nothing, nor choices, which cost
/// little.
pub(crate) fn operations(circuit: &Circuit, profile: &Profile) -> usize {
    circuit
        .nodes()
        .filter(|node| profile.is_counted(&circuit.op(*node)))
        .count()
}
