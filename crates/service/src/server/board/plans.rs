//! What jobs come to, as far as it is known: a program that was planned for a task is not planned
//! again, whoever submits it, however often it goes on.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::{Board, State};
use crate::server::quota::exceeds;
use crate::server::store::{PlanRecord, StoreError};

/// Most plans in memory: each has some hundred bytes.
const MOST: usize = 4_096;

/// Plans by what they are of; `None` where making one takes long.
#[derive(Default)]
pub(crate) struct Plans(Mutex<HashMap<String, Option<PlanRecord>>>);

impl Plans {
    pub(crate) fn keep(&self, plan: PlanRecord) {
        self.put(plan.of.clone(), Some(plan));
    }

    /// Planning this takes longer than a submission may.
    pub(crate) fn is_long(&self, of: String) {
        self.put(of, None);
    }

    fn put(&self, of: String, plan: Option<PlanRecord>) {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Which one goes matters little: it would be made again.
        if plans.len() >= MOST
            && !plans.contains_key(&of)
            && let Some(old) = plans.keys().next().cloned()
        {
            plans.remove(&old);
        }
        plans.insert(of, plan);
    }

    /// The plan, if it is known.
    pub(crate) fn of(&self, of: &str) -> Option<PlanRecord> {
        self.look(of).flatten()
    }

    /// The plan; `None` where nothing is known, `Some(None)` where making it takes long.
    pub(crate) fn look(&self, of: &str) -> Option<Option<PlanRecord>> {
        let plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        plans.get(of).cloned()
    }
}

impl Board {
    /// Keeps what a job comes to; an error says which quota all of the client's jobs exceed.
    pub(crate) fn planned(
        &self,
        id: &str,
        plan: &PlanRecord,
    ) -> Result<Result<(), String>, StoreError> {
        let mut state = self.lock();
        let Some(entry) = state.jobs.get(id) else {
            return Ok(Ok(()));
        };
        let (client, name) = (entry.record.client.clone(), &entry.record.client_name);
        let quota = self.settings.policy.now().limits(name, &client);
        let others = state.bootstraps(&client, id);
        let in_all = others.saturating_add(plan.bootstraps);
        if exceeds(in_all, quota.bootstraps_in_all) {
            return Ok(Err(format!(
                "{} bootstraps beside the {others} of this client's other jobs exceed its quota of {}: \
                 wait for one, or cancel one",
                plan.bootstraps, quota.bootstraps_in_all
            )));
        }
        if let Some(mut entry) = state.jobs.get_mut(id) {
            let mut record = entry.record.clone();
            record.plan = Some(plan.clone());
            self.store.put_job(&record)?;
            entry.record = record;
        }
        Ok(Ok(()))
    }
}

impl State {
    /// Bootstraps of a client's jobs that have not ended, but for one.
    fn bootstraps(&self, client: &str, but: &str) -> u64 {
        let mine = self.jobs.open_of(client).map(|entry| &entry.record);
        let mine = mine.filter(|job| job.id != but);
        mine.filter_map(|job| job.plan.as_ref())
            .map(|plan| plan.bootstraps)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_found_and_are_bounded() {
        let plans = Plans::default();
        let plan = |number: usize| PlanRecord {
            of: number.to_string(),
            is_wide: false,
            windows: 1,
            instructions: 1,
            nodes: number as u64,
            is_end: true,
            has_selectors: false,
            bootstraps: 1,
            bytes: 1,
            beside: 0,
        };
        (0..=MOST).for_each(|number| plans.keep(plan(number)));
        assert_eq!(plans.0.lock().unwrap().len(), MOST);
        assert_eq!(plans.of(&MOST.to_string()), Some(plan(MOST)));
        assert_eq!((plans.of("none"), plans.look("none")), (None, None));
        plans.is_long("long".to_owned());
        assert_eq!((plans.of("long"), plans.look("long")), (None, Some(None)));
    }
}
