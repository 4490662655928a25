//! The protocol's methods over gRPC. Each learns who calls and what is meant; the desk does the
//! rest.

mod admin;
mod attend;
mod body;
mod connection;
mod parts;
mod upload;

use std::pin::Pin;
use std::sync::Arc;

use tokio_stream::{Stream, StreamExt as _};
use tonic::{Request, Response, Status, Streaming};

use super::caller::Caller;
use super::desk::Desk;
use crate::proto::blindcore_server::Blindcore;
use crate::proto::chunk::Part;
use crate::proto::{
    AboutReply, AboutRequest, Blob, Chunk, ClientMessage, FetchRequest, ForgetReply, ForgetRequest,
    Hashes, Job, JobId, JobList, JobSpec, JobStatus, JobsRequest, ServerMessage,
};

pub(super) use connection::Api;

/// A stream of answers.
type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The service.
pub(crate) struct Service {
    desk: Arc<Desk>,
}

impl Service {
    fn new(desk: Arc<Desk>) -> Self {
        Self { desk }
    }

    fn caller<T>(&self, request: &Request<T>) -> Result<Caller, Status> {
        let caller = Caller::of(request);
        caller.map_err(|status| self.desk.refuse(status))
    }
}

#[tonic::async_trait]
impl Blindcore for Service {
    type WatchStream = Answers<JobStatus>;
    type FetchStream = Answers<Chunk>;
    type AttendStream = Answers<ServerMessage>;

    async fn about(&self, request: Request<AboutRequest>) -> Result<Response<AboutReply>, Status> {
        let caller = self.caller(&request)?;
        let about = self.desk.ask(move |board| Ok(board.about(&caller)));
        Ok(Response::new(about.await?))
    }

    async fn missing(&self, request: Request<Hashes>) -> Result<Response<Hashes>, Status> {
        let caller = self.caller(&request)?;
        let list = request.into_inner().blake3;
        let blake3 = self.desk.missing(caller, list).await?;
        Ok(Response::new(Hashes { blake3 }))
    }

    async fn upload(&self, request: Request<Streaming<Chunk>>) -> Result<Response<Blob>, Status> {
        let caller = self.caller(&request)?;
        let header = upload::receive(&self.desk, &caller, request.into_inner()).await?;
        Ok(Response::new(Blob {
            header: Some(header),
        }))
    }

    async fn submit(&self, request: Request<JobSpec>) -> Result<Response<Job>, Status> {
        let caller = self.caller(&request)?;
        let job = self.desk.submit(caller, request.into_inner()).await?;
        Ok(Response::new(job))
    }

    async fn status(&self, request: Request<JobId>) -> Result<Response<JobStatus>, Status> {
        let caller = self.caller(&request)?;
        let id = request.into_inner().id;
        let status = self.desk.ask(move |board| board.status(&caller, &id));
        Ok(Response::new(status.await?))
    }

    async fn watch(&self, request: Request<JobId>) -> Result<Response<Self::WatchStream>, Status> {
        let caller = self.caller(&request)?;
        let changes = self.desk.watch(caller, request.into_inner().id).await?;
        Ok(Response::new(Box::pin(changes)))
    }

    async fn jobs(&self, request: Request<JobsRequest>) -> Result<Response<JobList>, Status> {
        let caller = self.caller(&request)?;
        let wanted = request.into_inner();
        let list = self.desk.ask(move |board| Ok(board.list(&caller, wanted)));
        Ok(Response::new(list.await?))
    }

    async fn cancel(&self, request: Request<JobId>) -> Result<Response<JobStatus>, Status> {
        let caller = self.caller(&request)?;
        let status = self.desk.cancel(caller, request.into_inner().id).await?;
        Ok(Response::new(status))
    }

    async fn fetch(
        &self,
        request: Request<FetchRequest>,
    ) -> Result<Response<Self::FetchStream>, Status> {
        let caller = self.caller(&request)?;
        let opened = self.desk.fetch(caller, request.into_inner()).await?;
        let chunk = |part| Chunk { part: Some(part) };
        let header = Part::Header(opened.header.clone());
        let first = tokio_stream::once(Ok(chunk(header)));
        let rest = opened.pieces();
        let rest = rest.map(move |piece| piece.map(|data| chunk(Part::Data(data))));
        Ok(Response::new(Box::pin(first.chain(rest))))
    }

    async fn forget(
        &self,
        request: Request<ForgetRequest>,
    ) -> Result<Response<ForgetReply>, Status> {
        let caller = self.caller(&request)?;
        let ForgetRequest { jobs, blobs } = request.into_inner();
        let bytes = self.desk.forget(caller, jobs, blobs).await?;
        Ok(Response::new(ForgetReply { bytes }))
    }

    async fn attend(
        &self,
        request: Request<Streaming<ClientMessage>>,
    ) -> Result<Response<Self::AttendStream>, Status> {
        let caller = self.caller(&request)?;
        let held = self.desk.stream(&caller)?;
        let stream = attend::attend(Arc::clone(&self.desk), caller, request.into_inner(), held);
        Ok(Response::new(stream))
    }
}
