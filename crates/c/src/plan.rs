//! What a run will cost.

use std::ffi::{CString, c_char};

use crate::pointers::{Place, free, read};
use crate::status::{self, Status, call};

/// What a run would cost and reveal.
pub struct Plan {
    cost: Cost,
    text: CString,
}

/// What a run would cost on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Cost {
    /// Bootstraps: what takes the time.
    pub bootstraps: u64,
    /// How many of them follow on one another.
    pub depth: u64,
    /// About how many seconds.
    pub seconds: f64,
    /// Bytes of memory, key included.
    pub memory: u64,
    /// Whether a run would come to its end: nothing in the program is refused.
    pub runnable: bool,
}

impl Plan {
    pub(crate) fn of(plan: &blindcore::Plan) -> Self {
        let cost = Cost {
            bootstraps: plan.bootstraps() as u64,
            depth: plan.depth() as u64,
            seconds: plan.seconds(),
            memory: plan.memory(),
            runnable: plan.is_runnable(),
        };
        let text = status::text(&plan.to_string());
        Self { cost, text }
    }
}

/// The numbers of a plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_plan_cost(plan: *const Plan, cost: *mut Cost) -> Status {
    call(|| {
        Place::new(cost, "cost")?.put(read(plan, "plan")?.cost);
        Ok(())
    })
}

/// The plan for people, in several lines: with it, what the program does that is refused, and where.
/// The text lives as long as the plan. Null for a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_plan_text(plan: *const Plan) -> *const c_char {
    read(plan, "plan").map_or(std::ptr::null(), |plan| plan.text.as_ptr())
}

/// Frees a plan. Null is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_plan_free(plan: *mut Plan) {
    free(plan);
}
