//! The arithmetic against 128-bit remainders, the transform against its definition, and products
//! against the oracle, on every instruction set.

use super::arch::{Kernel, Lanes};
use super::field::{self, P};
use super::limbs::{self, Factor, Pair};
use super::*;
use crate::torus::{Spectra, oracle};

fn uniform(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed << 32;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}

/// Words with extreme limbs, then random ones.
fn sample() -> Vec<u64> {
    let edges = [
        0,
        1,
        2,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_fffe,
        0xffff_ffff,
        0x7fff_fffe,
    ];
    let pairs = edges
        .iter()
        .flat_map(|low| edges.iter().map(move |high| high << 32 | low));
    let elements = [0, 1, P - 1, P / 2, P / 2 + 1, field::PHI, field::EPSILON];
    let mut all: Vec<u64> = pairs.chain(elements.map(limbs::word)).collect();
    let mut next = uniform(1);
    all.extend(std::iter::repeat_with(&mut next).take(160 - all.len()));
    all
}

/// Applies a kernel to a slice, `LANES` words at a time.
trait Elementwise {
    fn apply<V: Lanes>(&self, v: V, x: V::Word) -> V::Word;
}

struct Apply<'a, E>(&'a mut [u64], E);

impl<E: Elementwise> Kernel for Apply<'_, E> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        for x in v.vectors_mut(self.0) {
            let y = self.1.apply(v, v.load(x));
            v.store(x, y);
        }
    }
}

struct Times(Factor);

impl Elementwise for Times {
    #[inline(always)]
    fn apply<V: Lanes>(&self, v: V, x: V::Word) -> V::Word {
        let factor = limbs::splat_factor(v, &self.0);
        limbs::reduce(v, limbs::offset(v, limbs::product(v, x, &factor)))
    }
}

struct Narrow(Factor);

impl Elementwise for Narrow {
    #[inline(always)]
    fn apply<V: Lanes>(&self, v: V, x: V::Word) -> V::Word {
        let factor = limbs::splat_factor(v, &self.0);
        limbs::canonical(v, limbs::offset(v, limbs::narrow_product(v, x, &factor)))
    }
}

struct TimesPhi;

impl Elementwise for TimesPhi {
    #[inline(always)]
    fn apply<V: Lanes>(&self, v: V, x: V::Word) -> V::Word {
        limbs::reduce(v, limbs::offset(v, limbs::times_phi(v, limbs::split(v, x))))
    }
}

#[test]
fn words_stand_for_elements() {
    for element in [
        0,
        1,
        2,
        P / 2,
        P / 2 + 1,
        P - 1,
        1 << 31,
        1 << 63,
        limbs::BETA,
    ] {
        assert_eq!(limbs::element(limbs::word(element)), element);
    }
    assert_eq!(limbs::word(0), 0);
    // Limbs as signed digits to the base 2^32.
    let mut next = uniform(2);
    for _ in 0..1000 {
        let word = next();
        let (x0, x1) = (i128::from(word as i32), i128::from((word >> 32) as i32));
        let expected = (x0 + x1 * i128::from(field::PHI)).rem_euclid(i128::from(P));
        assert_eq!(i128::from(limbs::element(word)), expected);
    }
}

#[test]
fn the_offset_vanishes_but_for_the_bias() {
    let sum = u128::from(limbs::OFFSET[0]) + (u128::from(limbs::OFFSET[1]) << 32);
    assert_eq!((sum - u128::from(limbs::BETA)) % u128::from(P), 0);
}

#[test]
fn products_agree_with_remainders() {
    let (sample, mut next) = (sample(), uniform(3));
    let random = std::iter::repeat_with(|| next() % P).take(30);
    let edges = [
        0,
        1,
        P - 1,
        P / 2,
        1 << 31,
        1 << 32,
        1 << 63,
        8,
        field::inverse(8),
    ];
    for factor in edges.into_iter().chain(random) {
        for machine in Machine::available() {
            let mut found = sample.clone();
            machine.dispatch(Apply(&mut found, Times(limbs::factor(factor))));
            for (found, x) in found.iter().zip(&sample) {
                let expected = field::multiply(limbs::element(*x), factor);
                assert_eq!(
                    limbs::element(*found),
                    expected,
                    "{x:x}·{factor}, {machine:?}"
                );
            }
            let mut found = sample.clone();
            machine.dispatch(Apply(&mut found, Narrow(limbs::factor(factor))));
            for (found, x) in found.iter().zip(&sample) {
                let x = i128::from(*x as i32).rem_euclid(i128::from(P)) as u64;
                assert_eq!(limbs::element(*found), field::multiply(x, factor));
                assert_ne!(*found, limbs::BETA);
            }
        }
    }
}

