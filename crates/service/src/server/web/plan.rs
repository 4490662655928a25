//! `POST /v1/plan`: what a job would cost on this server.
//!
//! A plan is work that no quota counts, so it is bounded otherwise: two at once, one of each client,
//! and none for longer than some seconds. It ends at once when its client goes away.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use circuits::exec::Cancel;
use engines::tfhe_lookup::{Calibration, calibrate};
use processor::{Attribution, Finding, Plan, RunError, Site};
use serde_json::{Value, json};
use session::evaluator::{Estimate, Target};
use session::schemes;
use session::schemes::tfhe::Selectors;
use tfhe::Parameters;
use tokio::sync::Semaphore;
use tonic::Status;
use wire::Record;

use super::job::{JobBody, Resolved, refused};
use crate::proto::BlobKind;
use crate::server::board::Board;
use crate::server::caller::Caller;
use crate::server::desk::{Desk, Share, apart};

/// Plans at once.
const AT_ONCE: usize = 2;
/// How long a client waits for its turn.
const TURN: Duration = Duration::from_secs(10);
/// How long a plan may take.
const TIME: Duration = Duration::from_secs(20);
/// Most source lines of an answer, the dearest first.
const LINES_MOST: usize = 1_000;
/// Most findings of an answer.
const FINDINGS_MOST: usize = 200;

/// Who plans, and what is known of this machine.
pub(super) struct Plans {
    turns: Arc<Semaphore>,
    each: Arc<Share>,
    /// Times of bootstraps on this machine, by parameter set: measured when first asked for.
    times: Mutex<HashMap<&'static str, Calibration>>,
}

impl Default for Plans {
    fn default() -> Self {
        Self {
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            each: Share::new("plans", 1),
            times: Mutex::default(),
        }
    }
}

/// Ends a plan when nobody waits for it any more.
struct Watched(Cancel);

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Plans {
    /// What a job would cost.
    pub(super) async fn plan(
        self: &Arc<Self>,
        desk: &Desk,
        caller: Caller,
        body: JobBody,
    ) -> Result<Value, Status> {
        let answer = self.try_plan(desk, caller, body).await;
        answer.map_err(|status| desk.refuse(status))
    }

    async fn try_plan(
        self: &Arc<Self>,
        desk: &Desk,
        caller: Caller,
        body: JobBody,
    ) -> Result<Value, Status> {
        let held = self.each.take(&caller.id)?;
        let busy = |_| Status::unavailable("the server plans for others: try again in a moment");
        let turn = Arc::clone(&self.turns).acquire_owned();
        let turn = tokio::time::timeout(TURN, turn).await.map_err(busy)?;
        let cancel = Cancel::new();
        let _watched = Watched(cancel.clone());
        let (board, plans) = (Arc::clone(&desk.board), Arc::clone(self));
        // The turn ends with the work, not with the call.
        let work = apart(move || {
            let _turns = (held, turn);
            plans.answer(&board, &caller, &body, &cancel)
        });
        tokio::time::timeout(TIME, work).await.unwrap_or_else(|_| {
            Err(Status::failed_precondition(format!(
                "planning took longer than {} s, which is all that the server spends on it: submit the \
                 job without a plan, or plan it with `blindcore plan`",
                TIME.as_secs()
            )))
        })
    }

    fn answer(
        &self,
        board: &Board,
        caller: &Caller,
        body: &JobBody,
        cancel: &Cancel,
    ) -> Result<Value, Status> {
        let resolved = body.resolve(board, caller)?;
        let selectors = match &body.selectors {
            None if body.with_selectors == Some(true) => Selectors::Beside,
            None => Selectors::Unused,
            Some(hash) => {
                let kind = BlobKind::SelectorKey;
                Selectors::In(board.blob_file(caller, "selectors", hash, kind)?)
            }
        };
        let parameters = match resolved.inputs.first() {
            Some(inputs) => *inputs.parameters(),
            None => tfhe::P16,
        };
        let target = Target {
            threads: threads(board, body.threads),
            architectures: Default::default(),
            fft: None,
            selectors,
        };
        let Resolved { program, task, .. } = &resolved;
        let failed = |error: RunError| match error {
            RunError::Cancelled => Status::cancelled("the plan was cancelled"),
            error => refused(program.error(&error)),
        };
        let image = program.image();
        let planned = schemes::tfhe::plan_until(image, task, &parameters, &target, cancel);
        let profile = planned.map_err(failed)?.profile();
        // Once more, charging each bootstrap to its instruction.
        let found = processor::attribute(image, task, &profile, cancel).map_err(failed)?;
        let calibration = self.calibration(&parameters)?;
        let estimate = Estimate::new(&found.plan, &parameters, target.threads, &calibration);
        Ok(document(&resolved, &found, &estimate, body.default_zero()))
    }

    fn calibration(&self, parameters: &Parameters) -> Result<Calibration, Status> {
        let times = self.times.lock();
        let mut times = times.unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = times.get(parameters.name()) {
            return Ok(*known);
        }
        let measured = calibrate(parameters)
            .map_err(|error| Status::internal(format!("cannot measure a bootstrap: {error}")))?;
        times.insert(parameters.name(), measured);
        Ok(measured)
    }
}

