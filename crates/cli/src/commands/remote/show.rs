//! How a job does, for people and for programs.

use serde_json::{Value, json};
use service::proto::{ErrorCode, JobState, JobStatus};

use crate::commands::bytes;
use crate::progress::duration;

/// The state in a word, or in a few.
pub(super) fn state(status: &JobStatus) -> &'static str {
    match status.state() {
        JobState::Unspecified => "unknown",
        JobState::Queued => "queued",
        JobState::Running => "running",
        JobState::Waiting => "waiting for an answer",
        JobState::Done => "done",
        JobState::Failed => "failed",
        JobState::Cancelled => "cancelled",
    }
}

/// A server's text, fit for a terminal.
pub(super) fn printable(text: &str) -> String {
    let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    shown.collect()
}

/// How much is done, where the end is known.
pub(super) fn percent(status: &JobStatus) -> Option<u64> {
    let planned = status.nodes_planned;
    (status.end_known && planned > 0).then(|| status.nodes.min(planned) * 100 / planned)
}

/// What moves while a job runs.
pub(super) fn progress(status: &JobStatus) -> String {
    let mut parts = Vec::new();
    match percent(status) {
        Some(percent) => parts.push(format!(
            "{percent}%, bootstrap {} of {}",
            status.nodes, status.nodes_planned
        )),
        None if status.nodes > 0 => parts.push(format!("bootstrap {}", status.nodes)),
        None => {}
    }
    if status.nodes_per_second > 0.0 {
        parts.push(format!("{:.0} a second", status.nodes_per_second));
    }
    match status.questions {
        0 => {}
        1 => parts.push("1 question".to_owned()),
        count => parts.push(format!("{count} questions")),
    }
    match (status.state(), status.seconds_left) {
        (JobState::Running, Some(left)) if left.is_finite() => {
            parts.push(format!("{} left", duration(left.max(0.0))));
        }
        (JobState::Queued, _) if status.ahead > 0 => {
            parts.push(format!("{} ahead", status.ahead));
        }
        _ => {}
    }
    parts.join(", ")
}

/// All that is known of a job, line by line.
pub(super) fn text(status: &JobStatus) -> String {
    let mut lines = format!(
        "job           {}\nname          {}\nstate         {}\n",
        printable(&status.id),
        printable(&status.name),
        state(status)
    );
    let mut line = |title: &str, text: String| {
        lines.push_str(&format!("{title:<14}{text}\n"));
    };
    if let Some(error) = &status.error {
        line("error", printable(&error.message));
    }
    let progress = progress(status);
    if !progress.is_empty() {
        line("progress", progress);
    }
    let planned = match status.end_known {
        true => format!(" of {}", status.instructions_planned),
        false => String::new(),
    };
    line("instructions", format!("{}{planned}", status.instructions));
    if status.run_seconds > 0.0 {
        let threads = match status.threads {
            0 => String::new(),
            1 => ", on 1 thread".to_owned(),
            count => format!(", on {count} threads"),
        };
        line("time", format!("{}{threads}", duration(status.run_seconds)));
    }
    if status.recoveries > 0 {
        line("recoveries", status.recoveries.to_string());
    }
    if status.outputs_length > 0 {
        line("outputs", bytes(status.outputs_length));
    }
    if status.written_length > 0 {
        line("written", bytes(status.written_length));
    }
    lines
}

/// A table of jobs.
pub(super) fn table(jobs: &[JobStatus]) -> String {
    let rows = jobs.iter().map(|job| {
        [
            printable(&job.id),
            printable(&job.name),
            state(job).to_owned(),
            progress(job),
        ]
    });
    columns(["JOB", "NAME", "STATE", "PROGRESS"], rows)
}

/// A table, each column as wide as it has to be.
pub(super) fn columns<const N: usize>(
    titles: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let mut all = vec![titles.map(str::to_owned)];
    all.extend(rows);
    let mut widths = [0; N];
    for row in &all {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let lines = all.iter().map(|row| {
        let cells = row.iter().zip(widths);
        let cells = cells.map(|(cell, width)| format!("{cell:<width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    });
    lines.collect()
}

/// The same for programs.
pub(super) fn document(status: &JobStatus) -> Value {
    let time = |milliseconds: u64| match milliseconds {
        0 => Value::Null,
        other => other.into(),
    };
    let error = status.error.as_ref().map(|error| {
        let code = match error.code() {
            ErrorCode::Unspecified => "unspecified",
            ErrorCode::Internal => "internal",
            ErrorCode::Input => "input",
            ErrorCode::Program => "program",
            ErrorCode::Fault => "fault",
            ErrorCode::Limit => "limit",
            ErrorCode::Secret => "secret",
            ErrorCode::Refused => "refused",
            ErrorCode::Quota => "quota",
            ErrorCode::Storage => "storage",
            ErrorCode::Administrator => "administrator",
        };
        json!({ "code": code, "message": error.message })
    });
    let state = match status.state() {
        JobState::Waiting => "waiting",
        _ => state(status),
    };
    json!({
        "job": status.id,
        "name": status.name,
        "state": state,
        "error": error,
        "instructions": status.instructions,
        "instructions_planned": status.end_known.then_some(status.instructions_planned),
        "bootstraps": status.nodes,
        "bootstraps_planned": status.end_known.then_some(status.nodes_planned),
        "bootstraps_per_second": status.nodes_per_second,
        "seconds_left": status.seconds_left,
        "windows": status.windows,
        "questions": status.questions,
        "question_open": status.question_open,
        "ahead": status.ahead,
        "threads": status.threads,
        "run_seconds": status.run_seconds,
        "recoveries": status.recoveries,
        "outputs_bytes": status.outputs_length,
        "written_bytes": status.written_length,
        "accepted_at": time(status.accepted_at),
        "started_at": time(status.started_at),
        "ended_at": time(status.ended_at),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running() -> JobStatus {
        JobStatus {
            id: "ab".repeat(16),
            name: "gcd.elf".to_owned(),
            state: JobState::Running.into(),
            nodes: 250,
            nodes_planned: 1000,
            end_known: true,
            nodes_per_second: 410.4,
            seconds_left: Some(13.2),
            questions: 1,
            ..JobStatus::default()
        }
    }

    #[test]
    fn progress_reads_well() {
        let mut status = running();
        assert_eq!(
            progress(&status),
            "25%, bootstrap 250 of 1000, 410 a second, 1 question, 13 s left"
        );
        status.end_known = false;
        status.seconds_left = Some(f64::INFINITY);
        assert_eq!(progress(&status), "bootstrap 250, 410 a second, 1 question");
        status.seconds_left = Some(-1.0);
        assert!(progress(&status).ends_with("0.0 ms left"));
        let queued = JobStatus {
            state: JobState::Queued.into(),
            ahead: 3,
            ..JobStatus::default()
        };
        assert_eq!(progress(&queued), "3 ahead");
    }

    #[test]
    fn a_name_cannot_command_the_terminal() {
        let mut status = running();
        status.name = "\x1b[2Jx".to_owned();
        let shown = table(&[status.clone()]) + &text(&status);
        assert!(!shown.contains('\x1b'), "{shown:?}");
    }

    #[test]
    fn what_is_not_known_is_null() {
        let mut status = running();
        assert_eq!(document(&status)["bootstraps_planned"], 1000);
        status.end_known = false;
        let shown = document(&status);
        assert_eq!(shown["bootstraps_planned"], Value::Null);
        assert_eq!(shown["ended_at"], Value::Null);
        assert_eq!(shown["state"], "running");
    }
}
