//! The ciphertexts of a checkpoint, as its file has them.
//!
//! In format version 1 each bit has its elements, 16 KB. In version 2 bits that share a row have their places
//! in it, and a row's 2N words stand once:
//!
//! | field | bytes |
//! |---|---|
//! | for each row: 1 if its bits are at scale 1/2, otherwise 0; then mask and body | 8 + 16 N each |
//! | for each bit: the number of its row and its coefficient; or 2^32 − 1 for a bit by itself, and 1 if it is at scale 1/2, otherwise 0 | 4 + 4 each |
//! | the elements of the bits by themselves, kN + 1 words each | 8(kN + 1) each |

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use tfhe::{KeyId, LweCiphertext, Parameters, SharedRow};

use crate::WireError;
use crate::container::{FORMAT_VERSION, HALVES_VERSION};
use crate::record::refused;

/// No row's number.
const NO_ROW: u32 = u32::MAX;

/// What is written of some bits beside their elements.
pub(crate) struct Arrangement {
    rows: Vec<SharedRow>,
    /// Row and coefficient, or no row and the scale.
    places: Vec<[u32; 2]>,
    /// Bits by themselves.
    loose: u64,
}

/// How many there are of what a file of version 2 has.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) bits: u64,
    pub(crate) rows: u64,
    pub(crate) loose: u64,
}

impl Counts {
    /// Bytes of the ciphertexts; `None` if no file is so long.
    pub(crate) fn bytes(&self, parameters: &Parameters, version: u16) -> Option<u64> {
        let words = words_per_bit(parameters) as u64;
        if version == FORMAT_VERSION {
            return self.bits.checked_mul(8 * words);
        }
        let row = 8 + 16 * parameters.polynomial_size().get() as u64;
        let rows = self.rows.checked_mul(row)?;
        let loose = self.loose.checked_mul(8 * words)?;
        rows.checked_add(self.bits.checked_mul(8)?)?
            .checked_add(loose)
    }
}

