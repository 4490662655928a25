//! Key switching: from an element under another key to a ciphertext under this one.
//!
//! What multiplies a polynomial s' (the secret's square, or its image under an automorphism) is cut
//! into digits, residues modulo groups of primes, and digit j multiplies an encryption of P·g_j·s'
//! modulo Q·P, g_j being 1 modulo the primes of group j and 0 modulo the others. The sum encrypts P
//! times what was wanted, and division by P makes its noise small: hybrid key switching (C. Gentry,
//! S. Halevi, N. Smart, "Homomorphic evaluation of the AES circuit", Crypto 2012, appendix; K. Han,
//! D. Ki, CT-RSA 2020). That division and the switch to the next modulus are one.
//!
//! Cost at n primes, k special ones and groups of g: n inverse transforms, (n/g)·(n + k − g)
//! forward, and for the division 2(k + dropped) inverse and 2·(remaining) forward ones.

use random::Seed;

use crate::ciphertext::{PackedRows, Row, Rows};
use crate::division::{Exchange, Lift, pairs, split};
use crate::parameters::Shape;
use crate::residue;
use crate::ring::Ring;
use crate::sampling::uniform;
use crate::{Error, Level, Parameters};
use work::Threads;

/// The keys that take one polynomial s' to the secret, for every shape of level.
pub(crate) struct SwitchKey {
    shapes: Vec<ShapeKey>,
}

/// The keys for levels of one shape.
struct ShapeKey {
    top: Level,
    /// The numbers of the primes of rows.
    rows: Vec<usize>,
    digits: Vec<Digit>,
}

struct Digit {
    primes: Vec<usize>,
    /// −a·s + 2e + P·g·s', by rows.
    body: Rows,
    mask: Rows,
}

/// The place of a digit's key: which stream of the seed its mask is. Kinds are below 2^18, shapes
/// below 2^4, digits and rows below 2^10: no two places share a stream, and all are below 2^63,
/// where those of ciphertexts begin.
pub(crate) fn stream(kind: u64, shape: usize, digit: usize, row: usize) -> u64 {
    kind << 24 | (shape as u64) << 20 | (digit as u64) << 10 | row as u64
}

/// One digit's place in a key.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) shape: usize,
    pub(crate) digit: usize,
    pub(crate) primes: Vec<usize>,
    pub(crate) rows: Vec<usize>,
}

/// The digits of every shape, in the order of a key's bodies.
pub(crate) fn places(parameters: &Parameters) -> Vec<Place> {
    let mut places = Vec::new();
    for (shape, top) in parameters.tops().enumerate() {
        let mut rows = parameters.primes_of(top);
        rows.extend(parameters.special_primes());
        for (digit, primes) in parameters.digits(top.shape()).into_iter().enumerate() {
            places.push(Place {
                shape,
                digit,
                primes,
                rows: rows.clone(),
            });
        }
    }
    places
}

impl SwitchKey {
    /// From bodies that fit [`places`]; masks are expanded from the seed.
    pub(crate) fn expand(
        ring: &Ring,
        seed: &Seed,
        kind: u64,
        bodies: Vec<Rows>,
        threads: &Threads,
    ) -> Result<Self, Error> {
        let parameters = ring.parameters();
        let places = places(parameters);
        let jobs: Vec<(usize, usize)> = places
            .iter()
            .enumerate()
            .flat_map(|(place, at)| (0..at.rows.len()).map(move |row| (place, row)))
            .collect();
        let masks = threads.map(jobs, |(place, row)| {
            let at = &places[place];
            let q = parameters.primes()[at.rows[row]];
            let number = stream(kind, at.shape, at.digit, row);
            uniform(seed, number, q, ring.degree())
        });
        let mut masks = masks.into_iter();
        let mut shapes: Vec<ShapeKey> = parameters
            .tops()
            .map(|top| ShapeKey {
                top,
                rows: Vec::new(),
                digits: Vec::new(),
            })
            .collect();
        for (at, body) in places.into_iter().zip(bodies) {
            let mask = masks.by_ref().take(at.rows.len()).collect();
            let shape = &mut shapes[at.shape];
            shape.rows = at.rows;
            shape.digits.push(Digit {
                primes: at.primes,
                body,
                mask,
            });
        }
        Ok(Self { shapes })
    }

