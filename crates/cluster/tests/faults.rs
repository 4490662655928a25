//! Workers that are lost, hang, or send what is damaged, at any moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use blindcore_cluster::loopback::{Fate, Loopback};
use blindcore_cluster::{
    Addresses, ClusterError, Member, Patience, Progress, Transport, Watcher, drive,
};
use circuits::exec::Cancel;

use crate::rig::{Prepared, TEXT, listen, on_workers};

const VALUES: &[&str] = &["x=65535,2,3,4,5,60000", "y=1,65535,9,8,7,6"];

/// Counts a worker's frames to others, and does something at one of them.
fn at(number: u32, what: impl Fn(&mut Vec<u8>) -> Fate + Send + Sync + 'static) -> Loopback {
    let count = Arc::new(AtomicU32::new(0));
    Loopback::meddled(move |from, _, frame| {
        if from == Member::DRIVER {
            return Fate::Comes;
        }
        match count.fetch_add(1, SeqCst) {
            now if now == number => what(frame),
            _ => Fate::Comes,
        }
    })
}

/// Whoever sends the n-th frame is lost with it. Whatever it was, the others give the right answer, and whoever was
/// lost is named.
#[test]
#[ignore = "slow: 29 s"]
fn workers_are_lost_at_any_moment() {
    let prepared = Prepared::new(TEXT, VALUES, 400, 3);
    let expected = prepared.alone();
    let mut lost = 0;
    for number in (0..30).chain((30..400).step_by(23)) {
        let network = at(number, |_| Fate::Loses);
        let (ended, seen) = on_workers(&network, &prepared.job, 3, Patience::default());
        let ended = ended.unwrap_or_else(|error| panic!("frame {number}: {error}"));
        assert!(ended.outputs == expected, "frame {number}");
        assert!(ended.lost.len() <= 1, "frame {number}: {:?}", ended.lost);
        assert!(seen.told.len() >= ended.lost.len(), "{:?}", seen.told);
        lost += ended.lost.len();
    }
    assert!(lost > 20, "{lost} were lost");
}

/// A bit that flips on its way is noticed, and whose frame it was is said.
#[test]
#[ignore = "slow: 3 s"]
fn a_flipped_bit_is_noticed() {
    let prepared = Prepared::new(TEXT, VALUES, 400, 2);
    let expected = prepared.alone();
    for number in [0, 3, 9, 20, 50, 90] {
        let network = at(number, move |frame| {
            let bit = (number as usize * 7919) % (8 * frame.len());
            frame[bit / 8] ^= 1 << (bit % 8);
            Fate::Comes
        });
        let (ended, _) = on_workers(&network, &prepared.job, 2, Patience::default());
        let ended = ended.unwrap_or_else(|error| panic!("frame {number}: {error}"));
        assert!(ended.outputs == expected, "frame {number}");
        let [(worker, reason)] = ended.lost.as_slice() else {
            panic!("frame {number}: {:?}", ended.lost)
        };
        assert!(
            worker.starts_with("machine-") && reason.contains("damaged"),
            "{worker}: {reason}"
        );
    }
}

/// A worker that says nothing any more is left out after a while.
#[test]
#[ignore = "slow: 4 s"]
fn a_worker_that_hangs() {
    let prepared = Prepared::new(TEXT, VALUES, 400, 2);
    let expected = prepared.alone();
    let count = Arc::new(AtomicU32::new(0));
    let network = Loopback::meddled(move |from, _, _| match from {
        Member(2) if count.fetch_add(1, SeqCst) > 12 => Fate::Vanishes,
        _ => Fate::Comes,
    });
    let patience = Patience {
        silent: Duration::from_secs(3),
        ..Patience::default()
    };
    let (ended, _) = on_workers(&network, &prepared.job, 2, patience);
    let ended = ended.unwrap();
    assert!(ended.outputs == expected);
    let (worker, reason) = &ended.lost[0];
    assert!(
        worker == "machine-2" && reason.contains("has said nothing"),
        "{worker}: {reason}"
    );
}

/// All are lost: the error names the last one, and says how to go on.
#[test]
fn nobody_is_left() {
    let prepared = Prepared::new(TEXT, VALUES, 400, 2);
    let count = Arc::new(AtomicU32::new(0));
    let network = Loopback::meddled(move |from, _, _| {
        if from == Member::DRIVER || count.fetch_add(1, SeqCst) < 40 {
            Fate::Comes
        } else {
            Fate::Loses
        }
    });
    let (ended, _) = on_workers(&network, &prepared.job, 2, Patience::default());
    match ended {
        Err(error @ ClusterError::NobodyLeft { .. }) => {
            assert!(error.to_string().contains("--resume"), "{error}")
        }
        other => panic!("{other:?}"),
    }
}

