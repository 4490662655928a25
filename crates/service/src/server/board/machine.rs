//! What the machine says of itself.

/// How many processes were killed for want of memory since it started, if it says.
pub(super) fn kills() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/vmstat").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
    line?.trim().parse().ok()
}

/// Bytes of its memory, if it says.
pub(in crate::server) fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes.saturating_mul(1024))
}