#[test]
fn the_base_times_an_element() {
    for machine in Machine::available() {
        let mut found = sample();
        machine.dispatch(Apply(&mut found, TimesPhi));
        for (found, x) in found.iter().zip(&sample()) {
            let expected = field::multiply(limbs::element(*x), field::PHI);
            assert_eq!(limbs::element(*found), expected, "{x:x}, {machine:?}");
        }
    }
}

/// The transform of `R` points at a time, each of them `LANES` words.
struct Small<'a, const R: usize>(&'a mut [u64]);

impl<const R: usize> Kernel for Small<'_, R> {
    #[inline(always)]
    fn run<V: Lanes>(self, v: V) {
        for block in v.vectors_mut(self.0).chunks_exact_mut(R) {
            let mut x = [limbs::zero(v); R];
            for k in 0..R {
                // The largest limbs that products have.
                let Pair { low, high } = limbs::split(v, v.load(&block[k]));
                x[k] = Pair {
                    low: v.add(v.shl::<2>(low), low),
                    high: v.add(v.shl::<2>(high), high),
                };
            }
            limbs::transform(v, &mut x);
            for k in 0..R {
                v.store(&mut block[k], limbs::reduce(v, x[k]));
            }
        }
    }
}

fn small_transforms<const R: usize>() {
    let omega = field::power(2, 192 / R as u64);
    for machine in Machine::available() {
        let (input, lanes) = (sample(), machine.lanes());
        let input = &input[..input.len() / (R * lanes) * (R * lanes)];
        let mut found = input.to_vec();
        machine.dispatch(Small::<R>(&mut found));
        for (at, found) in found.iter().enumerate() {
            let (block, j, lane) = (at / (R * lanes), at / lanes % R, at % lanes);
            let mut expected = 0;
            for k in 0..R {
                let x = limbs::element(input[(block * R + k) * lanes + lane]);
                let term = field::multiply(x, field::power(omega, (j * k) as u64));
                expected = ((u128::from(expected) + 5 * u128::from(term)) % u128::from(P)) as u64;
            }
            assert_eq!(
                limbs::element(*found),
                expected,
                "output {j} of {R}, {machine:?}"
            );
        }
    }
}

#[test]
fn small_transforms_agree_with_the_definition() {
    small_transforms::<2>();
    small_transforms::<4>();
    small_transforms::<8>();
}

/// Plans on every instruction set, for every size that it has kernels for.
fn every(log_sizes: std::ops::RangeInclusive<u32>) -> Vec<Ntt> {
    let sizes = log_sizes.map(|log| PolynomialSize::new(1 << log).unwrap());
    let machines = |size: PolynomialSize| {
        let fits = move |machine: &Machine| machine.lanes().pow(2) <= size.coefficients();
        let machines = Machine::available().into_iter().filter(fits);
        machines.map(move |machine| Ntt::on(machine, size))
    };
    sizes.flat_map(machines).collect()
}

/// See `limbs`: a sum of two products overflows only if both factors are `−2^31`.
#[test]
fn no_factor_has_two_extreme_limbs() {
    let fine = |f: &Factor| {
        let extreme = |a: i32, b: i32| a == i32::MIN && b == i32::MIN;
        !extreme(f[0], f[2]) && !extreme(f[1], f[3])
    };
    for ntt in every(5..=16) {
        let tables = &ntt.tables;
        for pass in &tables.passes {
            assert!(pass.forward.as_flattened().iter().all(fine));
            assert!(pass.inverse.as_flattened().iter().all(fine));
        }
        assert!(tables.roots.iter().all(fine));
        assert!(tables.lane_roots.iter().all(|&x| x != limbs::BETA));
        for lanes in [&tables.lane_forward, &tables.lane_inverse] {
            for pair in lanes.chunks_exact(2 * ntt.machine.lanes()) {
                let (w, shifted) = pair.split_at(ntt.machine.lanes());
                for (w, shifted) in w.iter().zip(shifted) {
                    let high = |x: u64| (x >> 32) as i32;
                    assert!(fine(&[
                        *w as i32,
                        high(*w),
                        *shifted as i32,
                        high(*shifted)
                    ]));
                }
            }
        }
    }
}

