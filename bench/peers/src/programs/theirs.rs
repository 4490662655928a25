//! Their side: tfhe-rs's own strings and integers.

use std::time::{Duration, Instant};

use clock::Failure;
use tfhe::prelude::*;
use tfhe::{ConfigBuilder, FheAsciiString, FheBool, FheUint8, FheUint32, MatchValues};

use super::cases::{Case, words};
use super::ciphers;

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
            Case::Xtea => {
                let (key, plain) = (self.words(&values[0])?, self.words(&values[1])?);
                let (time, found) = timed(|| xtea(&key, &plain));
                Ok((time, self.bytes(&found)))
            }
            Case::Aes => {
                let (key, plain) = (self.letters(&values[0])?, self.letters(&values[1])?);
                let s_box = SBox::new()?;
                let (time, found) = timed(|| aes(&s_box, key, plain));
                let found = found?;
                let byte = |byte: &FheUint8| -> u8 { byte.decrypt(&self.client) };
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

fn aes(
    s_box: &SBox,
    mut key: Vec<FheUint8>,
    plain: Vec<FheUint8>,
) -> Result<Vec<FheUint8>, Failure> {
    let doubled = |a: &FheUint8| (a << 1_u8) ^ ((a >> 7_u8) * 0x1b_u8);
    let mut state: Vec<FheUint8> = plain.iter().zip(&key).map(|(a, b)| a ^ b).collect();
    let mut constant = 1_u8;
    for round in 1..=10 {
        let moved: Vec<FheUint8> = (0..16)
            .map(|i| s_box.of(&state[i * 5 % 16]))
            .collect::<Result<_, Failure>>()?;
        state = moved.clone();
        if round < 10 {
            for (into, column) in state.chunks_mut(4).zip(moved.chunks(4)) {
                let all = &column[0] ^ &column[1] ^ &column[2] ^ &column[3];
                for r in 0..4 {
                    let pair = &column[r] ^ &column[(r + 1) % 4];
                    into[r] = &column[r] ^ &all ^ doubled(&pair);
                }
            }
        }
        for r in 0..4 {
            let changed = s_box.of(&key[12 + (r + 1) % 4])?;
            key[r] ^= changed;
        }
        key[0] ^= constant;
        for i in 4..16 {
            key[i] = &key[i] ^ &key[i - 4];
        }
        constant = constant << 1 ^ (constant >> 7) * 0x1b;
        for (state, key) in state.iter_mut().zip(&key) {
            *state ^= key;
        }
    }
    Ok(state)
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
