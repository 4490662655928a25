//! Jobs on a worker, which is a thread of this process here.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::JoinHandle;

use blindcore_service::proto::JobState;
use blindcore_service::task;
use circuits::exec::Cancel;
use cluster::tcp::Listener;
use cluster::{Keys, Transport};

use crate::rig::*;
use crate::server::Server;

const DIFFERENCE: &[u8] =
    b".bits 16\n.data a\n.data b\n LOAD R0, a\n LOAD R1, b\n SUB R0, R0, R1\n STORE R0, a";

/// Works until it is dropped, and counts runs.
struct Worker {
    address: String,
    cancel: Cancel,
    thread: Option<JoinHandle<usize>>,
}

impl Worker {
    fn start() -> Self {
        let listener = Listener::open("127.0.0.1:0", None).unwrap();
        let address = listener.address().to_string();
        let cancel = Cancel::new();
        let own = cancel.clone();
        let thread = std::thread::spawn(move || {
            let (keys, mut runs) = (Keys::new(NonZeroUsize::MIN), 0);
            let worker = cluster::Worker {
                threads: NonZeroUsize::MIN,
                fft: None,
            };
            while !own.is_cancelled() {
                let Some(session) = listener.session() else {
                    continue;
                };
                let transport: Arc<dyn Transport> = Arc::new(session);
                // The server has heard why, or is gone.
                runs += usize::from(worker.work(&transport, &keys, &own).is_ok());
            }
            runs
        });
        Self {
            address,
            cancel,
            thread: Some(thread),
        }
    }

    /// Ends it; how many runs it brought to their end.
    fn end(mut self) -> usize {
        self.cancel.cancel();
        self.thread.take().unwrap().join().unwrap()
    }
}

/// A job whose inputs were uploaded as files in another order than a run joins them in.
fn turned_round(owner: &mut Owner, a: i128, b: i128) -> Prepared {
    let mut job = owner.job(DIFFERENCE, None, &[("a", &[a]), ("b", &[b])], |_| {});
    let files = [("b", b), ("a", a)].map(|(name, value)| {
        owner
            .job(DIFFERENCE, None, &[(name, &[value])], |_| {})
            .inputs
    });
    job.inputs = files.concat();
    let (task, _) = task::from_message(&job.task).unwrap();
    job.task = task::to_message(&task, &[1, 0]);
    job
}

/// Inputs keep their places, whatever order their files are in; on a worker as on the server.
#[tokio::test(flavor = "multi_thread")]
async fn inputs_keep_their_places() {
    let worker = Worker::start();
    let crew = ["--workers", &worker.address, "--workers-plain"];
    let distant = Server::start(&crew, "");
    let alone = Server::start(&[], "");
    let mut owner = Owner::new(61);
    for server in [&distant, &alone] {
        let mut client = server.client("alice").await;
        for (request, (a, b)) in [(1, (9, 4)), (2, (1000, 65_000))] {
            let id = turned_round(&mut owner, a, b)
                .submit(&mut client, request)
                .await;
            let status = until(&mut client, &id, ended).await;
            assert_eq!(status.state(), JobState::Done, "{status:?}");
            let values = owner.decrypt(&fetch(&mut client, &id).await.unwrap());
            let difference = (a - b).rem_euclid(1 << 16);
            assert_eq!(values, [("a".to_owned(), vec![difference])]);
        }
    }
    drop(distant);
    assert_eq!(worker.end(), 2);
}

/// What uses selectors runs on the server, with them.
#[tokio::test(flavor = "multi_thread")]
async fn selectors_stay_on_the_server() {
    let source =
        b".bits 32\n.data a\n.data n\n LOAD R0, a\n LOAD R1, n\n LLS R0, R0, R1\n STORE R0, a";
    let worker = Worker::start();
    let crew = ["--workers", &worker.address, "--workers-plain"];
    let server = Server::start(&crew, "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(62);
    let mut job = owner.job(source, None, &[("a", &[12345]), ("n", &[7])], |_| {});
    job.selectors = Some(owner.selectors());
    let id = job.submit(&mut client, 1).await;
    let status = until(&mut client, &id, ended).await;
    assert_eq!(status.state(), JobState::Done, "{status:?}");
    let values = owner.decrypt(&fetch(&mut client, &id).await.unwrap());
    assert_eq!(values, [("a".to_owned(), vec![12345 << 7])]);
    drop(server);
    assert_eq!(worker.end(), 0);
}
