//! Figures for Prometheus. Labels are few and fixed: no client, no job, nothing of any content.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::{EncodeLabelSet, text::encode};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use super::board::Census;
use super::store::Rest;

/// A label of one word.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Kind {
    kind: &'static str,
}

/// Figures of connections, for what looks after them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doors {
    /// Connections that have not shown who they are.
    pub(crate) strangers: Gauge,
    /// The others.
    pub(crate) established: Gauge,
    closed: Family<Kind, Counter>,
    refused: Family<Kind, Counter>,
    bodies: Family<Kind, Counter>,
    /// Bytes of messages that are being received.
    pub(crate) receiving: Gauge,
}

impl Doors {
    /// A connection was not let in, or ended by the server.
    pub(crate) fn closed(&self, kind: &'static str) {
        self.closed.get_or_create(&Kind { kind }).inc();
    }

    /// A handshake let nobody in.
    pub(crate) fn refused(&self, kind: &'static str) {
        self.refused.get_or_create(&Kind { kind }).inc();
    }

    /// A message was not received.
    pub(crate) fn unread(&self, kind: &'static str) {
        self.bodies.get_or_create(&Kind { kind }).inc();
    }

    fn register(&self, r: &mut Registry) {
        r.register(
            "connections_handshaking",
            "Connections that have not shown who they are",
            self.strangers.clone(),
        );
        r.register(
            "connections",
            "Connections of clients, and of HTTP",
            self.established.clone(),
        );
        r.register(
            "connections_closed",
            "Connections that the server did not let in or ended, by reason",
            self.closed.clone(),
        );
        r.register(
            "handshakes_refused",
            "Handshakes that let nobody in, by reason",
            self.refused.clone(),
        );
        r.register(
            "messages_refused",
            "Messages that were not received, by reason",
            self.bodies.clone(),
        );
        r.register_with_unit(
            "receiving",
            "Messages that are being received",
            Unit::Bytes,
            self.receiving.clone(),
        );
    }
}

