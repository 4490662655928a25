//! A server that sends what a test gives it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use blindcore_service::proto::blindcore_server::{Blindcore, BlindcoreServer};
use blindcore_service::proto::*;
use blindcore_service::tls::Material;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Certificate, Identity, ServerTlsConfig};
use tonic::{Request, Response, Status, Streaming};

/// The one job of such a server.
pub(super) const JOB: &str = "0123456789abcdef0123456789abcdef";

/// What it says next, and what it heard.
#[derive(Default)]
pub(super) struct Script {
    /// How often a method says that it is unavailable before it does anything.
    pub(super) unavailable: HashMap<&'static str, u32>,
    /// A kind that it is too old to know.
    pub(super) unknown: Option<BlobKind>,
    /// Blobs that it has, by hash.
    pub(super) blobs: HashMap<Vec<u8>, Vec<u8>>,
    /// The chunks of a fetched file.
    pub(super) file: Vec<Chunk>,
    /// What a watching client receives, a list for each connection. Each list ends its stream, but
    /// after the last one it stays open until the job ends.
    pub(super) watched: Vec<Vec<JobStatus>>,
    /// How the job ended.
    pub(super) end: Option<JobState>,
    /// The job is done when this question is answered.
    pub(super) done_after: Option<u64>,
    /// Questions, one list for each connection.
    pub(super) questions: Vec<Vec<Question>>,
    /// Answers that came.
    pub(super) answers: Vec<Answer>,
    /// The ids of submissions that came.
    pub(super) submissions: Vec<Vec<u8>>,
}

/// A running server, stopped when it is dropped.
pub(super) struct Deceiver {
    _runtime: Runtime,
    port: u16,
    pub(super) script: Arc<Mutex<Script>>,
}

impl Deceiver {
    pub(super) fn start(tls: &Path) -> Deceiver {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let script = Arc::new(Mutex::new(Script::default()));
        let service = BlindcoreServer::new(Service(Arc::clone(&script)));
        let material = Material::read(tls).unwrap();
        let tls = ServerTlsConfig::new()
            .identity(Identity::from_pem(&material.certificate, &material.key))
            .client_ca_root(Certificate::from_pem(&material.authority));
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .unwrap();
        let port = listener.local_addr().unwrap().port();
        runtime.spawn(async move {
            let mut server = tonic::transport::Server::builder().tls_config(tls).unwrap();
            let incoming = TcpIncoming::from(listener);
            server
                .add_service(service)
                .serve_with_incoming(incoming)
                .await
                .unwrap();
        });
        Deceiver {
            _runtime: runtime,
            port,
            script,
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }
}

struct Service(Arc<Mutex<Script>>);

impl Service {
    fn available(&self, method: &'static str) -> Result<(), Status> {
        let mut script = self.0.lock().unwrap();
        match script.unavailable.get_mut(method) {
            Some(left) if *left > 0 => {
                *left -= 1;
                Err(Status::unavailable("the server is stopping"))
            }
            _ => Ok(()),
        }
    }
}

/// A status of the job.
pub(super) fn status(state: JobState) -> JobStatus {
    JobStatus {
        id: JOB.to_owned(),
        state: state.into(),
        ..JobStatus::default()
    }
}

/// The next list, and whether it is the last.
fn next<T: Clone>(lists: &mut Vec<Vec<T>>) -> (Vec<T>, bool) {
    match lists.len() {
        0 => (Vec::new(), true),
        1 => (lists[0].clone(), true),
        _ => (lists.remove(0), false),
    }
}

#[tonic::async_trait]
impl Blindcore for Service {
    async fn about(&self, _: Request<AboutRequest>) -> Result<Response<AboutReply>, Status> {
        Ok(Response::new(AboutReply {
            version: "deceiver".to_owned(),
            ..AboutReply::default()
        }))
    }

    async fn missing(&self, request: Request<Hashes>) -> Result<Response<Hashes>, Status> {
        self.available("missing")?;
        let script = self.0.lock().unwrap();
        let asked = request.into_inner().blake3.into_iter();
        let blake3 = asked.filter(|hash| !script.blobs.contains_key(hash));
        Ok(Response::new(Hashes {
            blake3: blake3.collect(),
        }))
    }

