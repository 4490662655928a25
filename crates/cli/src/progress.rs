//! How far a run is: a bar on a terminal, a line after two seconds and then every ten elsewhere, nothing with
//! `--quiet`.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use processor::Progress;

/// Time before the first line where there is no terminal: soon, so that whoever reads a log sees
/// how long it will take.
const FIRST_LINE: Duration = Duration::from_secs(2);
/// Time between two lines.
const LINE_PERIOD: Duration = Duration::from_secs(10);

/// Shows the progress of one run on standard error.
pub(crate) struct Display {
    show: Show,
    instructions: AtomicU64,
    bootstraps: AtomicU64,
    planned: AtomicU64,
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

impl Display {
    /// Chooses the form by what standard error is.
    pub(crate) fn new(quiet: bool) -> Display {
        let show = if quiet {
            Show::Nothing
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(0).with_style(style());
            bar.enable_steady_tick(Duration::from_millis(250));
            Show::Bar(bar)
        } else {
            let begin = Instant::now();
            Show::Lines(Mutex::new(Lines {
                begin,
                next: begin + FIRST_LINE,
            }))
        };
        Display {
            show,
            instructions: AtomicU64::new(0),
            bootstraps: AtomicU64::new(0),
            planned: AtomicU64::new(0),
        }
    }

    /// Takes note; called often and from several threads.
    pub(crate) fn update(&self, progress: &Progress) {
        let (done, planned) = (progress.nodes as u64, progress.nodes_planned as u64);
        self.instructions
            .store(progress.instructions, Ordering::Relaxed);
        self.bootstraps.fetch_max(done, Ordering::Relaxed);
        self.planned.store(planned, Ordering::Relaxed);
        match &self.show {
            Show::Nothing => {}
            Show::Bar(bar) => {
                if bar.length() != Some(planned) {
                    bar.set_length(planned);
                }
                bar.set_position(self.bootstraps.load(Ordering::Relaxed));
                bar.set_message(format!(
                    "instruction {} of {}",
                    progress.instructions, progress.instructions_planned
                ));
            }
            Show::Lines(lines) => {
                // Whoever finds the lock taken leaves the line to the other.
                let Ok(mut lines) = lines.try_lock() else {
                    return;
                };
                let now = Instant::now();
                if now < lines.next {
                    return;
                }
                lines.next = now + LINE_PERIOD;
                let elapsed = now - lines.begin;
                // A run does not end because nobody reads about it.
                let _ = writeln!(
                    std::io::stderr(),
                    "blindcore: instruction {} of {}, bootstrap {done} of {planned}, {} left",
                    progress.instructions,
                    progress.instructions_planned,
                    remaining(elapsed, done, planned),
                );
            }
        }
    }

    /// Takes the bar away, so that what is printed next stands alone.
    pub(crate) fn finish(&self) {
        if let Show::Bar(bar) = &self.show {
            bar.finish_and_clear();
        }
    }

    /// How far the run came, in words.
    pub(crate) fn reached(&self) -> String {
        format!(
            "after {} instructions and {} of {} bootstraps",
            self.instructions.load(Ordering::Relaxed),
            self.bootstraps.load(Ordering::Relaxed),
            self.planned.load(Ordering::Relaxed),
        )
    }
}

fn style() -> ProgressStyle {
    // The template is a constant: if it did not parse, the default bar would still do.
    ProgressStyle::with_template(
        "{bar:30} {percent:>3}%  {pos}/{len} bootstraps  {msg}  {elapsed} gone, {eta} left",
    )
    .unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn remaining(elapsed: Duration, done: u64, planned: u64) -> String {
    if done == 0 {
        return "unknown time".to_owned();
    }
    duration(elapsed.as_secs_f64() * planned.saturating_sub(done) as f64 / done as f64)
}

/// A duration in words, two significant parts.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match seconds {
        s if s < 0.01 => format!("{:.1} ms", s * 1e3),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{} min {:02} s", whole / 60, whole % 60),
        s if s < 172_800.0 => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
        _ => format!("{} days", whole / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        for (seconds, text) in [
            (0.0012, "1.2 ms"),
            (0.25, "250 ms"),
            (3.21, "3.2 s"),
            (59.0, "59 s"),
            (125.0, "2 min 05 s"),
            (7260.0, "2 h 01 min"),
            (1e6, "11 days"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }
}