/// Workers that were lost come again, and take part: often while others are lost, before an epoch has begun, or
/// behind the end.
#[test]
#[ignore = "slow: 6 s"]
fn workers_come_again() {
    let prepared = Prepared::new(TEXT, VALUES, 150, 3);
    let expected = prepared.alone();
    let patience = Patience {
        redial: Duration::from_millis(20),
        ..Patience::default()
    };
    let mut came = 0;
    for step in [11, 17, 29, 43, 71, 113] {
        let count = Arc::new(AtomicU32::new(0));
        // Again and again, but for the last one that is there.
        let network = Loopback::meddled(move |from, _, _| {
            let now = match from {
                Member::DRIVER => return Fate::Comes,
                _ => count.fetch_add(1, SeqCst),
            };
            match now % step == step - 1 && now < 6 * step && from.0 % 3 != 0 {
                true => Fate::Loses,
                false => Fate::Comes,
            }
        });
        let (ended, seen) = on_workers(&network, &prepared.job, 3, patience);
        let ended = ended.unwrap_or_else(|error| panic!("each {step}: {error}"));
        assert!(ended.outputs == expected, "each {step}");
        came += seen
            .told
            .iter()
            .filter(|text| text.contains("there again"))
            .count();
    }
    assert!(came > 3, "{came} came again");
}

/// A worker that is named while the run goes on takes part, and so the run outlives the one that it began with.
#[test]
#[ignore = "slow: 16 s"]
fn a_worker_comes_later() {
    // In one window, and long enough for somebody to come.
    let text = TEXT
        .replace("[6]", "[60]")
        .replace("CMP R0, 6", "CMP R0, 60");
    let values = [("x", 3), ("y", 5)].map(|(name, step)| {
        let values: Vec<String> = (1..=60).map(|at| (at * step).to_string()).collect();
        format!("{name}={}", values.join(","))
    });
    let values = [values[0].as_str(), values[1].as_str()];
    let prepared = Prepared::new(&text, &values, 1 << 18, 1);
    let expected = prepared.alone();
    let network = Loopback::default();
    let names = ["machine-1", "machine-2"].map(str::to_owned);
    let cancel = Cancel::new();
    let threads = listen(&network, &names, &cancel);
    let addresses = Addresses::from([names[0].clone()]);
    let mut growing = Growing {
        addresses: addresses.clone(),
        network: network.clone(),
        told: Vec::new(),
    };
    let driver: Arc<dyn Transport> = Arc::new(network.driver());
    let patience = Patience {
        redial: Duration::from_millis(20),
        ..Patience::default()
    };
    let job = prepared.job.clone();
    let ended = drive(
        &driver,
        &addresses,
        job,
        patience,
        &mut growing,
        &Cancel::new(),
    );
    cancel.cancel();
    for thread in threads {
        thread.join().unwrap();
    }
    assert!(ended.unwrap().outputs == expected);
    let told = growing.told.join("; ");
    assert!(told.contains("machine-2 has come, too"), "{told}");
    assert!(told.contains("machine-1 is lost"), "{told}");
}

/// Names a second worker as soon as something is done, and loses the first one when both are there.
struct Growing {
    addresses: Addresses,
    network: Loopback,
    told: Vec<String>,
}

impl Watcher for Growing {
    fn progress(&mut self, progress: Progress) {
        match self.addresses.len() {
            1 => self.addresses.push("machine-2"),
            2 if progress.workers == 2 => {
                // Once: a third place is none.
                self.addresses.push("nobody");
                self.network.lose(Member(1));
            }
            _ => {}
        }
    }

    fn checkpoint(&mut self, _: u32, _: &[u8]) {}

    fn written(&mut self, _: &[u8]) {}

    fn told(&mut self, text: &str) {
        self.told.push(text.to_owned());
    }
}

/// A driver's message that is damaged: who cannot read it leaves, and comes again.
#[test]
#[ignore = "slow: 6 s"]
fn a_damaged_order_is_no_reason_to_wait_for_ever() {
    let prepared = Prepared::new(TEXT, VALUES, 400, 2);
    let expected = prepared.alone();
    let patience = Patience {
        redial: Duration::from_millis(50),
        ..Patience::default()
    };
    for number in 0..12 {
        let count = Arc::new(AtomicU32::new(0));
        let network = Loopback::meddled(move |from, _, frame| {
            if from == Member::DRIVER && count.fetch_add(1, SeqCst) == number {
                let place = frame.len() / 2;
                frame[place] ^= 1;
            }
            Fate::Comes
        });
        let (ended, _) = on_workers(&network, &prepared.job, 2, patience);
        let ended = ended.unwrap_or_else(|error| panic!("order {number}: {error}"));
        assert!(ended.outputs == expected, "order {number}");
    }
}
