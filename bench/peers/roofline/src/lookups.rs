//! Lookups as an addition makes them: three columns and a carry, four functions. The keys are
//! real and every answer is decrypted.

use std::time::{Duration, Instant};

use clock::Failure;
use random::Generator;
use tfhe::{
    Lookup, LweCiphertext, P16, Scratch, SecretKey, SeededServerKey, ServerKey, TruthTable,
};

/// Of the bits of a slice: columns 0, 1, 2 of both operands, and the carry.
const WEIGHTS: [i8; 7] = [1, 1, 2, 2, 4, 4, 1];

pub struct Lookups {
    secret: SecretKey,
    key: ServerKey,
    bits: Vec<(bool, LweCiphertext)>,
    scratches: Vec<(usize, std::cell::RefCell<Scratch>)>,
}

impl Lookups {
    pub fn new(batches: &[usize]) -> Result<Self, Failure> {
        let mut generator = Generator::from_entropy()?;
        let secret = SecretKey::generate(P16, &mut generator)?;
        let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
        let key = ServerKey::expand(&seeded, 1, &|_, _| {})?;
        let clear: Vec<bool> = (0..WEIGHTS.len()).map(|at| at % 3 != 1).collect();
        let encrypted = secret.encrypt(&clear, &mut generator).unpack();
        let scratch = |&batch: &usize| (batch, std::cell::RefCell::new(key.scratch(batch)));
        Ok(Self {
            scratches: batches.iter().map(scratch).collect(),
            bits: clear.into_iter().zip(encrypted).collect(),
            secret,
            key,
        })
    }

    /// One batch.
    pub fn time(&self, batch: usize) -> Result<Duration, Failure> {
        let terms: Vec<_> = self.bits.iter().map(|(_, bit)| bit).zip(WEIGHTS).collect();
        let tables = [0, 1, 2, 3].map(|index| TruthTable::of(|t| t >> index & 1 == 1));
        let lookup = Lookup {
            terms: &terms,
            constant: 0,
            tables: &tables,
        };
        let lookups = vec![lookup; batch];
        let scratch = self.scratches.iter().find(|(size, _)| *size == batch);
        let (_, scratch) = scratch.ok_or("no buffers for a batch of this size")?;
        let mut scratch = scratch.borrow_mut();

        let start = Instant::now();
        let results = self.key.lookup_many(&mut scratch, &lookups)?;
        let time = start.elapsed();

        let sum: i8 = self
            .bits
            .iter()
            .zip(WEIGHTS)
            .map(|((bit, _), weight)| i8::from(*bit) * weight)
            .sum();
        for outputs in &results {
            for (index, output) in outputs.iter().enumerate() {
                if self.secret.decrypt(output)? != (sum >> index & 1 == 1) {
                    return Err(format!("bit {index} of {sum} came out wrong").into());
                }
            }
        }
        Ok(time)
    }
}
