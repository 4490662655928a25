//! How far a run is: a bar on a terminal, a line after two seconds and then every ten elsewhere,
//! nothing with `--quiet`. [`Display`] follows the run of a program, [`Steps`] any other long work.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

pub(crate) use values::duration_in_words as duration;

use indicatif::{ProgressBar, ProgressStyle};
use processor::Progress;
use session::ErrorKind;

use crate::failure::{Code, Failure};

/// Time before the first line where there is no terminal: soon, so that the reader of a log sees
/// how long it will take.
const FIRST_LINE: Duration = Duration::from_secs(2);
/// Time between two lines.
const LINE_PERIOD: Duration = Duration::from_secs(10);

/// Shows the progress of one run on standard error.
pub(crate) struct Display {
    show: Show,
    /// What is counted, in the singular.
    unit: &'static str,
    instructions: AtomicU64,
    bootstraps: AtomicU64,
    planned: AtomicU64,
    /// What its runs are called, in the singular, where there are several.
    part: &'static str,
    /// How often the program is run, and which time this is, from 0.
    batches: u64,
    batch: AtomicU64,
}

enum Show {
    Nothing,
    Lines(Mutex<Lines>),
    Bar(ProgressBar),
}

struct Lines {
    begin: Instant,
    next: Instant,
}

impl Show {
    /// Chooses the form by what standard error is.
    fn new(quiet: bool, style: ProgressStyle) -> Show {
        if quiet {
            Show::Nothing
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(0).with_style(style);
            bar.enable_steady_tick(Duration::from_millis(250));
            Show::Bar(bar)
        } else {
            let begin = Instant::now();
            Show::Lines(Mutex::new(Lines {
                begin,
                next: begin + FIRST_LINE,
            }))
        }
    }

    /// Shows how much is done: on the bar with a message, or as a line when one is due.
    fn update(
        &self,
        done: u64,
        planned: u64,
        message: impl FnOnce() -> String,
        line: impl FnOnce(Duration) -> String,
    ) {
        match self {
            Show::Nothing => {}
            Show::Bar(bar) => {
                if bar.length() != Some(planned) {
                    bar.set_length(planned);
                }
                bar.set_position(done);
                bar.set_message(message());
            }
            Show::Lines(lines) => {
                // A thread that finds the lock taken leaves the line to the other.
                let Ok(mut lines) = lines.try_lock() else {
                    return;
                };
                let now = Instant::now();
                if now < lines.next {
                    return;
                }
                lines.next = now + LINE_PERIOD;
                // A run does not end because nobody reads about it.
                let _ = writeln!(std::io::stderr(), "blindcore: {}", line(now - lines.begin));
            }
        }
    }

