//! Two threads that do [rotations](super::column_rotation) together: how one calls the other, and what they
//! send each other.
//!
//! What a thread sends goes to one of two rooms in turn. It may go to the same room again when the other
//! thread has answered what lay there before: both send, then receive. Nobody waits for a lock; they
//! are there because a room has a writer and a reader. Whoever waits for too long goes on alone, and so
//! does a thread whose helper is gone.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often somebody who waits looks before others get the core.
const LOOKS: u32 = 4096;
/// How long somebody waits in one rotation beside that. Where more threads want to run than there are cores,
/// the other one may not run for milliseconds, and there are hundreds of exchanges: then either goes on
/// alone.
const PATIENCE: Duration = Duration::from_millis(5);

/// The other thread is gone.
pub(crate) struct Alone;

/// What two threads share who do rotations together.
#[derive(Debug)]
pub struct Duet {
    /// What the first thread sends, and what the second one does.
    channels: [Channel; 2],
    call: Mutex<Call>,
    called: Condvar,
    calls: AtomicUsize,
    over: AtomicBool,
    abandoned: AtomicBool,
}

/// What the second thread is to do.
#[derive(Debug, Default)]
struct Call {
    /// How many rotations were asked for.
    count: usize,
    /// Whether the last one is by the key of three levels.
    is_leveled: bool,
    /// Its sum, switched to the small key and to counts of a rotation.
    switched: Vec<u16>,
    /// The polynomial that the second thread begins with.
    polynomial: Vec<u64>,
}

/// A call, as the second thread gets it.
pub(crate) struct Called {
    pub(crate) is_leveled: bool,
    pub(crate) switched: Vec<u16>,
    pub(crate) polynomial: Vec<u64>,
}

/// One direction.
#[derive(Debug, Default)]
struct Channel {
    sent: Apart,
    /// Messages.
    rooms: [Mutex<Vec<f32>>; 2],
    /// A polynomial at the end.
    polynomial: Mutex<Vec<u64>>,
}

/// A count that shares its cache lines with nothing.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart(AtomicUsize);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for Duet {
    fn default() -> Self {
        Self::new()
    }
}

impl Duet {
    /// For two threads that have not begun.
    #[must_use]
    pub fn new() -> Self {
        Self {
            channels: Default::default(),
            call: Mutex::default(),
            called: Condvar::new(),
            calls: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
        }
    }

    /// Nobody will ask for anything any more: the second thread can go.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Release);
        // Whoever is about to sleep has the lock.
        drop(lock(&self.call));
        self.called.notify_all();
    }

    /// Whether one of both waited for the other for so long that it went on alone: then the cores are busy
    /// with other things.
    #[must_use]
    pub fn was_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// Whether no rotation will be shared any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Asks for a rotation.
    pub(crate) fn call(
        &self,
        is_leveled: bool,
        switched: &[u16],
        polynomial: &[u64],
    ) -> Result<(), Alone> {
        if self.is_over() {
            return Err(Alone);
        }
        let mut call = lock(&self.call);
        call.count += 1;
        call.is_leveled = is_leveled;
        call.switched.clear();
        call.switched.extend_from_slice(switched);
        call.polynomial.clear();
        call.polynomial.extend_from_slice(polynomial);
        self.calls.store(call.count, Ordering::Release);
        drop(call);
        self.called.notify_all();
        Ok(())
    }

    /// The second thread: does its half of every rotation until there are no more.
    pub(crate) fn accompany(
        &self,
        mut rotate: impl FnMut(&mut Side<'_>, Called) -> Result<(), Alone>,
    ) {
        let end = EndOnDrop(self);
        let mut side = self.side(1);
        let mut count = 0;
        while let Some(called) = self.next(count) {
            count += 1;
            if rotate(&mut side, called).is_err() {
                return;
            }
        }
        drop(end);
    }

    /// The next call after `count` others, or nothing if there is none any more.
    fn next(&self, count: usize) -> Option<Called> {
        // What comes soon is not worth falling asleep.
        let is_there = || self.calls.load(Ordering::Acquire) > count || self.is_over();
        for _ in 0..LOOKS {
            if is_there() {
                break;
            }
            std::hint::spin_loop();
        }
        let mut call = lock(&self.call);
        loop {
            if call.count > count {
                return Some(Called {
                    is_leveled: call.is_leveled,
                    switched: call.switched.clone(),
                    polynomial: call.polynomial.clone(),
                });
            }
            if self.is_over() {
                return None;
            }
            call = self
                .called
                .wait(call)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The side of one of both: 0 for the first thread, 1 for the second.
    pub(crate) fn side(&self, number: usize) -> Side<'_> {
        let [of_first, of_second] = &self.channels;
        let [own, other] = match number {
            0 => [of_first, of_second],
            _ => [of_second, of_first],
        };
        Side {
            duet: self,
            own,
            other,
            count: own.sent.0.load(Ordering::Relaxed),
            waited: Duration::ZERO,
        }
    }
}

/// Ends a duet when it is dropped.
struct EndOnDrop<'a>(&'a Duet);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// One thread's end.
pub(crate) struct Side<'a> {
    duet: &'a Duet,
    own: &'a Channel,
    other: &'a Channel,
    /// Messages so far, as many in either direction.
    count: usize,
    /// How long this thread has waited for the other in the present rotation, but for what is usual.
    waited: Duration,
}

