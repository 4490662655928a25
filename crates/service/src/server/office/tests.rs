use super::*;
use crate::proto::DrainOrder;
use crate::server::board::Settings;
use crate::server::metrics::Metrics;
use crate::server::store::{Revocation, Revocations, Store};

fn office(root: &std::path::Path) -> Office {
    let one = std::num::NonZeroUsize::MIN;
    let policy = Policy::new("[client.root]\nadmin = true".parse().unwrap());
    let limits = *policy.now().connections();
    let settings = Settings {
        jobs: one,
        threads: one,
        slice: std::time::Duration::ZERO,
        turn: std::time::Duration::ZERO,
        grace: std::time::Duration::ZERO,
        keep: None,
        spare: 0,
        memory: u64::MAX,
        policy,
    };
    let store = Store::open(root).unwrap();
    Office {
        board: Arc::new(Board::open(store, settings, Metrics::default()).unwrap()),
        config: None,
        credentials: Vec::new(),
        limits,
        stop: mpsc::channel(1).0,
        order: Mutex::default(),
    }
}

fn caller(id: &str) -> Caller {
    Caller {
        id: id.to_owned(),
        name: "root".to_owned(),
        quota: Default::default(),
        operator: false,
        admin: true,
        token: false,
    }
}

/// A call may have waited for its turn since it was let in.
#[test]
fn who_was_revoked_meanwhile_changes_nothing() {
    let root = tempfile::tempdir().unwrap();
    let office = office(root.path());
    let [one, other] = ["aa", "bb"].map(|pair| caller(&pair.repeat(32)));
    let which = |caller: &Caller| Which::Fingerprint(caller.id.clone());
    office.revoke(&which(&one), false, &other).unwrap();
    let refused = |status: Status| {
        assert_eq!(status.code(), tonic::Code::PermissionDenied, "{status}");
    };
    refused(office.restore(&which(&one), &one).unwrap_err());
    refused(office.revoke(&which(&other), false, &one).unwrap_err());
    refused(office.drain(DrainOrder::Drain, &one).unwrap_err());
    refused(office.reload_for(&one).unwrap_err());
    refused(office.cancel("1", &one).unwrap_err());
    assert!(office.revoked().contains_key(&one.id) && !office.board.is_draining());
    office.drain(DrainOrder::Drain, &other).unwrap();
    office.restore(&which(&one), &other).unwrap();
    // One that a reload took the right from is let in, and no administrator any more.
    office.reload_for(&one).unwrap().unwrap();
    refused(office.drain(DrainOrder::Undo, &other).unwrap_err());
}

#[test]
fn nobody_takes_back_what_was_done_to_itself() {
    let root = tempfile::tempdir().unwrap();
    let office = office(root.path());
    let own = caller(&"aa".repeat(32));
    // Revoked on the disk and not yet in memory, say.
    let revoked = Revocations::from([(own.id.clone(), Revocation::default())]);
    office.board.store.put_revocations(&revoked).unwrap();
    let which = Which::Fingerprint(own.id.clone());
    let status = office.restore(&which, &own).unwrap_err();
    assert!(
        status.message().contains("another administrator"),
        "{status}"
    );
}
