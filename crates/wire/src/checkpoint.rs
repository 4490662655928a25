//! Files of checkpoints: a run between two windows.
//!
//! | field | bytes |
//! |---|---|
//! | metadata: what is run (32 bytes, a hash), length of the state, number of bits | |
//! | the state, as `processor::State` writes it | its length |
//! | the ciphertexts that the state refers to, in its order: kN + 1 words of 64 bits each | 8(kN + 1) each |
//!
//! A ciphertext in the middle of a run is under the big key and takes 16 KB; it was refreshed just
//! before, so that packing it would cost noise that the next window counts on. Only the bits that
//! are still live are there: a run that holds 64 secret words has 33 MB.
//!
//! What is large is never in memory twice: a checkpoint is written from the ciphertexts themselves
//! and read into them, after a first pass over the file has held the checksum against it.

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tfhe::{KeyId, LweCiphertext, Parameters};
use zeroize::Zeroizing;

use crate::container::{self, HEADER_BYTES, Header, Take};
use crate::payload::{LENGTH_BYTES, METADATA_LIMIT, PayloadReader, PayloadWriter};
use crate::record::payload::Payload;
use crate::record::{Record, refused};
use crate::{Fingerprint, Kind, WireError};

/// Longest state, in bytes: a program's memory, and as much again.
const STATE_LIMIT: u64 = 8 << 30;

/// What it takes to go on with a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    parameters: Parameters,
    key: KeyId,
    run: [u8; 32],
    state: Vec<u8>,
    bits: Vec<Arc<LweCiphertext>>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Metadata {
    run: [u8; 32],
    state: u64,
    bits: u64,
}

impl Checkpoint {
    /// A checkpoint of what `run` names: the hash of program, task and inputs.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] when a ciphertext is of another key or size, or the state is
    /// longer than readers accept.
    pub fn new(
        parameters: Parameters,
        key: KeyId,
        run: [u8; 32],
        state: Vec<u8>,
        bits: Vec<Arc<LweCiphertext>>,
    ) -> Result<Checkpoint, WireError> {
        let unstorable = |reason: String| Err(WireError::Unstorable { reason });
        let words = words_per_bit(&parameters);
        for bit in &bits {
            if bit.key_id() != key || bit.elements().len() != words {
                return unstorable("a ciphertext of another key or size".to_owned());
            }
        }
        if state.len() as u64 > STATE_LIMIT {
            return unstorable(format!("{} bytes of state", state.len()));
        }
        Ok(Checkpoint {
            parameters,
            key,
            run,
            state,
            bits,
        })
    }

    /// What is run.
    pub fn run(&self) -> &[u8; 32] {
        &self.run
    }

    /// The state, as the processor writes it.
    pub fn state(&self) -> &[u8] {
        &self.state
    }

    /// The ciphertexts that the state refers to.
    pub fn bits(&self) -> &[Arc<LweCiphertext>] {
        &self.bits
    }

    /// The ciphertexts, for going on with them.
    pub fn into_bits(self) -> Vec<Arc<LweCiphertext>> {
        self.bits
    }

    /// The bytes of the checkpoint's file, part by part, to the callback. Takes no memory
    /// beside the checkpoint's own.
    ///
    /// # Errors
    /// [`WireError::Unstorable`], before anything is given.
    pub fn encode_to(&self, take: Take<'_>) -> Result<(), WireError> {
        let metadata = self.metadata()?;
        let length = (metadata.len() + self.bulk()) as u64;
        let mut payload = |take: Take<'_>| self.parts(&metadata, take);
        let fingerprint = Fingerprint::of(&self.parameters);
        let header = container::head(Self::KIND, fingerprint, self.key, length, &mut payload)?;
        take(&header);
        payload(take);
        Ok(())
    }

    /// Reads a checkpoint from a source of `length` bytes, in two passes: the first holds the
    /// checksum against them. Takes no memory beside the checkpoint's own.
    ///
    /// # Errors
    /// [`WireError::Io`] and those of [`decode`](crate::decode).
    pub fn read_twice(
        source: &mut (impl Read + Seek),
        length: u64,
    ) -> Result<Checkpoint, WireError> {
        let io = |e: std::io::Error| WireError::io("read", &e);
        let (header, checksum) = header(source, length)?;
        let mut rest = header.payload_length;
        let mut failed = None;
        let found = container::Checksum::of_parts(&header, &mut |take| {
            let mut buffer = vec![0; 1 << 16];
            while rest > 0 && failed.is_none() {
                let count = rest.min(buffer.len() as u64) as usize;
                match source.read_exact(&mut buffer[..count]) {
                    Ok(()) => take(&buffer[..count]),
                    Err(error) => failed = Some(error),
                }
                rest -= count as u64;
            }
        });
        if let Some(error) = failed {
            return Err(io(error));
        }
        if found != checksum {
            return Err(WireError::Corrupted);
        }
        source
            .seek(SeekFrom::Start(HEADER_BYTES as u64))
            .map_err(io)?;
        let mut source = std::io::BufReader::new(source.take(header.payload_length));
        Self::from_source(&header, &mut source)
    }