    /// Takes the bar away, so that what is printed next stands alone.
    fn finish(&self) {
        if let Show::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

impl Display {
    /// Nothing to follow yet.
    pub(crate) fn new(quiet: bool) -> Display {
        Self::counting(quiet, "bootstrap")
    }

    /// Nothing to follow yet, of what is called so in the singular.
    pub(crate) fn counting(quiet: bool, unit: &'static str) -> Display {
        let counts = format!("{{pos}}/{{len}} {unit}s  {{msg}}  {{elapsed}} gone, {{eta}} left");
        Display {
            show: Show::new(quiet, style(&counts)),
            unit,
            instructions: AtomicU64::new(0),
            bootstraps: AtomicU64::new(0),
            planned: AtomicU64::new(0),
            part: "batch",
            batches: 1,
            batch: AtomicU64::new(0),
        }
    }

    /// The same for runs of a program on so many rows of a table, one after the other.
    pub(crate) fn of_rows(self, rows: u32) -> Display {
        Display {
            part: "row",
            ..self.of_batches(rows)
        }
    }

    /// The same for `batches` runs of one program, one after the other.
    pub(crate) fn of_batches(self, batches: u32) -> Display {
        Display {
            batches: batches.into(),
            ..self
        }
    }

    /// The run of a number begins, from 0.
    pub(crate) fn begin_batch(&self, number: u32) {
        self.batch.store(number.into(), Ordering::Relaxed);
    }

    /// Which run it is, where there are several.
    fn batch(&self) -> String {
        match self.batches {
            1 => String::new(),
            all => format!(
                "{} {} of {all}, ",
                self.part,
                self.batch.load(Ordering::Relaxed) + 1
            ),
        }
    }

    /// Takes note; called often and from several threads.
    pub(crate) fn update(&self, progress: &Progress) {
        let before = self.batch.load(Ordering::Relaxed) * progress.nodes_planned as u64;
        let done = before + progress.nodes as u64;
        // A run that asks knows no end: then what is planned is what is done.
        let planned = match progress.end_known {
            true => self.batches * progress.nodes_planned as u64,
            false => done,
        };
        let instructions = progress.instructions.max(progress.executed);
        self.instructions.store(instructions, Ordering::Relaxed);
        self.bootstraps.fetch_max(done, Ordering::Relaxed);
        self.planned.store(planned, Ordering::Relaxed);
        self.show.update(
            self.bootstraps.load(Ordering::Relaxed),
            planned,
            || match progress.end_known {
                true => format!(
                    "{}instruction {instructions} of {}",
                    self.batch(),
                    progress.instructions_planned
                ),
                false => format!("instruction {instructions}"),
            },
            |elapsed| match progress.end_known {
                true => format!(
                    "{}instruction {instructions} of {}, {} {done} of {planned}, {} left",
                    self.batch(),
                    progress.instructions_planned,
                    self.unit,
                    remaining(elapsed, done, planned),
                ),
                false => format!("instruction {instructions}, {} {done}", self.unit),
            },
        );
    }

    /// Takes the bar away, so that what is printed next stands alone.
    pub(crate) fn finish(&self) {
        self.show.finish();
    }

    /// How far the run came, in words.
    pub(crate) fn reached(&self) -> String {
        let batch = match self.batches {
            1 => String::new(),
            _ => format!("in {}", self.batch()),
        };
        format!(
            "{batch}after {} instructions and {} of {} {}s",
            self.instructions.load(Ordering::Relaxed),
            self.bootstraps.load(Ordering::Relaxed),
            self.planned.load(Ordering::Relaxed),
            self.unit,
        )
    }
}

/// Follows the progress that a session reports of one command: the check of a key, then the run,
/// or the circuit.
pub(crate) struct Watcher {
    quiet: bool,
    check: OnceLock<Steps>,
    circuit: OnceLock<Steps>,
    display: Display,
}

impl Watcher {
    /// Nothing to follow yet.
    pub(crate) fn new(quiet: bool, display: Display) -> Watcher {
        Watcher {
            quiet,
            check: OnceLock::new(),
            circuit: OnceLock::new(),
            display,
        }
    }

    /// What a session reports its progress to.
    pub(crate) fn observer(self: &Arc<Self>) -> session::Observer {
        let watcher = Arc::clone(self);
        Arc::new(move |progress| watcher.update(progress))
    }

    fn update(&self, progress: session::Progress) {
        match progress {
            session::Progress::Check { done, of } => {
                self.steps(&self.check, of, "checking the key").reach(done);
            }
            session::Progress::Circuit { done, of } => {
                self.checked();
                self.steps(&self.circuit, of, "evaluating the circuit")
                    .reach(done);
            }
            session::Progress::Run { batch, progress } => {
                self.display.begin_batch(batch);
                self.display.update(&progress);
            }
            _ => {}
        }
    }

    fn steps<'s>(&self, of: &'s OnceLock<Steps>, planned: u64, what: &str) -> &'s Steps {
        of.get_or_init(|| {
            let steps = Steps::new(self.quiet, planned);
            steps.begin(what);
            steps
        })
    }

    /// The key is checked.
    pub(crate) fn checked(&self) {
        if let Some(steps) = self.check.get() {
            steps.finish();
        }
    }

    /// Takes the bar away, so that what is printed next stands alone.
    pub(crate) fn finish(&self) {
        self.checked();
        if let Some(steps) = self.circuit.get() {
            steps.finish();
        }
        self.display.finish();
    }

    /// An error of a run: one that was interrupted says how far it came.
    pub(crate) fn failure(&self, error: session::Error) -> Failure {
        self.finish();
        match error.kind {
            ErrorKind::Interrupted => {
                let message = format!("interrupted {}", self.display.reached());
                Failure::new(Code::Interrupted, message)
            }
            _ => error.into(),
        }
    }
}

/// The progress of a job on another machine, in whatever measure that machine gives.
pub(crate) struct Distant {
    show: Show,
    quiet: bool,
}

impl Distant {
    /// Nothing to follow yet.
    pub(crate) fn new(quiet: bool) -> Distant {
        Distant {
            show: Show::new(quiet, style("{msg}")),
            quiet,
        }
    }

