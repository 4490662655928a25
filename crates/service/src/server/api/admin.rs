//! The methods for administrators. Whether a caller is one is asked before any of its request is
//! received, for the whole service: a method that is added later is no way in.

use std::sync::Arc;

use tonic::{Request, Response, Status};

use crate::proto::admin_server::Admin;
use crate::proto::{
    Accounts, AllJobs, AllJobsRequest, ClientJob, DrainReply, DrainRequest, JobId, QuotaRequest,
    ReloadReply, ReloadRequest, RestoreRequest, RevokeReply, RevokeRequest, RevokedCertificate,
    RevokedList, RevokedRequest, restore_request, revoke_request,
};
use crate::server::board::JobFilter;
use crate::server::caller::Caller;
use crate::server::desk::Desk;
pub(super) use crate::server::office::check;
use crate::server::office::{Office, Which, meant};
use crate::server::store::Revocation;

/// Jobs in a list when the administrator does not say, and most.
const LIST_DEFAULT: usize = 100;
const LIST_MOST: usize = 1_000;

/// Whether a request is for this service.
pub(super) fn is_meant(path: &str) -> bool {
    path.starts_with("/blindcore.v1.Admin/")
}

/// The service.
pub(super) struct Service {
    desk: Arc<Desk>,
    office: Arc<Office>,
}

impl Service {
    pub(super) fn new(desk: Arc<Desk>, office: Arc<Office>) -> Self {
        Self { desk, office }
    }

    /// Does what an administrator wants, away from the threads that serve connections.
    async fn act<Q, T: Send + 'static>(
        &self,
        request: Request<Q>,
        act: impl FnOnce(&Office, &Caller, Q) -> Result<T, Status> + Send + 'static,
    ) -> Result<Response<T>, Status>
    where
        Q: Send + 'static,
    {
        let caller = Caller::of(&request).and_then(|caller| check(&caller).map(|()| caller));
        let caller = caller.map_err(|status| self.desk.refuse(status))?;
        let office = Arc::clone(&self.office);
        let wanted = request.into_inner();
        let done = self.desk.ask(move |_| act(&office, &caller, wanted));
        Ok(Response::new(done.await?))
    }
}

#[tonic::async_trait]
impl Admin for Service {
    async fn jobs(&self, request: Request<AllJobsRequest>) -> Result<Response<AllJobs>, Status> {
        self.act(request, |office, _, wanted| {
            let filter = JobFilter {
                unfinished: wanted.unfinished,
                limit: match wanted.limit as usize {
                    0 => LIST_DEFAULT,
                    limit => limit.min(LIST_MOST),
                },
            };
            let jobs = office.board.all_jobs(filter, meant(&wanted.client));
            let jobs = jobs
                .into_iter()
                .map(|(client, client_id, status)| ClientJob {
                    client,
                    client_id,
                    status: Some(status),
                });
            Ok(AllJobs {
                jobs: jobs.collect(),
            })
        })
        .await
    }

    async fn cancel(&self, request: Request<JobId>) -> Result<Response<ClientJob>, Status> {
        let id = request.get_ref().id.clone();
        let cancelled = self.act(request, |office, by, wanted| office.cancel(&wanted.id, by));
        cancelled.await?;
        Ok(Response::new(self.desk.cancelled(id).await?))
    }

    async fn quota(&self, request: Request<QuotaRequest>) -> Result<Response<Accounts>, Status> {
        self.act(request, |office, _, wanted| {
            let clients = office.accounts(&wanted.client)?;
            Ok(Accounts { clients })
        })
        .await
    }

    async fn drain(&self, request: Request<DrainRequest>) -> Result<Response<DrainReply>, Status> {
        self.act(request, |office, by, wanted| {
            office.drain(wanted.order(), by)
        })
        .await
    }

    async fn revoke(
        &self,
        request: Request<RevokeRequest>,
    ) -> Result<Response<RevokeReply>, Status> {
        self.act(request, |office, by, wanted| {
            let which = match wanted.certificate {
                Some(revoke_request::Certificate::Sha256(text)) => Which::Fingerprint(text),
                Some(revoke_request::Certificate::Name(name)) => Which::Name(name),
                None => return Err(nothing()),
            };
            let (id, record, cancelled) = office.revoke(&which, wanted.keep_jobs, by)?;
            Ok(RevokeReply {
                certificate: Some(certificate(id, record)),
                cancelled: cancelled as u32,
            })
        })
        .await
    }

    async fn restore(
        &self,
        request: Request<RestoreRequest>,
    ) -> Result<Response<RevokedCertificate>, Status> {
        self.act(request, |office, by, wanted| {
            let which = match wanted.certificate {
                Some(restore_request::Certificate::Sha256(text)) => Which::Fingerprint(text),
                Some(restore_request::Certificate::Name(name)) => Which::Name(name),
                None => return Err(nothing()),
            };
            let (id, record) = office.restore(&which, by)?;
            Ok(certificate(id, record))
        })
        .await
    }

    async fn revoked(
        &self,
        request: Request<RevokedRequest>,
    ) -> Result<Response<RevokedList>, Status> {
        self.act(request, |office, _, _| {
            let all = office.revoked().into_iter();
            let certificates = all.map(|(id, record)| certificate(id, record)).collect();
            Ok(RevokedList { certificates })
        })
        .await
    }

    async fn reload(
        &self,
        request: Request<ReloadRequest>,
    ) -> Result<Response<ReloadReply>, Status> {
        self.act(request, |office, by, _| {
            let reloaded = office.reload_for(by)?;
            let failed = |reason| {
                Status::failed_precondition(format!(
                    "nothing was reloaded, what was in force stays: {reason}"
                ))
            };
            let later = reloaded.map_err(failed)?;
            Ok(ReloadReply { later })
        })
        .await
    }
}

fn nothing() -> Status {
    Status::invalid_argument("no certificate is named: by its SHA-256, or by its common name")
}

fn certificate(sha256: String, record: Revocation) -> RevokedCertificate {
    RevokedCertificate {
        sha256,
        name: record.name,
        at: record.at,
        by: record.by,
    }
}