    async fn upload(&self, request: Request<Streaming<Chunk>>) -> Result<Response<Blob>, Status> {
        self.available("upload")?;
        let mut chunks = request.into_inner();
        let mut header = None;
        let mut bytes = Vec::new();
        while let Some(chunk) = chunks.next().await {
            match chunk?.part.unwrap() {
                chunk::Part::Header(first) => {
                    let unknown = self.0.lock().unwrap().unknown;
                    if unknown.is_some_and(|unknown| unknown == first.kind()) {
                        return Err(Status::invalid_argument(
                            "kind: programs, inputs and server keys are uploaded, nothing else",
                        ));
                    }
                    header = Some(first);
                }
                chunk::Part::Data(data) => bytes.extend_from_slice(&data),
            }
        }
        let hash = header.as_ref().unwrap().blake3.clone();
        self.0.lock().unwrap().blobs.insert(hash, bytes);
        Ok(Response::new(Blob { header }))
    }

    async fn submit(&self, request: Request<JobSpec>) -> Result<Response<Job>, Status> {
        let mut script = self.0.lock().unwrap();
        script.submissions.push(request.into_inner().request_id);
        drop(script);
        self.available("submit")?;
        Ok(Response::new(Job {
            id: JOB.to_owned(),
            repeated_request: false,
        }))
    }

    async fn status(&self, _: Request<JobId>) -> Result<Response<JobStatus>, Status> {
        Err(Status::not_found(format!("there is no job {JOB}\x1b[2J")))
    }

    type WatchStream = ReceiverStream<Result<JobStatus, Status>>;

    async fn watch(&self, _: Request<JobId>) -> Result<Response<Self::WatchStream>, Status> {
        self.available("watch")?;
        let (items, last) = next(&mut self.0.lock().unwrap().watched);
        let script = Arc::clone(&self.0);
        let (sender, receiver) = mpsc::channel(64);
        tokio::spawn(async move {
            for item in items {
                let _ = sender.send(Ok(item)).await;
            }
            while last && !sender.is_closed() {
                let end = script.lock().unwrap().end;
                if let Some(end) = end {
                    let _ = sender.send(Ok(status(end))).await;
                    return;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        Ok(Response::new(ReceiverStream::new(receiver)))
    }

    async fn jobs(&self, _: Request<JobsRequest>) -> Result<Response<JobList>, Status> {
        Err(Status::unimplemented("no jobs"))
    }

    async fn cancel(&self, _: Request<JobId>) -> Result<Response<JobStatus>, Status> {
        Err(Status::unimplemented("no jobs"))
    }

    type FetchStream = ReceiverStream<Result<Chunk, Status>>;

    async fn fetch(&self, _: Request<FetchRequest>) -> Result<Response<Self::FetchStream>, Status> {
        self.available("fetch")?;
        let file = self.0.lock().unwrap().file.clone();
        let (sender, receiver) = mpsc::channel(64);
        for chunk in file {
            let _ = sender.send(Ok(chunk)).await;
        }
        Ok(Response::new(ReceiverStream::new(receiver)))
    }

    async fn forget(&self, _: Request<ForgetRequest>) -> Result<Response<ForgetReply>, Status> {
        Err(Status::unimplemented("no jobs"))
    }

    type AttendStream = ReceiverStream<Result<ServerMessage, Status>>;

    async fn attend(
        &self,
        request: Request<Streaming<ClientMessage>>,
    ) -> Result<Response<Self::AttendStream>, Status> {
        self.available("attend")?;
        let (questions, last) = next(&mut self.0.lock().unwrap().questions);
        let script = Arc::clone(&self.0);
        let mut messages = request.into_inner();
        let (sender, receiver) = mpsc::channel(64);
        tokio::spawn(async move {
            for question in questions {
                let of = Some(server_message::Of::Question(question));
                let _ = sender.send(Ok(ServerMessage { of })).await;
                // The next one comes after this one's answer.
                while let Some(Ok(message)) = messages.next().await {
                    if let Some(client_message::Of::Answer(answer)) = message.of {
                        let mut script = script.lock().unwrap();
                        if matches!(answer.answer, Some(answer::Answer::Refused(_))) {
                            script.end = Some(JobState::Failed);
                        } else if script.done_after == Some(answer.number) {
                            script.end = Some(JobState::Done);
                        }
                        script.answers.push(answer);
                        break;
                    }
                }
            }
            if last {
                sender.closed().await;
            }
        });
        Ok(Response::new(ReceiverStream::new(receiver)))
    }
}
