//! What every plan must satisfy, as functions that a test calls in one line each. They compare with
//! the definitions in [`oracle`], panic with the measured and the permitted value, and are
//! deterministic. [`all`] runs them together and returns the errors that it saw.
//!
//! Errors are measured in the last place of the 64-bit torus. A product of digits of rms `d` with
//! uniform torus elements has coefficients of rms `√N·d·2^63/√3`; arithmetic of 53 bits in `log2 N`
//! levels leaves an error near `2^-53·√(log2 N)` of that. The bound is 12 times this estimate:
//! about twice the largest of `N` Gaussian errors, and no bit more. A processor that calls itself
//! exact ([`Plan::is_exact`]) is permitted no error at all.

use crate::torus::{ColumnStep, Gadget, KeyIndex, KeyShape, Plan, accuracy, oracle};

/// Largest errors seen, as base-2 logarithms in units of 2^-64 of the torus.
#[derive(Debug, Clone, Copy)]
pub struct Largest {
    /// Forward and inverse transform of uniform torus elements.
    pub round_trip: f64,
    /// Product of uniform torus elements by 23-bit digits.
    pub product: f64,
}

/// Every law.
///
/// # Panics
/// If one does not hold.
pub fn all(plan: &Plan) -> Largest {
    values_at_roots(plan);
    digits_are_those_of_the_gadget(plan);
    linear(plan);
    constants(plan);
    monomials_rotate(plan);
    sums_modulo_the_torus(plan);
    block_step(
        plan,
        KeyShape {
            elements: 1,
            rows: 2,
            columns: 2,
        },
        1,
    );
    block_step(
        plan,
        KeyShape {
            elements: 4,
            rows: 2,
            columns: 2,
        },
        3,
    );
    block_step(
        plan,
        KeyShape {
            elements: 4,
            rows: 4,
            columns: 2,
        },
        2,
    );
    block_step(
        plan,
        KeyShape {
            elements: 3,
            rows: 4,
            columns: 3,
        },
        2,
    );
    matrix_product(
        plan,
        KeyShape {
            elements: 1,
            rows: 5,
            columns: 7,
        },
        2,
    );
    Largest {
        round_trip: round_trip(plan),
        product: product(plan, 23),
    }
}

/// The transform of `X` has the value `ζ^exponent` at each point, where [`Plan::point`] says: the
/// law of the complex processors, and none of the others.
pub fn values_at_roots(plan: &Plan) {
    let n = plan.size().coefficients();
    let mut x = vec![0i64; n];
    x[1] = 1;
    let mut spectrum = plan.digit_spectra(1);
    plan.forward_signed(&mut spectrum, &x);
    for number in 0..n / 2 {
        let Some(point) = plan.point(number) else {
            assert!(plan.is_exact(), "{} has no points", plan.fft());
            return;
        };
        let angle = std::f64::consts::PI * point.exponent as f64 / n as f64;
        let error = (spectrum[point.real] - angle.cos()).abs()
            + (spectrum[point.imaginary] - angle.sin()).abs();
        assert!(error < 1e-14, "point {number} is off by {error}");
    }
}

/// The fused decomposition gives bit for bit the transform of [`Gadget::digit`], and so does the one by
/// which two threads share a rotation.
pub fn digits_are_those_of_the_gadget(plan: &Plan) {
    let torus = uniform(plan, 1);
    let (mut fused, mut separate) = (plan.digit_spectra(1), plan.digit_spectra(1));
    // Spectra are words of the processor's own, which need not be numbers.
    let words = |spectrum: &[f64]| spectrum.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let even = [(23, 1), (17, 2), (3, 6), (1, 52), (52, 1)];
    let even = even.map(|(base_log, levels)| Gadget::new(base_log, levels));
    for gadget in even.into_iter().chain([Gadget::with_first(12, 11, 3)]) {
        let Ok(gadget) = gadget else {
            continue;
        };
        let levels = gadget.levels();
        for level in 1..=levels {
            plan.forward_digits(&mut fused, &torus, gadget, level, &[]);
            let digits: Vec<i64> = torus.iter().map(|&x| gadget.digit(x, level)).collect();
            plan.forward_signed(&mut separate, &digits);
            assert!(
                words(&fused) == words(&separate),
                "digits of {gadget:?} at level {level}"
            );
            if gadget.widest() <= Plan::WIDEST_DECOMPOSED && plan.works_by_columns(KeyShape::BLOCK)
            {
                let mut singles = vec![0.0; torus.len()];
                plan.decompose(&mut singles, &torus, gadget, level);
                plan.forward_decomposed(&mut separate, &singles, &[]);
                assert!(
                    words(&fused) == words(&separate),
                    "decomposed digits of {gadget:?} at level {level}"
                );
            }
        }
    }
}