impl Arrangement {
    pub(crate) fn of(bits: &[Arc<LweCiphertext>]) -> Self {
        let mut numbers: HashMap<usize, u32> = HashMap::new();
        let mut rows = Vec::new();
        let mut loose = 0;
        let places = bits.iter().map(|bit| match bit.shared_row() {
            Some((row, coefficient)) => {
                let number = *numbers.entry(row.identity()).or_insert_with(|| {
                    rows.push(row);
                    rows.len() as u32 - 1
                });
                [number, coefficient as u32]
            }
            None => {
                loose += 1;
                [NO_ROW, u32::from(bit.is_half())]
            }
        });
        let places = places.collect();
        Self {
            rows,
            places,
            loose,
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts {
            bits: self.places.len() as u64,
            rows: self.rows.len() as u64,
            loose: self.loose,
        }
    }

    /// The version to write: the first one where it has all that is to be said, and no more bytes.
    pub(crate) fn version(&self, parameters: &Parameters, bits: &[Arc<LweCiphertext>]) -> u16 {
        let bytes = |version| self.counts().bytes(parameters, version);
        match bits.iter().any(|bit| bit.is_half()) || bytes(HALVES_VERSION) < bytes(FORMAT_VERSION)
        {
            true => HALVES_VERSION,
            false => FORMAT_VERSION,
        }
    }

    /// The ciphertexts, part by part.
    pub(crate) fn write(
        &self,
        version: u16,
        bits: &[Arc<LweCiphertext>],
        take: &mut dyn FnMut(&[u8]),
    ) {
        let mut bytes: Vec<u8> = Vec::new();
        if version != FORMAT_VERSION {
            for row in &self.rows {
                bytes.clear();
                bytes.extend(u64::from(row.is_half()).to_le_bytes());
                bytes.extend(row.elements().flat_map(u64::to_le_bytes));
                take(&bytes);
            }
            bytes.clear();
            let places = self.places.iter().flatten();
            bytes.extend(places.flat_map(|number| number.to_le_bytes()));
            take(&bytes);
        }
        for (bit, [row, _]) in bits.iter().zip(&self.places) {
            if version == FORMAT_VERSION || *row == NO_ROW {
                bytes.clear();
                bytes.extend(bit.elements().iter().flat_map(|word| word.to_le_bytes()));
                take(&bytes);
            }
        }
    }
}

/// Words of a ciphertext under the big key.
pub(crate) fn words_per_bit(parameters: &Parameters) -> usize {
    parameters.big_lwe_dimension().get() + 1
}

/// Reads what [`Arrangement::write`] wrote, of a length that was compared with the counts.
pub(crate) fn read(
    version: u16,
    counts: Counts,
    (parameters, key): (&Parameters, KeyId),
    source: &mut impl Read,
) -> Result<Vec<Arc<LweCiphertext>>, WireError> {
    let count = |number: u64| {
        usize::try_from(number).map_err(|_| WireError::malformed("more ciphertexts than memory"))
    };
    let (bits, rows) = (count(counts.bits)?, count(counts.rows)?);
    let own = |half: bool, source: &mut dyn Read| {
        let elements = words(words_per_bit(parameters), source)?;
        let bit = match half {
            true => LweCiphertext::half_from_parts(parameters, key, elements),
            false => LweCiphertext::from_parts(parameters, key, elements),
        };
        bit.map(Arc::new).map_err(refused)
    };
    if version == FORMAT_VERSION {
        return (0..bits).map(|_| own(false, source)).collect();
    }
    let scale = |number: u64| match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(WireError::malformed("a ciphertext at an unknown scale")),
    };
    let mut shared = Vec::with_capacity(rows);
    for _ in 0..rows {
        let half = scale(words(1, source)?[0])?;
        let elements = words(2 * parameters.polynomial_size().get(), source)?;
        shared.push(SharedRow::from_parts(parameters, key, elements, half).map_err(refused)?);
    }
    let places = words(bits, source)?;
    let halves = |word: u64| (word as u32, word >> 32);
    let loose = places
        .iter()
        .filter(|&&word| halves(word).0 == NO_ROW)
        .count();
    if loose as u64 != counts.loose {
        return Err(WireError::malformed(format!(
            "{loose} ciphertexts by themselves, where it says {}",
            counts.loose
        )));
    }
    let bit = |word: u64| match halves(word) {
        (NO_ROW, number) => own(scale(number)?, source),
        (row, coefficient) => {
            let row = shared.get(row as usize);
            let row =
                row.ok_or_else(|| WireError::malformed("a bit of a row that is not there"))?;
            let bit = row.bit(coefficient as usize);
            bit.map(Arc::new).map_err(refused)
        }
    };
    // One file for one value: rows are numbered as they are first read, and all are.
    let mut next = 0;
    for number in places.iter().map(|&word| halves(word).0) {
        next += u32::from(number == next);
        if number != NO_ROW && number >= next {
            return Err(WireError::malformed(
                "rows are not in the order of their bits",
            ));
        }
    }
    if u64::from(next) != counts.rows {
        return Err(WireError::malformed("a row without any bit"));
    }
    let bits: Vec<_> = places.into_iter().map(bit).collect::<Result<_, _>>()?;
    match Arrangement::of(&bits).version(parameters, &bits) == version {
        true => Ok(bits),
        false => Err(WireError::malformed("version 2 for what version 1 can say")),
    }
}

/// Words of 64 bits; a payload that ends before is malformed.
fn words(count: usize, source: &mut (impl Read + ?Sized)) -> Result<Vec<u64>, WireError> {
    let mut bytes = vec![0; 8 * count];
    super::checkpoint::exactly(source, &mut bytes)?;
    let words = bytes.as_chunks::<8>().0.iter();
    Ok(words.map(|word| u64::from_le_bytes(*word)).collect())
}
