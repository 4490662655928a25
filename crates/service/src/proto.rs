//! The protocol's messages, generated from `proto/blindcore/v1`, where each is described.

#![allow(missing_docs, unreachable_pub, clippy::all)]

tonic::include_proto!("blindcore.v1");

/// Most data in a [`Chunk`], in bytes.
pub const CHUNK_BYTES: usize = 1 << 20;
/// Largest message that either side accepts, in bytes: a chunk, or a job with large public inputs.
pub const MESSAGE_BYTES: usize = 4 << 20;