/// The threads that a job would get.
fn threads(board: &Board, wished: Option<u32>) -> NonZeroUsize {
    let settings = &board.settings;
    let share = settings.threads.get() / settings.jobs.get();
    let share = NonZeroUsize::new(share).unwrap_or(NonZeroUsize::MIN);
    let wished = wished.and_then(|threads| NonZeroUsize::new(threads as usize));
    wished.map_or(share, |wished| wished.min(share))
}

fn document(
    resolved: &Resolved,
    found: &Attribution,
    estimate: &Estimate,
    default_zero: bool,
) -> Value {
    let plan = &found.plan;
    let lines = found.lines(resolved.program.image());
    let lines = lines.iter().take(LINES_MOST).map(|cost| {
        let line = cost.line.as_ref();
        json!({
            "file": line.map(|(file, _)| file),
            "line": line.map(|(_, line)| line),
            "function": cost.functions.join(", "),
            "bootstraps": cost.bootstraps,
        })
    });
    let outputs = plan.outputs.iter();
    let outputs = outputs.map(|output| json!({"name": output.name, "type": output.ty.to_string()}));
    json!({
        "instructions": plan.instructions,
        "bootstraps": estimate.bootstraps,
        "depth": estimate.depth,
        "selectors": plan.total().selector,
        "windows": plan.windows.len(),
        "seconds": estimate.seconds,
        "memory_bytes": estimate.memory(),
        "end_known": plan.complete,
        "findings": findings(plan, default_zero),
        "outputs": outputs.collect::<Vec<_>>(),
        "lines": lines.collect::<Vec<_>>(),
    })
}

/// What stands in the way of the job; empty for one that will run.
fn findings(plan: &Plan, default_zero: bool) -> Vec<Value> {
    let mut findings = Vec::new();
    let mut add = |text: String, site: Option<&Site>| {
        if findings.len() < FINDINGS_MOST {
            findings.push(finding(&text, site));
        }
    };
    for found in &plan.findings {
        let text = match found {
            Finding::Branch(site) => format!(
                "{site}: branches on a secret: select values (x = c ? a : b), or let both paths be \
                 executed"
            ),
            Finding::Unmerged(_, unmerged) => unmerged.to_string(),
            Finding::Target(site) => format!("{site}: jumps to a secret address"),
            Finding::Address(site, _) => format!(
                "{site}: the address is secret, and which array is meant is unknown: index an array \
                 that has a symbol"
            ),
        };
        add(text, Some(found.site()));
    }
    if plan.leaves_nothing()
        && let Some(error) = plan.obstacle()
    {
        add(error.to_string(), None);
    }
    for (site, reason) in &plan.faults {
        let own = format!("{site}: ");
        let reason = reason.strip_prefix(&own).unwrap_or(reason);
        add(format!("{site}: a path ends here: {reason}"), Some(site));
    }
    for unset in plan.unset.iter().filter(|_| !default_zero) {
        let text = format!(
            "{}: the program reads it, and nobody gives it a value: encrypt one, or set default_zero",
            unset.name
        );
        add(text, None);
    }
    findings
}

fn finding(text: &str, site: Option<&Site>) -> Value {
    let line = site.and_then(|site| site.place.line.as_ref());
    json!({
        "text": text,
        "file": line.map(|(file, _)| file),
        "line": line.map(|(_, line)| line),
        "address": site.map(|site| site.place.address),
    })
}