    /// Rows of each digit of each shape, in the order of a file.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = &[Vec<u64>]> {
        let digits = self.shapes.iter().flat_map(|shape| &shape.digits);
        digits.map(|digit| digit.body.as_slice())
    }

    fn of(&self, shape: Shape) -> Option<&ShapeKey> {
        self.shapes.iter().find(|key| key.top.shape() == shape)
    }

    /// `kept + switched·s'`, as a ciphertext of two parts under the secret, at another level.
    ///
    /// All rows are those of `from`, in evaluated form; `kept` has one part or two.
    pub(crate) fn apply<R: Row>(
        &self,
        ring: &Ring,
        threads: &Threads,
        from: Level,
        to: Level,
        kept: &[Vec<R>],
        switched: &[R],
    ) -> Result<Vec<PackedRows>, Error> {
        let Some(key) = self.of(from.shape()) else {
            return Err(Error::LevelOutOfRange {
                level: from,
                least: Level::LEAST,
                most: ring.parameters().top(),
            });
        };
        let here = ring.primes_of(from);
        let specials = ring.parameters().special_primes();
        let wide: Vec<usize> = here.iter().chain(&specials).copied().collect();
        let exchange = Exchange::new(ring, &wide, &ring.primes_of(to));

        let lifts: Vec<Lift<'_>> = key
            .digits
            .iter()
            .map(|digit| Lift::new(ring, &digit.primes, &here))
            .collect();
        let place_of = |number: usize| here.iter().position(|&other| other == number);
        let jobs: Vec<(usize, usize)> = lifts
            .iter()
            .enumerate()
            .flat_map(|(digit, lift)| lift.numbers().iter().map(move |&number| (digit, number)))
            .collect();
        let taken = threads.map(jobs, |(digit, number)| {
            let place = place_of(number).unwrap_or_default();
            let mut row = switched[place].residues().into_owned();
            lifts[digit].take_out(number, &mut row);
            row
        });
        let mut rest = taken.as_slice();
        let mut sources: Vec<Vec<&[u64]>> = Vec::with_capacity(lifts.len());
        for lift in &lifts {
            let (own, others) = rest.split_at(lift.numbers().len());
            sources.push(own.iter().map(Vec::as_slice).collect());
            rest = others;
        }
        let multiples: Vec<Vec<u64>> = lifts
            .iter()
            .zip(&sources)
            .map(|(lift, sources)| lift.multiples(sources))
            .collect();

        // Both parts of the sum over digits, for each prime; what is dropped is taken out at once.
        let special =
            |q: u64| residue::product(specials.iter().map(|&p| ring.plan(p).modulus()), q);
        let sums = threads.map(wide.clone(), |number| {
            let plan = ring.plan(number);
            let place = place_of(number);
            let row = key.rows.iter().position(|&other| other == number);
            let row = row.unwrap_or_default();
            let lifted: Vec<Option<Vec<u64>>> = lifts
                .iter()
                .enumerate()
                .map(|(digit, lift)| {
                    if lift.numbers().contains(&number) || lift.numbers().is_empty() {
                        return None;
                    }
                    let mut lifted = ring.zero();
                    lift.put_in(number, &sources[digit], &multiples[digit], &mut lifted);
                    Some(lifted)
                })
                .collect();
            let own = place.filter(|_| lifts.iter().any(|lift| lift.numbers().contains(&number)));
            let own = own.map(|place| switched[place].residues());
            let sum_of = |part: usize| {
                let pairs: Vec<[&[u64]; 2]> = lifts
                    .iter()
                    .zip(&key.digits)
                    .zip(&lifted)
                    .filter_map(|((lift, digit), lifted)| {
                        let value = match (lifted, &own) {
                            (Some(lifted), _) => lifted.as_slice(),
                            (None, Some(own)) if lift.numbers().contains(&number) => own.as_ref(),
                            _ => return None,
                        };
                        let rows = if part == 0 { &digit.body } else { &digit.mask };
                        Some([value, rows[row].as_slice()])
                    })
                    .collect();
                let mut sum = ring.zero();
                plan.sum_products(&mut sum, &pairs);
                if let (Some(kept), Some(place)) = (kept.get(part), place) {
                    plan.scale_add(&mut sum, &kept[place].residues(), special(plan.modulus()));
                }
                if exchange.dropped().contains(&number) {
                    exchange.take_out(number, &mut sum);
                }
                sum
            };
            [sum_of(0), sum_of(1)]
        });

        let mut parts: [Vec<(usize, Vec<u64>)>; 2] = [Vec::new(), Vec::new()];
        for (&number, sum) in wide.iter().zip(sums) {
            for (part, row) in parts.iter_mut().zip(sum) {
                part.push((number, row));
            }
        }
        let mut taken: [Rows; 2] = [Vec::new(), Vec::new()];
        for (taken, part) in taken.iter_mut().zip(&mut parts) {
            for &number in exchange.dropped() {
                let found = part.iter_mut().find(|row| row.0 == number);
                taken.extend(found.map(|row| std::mem::take(&mut row.1)));
            }
        }
        let multiples = [exchange.multiples(&taken[0]), exchange.multiples(&taken[1])];
        let rows = threads.map(pairs(2, exchange.to()), |(part, number)| {
            let here = parts[part].iter().find(|row| row.0 == number);
            let here = here.map(|row| row.1.as_slice());
            let row = exchange.put_in(number, &taken[part], &multiples[part], here);
            ring.plan(number).pack(&row)
        });
        Ok(split(rows, exchange.to().len()))
    }
}
