//! Files of checkpoints: a run between two windows.
//!
//! | field | bytes |
//! |---|---|
//! | metadata: what is run (32 bytes, a hash), length of the state, number of bits; in version 2 also of rows, and of bits in none | |
//! | the state, as `processor::State` writes it | its length |
//! | the ciphertexts that the state refers to, in its order: see [`checkpoint_bits`](crate::checkpoint_bits) | |
//!
//! A ciphertext in the middle of a run is under the big key and takes 16 KB; it was refreshed just
//! before, so that packing it would cost noise that the next window counts on. Bits of arrays are in
//! rows as they are, 16 bytes each. Only the bits that are still live are there: a run that holds 64
//! secret words that it computed has 33 MB.
//!
//! What is large is never in memory twice: a checkpoint is written from the ciphertexts themselves
//! and read into them, after a first pass over the file has held the checksum against it.

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tfhe::{KeyId, LweCiphertext, Parameters};
use zeroize::Zeroizing;

use crate::checkpoint_bits::{self, Arrangement, Counts};
use crate::container::{self, FORMAT_VERSION, HEADER_BYTES, Header, Take};
use crate::payload::{LENGTH_BYTES, METADATA_LIMIT, PayloadReader, PayloadWriter};
use crate::record::Record;
use crate::record::payload::Payload;
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

/// What version 2 says beside: rows, and bits in none.
type Rows = (u64, u64);

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
        if !bits.iter().all(|bit| bit.is_of(&parameters, key)) {
            return unstorable("a ciphertext of another key or size".to_owned());
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
        let layout = self.layout()?;
        let mut payload = |take: Take<'_>| self.parts(&layout, take);
        let (version, length) = (layout.version, layout.length);
        let fingerprint = Fingerprint::of(&self.parameters);
        let header = container::head(
            (version, Self::KIND),
            fingerprint,
            self.key,
            length,
            &mut payload,
        )?;
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
        let (metadata, (rows, loose)) = match header.version {
            FORMAT_VERSION => (PayloadReader::new::<Metadata>(&start)?.0, (0, 0)),
            _ => PayloadReader::new::<(Metadata, Rows)>(&start)?.0,
        };
        let counts = Counts {
            bits: metadata.bits,
            rows,
            loose,
        };
        let before = start.len() as u64;
        let bulk = counts.bytes(&parameters, header.version);
        let state_length = metadata.state_length(bulk, header.payload_length, before)?;
        let mut state = Vec::new();
        let read = source.take(state_length).read_to_end(&mut state);
        read.map_err(|e| WireError::io("read", &e))?;
        let key = (&parameters, header.key);
        let bits = checkpoint_bits::read(header.version, counts, key, source)?;
        Ok(Checkpoint {
            parameters,
            key: header.key,
            run: metadata.run,
            state,
            bits,
        })
    }

    fn layout(&self) -> Result<Layout, WireError> {
        let arrangement = Arrangement::of(&self.bits);
        let version = arrangement.version(&self.parameters, &self.bits);
        let counts = arrangement.counts();
        let metadata = Metadata {
            run: self.run,
            state: self.state.len() as u64,
            bits: self.bits.len() as u64,
        };
        let metadata = match version {
            FORMAT_VERSION => PayloadWriter::new(&metadata, 0)?.finish(),
            _ => PayloadWriter::new(&(metadata, (counts.rows, counts.loose)), 0)?.finish(),
        };
        let bytes = counts.bytes(&self.parameters, version).unwrap_or(u64::MAX);
        let before = (metadata.len() + self.state.len()) as u64;
        Ok(Layout {
            version,
            metadata,
            arrangement,
            length: before.saturating_add(bytes),
        })
    }

    /// The payload, part by part.
    fn parts(&self, layout: &Layout, take: &mut dyn FnMut(&[u8])) {
        take(&layout.metadata);
        take(&self.state);
        layout.arrangement.write(layout.version, &self.bits, take);
    }
}

/// How a checkpoint is written.
struct Layout {
    version: u16,
    metadata: Zeroizing<Vec<u8>>,
    arrangement: Arrangement,
    /// Bytes of the payload.
    length: u64,
}

impl Metadata {
    /// The length of the state, if it and the ciphertexts' bytes are what a payload of this length has.
    fn state_length(&self, bulk: Option<u64>, payload: u64, before: u64) -> Result<u64, WireError> {
        let all = bulk.and_then(|bulk| bulk.checked_add(self.state));
        let fits = all.and_then(|all| all.checked_add(before)) == Some(payload);
        match fits && self.state <= STATE_LIMIT {
            true => Ok(self.state),
            false => Err(WireError::malformed(format!(
                "{payload} bytes for a state of {} and {} ciphertexts",
                self.state, self.bits
            ))),
        }
    }
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
pub(crate) fn exactly(
    source: &mut (impl Read + ?Sized),
    buffer: &mut [u8],
) -> Result<(), WireError> {
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
    fn version(&self) -> u16 {
        Arrangement::of(&self.bits).version(&self.parameters, &self.bits)
    }

    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let layout = self.layout()?;
        let mut payload = Zeroizing::new(Vec::with_capacity(layout.length as usize));
        self.parts(&layout, &mut |part| payload.extend_from_slice(part));
        Ok(payload)
    }

    fn read(header: &Header, mut payload: &[u8]) -> Result<Self, WireError> {
        Self::from_source(header, &mut payload)
    }
}
