//! Uploads: only what the server lacks, in chunks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tonic::Request;

use super::{Client, ClientError};
use crate::proto::{self, BlobHeader, BlobKind, CHUNK_BYTES, Chunk, Hashes, chunk};

/// Something to be on the server: its content, by its hash.
#[derive(Clone)]
pub struct Blob {
    kind: BlobKind,
    hash: [u8; 32],
    bytes: Arc<[u8]>,
}

impl Blob {
    /// A blob of these bytes. What it is called here does not travel.
    pub fn new(kind: BlobKind, bytes: impl Into<Arc<[u8]>>) -> Blob {
        let bytes = bytes.into();
        Blob {
            kind,
            hash: blake3::hash(&bytes).into(),
            bytes,
        }
    }

    /// BLAKE3 of the content.
    pub fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// Length of the content, in bytes.
    pub fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn header(&self) -> BlobHeader {
        BlobHeader {
            kind: self.kind.into(),
            blake3: self.hash.to_vec(),
            length: self.length(),
        }
    }

    /// The messages of an upload. `sent` follows what the network has taken.
    fn chunks(&self, sent: Arc<AtomicU64>) -> impl Iterator<Item = Chunk> + use<> {
        let header = chunk::Part::Header(self.header());
        let bytes = Arc::clone(&self.bytes);
        let parts = (0..bytes.len()).step_by(CHUNK_BYTES).map(move |begin| {
            let data = &bytes[begin..bytes.len().min(begin + CHUNK_BYTES)];
            sent.fetch_add(data.len() as u64, Ordering::Relaxed);
            chunk::Part::Data(data.to_vec())
        });
        std::iter::once(header)
            .chain(parts)
            .map(|part| Chunk { part: Some(part) })
    }
}

impl std::fmt::Debug for Blob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blob")
            .field("kind", &self.kind)
            .field("length", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Uploads those of the blobs that the server lacks. `progress` is told often how many bytes of
    /// how many are on their way. Gives the number of bytes that had to be sent.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn upload_missing(
        &self,
        blobs: &[&Blob],
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<u64, ClientError> {
        let hashes: Vec<Vec<u8>> = blobs.iter().map(|blob| blob.hash.to_vec()).collect();
        let missing = self.call(async |mut stub| {
            let blake3 = hashes.clone();
            let reply = stub.missing(Request::new(Hashes { blake3 })).await?;
            Ok(reply.into_inner().blake3)
        })?;
        let lacking = blobs
            .iter()
            .filter(|blob| missing.iter().any(|hash| *hash == blob.hash));
        let mut lacking: Vec<&Blob> = lacking.copied().collect();
        // A server that is too old for a kind says so before the rest is on its way.
        lacking.sort_by_key(|blob| blob.kind != BlobKind::SelectorKey);
        let total = lacking.iter().map(|blob| blob.length()).sum();
        let mut before = 0;
        for blob in lacking {
            self.upload(blob, &mut |sent| progress(before + sent, total))?;
            before += blob.length();
        }
        Ok(total)
    }

    fn upload(&self, blob: &Blob, progress: &mut dyn FnMut(u64)) -> Result<(), ClientError> {
        let mut attempts = self.attempts();
        self.block_on(async {
            loop {
                let sent = Arc::new(AtomicU64::new(0));
                let stream = tokio_stream::iter(blob.chunks(Arc::clone(&sent)));
                let mut stub = self.stub();
                let upload = stub.upload(Request::new(stream));
                tokio::pin!(upload);
                let mut tick = tokio::time::interval(std::time::Duration::from_millis(100));
                let reply = loop {
                    tokio::select! {
                        reply = &mut upload => break reply,
                        _ = tick.tick() => progress(sent.load(Ordering::Relaxed)),
                        () = self.cancelled() => return Err(ClientError::Interrupted),
                    }
                };
                match reply {
                    Ok(reply) => {
                        let proto::Blob { header } = reply.into_inner();
                        if header.is_none_or(|header| header.blake3 != blob.hash) {
                            return Err(self.protocol("it took an upload for another one"));
                        }
                        progress(blob.length());
                        return Ok(());
                    }
                    Err(status) => {
                        let error = self.error(&status).of_upload(blob.kind);
                        attempts.failed(error).await?;
                    }
                }
            }
        })
    }
}