/// Transforming forth and back returns the input; returns the base-2 logarithm of the largest
/// error.
pub fn round_trip(plan: &Plan) -> f64 {
    let torus = uniform(plan, 2);
    let mut spectrum = plan.torus_spectra(1);
    plan.forward_torus(&mut spectrum, &torus);
    let mut back = vec![u64::MAX; torus.len()];
    plan.inverse_torus(&mut back, &mut spectrum);
    let levels = f64::from(plan.size().coefficients().ilog2());
    bounded(
        plan,
        "round trip",
        &back,
        &torus,
        12.0 * levels.sqrt() * 2f64.powi(62 - 53),
    )
}

/// Products agree with the definition; returns the base-2 logarithm of the largest error.
pub fn product(plan: &Plan, digit_bits: u32) -> f64 {
    let torus = uniform(plan, 3);
    let digits = digits(plan, digit_bits, 4);
    let expected = multiply(&torus, &digits);
    let (mut a, mut b) = (plan.torus_spectra(1), plan.digit_spectra(1));
    let mut c = plan.torus_spectra(1);
    plan.forward_torus(&mut a, &torus);
    plan.forward_signed(&mut b, &digits);
    plan.multiply_add(&mut c, &a, &b);
    let mut found = vec![0; torus.len()];
    plan.inverse_torus(&mut found, &mut c);
    bounded(
        plan,
        "product",
        &found,
        &expected,
        tolerance(plan, digit_bits, 1),
    )
}

/// The transform of a sum is the sum of the transforms, on both sides of a product: `a·x + b·x +
/// a·y + b·y` summed as spectra is `(a + b)·(x + y)` by definition. Exact.
pub fn linear(plan: &Plan) {
    let (a, b) = (digits(plan, 20, 5), digits(plan, 20, 6));
    let (x, y) = (digits(plan, 8, 40), digits(plan, 8, 41));
    let mut sum = plan.torus_spectra(1);
    let (mut torus, mut small) = (plan.torus_spectra(1), plan.digit_spectra(1));
    for torus_side in [&a, &b] {
        plan.forward_torus(&mut torus, &as_torus(torus_side));
        for digit_side in [&x, &y] {
            plan.forward_signed(&mut small, digit_side);
            plan.multiply_add(&mut sum, &torus, &small);
        }
    }
    let mut found = vec![0; a.len()];
    plan.inverse_torus(&mut found, &mut sum);
    let add = |a: &[i64], b: &[i64]| -> Vec<i64> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
    // 512 terms of 2^20·2^8: far below 2^53.
    let expected = multiply(&as_torus(&add(&a, &b)), &add(&x, &y));
    assert!(found == expected, "the transform is not linear");
}

/// Signed integers modulo 2^64.
fn as_torus(signed: &[i64]) -> Vec<u64> {
    signed.iter().map(|&x| x as u64).collect()
}

/// A constant's spectrum is that of the polynomial, in products at least (a processor may write an
/// element in two ways), and a product's constant coefficient is that of its inverse transform.
pub fn constants(plan: &Plan) {
    let torus = uniform(plan, 42);
    let (mut a, mut b) = (plan.torus_spectra(1), plan.digit_spectra(1));
    plan.forward_torus(&mut a, &torus);
    for value in [0i64, 1, -1, 16, -(1 << 22), (1 << 22) - 1] {
        plan.forward_constant(&mut b, value);
        let mut product = plan.torus_spectra(1);
        plan.multiply_add(&mut product, &a, &b);
        let constant = plan.constant(&product);
        let mut found = vec![0; torus.len()];
        plan.inverse_torus(&mut found, &mut product);
        let expected: Vec<u64> = torus.iter().map(|x| x.wrapping_mul(value as u64)).collect();
        let permitted = tolerance(plan, 23, 1);
        bounded(plan, "product by a constant", &found, &expected, permitted);
        // One sum over all points rounds as often as they are many; a transform, as levels.
        let permitted = permitted * (plan.size().points() as f64).sqrt();
        let what = "a constant coefficient";
        bounded(plan, what, &[constant], &expected[..1], permitted);
    }
}

