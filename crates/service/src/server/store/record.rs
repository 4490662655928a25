//! The records, as JSON in the database: a later server adds fields with defaults.

use serde::{Deserialize, Serialize};

/// A blob of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BlobRecord {
    /// [`BlobKind`](crate::proto::BlobKind).
    pub(crate) kind: i32,
    /// Bytes.
    pub(crate) length: u64,
    /// Milliseconds since 1970 when a job last named it, or when it came.
    pub(crate) used_at: u64,
    /// The meter (see [`Board::forget_old`](crate::server::board::Board::forget_old)) when it was
    /// first found unused.
    #[serde(default)]
    pub(crate) kept_from: Option<u64>,
}

/// How a job rests in the database. One that runs rests as queued: after a crash it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Rest {
    #[default]
    Queued,
    Waiting,
    Done,
    Failed,
    Cancelled,
}

impl Rest {
    /// Whether nothing more will happen to the job.
    pub(crate) fn is_end(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

/// Where a job goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CheckpointRecord {
    /// The number in the file's name: one more each time.
    pub(crate) number: u64,
    pub(crate) windows: u64,
    pub(crate) instructions: u64,
    pub(crate) nodes: u64,
    /// Bytes that the program had written by then.
    pub(crate) written: u64,
    /// Bytes of the file.
    pub(crate) length: u64,
}

/// What is kept of a plan, so that a job is planned once whatever happens to the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlanRecord {
    /// Of what it is the plan: a hash.
    pub(crate) of: String,
    pub(crate) is_wide: bool,
    pub(crate) windows: u64,
    pub(crate) instructions: u64,
    pub(crate) nodes: u64,
    /// Whether it goes to the end, and not to the first question only.
    pub(crate) is_end: bool,
    /// Whether circuits have selectors, as far as it goes.
    pub(crate) has_selectors: bool,
    pub(crate) bootstraps: u64,
    /// Bytes of memory at the peak, at least.
    pub(crate) bytes: u64,
    /// Of these what is no ciphertext.
    pub(crate) beside: u64,
}

/// A job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JobRecord {
    /// 32 hexadecimal digits.
    pub(crate) id: String,
    /// Whose: SHA-256 of the certificate, or a hash of the token.
    pub(crate) client: String,
    /// The client's name when it submitted.
    pub(crate) client_name: String,
    /// 32 hexadecimal digits.
    pub(crate) request_id: String,
    pub(crate) name: String,
    /// Hashes of the blobs, in hexadecimal.
    pub(crate) program: String,
    pub(crate) inputs: String,
    pub(crate) key: String,
    /// Of the key's second part, where circuits may use it.
    #[serde(default)]
    pub(crate) selectors: Option<String>,
    /// Threads that the client wishes for; 0 leaves it to the server.
    pub(crate) threads: u32,
    pub(crate) rest: Rest,
    /// Whether the client, or an administrator, wants it to end.
    pub(crate) cancelled: bool,
    /// Whether that is an administrator.
    #[serde(default)]
    pub(crate) by_administrator: bool,
    pub(crate) checkpoint: Option<CheckpointRecord>,
    /// The one before, in case that one is damaged.
    #[serde(default)]
    pub(crate) earlier_checkpoint: Option<CheckpointRecord>,
    /// What is known of its length.
    #[serde(default)]
    pub(crate) plan: Option<PlanRecord>,
    /// Whether it was known, as it was submitted, that it ends within some seconds.
    #[serde(default)]
    pub(crate) short: bool,
    /// The number of the question that waits for an answer.
    pub(crate) open_question: Option<u64>,
    pub(crate) questions: u64,
    /// [`ErrorCode`](crate::proto::ErrorCode) and one line.
    pub(crate) error: Option<(i32, String)>,
    pub(crate) accepted_at: u64,
    pub(crate) started_at: u64,
    pub(crate) ended_at: u64,
    /// Milliseconds that it has run.
    pub(crate) run_ms: u64,
    pub(crate) recoveries: u32,
    /// Whether a worker has it: true in a record that is read at the start means that the server
    /// before ended without knowing it.
    #[serde(default)]
    pub(crate) running: bool,
    /// How many processes of this machine had been killed for want of memory when it began.
    #[serde(default)]
    pub(crate) kills: Option<u64>,
    /// How often a server has ended so since the last checkpoint, and a process had been killed for
    /// want of memory meanwhile.
    #[serde(default)]
    pub(crate) kills_met: u32,
    /// How often a server has ended so since the last checkpoint.
    #[serde(default)]
    pub(crate) crashes: u32,
    /// Bytes of its specification, questions and answers in the database.
    #[serde(default)]
    pub(crate) record_bytes: u64,
    pub(crate) instructions: u64,
    pub(crate) nodes: u64,
    pub(crate) outputs_length: u64,
    pub(crate) written_length: u64,
    /// Whether its outputs were sent to the client, all of them.
    #[serde(default)]
    pub(crate) fetched: bool,
    /// The meter when it was first found ended, or when its outputs were last fetched.
    #[serde(default)]
    pub(crate) kept_from: Option<u64>,
    /// The meter when its outputs were found old and not fetched.
    #[serde(default)]
    pub(crate) unfetched_from: Option<u64>,
}

