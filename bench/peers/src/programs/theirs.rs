//! Their side: tfhe-rs's own strings and integers.

use std::time::{Duration, Instant};

use clock::Failure;
use tfhe::prelude::*;
use tfhe::{ConfigBuilder, FheAsciiString, FheBool, FheUint8, FheUint32};

use super::cases::{Case, words};

pub const NAME: &str = "tfhe-rs 1.8.2, strings and integers by default";

/// A client's key; the server's is installed for this thread.
pub struct Types {
    client: tfhe::ClientKey,
}

impl Types {
    pub fn new() -> Self {
        let client = tfhe::ClientKey::generate(ConfigBuilder::default());
        tfhe::set_server_key(client.generate_server_key());
        Self { client }
    }

    /// The time that the evaluation takes, and the outputs' bytes.
    pub fn run(&self, case: Case, values: &[Vec<u8>]) -> Result<(Duration, Vec<u8>), Failure> {
        match case {
            Case::Equal => self.truth(values, |a, b| a.eq(b)),
            Case::IgnoringCase => self.truth(values, |a, b| a.eq_ignore_case(b)),
            Case::Contains => self.truth(values, |a, b| a.contains(b)),
            Case::Upper => {
                let text = self.string(&values[0])?;
                let (time, found) = timed(|| text.to_uppercase());
                Ok((time, found.decrypt(&self.client).into_bytes()))
            }
            Case::Find => {
                let (text, pattern) = (self.string(&values[0])?, self.string(&values[1])?);
                let (time, (place, found)) = timed(|| text.find(&pattern));
                let (place, found): (u32, bool) =
                    (place.decrypt(&self.client), found.decrypt(&self.client));
                let place = if found { place } else { 0 };
                Ok((
                    time,
                    [&place.to_le_bytes()[..], &[u8::from(found)]].concat(),
                ))
            }
            Case::Edit => {
                let bytes = |bytes: &[u8]| -> Result<Vec<FheUint8>, Failure> {
                    let all = bytes
                        .iter()
                        .map(|&byte| FheUint8::try_encrypt(byte, &self.client));
                    Ok(all.collect::<Result<_, _>>()?)
                };
                let (left, right) = (bytes(&values[0])?, bytes(&values[1])?);
                let (time, distance) = timed(|| distance(&left, &right));
                let distance: u8 = distance.decrypt(&self.client);
                Ok((time, vec![distance]))
            }
            Case::Salaries => {
                let (salaries, count) = (self.words(&values[0])?, self.words(&values[1])?);
                let (time, found) = timed(|| salaries_of(&salaries, &count[0]));
                Ok((time, self.bytes(&found)))
            }
            Case::Xtea => {
                let (key, plain) = (self.words(&values[0])?, self.words(&values[1])?);
                let (time, found) = timed(|| xtea(&key, &plain));
                Ok((time, self.bytes(&found)))
            }
        }
    }

    fn string(&self, bytes: &[u8]) -> Result<FheAsciiString, Failure> {
        let text = std::str::from_utf8(bytes)?;
        Ok(FheAsciiString::try_encrypt(text, &self.client)?)
    }

    fn words(&self, bytes: &[u8]) -> Result<Vec<FheUint32>, Failure> {
        let all = words(bytes)
            .into_iter()
            .map(|word| FheUint32::try_encrypt(word, &self.client));
        Ok(all.collect::<Result<_, _>>()?)
    }

    fn bytes(&self, words: &[FheUint32]) -> Vec<u8> {
        let word = |word: &FheUint32| -> u32 { word.decrypt(&self.client) };
        words.iter().flat_map(|it| word(it).to_le_bytes()).collect()
    }

    fn truth(
        &self,
        values: &[Vec<u8>],
        ask: impl Fn(&FheAsciiString, &FheAsciiString) -> FheBool,
    ) -> Result<(Duration, Vec<u8>), Failure> {
        let (a, b) = (self.string(&values[0])?, self.string(&values[1])?);
        let (time, found) = timed(|| ask(&a, &b));
        Ok((time, vec![u8::from(found.decrypt(&self.client))]))
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let made = work();
    (start.elapsed(), made)
}

fn distance(left: &[FheUint8], right: &[FheUint8]) -> FheUint8 {
    let mut row: Vec<FheUint8> = (0..=right.len() as u8)
        .map(FheUint8::encrypt_trivial)
        .collect();
    for (i, a) in left.iter().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], FheUint8::encrypt_trivial(i as u8 + 1));
        for (j, b) in right.iter().enumerate() {
            let replace = &corner + FheUint8::cast_from(a.ne(b));
            let other = row[j].min(&row[j + 1]) + 1;
            corner = std::mem::replace(&mut row[j + 1], replace.min(&other));
        }
    }
    row.swap_remove(right.len())
}

/// Total, highest and mean.
fn salaries_of(salaries: &[FheUint32], count: &FheUint32) -> [FheUint32; 3] {
    let mut total = FheUint32::encrypt_trivial(0_u32);
    let mut highest = FheUint32::encrypt_trivial(0_u32);
    for (i, salary) in salaries.iter().enumerate() {
        let amount = count
            .gt(i as u32)
            .if_then_else(salary, &FheUint32::encrypt_trivial(0_u32));
        total += &amount;
        highest = highest.max(&amount);
    }
    let mean = &total / count.max(1_u32);
    [total, highest, mean]
}

fn xtea(key: &[FheUint32], plain: &[FheUint32]) -> [FheUint32; 2] {
    let (mut v0, mut v1, mut sum) = (plain[0].clone(), plain[1].clone(), 0_u32);
    let mixed = |v: &FheUint32| ((v << 4_u32) ^ (v >> 5_u32)) + v;
    for _ in 0..32 {
        v0 += mixed(&v1) ^ (&key[sum as usize & 3] + sum);
        sum = sum.wrapping_add(0x9e37_79b9);
        v1 += mixed(&v0) ^ (&key[(sum >> 11) as usize & 3] + sum);
    }
    [v0, v1]
}
