//! Sums of products of numbers by sums of numbers, many of them of the same numbers.
//!
//! The exact transforms are linear, so sums are made of transforms, which are computed once for
//! each number however many sums it is in ([`transforms::integers::primes::Bundle`]). A sum of
//! products then takes additions, one inverse transform, and no transform of its own: with 45
//! numbers and 70 sums of half of them, a fifth of the time.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use transforms::InstructionSet;
use transforms::integers::primes::{Plan, PrimesError, Spectrum};

pub use transforms::integers::primes::Row;

use crate::{Error, Route, checksum, limbs};

/// What forms of numbers of one length are computed with. Share it; each call runs on its own
/// thread.
#[derive(Debug)]
pub struct Forms {
    plan: Plan,
    limbs: usize,
    store: Mutex<Vec<Spectrum>>,
}

/// Numbers whose transforms are kept side by side. Made by [`Forms::bundle`].
#[derive(Debug)]
pub struct Bundle {
    transforms: transforms::integers::primes::Bundle,
    /// Of each number modulo `2^61 − 1`.
    residues: Vec<u64>,
    /// The numbers, for a device.
    #[cfg(feature = "device")]
    numbers: Vec<Vec<u64>>,
}

impl Bundle {
    /// Bytes that it takes: about six times those of its numbers.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.transforms.bytes() + size_of_val(self.residues.as_slice())
    }
}

impl Forms {
    /// For numbers of up to `limbs` limbs.
    ///
    /// # Errors
    /// [`Error::Oversize`] if no transform has room for a product of two.
    pub fn new(limbs: usize) -> Result<Self, Error> {
        let (set, one) = (InstructionSet::detect(), NonZeroUsize::MIN);
        let length = limbs.max(1).saturating_mul(2).saturating_add(1);
        Ok(Self {
            plan: Plan::for_long_sums(length, set, one).map_err(|error| refused(error, length))?,
            limbs,
            store: Mutex::default(),
        })
    }

    /// Transforms numbers and keeps the transforms.
    ///
    /// # Errors
    /// [`Error::OperandLength`] if one is too long.
    pub fn bundle<'a>(
        &self,
        numbers: impl ExactSizeIterator<Item = &'a [u64]>,
    ) -> Result<Bundle, Error> {
        let mut transforms = self.plan.bundle(numbers.len());
        let mut residues = Vec::with_capacity(numbers.len());
        #[cfg(feature = "device")]
        let mut whole = Vec::with_capacity(numbers.len());
        let mut spectrum = self.take();
        for (index, number) in numbers.enumerate() {
            if number.len() > self.limbs {
                return Err(Error::OperandLength {
                    given: number.len(),
                    largest: self.limbs,
                });
            }
            let error = |error| refused(error, 2 * self.limbs);
            self.plan.forward(number, &mut spectrum).map_err(error)?;
            self.plan
                .insert(&mut transforms, index, &spectrum)
                .map_err(error)?;
            residues.push(checksum::residue(number));
            #[cfg(feature = "device")]
            whole.push(number.to_vec());
        }
        spectrum.clear();
        self.give(spectrum);
        Ok(Bundle {
            transforms,
            residues,
            #[cfg(feature = "device")]
            numbers: whole,
        })
    }

    /// Σ factor·(Σ summands) over the rows of each form, in twice the numbers' length and a limb:
    /// as much as 2^32 products can need. Each is checked modulo `2^61 − 1`.
    ///
    /// # Errors
    /// [`Error::ForeignOperand`] if the bundle was made by forms of another length, or has fewer
    /// numbers than rows name; [`Error::Broken`] if a check fails.
    pub fn evaluate(&self, bundle: &Bundle, forms: &[Vec<Row>]) -> Result<Vec<Vec<u64>>, Error> {
        #[cfg(feature = "device")]
        if let Some(device) = crate::device::taking(self.limbs, self.limbs) {
            return self.evaluate_by(&*device, bundle, forms);
        }
        let parts: Vec<(usize, Vec<Row>)> = forms
            .iter()
            .enumerate()
            .flat_map(|(form, rows)| self.parts(rows).into_iter().map(move |part| (form, part)))
            .collect();
        let mut sums: Vec<Spectrum> = parts.iter().map(|_| self.take()).collect();
        let rows: Vec<&[Row]> = parts.iter().map(|(_, rows)| rows.as_slice()).collect();
        let error = |error| refused(error, 2 * self.limbs);
        self.plan
            .forms(&mut sums, &bundle.transforms, &rows)
            .map_err(error)?;
        let length = 2 * self.limbs + 1;
        let mut outs = vec![Vec::new(); forms.len()];
        for ((form, _), mut sum) in parts.iter().zip(sums) {
            let mut out = vec![0; length];
            self.plan.inverse(&mut sum, &mut out).map_err(error)?;
            self.give(sum);
            match &mut outs[*form] {
                first if first.is_empty() => *first = out,
                whole => {
                    limbs::add_assign(whole, &out);
                }
            }
        }
        for (out, form) in outs.iter_mut().zip(forms) {
            out.resize(length, 0);
            if checksum::residue(out) != expected(&bundle.residues, form)? {
                return Err(Error::Broken);
            }
        }
        Ok(outs)
    }

    /// The same with a product for each row by a device, its summands added here; modulo nothing,
    /// but the sum has a limb more.
    #[cfg(feature = "device")]
    fn evaluate_by(
        &self,
        device: &dyn crate::device::Device,
        bundle: &Bundle,
        forms: &[Vec<Row>],
    ) -> Result<Vec<Vec<u64>>, Error> {
        let number = |index: u16| {
            let found = bundle.numbers.get(usize::from(index));
            found.ok_or(Error::ForeignOperand)
        };
        let evaluate = |form: &Vec<Row>| {
            let mut sum = vec![0; 2 * self.limbs + 1];
            for row in form {
                let mut summands = vec![0; self.limbs + 1];
                for &index in &row.summands {
                    limbs::add_assign(&mut summands, number(index)?);
                }
                let factor = number(row.factor)?;
                // The carry of the summands is a small multiple of the factor.
                let (carry, low) = (summands[self.limbs], &summands[..self.limbs]);
                let mut product = vec![0; factor.len() + self.limbs];
                device.multiply(&mut product, factor, low);
                limbs::add_assign(&mut sum, &product);
                for _ in 0..carry {
                    limbs::add_assign(&mut sum[self.limbs..], factor);
                }
            }
            if checksum::residue(&sum) == expected(&bundle.residues, form)? {
                Ok(sum)
            } else {
                Err(Error::Broken)
            }
        };
        forms.iter().map(evaluate).collect()
    }

    /// A form cut into as many as one transform can hold each.
    fn parts(&self, form: &[Row]) -> Vec<Vec<Row>> {
        let most = self.plan.most_summands(self.limbs).max(1);
        let mut parts = Vec::new();
        let (mut part, mut room) = (Vec::new(), most);
        for row in form {
            let mut rest = row.summands.as_slice();
            while !rest.is_empty() {
                let (these, after) = rest.split_at(rest.len().min(room));
                part.push(Row {
                    factor: row.factor,
                    summands: these.to_vec(),
                });
                (rest, room) = (after, room - these.len());
                if room == 0 {
                    parts.push(std::mem::take(&mut part));
                    room = most;
                }
            }
        }
        if !part.is_empty() {
            parts.push(part);
        }
        parts
    }

    fn take(&self) -> Spectrum {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.pop().unwrap_or_else(|| self.plan.spectrum())
    }

    fn give(&self, spectrum: Spectrum) {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.push(spectrum);
    }
}