impl JobRecord {
    /// Hashes of the blobs that it cannot run without.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = &String> {
        let always = [&self.program, &self.inputs, &self.key];
        always.into_iter().chain(&self.selectors)
    }

    /// How long it has been kept, and whether anybody has its outputs, counts from now on.
    pub(crate) fn is_kept_anew(&mut self) {
        (self.fetched, self.kept_from, self.unfetched_from) = (false, None, None);
    }

    /// Where it can go on: the last checkpoint, then the one before.
    pub(crate) fn checkpoints(&self) -> impl Iterator<Item = &CheckpointRecord> {
        self.checkpoint.iter().chain(&self.earlier_checkpoint)
    }

    /// Takes the checkpoints off the record; gives the names of their files.
    pub(crate) fn drop_checkpoints(&mut self) -> Vec<String> {
        let names = self.checkpoints().map(|c| checkpoint_file(c.number));
        let names = names.collect();
        (self.checkpoint, self.earlier_checkpoint) = (None, None);
        names
    }

    /// Files that the record names.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        for checkpoint in self.checkpoints() {
            files.push(checkpoint_file(checkpoint.number));
        }
        files.extend([RECORD_COPY, SPEC_COPY].map(str::to_owned));
        if self.rest == Rest::Done {
            files.push(OUTPUTS.to_owned());
        }
        // What is beyond the recorded length is cut off when the job goes on.
        files.push(WRITTEN.to_owned());
        files
    }

    /// Bytes that count against the quota: of its files and of what is in the database.
    pub(crate) fn stored(&self) -> u64 {
        let checkpoints: u64 = self.checkpoints().map(|c| c.length).sum();
        checkpoints + self.outputs_length + self.written_length + self.record_bytes
    }
}

/// The outputs file of a job.
pub(crate) const OUTPUTS: &str = "outputs";
/// Copies of the record and of the specification.
pub(crate) const RECORD_COPY: &str = "record";
pub(crate) const SPEC_COPY: &str = "spec";
/// What the program wrote.
pub(crate) const WRITTEN: &str = "written";

/// A checkpoint's file.
pub(crate) fn checkpoint_file(number: u64) -> String {
    format!("checkpoint-{number}")
}

#[cfg(test)]
mod tests {
    use super::JobRecord;

    /// A record of a server that knew no selector keys.
    #[test]
    fn a_job_of_an_older_server_computes_by_lookups_alone() {
        let text = r#"{"id":"1","client":"c","client_name":"alice","request_id":"2","name":"n",
            "program":"p","inputs":"i","key":"k","threads":0,"rest":"queued","cancelled":false,
            "checkpoint":null,"open_question":null,"questions":0,"error":null,"accepted_at":1,
            "started_at":0,"ended_at":0,"run_ms":0,"recoveries":0,"instructions":0,"nodes":0,
            "outputs_length":0,"written_length":0}"#;
        let mut record: JobRecord = serde_json::from_str(text).unwrap();
        assert_eq!(record.selectors, None);
        // How long it has been kept counts from when that is first looked at.
        assert_eq!((record.kept_from, record.unfetched_from), (None, None));
        assert!(!record.fetched);
        assert!(record.blobs().eq(["p", "i", "k"]));
        record.selectors = Some("s".to_owned());
        assert!(record.blobs().eq(["p", "i", "k", "s"]));
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<JobRecord>(&text).unwrap(), record);
    }
}
