//! The same scheme on GMP: the same steps on `mpz` numbers, a product by `mpz_mul` or `mpz_addmul`,
//! a reduction by `mpz_tdiv_r`.
//!
//! The steps are those of the crate, later improvements included: powers kept for encryption, sums
//! of products reduced once, one expansion for all selectors of a block, symmetric polynomials by a
//! tree. Decryption alone is the definition, a product and a remainder. Independent products go to
//! as many threads as on the other side.

use blindcore_gentry_halevi::{Parameters, PublicKey, SecretKey};
use random::Generator;
use rayon::ThreadPool;
use rayon::prelude::*;
use rug::integer::Order;
use rug::{Assign, Integer};

use super::polynomials;

/// A key pair as GMP's numbers.
pub(crate) struct Gmp {
    pub(crate) parameters: Parameters,
    pool: ThreadPool,
    pub(crate) modulus: Integer,
    pub(crate) root: Integer,
    secret: Integer,
    elements: Vec<Integer>,
    eta: Vec<Vec<Integer>>,
    /// 2^(bits of the expansion and of d)/d.
    reciprocal: Integer,
}

/// Powers of the root: r^0 … r^(K−1), and r^K, r^2K, ….
pub(crate) struct Table {
    babies: Vec<Integer>,
    giants: Vec<Integer>,
}

pub(crate) fn number(limbs: &[u64]) -> Integer {
    Integer::from_digits(limbs, Order::Lsf)
}

pub(crate) fn limbs(number: &Integer, length: usize) -> Vec<u64> {
    let mut limbs = number.to_digits(Order::Lsf);
    limbs.resize(length, 0);
    limbs
}

pub(crate) fn pool(threads: usize) -> Result<ThreadPool, rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build()
}

impl Gmp {
    /// The key pair of the other side.
    pub(crate) fn of(public: &PublicKey, secret: &SecretKey, pool: ThreadPool) -> Self {
        let parameters = *public.parameters();
        let mut numbers = public
            .limbs()
            .chunks_exact(public.residue_limbs())
            .map(number);
        let mut take = |count: usize| numbers.by_ref().take(count).collect::<Vec<_>>();
        let (modulus, root) = (take(1).remove(0), take(1).remove(0));
        let elements = take(parameters.subset());
        let eta = (0..parameters.subset())
            .map(|_| take(parameters.columns()))
            .collect();
        let secret = number(secret.expose());
        Self::assemble(parameters, pool, modulus, root, secret, elements, eta)
    }

    fn assemble(
        parameters: Parameters,
        pool: ThreadPool,
        modulus: Integer,
        root: Integer,
        secret: Integer,
        elements: Vec<Integer>,
        eta: Vec<Vec<Integer>>,
    ) -> Self {
        let bits = expansion_bits(&parameters) + modulus.significant_bits() as usize;
        let reciprocal = (Integer::from(1) << bits as u32) / &modulus;
        Self {
            parameters,
            pool,
            modulus,
            root,
            secret,
            elements,
            eta,
            reciprocal,
        }
    }