/// Exponents of `ψ`, in the order of the points.
fn exponents(ntt: &Ntt) -> Vec<usize> {
    let lanes = ntt.machine.lanes();
    let order = ntt.size.root_order();
    let at = |&e: &u32| (0..lanes).map(move |lane| (e as usize + lane * order / 64) % order);
    ntt.tables.vector_exponents.iter().flat_map(at).collect()
}

#[test]
fn the_transform_evaluates_at_the_roots() {
    for ntt in every(5..=8) {
        let (n, order) = (ntt.size.coefficients(), ntt.size.root_order());
        let root = field::root_of_unity(order.ilog2());
        let mut next = uniform(n as u64);
        let input: Vec<i64> = (0..n).map(|_| next() as i64 >> 11).collect();
        let mut spectrum = Spectra::zeroed(n);
        ntt.forward_signed(&mut spectrum, &input);
        let mut seen = vec![false; order];
        for (found, exponent) in words(&spectrum).iter().zip(exponents(&ntt)) {
            assert!(exponent % 2 == 1 && !seen[exponent]);
            seen[exponent] = true;
            let point = field::power(root, exponent as u64);
            let mut value = 0;
            for &x in input.iter().rev() {
                let x = i128::from(x) + i128::from(field::multiply(value, point));
                value = x.rem_euclid(i128::from(P)) as u64;
            }
            assert_eq!(limbs::element(*found), value, "N = {n}, {:?}", ntt.machine);
        }
    }
}

/// The product by a sparse factor, by definition; see [`oracle`].
fn sparse_product(torus: &[u64], digits: &[i64]) -> Vec<u64> {
    let mut product = vec![0u64; torus.len()];
    for (j, &digit) in digits.iter().enumerate().filter(|(_, digit)| **digit != 0) {
        for (sum, x) in product.iter_mut().zip(oracle::rotate(torus, j)) {
            *sum = sum.wrapping_add(x.wrapping_mul(digit as u64));
        }
    }
    product
}

fn product_of(ntt: &Ntt, torus: &[u64], digits: &[i64]) -> Vec<u64> {
    let n = torus.len();
    let (mut a, mut b) = (Spectra::zeroed(2 * n), Spectra::zeroed(n));
    let mut sum = Spectra::zeroed(2 * n);
    ntt.forward_torus(&mut a, torus);
    ntt.forward_signed(&mut b, digits);
    ntt.multiply_add(&mut sum, &a, &b);
    let mut found = vec![7; n];
    ntt.inverse_torus(&mut found, &mut sum);
    found
}

#[test]
fn products_are_exact() {
    for ntt in every(5..=10) {
        let n = ntt.size.coefficients();
        let mut next = uniform(n as u64);
        let torus: Vec<u64> = (0..n).map(|_| next()).collect();
        let digits: Vec<i64> = (0..n).map(|_| next() as i64 >> 41).collect();
        let unsigned: Vec<u64> = digits.iter().map(|&x| x as u64).collect();
        let expected = oracle::negacyclic_product(&unsigned, &torus);
        assert!(
            product_of(&ntt, &torus, &digits) == expected,
            "N = {n}, {:?}",
            ntt.machine
        );
    }
    for ntt in every(11..=16) {
        let n = ntt.size.coefficients();
        let mut next = uniform(n as u64);
        let torus: Vec<u64> = (0..n).map(|_| next()).collect();
        let digit = |i: usize| {
            if i.is_multiple_of(n / 64 + 1) {
                next() as i64 >> 41
            } else {
                0
            }
        };
        let digits: Vec<i64> = (0..n).map(digit).collect();
        let expected = sparse_product(&torus, &digits);
        assert!(
            product_of(&ntt, &torus, &digits) == expected,
            "N = {n}, {:?}",
            ntt.machine
        );
    }
}