/// A form modulo `2^61 − 1`, from what its numbers are.
fn expected(residues: &[u64], form: &[Row]) -> Result<u64, Error> {
    let residue = |&index: &u16| residues.get(usize::from(index)).copied();
    let mut sum = 0;
    for row in form {
        let factor = residue(&row.factor).ok_or(Error::ForeignOperand)?;
        let mut other = 0;
        for index in &row.summands {
            other = checksum::add(other, residue(index).ok_or(Error::ForeignOperand)?);
        }
        sum = checksum::add(sum, checksum::multiply(factor, other));
    }
    Ok(sum)
}

fn refused(error: PrimesError, limbs: usize) -> Error {
    let route = Route::Exact;
    match error {
        PrimesError::UnavailableSet { .. } => Error::Unavailable { route },
        PrimesError::UnsupportedLength { .. } | PrimesError::TooManySums { .. } => {
            Error::Oversize { route, limbs }
        }
        _ => Error::ForeignOperand,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(limbs: usize, count: u64) -> Vec<Vec<u64>> {
        let number = |seed: u64| -> Vec<u64> {
            (0..limbs as u64)
                .map(|at| match seed {
                    0 | 1 => u64::MAX,
                    _ => (at * count + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                })
                .collect()
        };
        (0..count).map(number).collect()
    }

    #[test]
    #[ignore = "slow: 2 s"]
    fn forms_are_what_they_say() {
        // Of 60,000 limbs a transform holds some 60 summands.
        for (limbs, repeat) in [(1, 1), (100, 3), (60_000, 20)] {
            let numbers = numbers(limbs, 7);
            let forms = Forms::new(limbs).unwrap();
            let bundle = forms.bundle(numbers.iter().map(Vec::as_slice)).unwrap();
            let row = |factor, summands: &[u16]| Row {
                factor,
                summands: summands.repeat(repeat),
            };
            let wanted = [
                vec![row(0, &[0, 1, 2, 3]), row(5, &[]), row(6, &[1, 4])],
                vec![],
                vec![row(1, &[6])],
            ];
            let outs = forms.evaluate(&bundle, &wanted).unwrap();
            for (out, form) in outs.iter().zip(&wanted) {
                let mut sum = vec![0; 2 * limbs + 1];
                let mut product = vec![0; 2 * limbs];
                for row in form {
                    for &summand in &row.summands {
                        let (a, b) = (&numbers[usize::from(row.factor)], usize::from(summand));
                        crate::multiply(&mut product, a, &numbers[b]).unwrap();
                        limbs::add_assign(&mut sum, &product);
                    }
                }
                assert!(*out == sum, "{limbs}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let forms = Forms::new(10).unwrap();
        let long = [1; 11];
        let error = forms.bundle([long.as_slice()].into_iter()).unwrap_err();
        let (given, largest) = (11, 10);
        assert_eq!(error, Error::OperandLength { given, largest });
        let bundle = forms.bundle([&long[..10]].into_iter()).unwrap();
        for (factor, summands) in [(1, vec![0]), (0, vec![0, 1])] {
            let form = vec![Row { factor, summands }];
            assert_eq!(forms.evaluate(&bundle, &[form]), Err(Error::ForeignOperand));
        }
        let form = vec![Row {
            factor: 0,
            summands: vec![0],
        }];
        assert_eq!(
            Forms::new(1000).unwrap().evaluate(&bundle, &[form]),
            Err(Error::ForeignOperand)
        );
        assert!(matches!(Forms::new(1 << 40), Err(Error::Oversize { .. })));
    }
}