    /// `sent` bytes of `total` have been sent.
    pub(crate) fn upload(&self, sent: u64, total: u64) {
        let text = || {
            format!(
                "{:.1} of {:.1} MB sent",
                sent as f64 / 1e6,
                total as f64 / 1e6
            )
        };
        self.show.update(sent, total, text, |_| text());
    }

    /// How the job does; `text` says it in words.
    pub(crate) fn status(&self, status: &service::proto::JobStatus, text: impl Fn() -> String) {
        let planned = if status.end_known {
            status.nodes_planned
        } else {
            0
        };
        self.show.update(status.nodes, planned, &text, |_| text());
    }

    /// Says something in between.
    pub(crate) fn note(&self, text: &str) {
        let line = format!("blindcore: {text}");
        match &self.show {
            Show::Bar(bar) if !bar.is_finished() => bar.println(line),
            _ if self.quiet => {}
            _ => {
                let _ = writeln!(std::io::stderr(), "{line}");
            }
        }
    }

    /// Takes the bar away, so that what is printed next stands alone.
    pub(crate) fn finish(&self) {
        self.show.finish();
    }
}

/// Shows how many instructions are done, where nobody knows how many there will be.
pub(crate) struct Count {
    show: Show,
}

impl Count {
    /// None yet.
    pub(crate) fn new(quiet: bool) -> Count {
        Count {
            show: Show::new(
                quiet,
                ProgressStyle::with_template("{spinner} {elapsed} gone  {msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_spinner()),
            ),
        }
    }

    /// Takes note; called often.
    pub(crate) fn update(&self, instructions: u64) {
        let message = || format!("instruction {instructions}");
        self.show.update(instructions, 0, message, |_| message());
    }

    /// Takes the bar away, so that what is printed next stands alone.
    pub(crate) fn finish(&self) {
        self.show.finish();
    }
}

/// Work of known size that is not the run of a program, in any unit of equal duration.
pub(crate) struct Steps {
    show: Show,
    planned: u64,
    done: AtomicU64,
    /// What is being done, and how much was done when it began.
    part: Mutex<(String, u64)>,
}

impl Steps {
    /// Nothing done yet of `planned` units.
    pub(crate) fn new(quiet: bool, planned: u64) -> Steps {
        Steps {
            show: Show::new(quiet, style("{elapsed} gone, {eta} left  {msg}")),
            planned,
            done: AtomicU64::new(0),
            part: Mutex::new((String::new(), 0)),
        }
    }

    /// Begins a part of the work, and says what it is.
    pub(crate) fn begin(&self, what: impl Into<String>) {
        let done = self.done.load(Ordering::Relaxed);
        *self.part.lock().unwrap_or_else(PoisonError::into_inner) = (what.into(), done);
        self.show();
    }

    /// `units` of the present part are done; may be called from several threads, in any order.
    pub(crate) fn reach(&self, units: u64) {
        let begun = self.part.lock().unwrap_or_else(PoisonError::into_inner).1;
        self.done
            .fetch_max((begun + units).min(self.planned), Ordering::Relaxed);
        self.show();
    }

    fn show(&self) {
        let what = || {
            let part = self.part.lock().unwrap_or_else(PoisonError::into_inner);
            part.0.clone()
        };
        let done = self.done.load(Ordering::Relaxed);
        self.show.update(done, self.planned, what, |elapsed| {
            let left = remaining(elapsed, done, self.planned);
            format!("{}, {left} left", what())
        });
    }

    /// Takes the bar away, so that what is printed next stands alone.
    pub(crate) fn finish(&self) {
        self.show.finish();
    }
}

fn style(rest: &str) -> ProgressStyle {
    // The templates are constants: if one did not parse, the default bar would still do.
    ProgressStyle::with_template(&format!("{{bar:30}} {{percent:>3}}%  {rest}"))
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn remaining(elapsed: Duration, done: u64, planned: u64) -> String {
    if done == 0 {
        return "unknown time".to_owned();
    }
    duration(elapsed.as_secs_f64() * planned.saturating_sub(done) as f64 / done as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_and_never_go_back() {
        let steps = Steps::new(true, 10);
        steps.begin("first");
        steps.reach(3);
        steps.reach(2);
        steps.begin("second");
        steps.reach(4);
        assert_eq!(steps.done.load(Ordering::Relaxed), 7);
        steps.reach(100);
        assert_eq!(steps.done.load(Ordering::Relaxed), 10);
    }
}