impl Side<'_> {
    /// Sends as many numbers as asked, which are written where the other one will read them.
    pub(crate) fn send(&mut self, length: usize, write: impl FnOnce(&mut [f32])) {
        let mut room = lock(&self.own.rooms[self.count % 2]);
        room.resize(length, 0.0);
        write(&mut room);
        drop(room);
        self.count_sent();
    }

    fn count_sent(&mut self) {
        self.count += 1;
        self.own.sent.0.store(self.count, Ordering::Release);
    }

    /// A rotation begins.
    pub(crate) fn begin(&mut self) {
        self.waited = Duration::ZERO;
    }

    /// Reads what the other one sent in answer.
    pub(crate) fn receive(&mut self, read: impl FnOnce(&[f32])) -> Result<(), Alone> {
        self.wait()?;
        read(&lock(&self.other.rooms[(self.count - 1) % 2]));
        Ok(())
    }

    /// Sends a polynomial and reads the other one's.
    pub(crate) fn exchange(&mut self, own: &[u64], other: &mut [u64]) -> Result<(), Alone> {
        let mut room = lock(&self.own.polynomial);
        room.clear();
        room.extend_from_slice(own);
        drop(room);
        self.count_sent();
        self.wait()?;
        other.copy_from_slice(&lock(&self.other.polynomial));
        Ok(())
    }

    /// Until the other one has sent as much.
    fn wait(&mut self) -> Result<(), Alone> {
        let is_sent = || self.other.sent.0.load(Ordering::Acquire) >= self.count;
        for _ in 0..LOOKS {
            if is_sent() {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        let start = Instant::now();
        while !is_sent() {
            if self.duet.is_over() {
                return Err(Alone);
            }
            if self.waited + start.elapsed() > PATIENCE {
                self.duet.abandoned.store(true, Ordering::Relaxed);
                self.duet.end();
                return Err(Alone);
            }
            std::thread::yield_now();
        }
        self.waited += start.elapsed();
        Ok(())
    }
}

#[cfg(test)]
#[cfg(feature = "secret")]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::leveled::{LeveledKey, LeveledWork, SeededLeveledKey, Selector};
    use crate::{
        Lookup, LweCiphertext, ParameterLiteral, Parameters, Rotation, Scratch, SecretKey,
        SeededServerKey, ServerKey, TOY_BLOCK, TOY_UNIFORM, TruthTable,
    };
    use random::Generator;

    struct Parties {
        server: ServerKey,
        leveled: LeveledKey,
        bits: Vec<LweCiphertext>,
    }

    fn parties(parameters: Parameters) -> Parties {
        let mut generator = Generator::from_key([7; 32]);
        let secret = SecretKey::generate(parameters, &mut generator).unwrap();
        let seeded = SeededServerKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
        let server = ServerKey::expand(&seeded, 2, &|_, _| {}).unwrap();
        let second = SeededLeveledKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
        let leveled = LeveledKey::expand(&second, &server, 2, &|_, _| {}).unwrap();
        let bits = secret.encrypt(&[true, false, true, true], &mut generator);
        let bits = bits.unpack();
        Parties {
            server,
            leveled,
            bits,
        }
    }

    /// Lookups, parities and selectors in turn, one at a time and two at a time; selectors by what they
    /// choose.
    fn all(parties: &Parties, scratch: &mut Scratch, work: &mut LeveledWork) -> Vec<LweCiphertext> {
        let Parties {
            server,
            leveled,
            bits,
        } = parties;
        let terms = [(&bits[0], 1), (&bits[1], 2)];
        let tables = [TruthTable(0b0110), TruthTable(0b1000)];
        let lookup = Lookup {
            terms: &terms,
            constant: 0,
            tables: &tables,
        };
        let parity: Vec<&LweCiphertext> = bits.iter().collect();
        let mut results = Vec::new();
        for count in [1, 1, 2, 1] {
            let lookups = vec![lookup; count];
            results.extend(server.lookup_many(scratch, &lookups).unwrap().concat());
            let parities = vec![Rotation::Parity(&parity); count];
            results.extend(server.rotate_many(scratch, &parities).unwrap().concat());
            let made = leveled.selectors(server, work, &lookups).unwrap();
            let mut chosen = |selector: &Selector| {
                results.push(leveled.choose(work, selector, &bits[0], &bits[1]).unwrap());
            };
            made.iter().flatten().for_each(&mut chosen);
        }
        results
    }

    /// The same to the bit, whether a thread helps with lookups only, with all, or not at all: because its
    /// buffers are strange, or because such rotations cannot be shared.
    #[test]
    fn what_two_threads_do_is_what_one_does() {
        let other = parties(TOY_UNIFORM);
        for parameters in [TOY_BLOCK, TOY_UNIFORM] {
            let parties = parties(parameters);
            let (server, leveled) = (&parties.server, &parties.leveled);
            assert_eq!(server.can_be_accompanied(), parameters == TOY_BLOCK);
            let mut scratch = server.scratch(2);
            let mut work = leveled.work(server, 2);
            let alone = all(&parties, &mut scratch, &mut work);
            for helper in 0..3 {
                for _ in 0..3 {
                    let duets = [(); 2].map(|()| Arc::new(Duet::new()));
                    std::thread::scope(|scope| {
                        let [first, second] = &duets;
                        let other = &other;
                        scope.spawn(move || match helper {
                            0 => server.accompany(&mut server.scratch(1), first),
                            1 => leveled.accompany(server, &mut leveled.work(server, 1), first),
                            _ => server.accompany(&mut other.server.scratch(1), first),
                        });
                        scope.spawn(move || {
                            leveled.accompany(server, &mut leveled.work(server, 1), second)
                        });
                        scratch.set_partner(Some(Arc::clone(first)));
                        work.set_partner(Some(Arc::clone(second)));
                        assert!(all(&parties, &mut scratch, &mut work) == alone);
                        // Copies have no partner, and it ends with the buffers.
                        assert!(scratch.clone().partner.duet().is_none());
                        scratch.set_partner(None);
                        work.set_partner(None);
                    });
                    assert!(duets.iter().all(|duet| duet.is_over()));
                }
            }
        }
    }

    /// Rotations by digits that an `f32` does not hold are not shared.
    #[test]
    fn wide_digits_are_not_shared() {
        for (bootstrap_base_log, is_shared) in [(25, true), (26, false)] {
            let literal = ParameterLiteral {
                name: "MINE",
                bootstrap_base_log,
                ..*TOY_BLOCK.literal()
            };
            let mut generator = Generator::from_key([7; 32]);
            let parameters = Parameters::new(literal).unwrap();
            let secret = SecretKey::generate(parameters, &mut generator).unwrap();
            let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {}).unwrap();
            let server = ServerKey::expand(&seeded, 1, &|_, _| {}).unwrap();
            assert_eq!(server.can_be_accompanied(), is_shared);
        }
    }

    /// A helper who does not know selectors leaves when it is asked for them, and the work goes on.
    #[test]
    fn who_cannot_help_leaves() {
        let parties = parties(TOY_BLOCK);
        let (server, leveled) = (&parties.server, &parties.leveled);
        let (mut scratch, mut work) = (server.scratch(2), leveled.work(server, 2));
        let alone = all(&parties, &mut scratch, &mut work);
        let duet = Arc::new(Duet::new());
        std::thread::scope(|scope| {
            scope.spawn(|| server.accompany(&mut server.scratch(1), &duet));
            work.set_partner(Some(Arc::clone(&duet)));
            assert!(all(&parties, &mut scratch, &mut work) == alone);
            work.set_partner(None);
        });
    }
}
