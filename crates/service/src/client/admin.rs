//! What administrators ask of a server.

use tonic::Request;

use super::jobs::{id, is_id};
use super::{Client, ClientError};
use crate::proto::{
    AllJobsRequest, ClientAccount, ClientJob, DrainOrder, DrainReply, DrainRequest, QuotaRequest,
    ReloadRequest, RestoreRequest, RevokeReply, RevokeRequest, RevokedCertificate, RevokedRequest,
    restore_request, revoke_request,
};

/// Which certificate is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// By its SHA-256, in hexadecimal.
    Sha256(String),
    /// By its common name.
    Name(String),
}

impl Client {
    /// Jobs of all clients, or of one by its name or SHA-256; newest first.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn all_jobs(
        &self,
        unfinished: bool,
        limit: u32,
        client: Option<&str>,
    ) -> Result<Vec<ClientJob>, ClientError> {
        let request = AllJobsRequest {
            unfinished,
            limit,
            client: client.unwrap_or_default().to_owned(),
        };
        let jobs = self.administer(async |mut stub| {
            let reply = stub.jobs(Request::new(request.clone())).await?;
            Ok(reply.into_inner().jobs)
        })?;
        let has_id = |job: &ClientJob| job.status.as_ref().is_some_and(|job| is_id(&job.id));
        match jobs.iter().all(has_id) {
            true => Ok(jobs),
            false => Err(self.protocol("a job's id is not 32 hexadecimal digits")),
        }
    }

    /// Ends a job, whosever it is; gives what became of it.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn cancel_any(&self, job: &str) -> Result<ClientJob, ClientError> {
        let ended = self.administer(async |mut stub| {
            let reply = stub.cancel(Request::new(id(job))).await?;
            Ok(reply.into_inner())
        })?;
        match ended.status.as_ref().is_some_and(|status| status.id == job) {
            true => Ok(ended),
            false => Err(self.protocol("it reports another job than was asked about")),
        }
    }

    /// What clients use and may use; of one, by its name or SHA-256, or of all.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn quotas(&self, client: Option<&str>) -> Result<Vec<ClientAccount>, ClientError> {
        let request = QuotaRequest {
            client: client.unwrap_or_default().to_owned(),
        };
        self.administer(async |mut stub| {
            let reply = stub.quota(Request::new(request.clone())).await?;
            Ok(reply.into_inner().clients)
        })
    }

    /// Has the server take no more jobs, or take them again, or stop.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn drain(&self, order: DrainOrder) -> Result<DrainReply, ClientError> {
        let request = DrainRequest {
            order: order.into(),
        };
        // A second order to stop would cut the first one's patience short.
        self.administer_once(async |mut stub| {
            Ok(stub.drain(Request::new(request)).await?.into_inner())
        })
    }

    /// Has the server refuse a certificate for good.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn revoke(
        &self,
        certificate: &Certificate,
        keep_jobs: bool,
    ) -> Result<RevokeReply, ClientError> {
        let request = RevokeRequest {
            keep_jobs,
            certificate: Some(match certificate.clone() {
                Certificate::Sha256(text) => revoke_request::Certificate::Sha256(text),
                Certificate::Name(name) => revoke_request::Certificate::Name(name),
            }),
        };
        self.administer(async |mut stub| {
            let reply = stub.revoke(Request::new(request.clone())).await?;
            Ok(reply.into_inner())
        })
    }

    /// Takes a revocation back.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn restore(&self, certificate: &Certificate) -> Result<RevokedCertificate, ClientError> {
        let request = RestoreRequest {
            certificate: Some(match certificate.clone() {
                Certificate::Sha256(text) => restore_request::Certificate::Sha256(text),
                Certificate::Name(name) => restore_request::Certificate::Name(name),
            }),
        };
        self.administer_once(async |mut stub| {
            let reply = stub.restore(Request::new(request.clone())).await?;
            Ok(reply.into_inner())
        })
    }

    /// All certificates that are revoked.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn revoked(&self) -> Result<Vec<RevokedCertificate>, ClientError> {
        self.administer(async |mut stub| {
            let reply = stub.revoked(Request::new(RevokedRequest {})).await?;
            Ok(reply.into_inner().certificates)
        })
    }

    /// Has the server read its configuration and certificates anew; gives what takes effect only
    /// with its next start.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn reload(&self) -> Result<Vec<String>, ClientError> {
        self.administer(async |mut stub| {
            let reply = stub.reload(Request::new(ReloadRequest {})).await?;
            Ok(reply.into_inner().later)
        })
    }
}