/// `X^a − 1`, made from exponents in the transform domain, acts as a rotation less the identity.
/// Exact.
pub fn monomials_rotate(plan: &Plan) {
    let n = plan.size().coefficients();
    let polynomial = digits(plan, 20, 7);
    let words = as_torus(&polynomial);
    let mut one = vec![0u64; n];
    one[0] = 1;
    let shape = KeyShape {
        elements: 1,
        rows: 1,
        columns: 1,
    };
    let (mut input, mut unit) = (plan.digit_spectra(1), plan.torus_spectra(1));
    let (mut key, mut out) = (plan.torus_spectra(1), plan.torus_spectra(1));
    plan.forward_signed(&mut input, &polynomial);
    plan.forward_torus(&mut unit, &one);
    plan.place(
        &mut key,
        shape,
        KeyIndex {
            element: 0,
            row: 0,
            column: 0,
        },
        &unit,
    );
    let mut found = vec![0; n];
    for exponent in [0, 1, 2, 3, 31, n / 2, n - 1, n, n + 5, 2 * n - 1] {
        plan.rotate_block(&mut out, &input, &key, shape, &[exponent as u32], &[]);
        plan.inverse_torus(&mut found, &mut out);
        let rotated = oracle::rotate(&words, exponent);
        let expected: Vec<u64> = rotated
            .iter()
            .zip(&words)
            .map(|(r, x)| r.wrapping_sub(*x))
            .collect();
        assert!(
            found == expected,
            "X^{exponent} − 1 is not a rotation less the identity"
        );
    }
}

/// The accumulating inverse adds modulo 2^64, and whole turns of the torus vanish:
/// `2^40·(2^30·X^j)` is exact in floating point and far beyond 64 bits.
pub fn sums_modulo_the_torus(plan: &Plan) {
    let n = plan.size().coefficients();
    let (mut torus, mut digit) = (plan.torus_spectra(1), plan.digit_spectra(1));
    let mut monomial = vec![0i64; n];
    monomial[n - 1] = 1 << 30;
    plan.forward_signed(&mut digit, &monomial);
    let constants = vec![(3u64 << 40) + (1 << 34); n];
    plan.forward_torus(&mut torus, &constants);
    let mut product = plan.torus_spectra(1);
    plan.multiply_add(&mut product, &torus, &digit);
    let expected = multiply(&constants, &monomial);
    let mut sum = uniform(plan, 8);
    let before = sum.clone();
    plan.inverse_torus_add(&mut sum, &mut product, &[]);
    let difference: Vec<u64> = sum
        .iter()
        .zip(&before)
        .map(|(s, b)| s.wrapping_sub(*b))
        .collect();
    bounded(
        plan,
        "sum modulo the torus",
        &difference,
        &expected,
        2f64.powi(72 - 53 + 4),
    );
}

