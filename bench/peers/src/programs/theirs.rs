//! Their side: tfhe-rs's own strings and integers.

use std::time::{Duration, Instant};

use clock::Failure;
use tfhe::prelude::*;
use tfhe::{ConfigBuilder, FheAsciiString, FheBool, FheUint8, FheUint32, MatchValues};

use super::cases::{Case, words};
use super::{aes_bits, ciphers};

pub const NAME: &str = "tfhe-rs 1.8.2, its own types by default";

/// A client's key; the server's is installed for this thread and those of rayon's pool.
pub struct Types {
    client: tfhe::ClientKey,
}

impl Types {
    pub fn new() -> Self {
        let client = tfhe::ClientKey::generate(ConfigBuilder::default());
        let server = client.generate_server_key();
        rayon::broadcast(|_| tfhe::set_server_key(server.clone()));
        tfhe::set_server_key(server);
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
                let (left, right) = (self.letters(&values[0])?, self.letters(&values[1])?);
                let (time, distance) = timed(|| distance(&left, &right));
                let distance: u8 = distance.decrypt(&self.client);
                Ok((time, vec![distance]))
            }
            Case::Statistics => {
                let numbers = self.words(&values[0])?;
                let (time, found) = timed(|| statistics(&numbers));
                Ok((time, self.bytes(&found)))
            }
            Case::Salaries => {
                let (salaries, count) = (self.words(&values[0])?, self.words(&values[1])?);
                let (time, found) = timed(|| salaries_of(&salaries, &count[0]));
                Ok((time, self.bytes(&found)))
            }
            Case::SBox => {
                let (s_box, byte) = (SBox::new()?, self.letters(&values[0])?);
                let (time, found) = timed(|| s_box.of(&byte[0]));
                let found: u8 = found?.decrypt(&self.client);
                Ok((time, vec![found]))
            }
            Case::Xtea => {
                let (key, plain) = (self.words(&values[0])?, self.words(&values[1])?);
                let (time, found) = timed(|| xtea(&key, &plain));
                Ok((time, self.bytes(&found)))
            }
            Case::Aes => {
                let (key, plain) = (self.bits(&values[0])?, self.bits(&values[1])?);
                let (time, found) = timed(|| aes_bits::aes(key, &plain));
                let byte = |byte: &Vec<FheBool>| {
                    let bits = byte.iter().map(|bit| bit.decrypt(&self.client));
                    bits.rev().fold(0, |byte, bit| byte << 1 | u8::from(bit))
                };
                Ok((time, found.iter().map(byte).collect()))
            }
            Case::Sha256 => {
                let block = self.words(&values[0])?;
                let (time, found) = timed(|| sha256(&block));
                Ok((time, self.bytes(&found)))
            }
        }
    }

    fn string(&self, bytes: &[u8]) -> Result<FheAsciiString, Failure> {
        let text = std::str::from_utf8(bytes)?;
        Ok(FheAsciiString::try_encrypt(text, &self.client)?)
    }

    fn letters(&self, bytes: &[u8]) -> Result<Vec<FheUint8>, Failure> {
        let all = bytes
            .iter()
            .map(|&byte| FheUint8::try_encrypt(byte, &self.client));
        Ok(all.collect::<Result<_, _>>()?)
    }

    /// Of every byte its bits, the lowest first.
    fn bits(&self, bytes: &[u8]) -> Result<Vec<Vec<FheBool>>, Failure> {
        let bits = |&byte: &u8| {
            let bits = (0..8).map(|i| FheBool::try_encrypt(byte >> i & 1 == 1, &self.client));
            bits.collect::<Result<_, _>>()
        };
        Ok(bytes.iter().map(bits).collect::<Result<_, _>>()?)
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
fn statistics(numbers: &[FheUint32]) -> [FheUint32; 3] {
    let total: FheUint32 = numbers.iter().sum();
    let mut highest = numbers[0].clone();
    for number in &numbers[1..] {
        highest = highest.max(number);
    }
    let mean = &total / numbers.len() as u32;
    [total, highest, mean]
}

/// The same of as many as are there.
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

/// The S-box as a table to match.
struct SBox(MatchValues<u8>);

impl SBox {
    fn new() -> Result<Self, Failure> {
        let pairs = (0..=255).zip(ciphers::s_box()).collect();
        Ok(Self(MatchValues::new(pairs)?))
    }

    fn of(&self, byte: &FheUint8) -> Result<FheUint8, Failure> {
        Ok(byte.match_value(&self.0)?.0)
    }
}

fn sha256(block: &[FheUint32]) -> [FheUint32; 8] {
    let turned = |x: &FheUint32, by: u32| x.rotate_right(by);
    let mut words = block.to_vec();
    for i in 16..64 {
        let (old, new) = (&words[i - 15], &words[i - 2]);
        let s0 = turned(old, 7) ^ turned(old, 18) ^ (old >> 3_u32);
        let s1 = turned(new, 17) ^ turned(new, 19) ^ (new >> 10_u32);
        let sum: FheUint32 = [&words[i - 16], &s0, &words[i - 7], &s1].into_iter().sum();
        words.push(sum);
    }
    let start = ciphers::sha256_start();
    let mut state = start.map(FheUint32::encrypt_trivial);
    for (constant, word) in ciphers::sha256_constants().into_iter().zip(&words) {
        let [a, b, c, d, e, f, g, h] = &state;
        let s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
        let choice = g ^ (e & (f ^ g));
        let first: FheUint32 = [h, &s1, &choice, word].into_iter().sum();
        let first = first + constant;
        let s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
        let majority = (a & b) | (c & (a | b));
        let second: FheUint32 = [&first, &s0, &majority].into_iter().sum();
        let fifth = d + &first;
        let [a, b, c, _, e, f, g, _] = state;
        state = [second, a, b, c, fifth, e, f, g];
    }
    std::array::from_fn(|i| &state[i] + start[i])
}
