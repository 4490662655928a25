//! Whether the machine was busy: times from a busy machine are too long, and a reader must know it.
//!
//! Linux counts for each thread the nanoseconds that it ran and those that it was ready to run but
//! had to wait. The main thread does the measuring, alone or among the workers.

/// The counters when a run began; nothing where the system has none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting(Option<Counters>);

#[derive(Clone, Copy, Debug)]
struct Counters {
    ran: u64,
    waited: u64,
}

impl Waiting {
    /// Begins to count.
    pub(super) fn begin() -> Self {
        Self(Counters::read())
    }

    /// The share of the time since then that the main thread waited for a processor, 0 to 1.
    pub(super) fn share(&self) -> Option<f64> {
        let (begin, end) = (self.0?, Counters::read()?);
        let ran = end.ran.checked_sub(begin.ran)?;
        let waited = end.waited.checked_sub(begin.waited)?;
        let all = ran.checked_add(waited)?;
        (all > 0).then(|| waited as f64 / all as f64)
    }
}

impl Counters {
    fn read() -> Option<Self> {
        Self::parse(&std::fs::read_to_string("/proc/self/schedstat").ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split_whitespace().map(str::parse);
        Some(Self {
            ran: numbers.next()?.ok()?,
            waited: numbers.next()?.ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read() {
        let counters = Counters::parse("123 45 6\n").unwrap();
        assert_eq!((counters.ran, counters.waited), (123, 45));
        assert!(Counters::parse("").is_none() && Counters::parse("1 x 2").is_none());
    }

    #[test]
    fn nothing_is_said_where_nothing_is_counted() {
        assert_eq!(Waiting(None).share(), None);
    }
}