/// The block step agrees with its definition, for every ciphertext of a batch, and so does a second
/// one that is added to it. Where it can be done in place, or column by column, that gives the same
/// to the bit.
pub fn block_step(plan: &Plan, shape: KeyShape, batch: usize) {
    let n = plan.size().coefficients();
    let [exponents, more] = [9, 10].map(|seed| -> Vec<u32> {
        let uniform = accuracy::uniform(batch * shape.elements, seed);
        uniform.iter().map(|&x| (x >> 40) as u32).collect()
    });
    let (found, products) = keyed(plan, shape, batch, |out, digits, key| {
        plan.rotate_block(out, digits, key, shape, &exponents, &[]);
        if plan.works_in_place(shape) {
            let mut spectra = digits.to_vec();
            plan.rotate_block_in_place(&mut spectra, key, shape, &exponents, &[]);
            assert!(*out == spectra, "the block step in place differs");
        }
        let once = out.to_vec();
        plan.rotate_block_add(out, digits, key, shape, &more, &[]);
        if plan.works_by_columns(shape) {
            let (rows, columns) = (
                shape.rows * plan.digit_len(),
                shape.columns * plan.torus_len(),
            );
            for (b, exponents) in exponents.chunks(shape.elements).enumerate() {
                let more = &more[b * shape.elements..][..shape.elements];
                let digits = &digits[b * rows..][..rows];
                let [once, twice] = [&once, &*out].map(|out| &out[b * columns..][..columns]);
                by_columns(plan, shape, (digits, key), [exponents, more], [once, twice]);
            }
        }
    });
    for b in 0..batch {
        for column in 0..shape.columns {
            let mut expected = vec![0u64; n];
            for element in 0..shape.elements {
                let product = &products[(b * shape.elements + element) * shape.columns + column];
                for exponents in [&exponents, &more] {
                    let exponent = exponents[b * shape.elements + element] as usize % (2 * n);
                    let rotated = oracle::rotate(product, exponent);
                    for ((sum, r), x) in expected.iter_mut().zip(&rotated).zip(product) {
                        *sum = sum.wrapping_add(*r).wrapping_sub(*x);
                    }
                }
            }
            // Each product counts twice in each step: rotated and not.
            let tolerance = tolerance(plan, DIGIT_BITS, 4 * shape.rows * shape.elements);
            bounded(
                plan,
                "block step",
                &found[b * shape.columns + column],
                &expected,
                tolerance,
            );
        }
    }
}

/// One step, and a second one that is added to it, column by column.
fn by_columns(
    plan: &Plan,
    shape: KeyShape,
    (digits, key): (&[f64], &[f64]),
    exponents: [&[u32]; 2],
    expected: [&[f64]; 2],
) {
    let torus = plan.torus_len();
    let of_column = key.len() / shape.columns;
    for column in 0..shape.columns {
        let step = |exponents| ColumnStep {
            column,
            key: &key[column * of_column..][..of_column],
            shape,
            exponents,
            ahead: &[],
        };
        // What another thread has is not touched.
        let mut found = if plan.works_in_place(shape) {
            digits.to_vec()
        } else {
            vec![0.0; shape.columns * torus]
        };
        let before = found.clone();
        if plan.works_in_place(shape) {
            plan.rotate_column_in_place(&mut found, step(exponents[0]));
        } else {
            plan.rotate_column_add(&mut found, digits, step(exponents[0]));
        }
        let is = |found: &[f64], expected: &[f64]| {
            let spectra = |spectra: &[f64]| -> Vec<Vec<f64>> {
                spectra.chunks(torus).map(<[f64]>::to_vec).collect()
            };
            let mut rest = spectra(&before);
            rest[column] = spectra(expected)[column].clone();
            spectra(found) == rest
        };
        assert!(is(&found, expected[0]), "column {column} of a step differs");
        plan.rotate_column_add(&mut found, digits, step(exponents[1]));
        assert!(
            is(&found, expected[1]),
            "column {column} of two steps differs"
        );
    }
}

/// The plain product by a key agrees with its definition, for every ciphertext of a batch.
pub fn matrix_product(plan: &Plan, shape: KeyShape, batch: usize) {
    let (found, products) = keyed(plan, shape, batch, |out, digits, key| {
        plan.multiply(out, digits, key, shape);
    });
    for (found, expected) in found.iter().zip(&products) {
        bounded(
            plan,
            "matrix product",
            found,
            expected,
            tolerance(plan, DIGIT_BITS, shape.rows),
        );
    }
}

const DIGIT_BITS: u32 = 16;

