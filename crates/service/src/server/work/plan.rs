//! What a job comes to, before it is computed: made once, and held against the bounds.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use circuits::exec::Cancel;
use processor::{Program, Task};
use session::evaluator::{self, Planned, Target, memory};
use session::schemes;
use session::schemes::tfhe::Selectors;
use tfhe::Parameters;

use super::host::Halt;
use super::job::{failed, unusable};
use crate::proto::ErrorCode;
use crate::server::board::{Board, Reached};
use crate::server::quota::{Quota, exceeds};
use crate::server::store::PlanRecord;

/// What is planned, and for what.
pub(in crate::server) struct Subject<'a> {
    pub(in crate::server) program: &'a Program,
    /// BLAKE3 of the program's file.
    pub(in crate::server) hash: [u8; 32],
    pub(in crate::server) task: &'a Task,
    /// Whether variables that nobody gave are 0.
    pub(in crate::server) default_zero: bool,
    pub(in crate::server) parameters: &'a Parameters,
    pub(in crate::server) target: &'a Target,
}

impl Subject<'_> {
    /// A name for all that a plan depends on; another version of the server may plan otherwise.
    pub(in crate::server) fn name(&self) -> String {
        let task = evaluator::run_hash(self.hash, [0; 32], self.task, &[]);
        let limits = self.task.limits;
        let selectors = !matches!(self.target.selectors, Selectors::Unused);
        let rest = format!(
            "{} {} {} {} {} {selectors} {}",
            env!("CARGO_PKG_VERSION"),
            limits.instructions,
            limits.window,
            self.parameters.name(),
            self.target.threads,
            self.default_zero,
        );
        let mut hasher = blake3::Hasher::new();
        hasher.update(&task).update(rest.as_bytes());
        hasher.finalize().to_hex().to_string()
    }

    /// Refuses what is too large without being planned.
    pub(in crate::server) fn check(&self, quota: &Quota) -> Result<(), Halt> {
        let bits = self.task.secret_bits() as u64;
        let window = self.task.limits.window as u64;
        if exceeds(bits, quota.secret_bits) {
            Err(over(format!(
                "the job takes {bits} secret bits, the client's quota is {}",
                quota.secret_bits
            )))
        } else if exceeds(window, quota.window) {
            Err(over(format!(
                "windows of {window} operations are wanted, the client's quota is {}: lower --window",
                quota.window
            )))
        } else {
            Ok(())
        }
    }

    /// Plans until somebody cancels, and says how far it is.
    pub(in crate::server) fn plan(
        &self,
        cancel: &Cancel,
        reached: &Reached,
    ) -> Result<PlanRecord, Halt> {
        // Both ways of recording are tried.
        const WAYS: u64 = 2;
        let observe = |circuit: &circuits::Circuit| {
            let nodes = circuit.len() as u64 / WAYS;
            reached.recorded.fetch_add(nodes, Ordering::Relaxed);
        };
        let Planned { plan, is_wide, .. } = schemes::tfhe::plan_observed(
            self.program,
            self.task,
            self.parameters,
            self.target,
            cancel,
            &observe,
        )
        .map_err(failed)?;
        if let Some(obstacle) = plan.obstacle() {
            return Err(failed(obstacle));
        }
        if !self.default_zero {
            evaluator::check_given(&plan).map_err(unusable)?;
        }
        evaluator::check_storable(&plan).map_err(unusable)?;
        let total = plan.total();
        let beside = memory::beside_ciphertexts(self.parameters, &plan);
        Ok(PlanRecord {
            of: self.name(),
            is_wide,
            windows: plan.windows.len() as u64,
            instructions: plan.instructions,
            nodes: plan.nodes() as u64,
            is_end: plan.complete,
            has_selectors: total.selector > 0,
            bootstraps: total.bootstraps as u64,
            bytes: beside + memory::of_ciphertexts_in_order(self.parameters, &plan),
            beside,
        })
    }
}

/// Refuses a plan that is beyond the bounds of the server or of the client.
pub(in crate::server) fn check(
    board: &Board,
    quota: &Quota,
    plan: &PlanRecord,
) -> Result<(), Halt> {
    let PlanRecord {
        bytes,
        bootstraps,
        nodes,
        ..
    } = *plan;
    let bounds = [
        ("server's bound", board.settings.memory),
        ("client's quota", quota.memory),
    ];
    for (whose, bound) in bounds {
        if exceeds(bytes, bound) {
            return Err(over(format!(
                "the job needs {bytes} bytes of memory at least, the {whose} is {bound}: lower --window, or \
                 split the job"
            )));
        }
    }
    if exceeds(nodes, quota.operations) {
        return Err(over(format!(
            "the job records {nodes} operations, the client's quota is {}: split the job",
            quota.operations
        )));
    }
    if exceeds(bootstraps, quota.bootstraps) {
        return Err(over(format!(
            "the job takes {bootstraps} bootstraps, the client's quota is {}: split the job",
            quota.bootstraps
        )));
    }
    Ok(())
}

fn over(message: String) -> Halt {
    Halt::Failed(
        ErrorCode::Quota,
        format!("{message}, or ask the server's operator"),
    )
}

/// A token that ends planning after so long.
pub(in crate::server) fn for_at_most(time: Duration) -> Cancel {
    let (cancel, end) = (Cancel::new(), Instant::now() + time);
    let own = cancel.clone();
    cancel.resting(move || {
        if Instant::now() >= end {
            own.cancel();
        }
    })
}