/// All figures.
pub(crate) struct Metrics {
    registry: Registry,
    /// Those of connections.
    pub(crate) doors: Doors,
    jobs: Family<Kind, Gauge>,
    accepted: Counter,
    ended: Family<Kind, Counter>,
    defects: Counter,
    stored: Gauge,
    uploaded: Counter,
    refused: Family<Kind, Counter>,
    checkpoints: Counter,
    postponed: Counter,
    questions: Counter,
    answers: Counter,
    keys: Gauge,
    expansions: Counter,
    selector_expansions: Counter,
    rate: Gauge<f64, AtomicU64>,
    backups: Family<Kind, Counter>,
    last_backup: Gauge,
    revoked: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("blindcore"),
            doors: Doors::default(),
            jobs: Family::default(),
            accepted: Counter::default(),
            ended: Family::default(),
            defects: Counter::default(),
            stored: Gauge::default(),
            uploaded: Counter::default(),
            refused: Family::default(),
            checkpoints: Counter::default(),
            postponed: Counter::default(),
            questions: Counter::default(),
            answers: Counter::default(),
            keys: Gauge::default(),
            expansions: Counter::default(),
            selector_expansions: Counter::default(),
            rate: Gauge::default(),
            backups: Family::default(),
            last_backup: Gauge::default(),
            revoked: Gauge::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let r = &mut self.registry;
        self.doors.register(r);
        r.register(
            "jobs",
            "Jobs that have not ended, by state",
            self.jobs.clone(),
        );
        r.register("jobs_accepted", "Jobs accepted", self.accepted.clone());
        r.register("jobs_ended", "Jobs ended, by how", self.ended.clone());
        r.register(
            "defects",
            "Runs that ended in a panic: each is a defect",
            self.defects.clone(),
        );
        r.register_with_unit(
            "stored",
            "Blobs, checkpoints and outputs",
            Unit::Bytes,
            self.stored.clone(),
        );
        r.register_with_unit(
            "uploaded",
            "Content of uploads that were kept",
            Unit::Bytes,
            self.uploaded.clone(),
        );
        r.register(
            "requests_refused",
            "Requests refused, by gRPC status",
            self.refused.clone(),
        );
        r.register("checkpoints", "Checkpoints kept", self.checkpoints.clone());
        r.register(
            "jobs_postponed",
            "Runs that the disk failed, and that are tried again",
            self.postponed.clone(),
        );
        r.register("questions", "Questions asked", self.questions.clone());
        r.register("answers", "Answers taken", self.answers.clone());
        r.register("keys", "Expanded server keys in memory", self.keys.clone());
        r.register(
            "key_expansions",
            "Server keys expanded",
            self.expansions.clone(),
        );
        r.register(
            "selector_key_expansions",
            "Selector keys expanded",
            self.selector_expansions.clone(),
        );
        r.register(
            "nodes_per_second",
            "Nodes evaluated per second of late, all jobs together",
            self.rate.clone(),
        );
        r.register(
            "backups",
            "Backups, by how they ended",
            self.backups.clone(),
        );
        r.register(
            "certificates_revoked",
            "Certificates that are revoked now",
            self.revoked.clone(),
        );
        r.register_with_unit(
            "last_backup_timestamp",
            "When the last backup was made by this server, since 1970; 0 if none was",
            Unit::Seconds,
            self.last_backup.clone(),
        );
    }

    /// All figures as text.
    pub(crate) fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }

    pub(crate) fn observe(&self, census: &Census) {
        for (kind, count) in [
            ("queued", census.queued),
            ("running", census.running),
            ("waiting", census.waiting),
        ] {
            self.jobs.get_or_create(&Kind { kind }).set(count as i64);
        }
        self.stored.set(census.bytes as i64);
        self.rate.set(census.nodes_per_second);
    }

    pub(crate) fn accepted(&self) {
        self.accepted.inc();
    }

    pub(crate) fn ended(&self, rest: Rest) {
        let kind = match rest {
            Rest::Done => "done",
            Rest::Failed => "failed",
            Rest::Cancelled => "cancelled",
            Rest::Queued | Rest::Waiting => return,
        };
        self.ended.get_or_create(&Kind { kind }).inc();
    }

    /// A backup was made at this time, in milliseconds since 1970, or failed.
    pub(crate) fn backed_up(&self, at: Option<u64>) {
        let kind = if at.is_some() { "done" } else { "failed" };
        self.backups.get_or_create(&Kind { kind }).inc();
        if let Some(at) = at {
            self.last_backup.set((at / 1000) as i64);
        }
    }

    /// So many certificates are revoked.
    pub(crate) fn revoked(&self, count: usize) {
        self.revoked.set(count as i64);
    }

    pub(crate) fn defect(&self) {
        self.defects.inc();
    }

    pub(crate) fn uploaded(&self, bytes: u64) {
        self.uploaded.inc_by(bytes);
    }

    /// A request that was refused with this status.
    pub(crate) fn refused(&self, status: &tonic::Status) {
        let kind = match status.code() {
            tonic::Code::InvalidArgument => "invalid_argument",
            tonic::Code::NotFound => "not_found",
            tonic::Code::AlreadyExists => "already_exists",
            tonic::Code::PermissionDenied => "permission_denied",
            tonic::Code::ResourceExhausted => "resource_exhausted",
            tonic::Code::FailedPrecondition => "failed_precondition",
            tonic::Code::Unavailable => "unavailable",
            tonic::Code::DeadlineExceeded => "deadline_exceeded",
            tonic::Code::Unauthenticated => "unauthenticated",
            tonic::Code::Internal => "internal",
            _ => "other",
        };
        self.refused.get_or_create(&Kind { kind }).inc();
    }

    pub(crate) fn checkpointed(&self) {
        self.checkpoints.inc();
    }

    pub(crate) fn postponed(&self) {
        self.postponed.inc();
    }

    pub(crate) fn count_question(&self) {
        self.questions.inc();
    }

    pub(crate) fn answered(&self) {
        self.answers.inc();
    }

    pub(crate) fn keys(&self, held: usize) {
        self.keys.set(held as i64);
    }

    pub(crate) fn expanded(&self) {
        self.expansions.inc();
    }

    pub(crate) fn expanded_selectors(&self) {
        self.selector_expansions.inc();
    }
}