/// Random digits and a random key; returns what `apply` makes of them, and by definition
/// `Σ_row digits[b][row] · key[element][row][column]`, indexed `[b][element][column]`.
fn keyed(
    plan: &Plan,
    shape: KeyShape,
    batch: usize,
    apply: impl Fn(&mut [f64], &[f64], &[f64]),
) -> (Vec<Vec<u64>>, Vec<Vec<u64>>) {
    let n = plan.size().coefficients();
    let digit =
        |b: usize, row: usize| digits(plan, DIGIT_BITS, 100 + (b * shape.rows + row) as u64);
    let torus = |element: usize, row: usize, column: usize| {
        let index = (element * shape.rows + row) * shape.columns + column;
        uniform(plan, 1000 + index as u64)
    };
    let (mut inputs, mut key) = (
        plan.digit_spectra(batch * shape.rows),
        plan.torus_spectra(shape.spectra()),
    );
    let mut out = plan.torus_spectra(batch * shape.columns);
    let mut spectrum = plan.torus_spectra(1);
    for (i, input) in inputs.chunks_exact_mut(plan.digit_len()).enumerate() {
        plan.forward_signed(input, &digit(i / shape.rows, i % shape.rows));
    }
    let mut products = vec![vec![0u64; n]; batch * shape.elements * shape.columns];
    for element in 0..shape.elements {
        for row in 0..shape.rows {
            for column in 0..shape.columns {
                let torus = torus(element, row, column);
                plan.forward_torus(&mut spectrum, &torus);
                plan.place(
                    &mut key,
                    shape,
                    KeyIndex {
                        element,
                        row,
                        column,
                    },
                    &spectrum,
                );
                for b in 0..batch {
                    let sum =
                        &mut products[(b * shape.elements + element) * shape.columns + column];
                    for (sum, x) in sum.iter_mut().zip(multiply(&torus, &digit(b, row))) {
                        *sum = sum.wrapping_add(x);
                    }
                }
            }
        }
    }
    apply(&mut out, &inputs, &key);
    let mut found = Vec::new();
    for spectrum in out.chunks_exact_mut(plan.torus_len()) {
        let mut polynomial = vec![0; n];
        plan.inverse_torus(&mut polynomial, spectrum);
        found.push(polynomial);
    }
    (found, products)
}

/// Uniform torus elements.
fn uniform(plan: &Plan, seed: u64) -> Vec<u64> {
    accuracy::uniform(plan.size().coefficients(), seed)
}

/// Digits of `bits` bits. Above 512 coefficients only one in several is not zero, so that the
/// quadratic oracle stays fast; the transform sees full spectra all the same.
fn digits(plan: &Plan, bits: u32, seed: u64) -> Vec<i64> {
    let step = plan.size().coefficients().div_ceil(512) | 1;
    let digit = |(j, x): (usize, u64)| {
        if j % step == 0 {
            x as i64 >> (64 - bits)
        } else {
            0
        }
    };
    uniform(plan, seed)
        .into_iter()
        .enumerate()
        .map(digit)
        .collect()
}

/// [`oracle::negacyclic_product`] for a sparse second factor: `Σ b_j·(X^j·a)`.
fn multiply(a: &[u64], b: &[i64]) -> Vec<u64> {
    let n = a.len();
    let mut product = vec![0u64; n];
    for (j, &y) in b.iter().enumerate().filter(|(_, y)| **y != 0) {
        let (low, high) = product.split_at_mut(j);
        for (sum, x) in high.iter_mut().zip(a) {
            *sum = sum.wrapping_add(x.wrapping_mul(y as u64));
        }
        for (sum, x) in low.iter_mut().zip(&a[n - j..]) {
            *sum = sum.wrapping_sub(x.wrapping_mul(y as u64));
        }
    }
    product
}

/// The module's bound for sums of `terms` products.
fn tolerance(plan: &Plan, digit_bits: u32, terms: usize) -> f64 {
    let n = plan.size().coefficients() as f64;
    let coefficient = (terms as f64 * n / 9.0).sqrt() * 2f64.powi(63 + digit_bits as i32 - 1);
    12.0 * n.log2().sqrt() * coefficient * 2f64.powi(-53)
}

/// Asserts that the largest difference is within the tolerance, which is none for an exact
/// processor; returns its base-2 logarithm.
fn bounded(plan: &Plan, what: &str, found: &[u64], expected: &[u64], tolerance: f64) -> f64 {
    let difference = |(f, e): (&u64, &u64)| (f.wrapping_sub(*e) as i64).unsigned_abs();
    let differences = found.iter().zip(expected).map(difference);
    let worst = differences.max().unwrap_or(0) as f64;
    let tolerance = if plan.is_exact() { 0.0 } else { tolerance };
    assert!(
        worst <= tolerance,
        "{what}: error 2^{:.1}, permitted 2^{:.1}",
        worst.log2(),
        tolerance.log2()
    );
    worst.max(1.0).log2()
}
