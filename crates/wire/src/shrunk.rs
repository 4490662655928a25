//! The ciphertexts of outputs of TFHE, as their file has them.
//!
//! | field | bytes |
//! |---|---|
//! | from version 2 on: which bits are at scale 1/2, eight to a byte, least significant first | ⌈bits/8⌉ |
//! | in version 3: the number of rows, and that of [`runs`](crate::runs) of bits | 4 + 4 |
//! | for each row 1 if its coefficients are numbered from the other end of their bits, otherwise 0 | 1 each |
//! | for each run the number of its row, from 1 on, or 0 for bits by themselves; how many bits it has; the number of the first one's coefficient; how far the others' are apart, modulo N | 4 + 4 + 2 + 2 each |
//! | for each row its mask, N words of 16 bits | 2N each |
//! | for each bit in a row its body, in the order of bits | 2 each |
//! | of all versions: for each bit by itself n + 1 words of 16 bits | 2(n + 1) each |
//!
//! A file is of version 3 where bits share rows, otherwise of version 2 where a bit is at scale 1/2, otherwise
//! of version 1.

use tfhe::{KeyId, Parameters, ShrunkBits};

use crate::ciphertexts::{Ciphertexts, OutputBits};
use crate::container::{FORMAT_VERSION, HALVES_VERSION, OUTPUT_ROWS_VERSION};
use crate::outputs::packed;
use crate::payload::{PayloadReader, PayloadWriter};
use crate::record::refused;
use crate::runs::{Order, RUN_BYTES, Run, runs};
use crate::{Header, Kind, WireError};

impl OutputBits for ShrunkBits {
    const KIND: Kind = Kind::OUTPUTS;
}

impl Ciphertexts for ShrunkBits {
    type Parameters = Parameters;
    type Shape = ();

    fn parameters(&self) -> &Parameters {
        self.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.key_id()
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn shape(&self) {}

    fn version(&self) -> u16 {
        match (self.masks().is_empty(), self.has_halves()) {
            (false, _) => OUTPUT_ROWS_VERSION,
            (true, true) => HALVES_VERSION,
            (true, false) => FORMAT_VERSION,
        }
    }

    fn bytes(&self) -> usize {
        // Without runs, which are few beside masks, and maps.
        2 * (self.elements().len() + self.masks().len() + self.len())
    }

    fn write(&self, writer: &mut PayloadWriter) {
        let version = self.version();
        if version != FORMAT_VERSION {
            let halves: Vec<bool> = (0..self.len()).map(|index| self.is_half(index)).collect();
            writer.bytes(&packed(&halves, |half| half));
        }
        if version == OUTPUT_ROWS_VERSION {
            let size = self.parameters().polynomial_size().get();
            let rows = self.masks().len() / size;
            let (orders, runs) = runs(self.places(), rows, size);
            for count in [rows, runs.len()] {
                writer.bytes(&(count as u32).to_le_bytes());
            }
            writer.bytes(&orders.iter().map(|order| order.byte()).collect::<Vec<_>>());
            runs.iter().for_each(|run| writer.bytes(&run.bytes()));
            writer.words16(self.masks());
            let bodies = self.places().iter().flatten().map(|place| place.body);
            writer.words16(&bodies.collect::<Vec<_>>());
        }
        writer.words16(self.elements());
    }

    fn read(
        header: &Header,
        (): (),
        count: usize,
        reader: &mut PayloadReader<'_>,
    ) -> Result<Self, WireError> {
        let parameters = header.fingerprint.parameters()?;
        let of = (parameters, header.key);
        if header.version == FORMAT_VERSION {
            return alone(of, count, reader);
        }
        let map = reader.bytes(count.div_ceil(8))?;
        let halves = (0..count).map(|index| map[index / 8] >> (index % 8) & 1 == 1);
        let halves: Vec<bool> = halves.collect();
        let bits = match header.version {
            OUTPUT_ROWS_VERSION => in_rows(of, count, reader)?,
            _ => alone(of, count, reader)?,
        };
        let bits = bits.with_halves(halves.clone()).map_err(refused)?;
        // One file for one value: no bit stands behind the last, and no older version would do.
        if packed(&halves, |half| half) != map || bits.version() != header.version {
            let what = "the map of bits at scale 1/2, or that of rows, is none";
            return Err(WireError::malformed(what));
        }
        Ok(bits)
    }
}

/// Bits by themselves, the rest of a payload.
fn alone(
    (parameters, key): (Parameters, KeyId),
    count: usize,
    reader: &mut PayloadReader<'_>,
) -> Result<ShrunkBits, WireError> {
    let words = count.checked_mul(ShrunkBits::words_per_bit(&parameters));
    reader.expect_bulk(words.and_then(|words| words.checked_mul(2)))?;
    let elements = reader.words16(words.unwrap_or(0))?;
    ShrunkBits::from_parts(parameters, key, elements).map_err(refused)
}

/// Bits of which some are in rows, the rest of a payload.
fn in_rows(
    (parameters, key): (Parameters, KeyId),
    count: usize,
    reader: &mut PayloadReader<'_>,
) -> Result<ShrunkBits, WireError> {
    let size = parameters.polynomial_size().get();
    let rows = u32::from_le_bytes(reader.array()?) as usize;
    let written = u32::from_le_bytes(reader.array()?) as usize;
    let orders = reader.bytes(rows)?.iter().map(|byte| Order::of(*byte));
    let orders: Vec<Order> = orders.collect::<Result<_, _>>()?;
    let bytes = reader.bytes(written.saturating_mul(RUN_BYTES))?;
    let given: Vec<Run> = bytes
        .as_chunks()
        .0
        .iter()
        .map(|run| Run::of(*run))
        .collect();
    let bits = |of_rows: bool| {
        let counts = given.iter().filter(|run| run.is_of_row() == of_rows);
        counts.map(Run::count).fold(0, usize::saturating_add)
    };
    let (placed, by_themselves) = (bits(true), bits(false));
    if placed.checked_add(by_themselves) != Some(count) {
        return Err(WireError::malformed(format!(
            "runs of {} bits for {count}",
            placed.saturating_add(by_themselves)
        )));
    }
    let words = by_themselves.checked_mul(ShrunkBits::words_per_bit(&parameters));
    let masks = rows.checked_mul(size);
    let all = words.zip(masks).and_then(|(words, masks)| {
        words
            .checked_add(masks)?
            .checked_add(placed)?
            .checked_mul(2)
    });
    reader.expect_bulk(all)?;
    let masks = reader.words16(masks.unwrap_or(0))?;
    let mut bodies = reader.words16(placed)?.into_iter();
    let mut places = Vec::with_capacity(count);
    for run in &given {
        places.extend(run.places(&orders, size)?);
    }
    // One file for one value: rows are numbered as they are first read, all are, and runs are as long as
    // they can be.
    let mut next = 0;
    for place in places.iter().flatten() {
        next += u32::from(place.row == next);
        if place.row >= next {
            return Err(WireError::malformed(
                "rows are not in the order of their bits",
            ));
        }
    }
    if next as usize != rows || runs(&places, rows, size) != (orders, given) {
        return Err(WireError::malformed("rows or runs that are not needed"));
    }
    for place in places.iter_mut().flatten() {
        place.body = bodies.next().unwrap_or_default();
    }
    let elements = reader.words16(words.unwrap_or(0))?;
    ShrunkBits::from_parts(parameters, key, elements)
        .and_then(|bits| bits.with_rows(masks, places))
        .map_err(refused)
}