    /// A key pair made by GMP.
    pub(crate) fn generate(
        parameters: Parameters,
        generator: &mut Generator,
        pool: ThreadPool,
    ) -> Self {
        let (modulus, root, secret) = loop {
            let v = polynomials::draw(&parameters, generator);
            let (d, [w_0, w_1]) = polynomials::resultant(v);
            if d.significant_bits() as usize > parameters.largest_modulus_bits() {
                continue;
            }
            let Ok(inverse) = w_1.clone().invert(&d) else {
                continue;
            };
            let root = (Integer::from(&w_0 * &inverse) % &d + &d) % &d;
            // As numbers between −d/2 and d/2: w_i/r is the next.
            let step = Integer::from(&w_1) * w_0.clone().invert(&d).unwrap_or_default() % &d;
            let mut w = w_0;
            while w.is_even() {
                w = w * &step % &d;
                if Integer::from(&w * 2).cmp_abs(&d).is_gt() {
                    w -= Integer::from(&d * w.cmp0() as i32);
                }
            }
            let secret = if w < 0 { w + &d } else { w };
            break (d, root, secret);
        };
        let (mut elements, mut indices) = (Vec::new(), Vec::new());
        let mut rest = secret.clone();
        for _ in 1..parameters.subset() {
            let wide: Vec<u64> = (0..modulus.significant_digits::<u64>() + 1)
                .map(|_| generator.uniform())
                .collect();
            let element = number(&wide) % &modulus;
            let index = generator.below(parameters.set_size() as u32);
            rest -= Integer::from(&element << (index * parameters.log_ratio() as u32));
            elements.push(element);
            indices.push(index as usize);
        }
        let index = generator.below(parameters.set_size() as u32);
        let power = Integer::from(1) << (index * parameters.log_ratio() as u32);
        rest *= power.invert(&modulus).unwrap_or_default();
        rest %= &modulus;
        elements.push(if rest < 0 { rest + &modulus } else { rest });
        indices.push(index as usize);
        let mut bits = vec![vec![false; parameters.columns()]; parameters.subset()];
        for (block, index) in bits.iter_mut().zip(indices) {
            let (a, b) = pairs(&parameters)[index];
            (block[a], block[b]) = (true, true);
        }
        let mut key = Self::assemble(
            parameters,
            pool,
            modulus,
            root,
            secret,
            elements,
            Vec::new(),
        );
        // What is best for the 690 bits on the other side.
        let table = key.table((parameters.dimension() / 4).min(1024));
        let keys = generator.fork_keys(bits.len());
        key.eta = key.pool.install(|| {
            bits.par_iter()
                .zip(keys.expose())
                .map(|(block, seed)| {
                    let mut generator = Generator::from_key(*seed);
                    let encrypt = |&bit: &bool| key.encrypt(&table, bit, &mut generator);
                    block.iter().map(encrypt).collect()
                })
                .collect()
        });
        key
    }

    pub(crate) fn table(&self, babies: usize) -> Table {
        let mut powers = vec![Integer::from(1)];
        let mut next = self.root.clone();
        while powers.len() < babies {
            let more: Vec<Integer> = self.pool.install(|| {
                let products = powers.par_iter().map(|power| self.and(power, &next));
                products.collect()
            });
            powers.extend(more);
            next = self.and(&next, &next);
        }
        let mut giants = Vec::new();
        for giant in 1..self.parameters.dimension() / babies {
            giants.push(match giant {
                1 => next.clone(),
                _ => self.and(&giants[giant - 2], &next),
            });
        }
        Table {
            babies: powers,
            giants,
        }
    }

    pub(crate) fn encrypt(&self, table: &Table, bit: bool, generator: &mut Generator) -> Integer {
        let range = 2 * self.parameters.dimension() as u32;
        let noise = self.parameters.noise() as u32;
        let mut sum = Integer::new();
        let mut part = Integer::new();
        for giant in 0..=table.giants.len() {
            part.assign(0);
            for baby in &table.babies {
                match generator.below(range) {
                    drawn if drawn < noise => part += baby,
                    drawn if drawn < 2 * noise => part -= baby,
                    _ => (),
                }
            }
            match giant {
                0 => sum += &part,
                _ => sum += &part * &table.giants[giant - 1],
            }
        }
        sum <<= 1;
        sum += u32::from(bit);
        self.reduced(sum)
    }

    pub(crate) fn encrypt_all(
        &self,
        table: &Table,
        bits: &[bool],
        generator: &mut Generator,
    ) -> Vec<Integer> {
        let keys = generator.fork_keys(bits.len());
        self.pool.install(|| {
            bits.par_iter()
                .zip(keys.expose())
                .map(|(&bit, key)| self.encrypt(table, bit, &mut Generator::from_key(*key)))
                .collect()
        })
    }

    pub(crate) fn and(&self, a: &Integer, b: &Integer) -> Integer {
        Integer::from(a * b) % &self.modulus
    }

    pub(crate) fn decrypt(&self, c: &Integer) -> bool {
        let mut e = self.and(c, &self.secret);
        if Integer::from(&e << 1) > self.modulus {
            e -= &self.modulus;
        }
        e.is_odd()
    }

    fn reduced(&self, number: Integer) -> Integer {
        let rest = number % &self.modulus;
        if rest < 0 { rest + &self.modulus } else { rest }
    }