/// The largest sums that are guaranteed: all limbs `−2^31`, all digits the same.
#[test]
fn the_bound_is_reached_exactly() {
    for ntt in every(5..=10) {
        let n = ntt.size.coefficients();
        let torus = vec![(1 << 63) - (1 << 31); n];
        for sign in [1, -1] {
            let digits = vec![sign * ((1 << 32) - 5) / n as i64; n];
            let unsigned: Vec<u64> = digits.iter().map(|&x| x as u64).collect();
            let expected = oracle::negacyclic_product(&unsigned, &torus);
            assert!(
                product_of(&ntt, &torus, &digits) == expected,
                "N = {n}, {sign}"
            );
        }
    }
}

#[test]
fn every_instruction_set_gives_the_same_elements() {
    for log in 6..=12 {
        let size = PolynomialSize::new(1 << log).unwrap();
        let n = size.coefficients();
        let mut next = uniform(log as u64);
        let torus: Vec<u64> = (0..n).map(|_| next()).collect();
        let mut all = Machine::available().into_iter().map(|machine| {
            let ntt = Ntt::on(machine, size);
            let mut spectrum = Spectra::zeroed(n);
            ntt.forward_digits(&mut spectrum, &torus, Gadget::new(17, 2).unwrap(), 2, &[]);
            let elements = words(&spectrum).iter().map(|&word| limbs::element(word));
            let mut elements: Vec<_> = exponents(&ntt).into_iter().zip(elements).collect();
            elements.sort_unstable();
            elements
        });
        let first = all.next().unwrap();
        assert!(all.all(|other| other == first));
    }
}

/// The block step and the plain product, exactly, for a batch.
#[test]
fn products_by_a_key_are_exact() {
    for ntt in every(5..=8) {
        for (elements, rows, columns) in [(1, 1, 1), (4, 2, 2), (3, 4, 3), (1, 5, 7)] {
            let shape = KeyShape {
                elements,
                rows,
                columns,
            };
            let (n, batch) = (ntt.size.coefficients(), 3);
            let mut next = uniform((n + elements + columns) as u64);
            let mut key = Spectra::zeroed(2 * n * shape.spectra());
            let (mut parts, mut spectrum) = (Vec::new(), Spectra::zeroed(2 * n));
            for number in 0..shape.spectra() {
                let part: Vec<u64> = (0..n).map(|_| next()).collect();
                ntt.forward_torus(&mut spectrum, &part);
                let (row, column) = (number / columns % rows, number % columns);
                let element = number / (rows * columns);
                ntt.place(
                    &mut key,
                    shape,
                    KeyIndex {
                        element,
                        row,
                        column,
                    },
                    &spectrum,
                );
                parts.push(part);
            }
            let digits: Vec<Vec<i64>> = (0..batch * rows)
                .map(|_| (0..n).map(|_| next() as i64 >> 43).collect())
                .collect();
            let mut inputs = Spectra::zeroed(batch * rows * n);
            for (input, digits) in inputs.chunks_exact_mut(n).zip(&digits) {
                ntt.forward_signed(input, digits);
            }
            let exponents: Vec<u32> = (0..batch * elements).map(|_| next() as u32).collect();
            let mut out = Spectra::zeroed(batch * columns * 2 * n);
            for rotated in [true, false] {
                if rotated {
                    ntt.rotate_block(&mut out, &inputs, &key, shape, &exponents, &key);
                } else if elements == 1 {
                    ntt.multiply(&mut out, &inputs, &key, shape);
                } else {
                    continue;
                }
                for (at, out) in out.chunks_exact_mut(2 * n).enumerate() {
                    let (b, column) = (at / columns, at % columns);
                    let mut expected = vec![5u64; n];
                    let mut found = expected.clone();
                    for element in 0..elements {
                        let exponent = exponents[b * elements + element] as usize;
                        for row in 0..rows {
                            let part = &parts[(element * rows + row) * columns + column];
                            let product = sparse_product(part, &digits[b * rows + row]);
                            let moved = oracle::rotate(&product, exponent);
                            for ((sum, x), moved) in expected.iter_mut().zip(product).zip(moved) {
                                let term = if rotated { moved.wrapping_sub(x) } else { x };
                                *sum = sum.wrapping_add(term);
                            }
                        }
                    }
                    ntt.inverse_torus_add(&mut found, out, &key);
                    assert!(found == expected, "N = {n}, {shape:?}, {:?}", ntt.machine);
                }
            }
        }
    }
}
