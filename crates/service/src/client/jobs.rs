//! Jobs: to submit, to look at, to end, to fetch the results of.

use tonic::Request;

use super::{Client, ClientError};
use crate::proto::{
    BlobKind, FetchRequest, ForgetRequest, Job, JobId, JobSpec, JobStatus, JobsRequest, Part, chunk,
};

/// A file that a job left, complete and with the hash that the server promised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The content.
    pub bytes: Vec<u8>,
}

impl Client {
    /// Submits a job. The same `request_id` always gives the same job.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn submit(&self, spec: &JobSpec) -> Result<Job, ClientError> {
        let job = self.call(async |mut stub| {
            let reply = stub.submit(Request::new(spec.clone())).await?;
            Ok(reply.into_inner())
        })?;
        // Ids become names of files here.
        if !is_id(&job.id) {
            return Err(self.protocol("a job's id is not 32 hexadecimal digits"));
        }
        Ok(job)
    }

    /// How a job does.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn status(&self, job: &str) -> Result<JobStatus, ClientError> {
        let status =
            self.call(async |mut stub| Ok(stub.status(Request::new(id(job))).await?.into_inner()))?;
        self.of_job(job, status)
    }

    /// This client's jobs, newest first.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn jobs(&self, unfinished: bool, limit: u32) -> Result<Vec<JobStatus>, ClientError> {
        let request = JobsRequest { unfinished, limit };
        let jobs = self
            .call(async |mut stub| Ok(stub.jobs(Request::new(request)).await?.into_inner().jobs))?;
        match jobs.iter().all(|job| is_id(&job.id)) {
            true => Ok(jobs),
            false => Err(self.protocol("a job's id is not 32 hexadecimal digits")),
        }
    }

    /// Ends a job; gives what became of it.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn cancel(&self, job: &str) -> Result<JobStatus, ClientError> {
        let status =
            self.call(async |mut stub| Ok(stub.cancel(Request::new(id(job))).await?.into_inner()))?;
        self.of_job(job, status)
    }

    /// A status, if it is that of the job that was asked about: ids stand in commands that people
    /// copy.
    fn of_job(&self, job: &str, status: JobStatus) -> Result<JobStatus, ClientError> {
        if status.id == job {
            return Ok(status);
        }
        Err(self.protocol("it reports another job than was asked about"))
    }

    /// Removes jobs that have ended, with their files; gives the bytes that this frees.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn forget(&self, jobs: &[String]) -> Result<u64, ClientError> {
        let request = ForgetRequest {
            jobs: jobs.to_vec(),
            blobs: Vec::new(),
        };
        self.call(async |mut stub| {
            let reply = stub.forget(Request::new(request.clone())).await?;
            Ok(reply.into_inner().bytes)
        })
    }

    /// Fetches a file that a job left, of at most `limit` bytes.
    ///
    /// # Errors
    /// [`ClientError`]; [`ClientError::Protocol`] if what comes is not what the server promised.
    pub fn fetch(&self, job: &str, part: Part, limit: u64) -> Result<Fetched, ClientError> {
        let mut attempts = self.attempts();
        self.block_on(async {
            loop {
                let fetched = tokio::select! {
                    fetched = self.fetch_once(job, part, limit) => fetched,
                    () = self.cancelled() => return Err(ClientError::Interrupted),
                };
                match fetched {
                    Err(error) => attempts.failed(error).await?,
                    fetched => return fetched,
                }
            }
        })
    }

    async fn fetch_once(&self, job: &str, part: Part, limit: u64) -> Result<Fetched, ClientError> {
        let request = FetchRequest {
            id: job.to_owned(),
            part: part.into(),
        };
        let failed = |status| self.error(&status);
        let reply = self.stub().fetch(Request::new(request)).await;
        let mut stream = reply.map_err(failed)?.into_inner();
        let first = stream.message().await.map_err(failed)?;
        let Some(chunk::Part::Header(header)) = first.and_then(|chunk| chunk.part) else {
            return Err(self.protocol("a file does not begin with its header"));
        };
        let kind = match part {
            Part::Outputs => BlobKind::Outputs,
            Part::Written => BlobKind::Written,
        };
        if header.kind() != kind {
            return Err(self.protocol("it sends another kind of file than was asked for"));
        }
        if header.length > limit {
            let length = header.length;
            return Err(self.protocol(format!(
                "it announces a file of {length} bytes, where at most {limit} are possible"
            )));
        }
        // The length is a claim: the buffer grows only as the bytes really come.
        let mut bytes = Vec::new();
        while let Some(chunk) = stream.message().await.map_err(failed)? {
            let Some(chunk::Part::Data(data)) = chunk.part else {
                return Err(self.protocol("a file has a second header"));
            };
            bytes.extend_from_slice(&data);
            if bytes.len() as u64 > header.length {
                return Err(self.protocol("a file is longer than its header says"));
            }
        }
        if bytes.len() as u64 != header.length || header.blake3 != blake3::hash(&bytes).as_bytes() {
            return Err(self.protocol(format!(
                "a file of {} bytes is not what its header of {} bytes announced",
                bytes.len(),
                header.length
            )));
        }
        Ok(Fetched { bytes })
    }
}

pub(super) fn id(job: &str) -> JobId {
    JobId { id: job.to_owned() }
}

pub(super) fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