    /// A checkpoint from a payload that was held against its checksum.
    fn from_source(header: &Header, source: &mut impl Read) -> Result<Checkpoint, WireError> {
        let parameters = header.fingerprint.parameters()?;
        let mut length = [0; LENGTH_BYTES];
        exactly(source, &mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > METADATA_LIMIT {
            return Err(WireError::malformed("the metadata is too long"));
        }
        // Its real size is a few dozen bytes.
        let mut metadata = Vec::new();
        source
            .take(length as u64)
            .read_to_end(&mut metadata)
            .map_err(|e| WireError::io("read", &e))?;
        let mut start = (length as u32).to_le_bytes().to_vec();
        start.extend_from_slice(&metadata);
        let (metadata, _) = PayloadReader::new::<Metadata>(&start)?;
        let before = start.len() as u64;
        let words = words_per_bit(&parameters);
        let (state_length, count) = metadata.sizes(words, header.payload_length, before)?;
        let mut state = Vec::new();
        let read = source.take(state_length).read_to_end(&mut state);
        read.map_err(|e| WireError::io("read", &e))?;
        let mut bits = Vec::with_capacity(count);
        let mut bytes = vec![0; 8 * words];
        for _ in 0..count {
            exactly(source, &mut bytes)?;
            let elements = bytes.as_chunks::<8>().0.iter();
            let elements = elements.map(|word| u64::from_le_bytes(*word)).collect();
            let bit = LweCiphertext::from_parts(&parameters, header.key, elements);
            bits.push(Arc::new(bit.map_err(refused)?));
        }
        Ok(Checkpoint {
            parameters,
            key: header.key,
            run: metadata.run,
            state,
            bits,
        })
    }

    fn metadata(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let metadata = Metadata {
            run: self.run,
            state: self.state.len() as u64,
            bits: self.bits.len() as u64,
        };
        Ok(PayloadWriter::new(&metadata, 0)?.finish())
    }

    /// Bytes after the metadata.
    fn bulk(&self) -> usize {
        self.state.len() + 8 * words_per_bit(&self.parameters) * self.bits.len()
    }

    /// The payload, part by part.
    fn parts(&self, metadata: &[u8], take: &mut dyn FnMut(&[u8])) {
        take(metadata);
        take(&self.state);
        let mut bytes = Vec::new();
        for bit in &self.bits {
            bytes.clear();
            bytes.extend(bit.elements().iter().flat_map(|word| word.to_le_bytes()));
            take(&bytes);
        }
    }
}

impl Metadata {
    /// Length of the state and number of bits, if they are what a payload of this length has.
    fn sizes(&self, words: usize, payload: u64, before: u64) -> Result<(u64, usize), WireError> {
        let bits = self.bits.checked_mul(8 * words as u64);
        let bulk = bits.and_then(|bits| bits.checked_add(self.state));
        let fits = bulk.and_then(|bulk| bulk.checked_add(before)) == Some(payload);
        match usize::try_from(self.bits) {
            Ok(count) if fits && self.state <= STATE_LIMIT => Ok((self.state, count)),
            _ => Err(WireError::malformed(format!(
                "{payload} bytes for a state of {} and {} ciphertexts",
                self.state, self.bits
            ))),
        }
    }
}

/// Words of a ciphertext under the big key.
fn words_per_bit(parameters: &Parameters) -> usize {
    parameters.big_lwe_dimension().get() + 1
}

/// The header of `length` bytes of this kind, of which all is checked but the checksum. The source
/// is left at its payload.
fn header(source: &mut impl Read, length: u64) -> Result<(Header, container::Checksum), WireError> {
    let io = |e: std::io::Error| WireError::io("read", &e);
    let mut start = Vec::with_capacity(HEADER_BYTES);
    let mut head = source.take(HEADER_BYTES as u64);
    head.read_to_end(&mut start).map_err(io)?;
    let (header, checksum) = Header::parse(&start)?;
    header.expect(Kind::CHECKPOINT)?;
    header.check_promises()?;
    header.check_length(length)?;
    Ok((header, checksum))
}

/// Fills a buffer; a payload that ends before is malformed.
fn exactly(source: &mut impl Read, buffer: &mut [u8]) -> Result<(), WireError> {
    let cut_off = |_| WireError::malformed("the data are cut off");
    source.read_exact(buffer).map_err(cut_off)
}

impl Record for Checkpoint {
    const KIND: Kind = Kind::CHECKPOINT;
    type Parameters = Parameters;

    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn key_id(&self) -> KeyId {
        self.key
    }
}

impl Payload for Checkpoint {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let metadata = self.metadata()?;
        let mut payload = Zeroizing::new(Vec::with_capacity(metadata.len() + self.bulk()));
        self.parts(&metadata, &mut |part| payload.extend_from_slice(part));
        Ok(payload)
    }

    fn read(header: &Header, mut payload: &[u8]) -> Result<Self, WireError> {
        Self::from_source(header, &mut payload)
    }
}