    pub(crate) fn recrypt(&self, c: &Integer) -> Integer {
        let (subset, width) = (self.parameters.subset(), self.parameters.precision() + 1);
        self.pool.install(|| {
            let selectors: Vec<Vec<u8>> = self
                .elements
                .par_iter()
                .map(|element| self.selectors(&self.and(c, element)))
                .collect();
            let jobs = (0..width * subset).into_par_iter().with_max_len(1);
            let bits: Vec<Integer> = jobs
                .map(|job| {
                    let (column, block) = (job / subset, job % subset);
                    self.selected(&self.eta[block], &selectors[block], width - 1 - column)
                })
                .collect();
            let columns = bits.chunks(subset).map(<[Integer]>::to_vec).collect();
            self.rounded_sum(columns)
        })
    }

    fn selectors(&self, y: &Integer) -> Vec<u8> {
        let (p, log_ratio) = (self.parameters.precision(), self.parameters.log_ratio());
        let point = expansion_bits(&self.parameters);
        let cut = (self.modulus.significant_bits() as usize).saturating_sub(point + 64);
        let top = Integer::from(y >> cut as u32);
        let bits = self.modulus.significant_bits() as usize;
        let expansion = (top * &self.reciprocal) >> (bits - cut) as u32;
        (0..self.parameters.set_size())
            .map(|j| {
                let bit = |at: usize| u8::from(expansion.get_bit(at as u32));
                let before = point - j * log_ratio;
                let parity = if j == 0 {
                    u8::from(y.is_odd())
                } else {
                    bit(before)
                };
                let kept = (1..=p + 1).fold(0, |kept, at| kept << 1 | bit(before - at));
                ((kept >> 1) + (kept & 1)) ^ parity << p
            })
            .collect()
    }

    fn selected(&self, eta: &[Integer], selectors: &[u8], k: usize) -> Integer {
        let mut sum = Integer::new();
        let mut part = Integer::new();
        let mut selectors = selectors.iter();
        for a in 0..self.parameters.rows() {
            part.assign(0);
            for (b, selector) in (a + 1..eta.len()).zip(&mut selectors) {
                if selector >> k & 1 == 1 {
                    part += &eta[b];
                }
            }
            sum += &part * &eta[a];
        }
        sum % &self.modulus
    }

    fn rounded_sum(&self, mut columns: Vec<Vec<Integer>>) -> Integer {
        for k in (1..columns.len()).rev() {
            let last = (columns[k].len().ilog2() as usize).min(k);
            let carried = self.symmetric(columns[k].clone(), last);
            for (h, carry) in (1..).zip(carried) {
                columns[k - h].push(carry);
            }
        }
        let sum: Integer = columns[0].iter().chain(&columns[1]).sum();
        sum % &self.modulus
    }

    /// e_2, e_4, … e_(2^last).
    fn symmetric(&self, bits: Vec<Integer>, last: usize) -> Vec<Integer> {
        if last == 1 {
            let (mut before, mut sum) = (Integer::new(), Integer::new());
            for bit in &bits {
                sum += &before * bit;
                before += bit;
            }
            return vec![sum % &self.modulus];
        }
        let mut nodes: Vec<Vec<Integer>> = bits.into_iter().map(|bit| vec![bit]).collect();
        while nodes.len() > 1 {
            let root = nodes.len() == 2;
            nodes = nodes
                .par_chunks(2)
                .map(|pair| match pair {
                    [a, b] => (1..=(a.len() + b.len()).min(1 << last))
                        .into_par_iter()
                        .map(|q| match root && !(q > 1 && q.is_power_of_two()) {
                            true => Integer::new(),
                            false => self.coefficient(a, b, q),
                        })
                        .collect(),
                    _ => pair[0].clone(),
                })
                .collect();
        }
        (1..=last).map(|h| nodes[0][(1 << h) - 1].clone()).collect()
    }

    fn coefficient(&self, a: &[Integer], b: &[Integer], q: usize) -> Integer {
        let mut sum = Integer::new();
        for alone in [a.get(q - 1), b.get(q - 1)].into_iter().flatten() {
            sum += alone;
        }
        for i in 1..q {
            if let (Some(a), Some(b)) = (a.get(i - 1), b.get(q - i - 1)) {
                sum += a * b;
            }
        }
        sum % &self.modulus
    }
}

fn expansion_bits(parameters: &Parameters) -> usize {
    (parameters.set_size() - 1) * parameters.log_ratio() + parameters.precision() + 65
}

fn pairs(parameters: &Parameters) -> Vec<(usize, usize)> {
    let columns = parameters.columns();
    (0..columns)
        .flat_map(|a| (a + 1..columns).map(move |b| (a, b)))
        .collect()
}
