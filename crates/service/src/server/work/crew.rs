//! Workers on other machines that jobs may run on: who is free, and who has which key.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use circuits::exec::Cancel;
use cluster::ray::Ray;
use cluster::{Addresses, Losses, Patience, Reach};

/// How long a worker that could not be reached is left alone.
const AWAY: Duration = Duration::from_secs(5);
/// How long somebody waits for a worker: one that ends a job is free at once.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long he does so before he looks around.
const LOOK: Duration = Duration::from_millis(100);

/// Jobs whose losses are remembered while they wait.
const REMEMBERED: usize = 10_000;

/// See the module.
pub(crate) struct Crew {
    addresses: Addresses,
    pub(super) reach: Reach,
    pub(super) patience: Patience,
    state: Mutex<Vec<Chair>>,
    /// With which workers jobs were lost that wait for another one, and at which checkpoint.
    losses: Mutex<HashMap<String, (Losses, Option<u64>)>>,
    freed: Condvar,
    /// Its workers are there as long as it is.
    _ray: Option<Ray>,
}

/// What is known of a worker.
#[derive(Default)]
struct Chair {
    is_taken: bool,
    away_until: Option<Instant>,
    /// The key that it had last.
    key: String,
}

impl Crew {
    pub(crate) fn new(addresses: Addresses, reach: Reach, ray: Option<Ray>) -> Self {
        Self {
            addresses,
            reach,
            patience: Patience::default(),
            state: Mutex::default(),
            losses: Mutex::default(),
            freed: Condvar::new(),
            _ray: ray,
        }
    }

    /// With which workers a job was lost before it waited.
    pub(super) fn losses_with(&self, job: &str) -> (Losses, Option<u64>) {
        let mut losses = self.losses.lock().unwrap_or_else(PoisonError::into_inner);
        losses.remove(job).unwrap_or_default()
    }

    /// Keeps them until the job comes again; at most so many jobs, for some are cancelled meanwhile.
    pub(super) fn keep_losses(&self, job: &str, of_job: Losses, since: Option<u64>) {
        let mut losses = self.losses.lock().unwrap_or_else(PoisonError::into_inner);
        if !of_job.is_empty() && (losses.len() < REMEMBERED || losses.contains_key(job)) {
            losses.insert(job.to_owned(), (of_job, since));
        }
    }

    /// How many there are now.
    pub(crate) fn len(&self) -> usize {
        self.addresses.len()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Chair>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker that is free, rather one that has the key, and where none was lost with the job unless that is so everywhere;
    /// waits a moment for one. `None` if none came, or once somebody cancels.
    pub(super) fn take(&self, key: &str, losses: &Losses, cancel: &Cancel) -> Option<Seat<'_>> {
        let begin = Instant::now();
        let mut chairs = self.lock();
        while !cancel.is_cancelled() && begin.elapsed() < PATIENCE {
            // More may have come.
            let count = self.addresses.len().max(chairs.len());
            chairs.resize_with(count, Chair::default);
            let now = Instant::now();
            let is_there = |chair: &Chair| chair.away_until.is_none_or(|until| until <= now);
            let there = || {
                let all = chairs.iter().enumerate();
                all.filter(|(_, chair)| is_there(chair))
                    .map(|(place, _)| place)
            };
            let free = chairs.iter().enumerate().filter(|(place, chair)| {
                !chair.is_taken && is_there(chair) && losses.fits(*place, there())
            });
            let place = free
                .min_by_key(|(_, chair)| chair.key != key)
                .map(|(place, _)| place);
            if let Some(place) = place
                && let Some(address) = self.addresses.get(place)
            {
                chairs[place].is_taken = true;
                return Some(Seat {
                    crew: self,
                    place,
                    address,
                });
            }
            let waited = self.freed.wait_timeout(chairs, LOOK);
            chairs = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }
}

/// A worker while a job has it.
pub(super) struct Seat<'a> {
    crew: &'a Crew,
    pub(super) place: usize,
    /// Where it is.
    pub(super) address: String,
}

impl Seat<'_> {
    /// It has that key now.
    pub(super) fn has(&self, key: &str) {
        if let Some(chair) = self.crew.lock().get_mut(self.place) {
            key.clone_into(&mut chair.key);
        }
    }

    /// It was not there, or went away.
    pub(super) fn is_away(&self) {
        if let Some(chair) = self.crew.lock().get_mut(self.place) {
            chair.away_until = Some(Instant::now() + AWAY);
            chair.key.clear();
        }
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        if let Some(chair) = self.crew.lock().get_mut(self.place) {
            chair.is_taken = false;
        }
        self.crew.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crew() -> Crew {
        Crew::new(Addresses::from(["a:1", "b:2"]), Reach::Tcp(None), None)
    }

    /// Whoever has the key is taken first; one that is away is left alone; one that is added is found.
    #[test]
    fn who_has_the_key_is_taken_first() {
        let (crew, cancel) = (crew(), Cancel::new());
        let first = crew.take("k", &Losses::default(), &cancel).unwrap();
        let second = crew.take("k", &Losses::default(), &cancel).unwrap();
        assert_eq!(
            (first.address.as_str(), second.address.as_str()),
            ("a:1", "b:2")
        );
        second.has("k");
        drop((first, second));
        let again = crew.take("k", &Losses::default(), &cancel).unwrap();
        assert_eq!(again.address, "b:2");
        again.is_away();
        drop(again);
        assert_eq!(
            crew.take("k", &Losses::default(), &cancel).unwrap().address,
            "a:1"
        );
        let kept = crew.take("k", &Losses::default(), &cancel).unwrap();
        crew.addresses.push("c:3");
        assert_eq!(
            crew.take("k", &Losses::default(), &cancel).unwrap().address,
            "c:3"
        );
        drop(kept);
        // Where it was lost only if there is nobody else.
        let mut losses = Losses::default();
        [0, 1].into_iter().for_each(|place| losses.add(place));
        assert_eq!(crew.take("k", &losses, &cancel).unwrap().address, "c:3");
        losses.add(2);
        assert_eq!(crew.take("k", &losses, &cancel).unwrap().address, "a:1");
    }

    /// Who waits hears of a worker that is freed, and of the end.
    #[test]
    fn whoever_waits_is_woken() {
        let (crew, cancel) = (crew(), Cancel::new());
        let both = [
            crew.take("k", &Losses::default(), &cancel).unwrap(),
            crew.take("k", &Losses::default(), &cancel).unwrap(),
        ];
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                crew.take("k", &Losses::default(), &cancel)
                    .map(|seat| seat.address.clone())
            });
            let [first, second] = both;
            drop(first);
            assert_eq!(waiting.join().unwrap().as_deref(), Some("a:1"));
            let _other = crew.take("k", &Losses::default(), &cancel).unwrap();
            let waiting = scope.spawn(|| crew.take("k", &Losses::default(), &cancel).is_none());
            cancel.cancel();
            assert!(waiting.join().unwrap());
            drop(second);
        });
    }
}
