//! tfhe-fft with conversions from digits and to the torus, for machines with AVX2.
//!
//! tfhe-rs itself cannot stand here: version 1.8.2 asks for tfhe-fft's AVX-512 kernels whatever its
//! own features say. So tfhe-fft is built alone, without them, and the conversions are this
//! file's: fold and twist before the transform, twist back, residue modulo 2^64 and addition
//! after it, in loops that the compiler turns into AVX2. A peer of its own making might do
//! better; the side without conversions is what it could reach at best.

use std::f64::consts::PI;
use std::hint::black_box;
use std::time::Duration;

use clock::Failure;
use dyn_stack::{PodBuffer, PodStack};
use tfhe_fft::c64;
use tfhe_fft::unordered::{Method, Plan};
use transforms::torus::Fft;

use crate::PEERS;
use crate::side::{Sample, Side};

/// 1.5·2^52: the sum with a smaller number has that number, rounded, in its low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
const TWO_32: f64 = 4_294_967_296.0;
const TWO_64: f64 = TWO_32 * TWO_32;

pub struct Converted {
    transform: Negacyclic,
    digits: Vec<i64>,
    points: Vec<c64>,
    sum: Vec<u64>,
}

struct Negacyclic {
    plan: Plan,
    buffer: PodBuffer,
    /// exp(iπj/N).
    twist: Vec<c64>,
}

impl Converted {
    pub fn new(sample: &Sample) -> Result<Self, Failure> {
        if !Fft::Avx2.is_available() {
            return Err("the conversions are for AVX2".into());
        }
        let size = sample.size();
        let plan = Plan::new(size / 2, Method::Measure(Duration::from_millis(100)));
        let angle = |at: usize| PI * at as f64 / size as f64;
        let transform = Negacyclic {
            buffer: PodBuffer::new(plan.fft_scratch()),
            twist: (0..size / 2).map(|at| c64::cis(angle(at))).collect(),
            plan,
        };
        Ok(Self {
            transform,
            digits: sample.digits.clone(),
            points: vec![c64::new(0.0, 0.0); size / 2],
            sum: sample.torus.clone(),
        })
    }
}

impl Negacyclic {
    fn forward(&mut self, points: &mut [c64], digits: &[i64]) {
        // SAFETY: `Converted::new` found the features.
        unsafe { fold(points, digits, &self.twist) };
        self.plan.fwd(points, PodStack::new(&mut self.buffer));
    }

    fn inverse_add(&mut self, sum: &mut [u64], points: &mut [c64]) {
        self.plan.inv(points, PodStack::new(&mut self.buffer));
        // SAFETY: `Converted::new` found the features.
        unsafe { unfold(sum, points, &self.twist) };
    }
}

/// (low + i·high)·twist, of integers below 2^51 in magnitude.
#[target_feature(enable = "avx2,fma")]
fn fold(points: &mut [c64], digits: &[i64], twist: &[c64]) {
    let (low, high) = digits.split_at(points.len());
    let float = |digit: i64| f64::from_bits(ROUNDER.to_bits().wrapping_add(digit as u64)) - ROUNDER;
    for (((point, low), high), twist) in points.iter_mut().zip(low).zip(high).zip(twist) {
        let (low, high) = (float(*low), float(*high));
        point.re = low.mul_add(twist.re, -(high * twist.im));
        point.im = low.mul_add(twist.im, high * twist.re);
    }
}

/// Adds the points, twisted back and divided by their number, to low and high, modulo 2^64.
#[target_feature(enable = "avx2,fma")]
fn unfold(sum: &mut [u64], points: &[c64], twist: &[c64]) {
    let (low, high) = sum.split_at_mut(points.len());
    let scale = 1.0 / points.len() as f64;
    let word = |x: f64| {
        let multiple = x.mul_add(1.0 / TWO_64, ROUNDER) - ROUNDER;
        let x = multiple.mul_add(-TWO_64, x);
        let upper = x.mul_add(1.0 / TWO_32, ROUNDER);
        let lower = (upper - ROUNDER).mul_add(-TWO_32, x) + ROUNDER;
        // The rounder's own low half is zero.
        (upper.to_bits() << 32)
            .wrapping_add(lower.to_bits())
            .wrapping_sub(ROUNDER.to_bits())
    };
    for (((point, low), high), twist) in points.iter().zip(low).zip(high).zip(twist) {
        let (re, im) = (point.re * scale, point.im * scale);
        *low = low.wrapping_add(word(re.mul_add(twist.re, im * twist.im)));
        *high = high.wrapping_add(word(im.mul_add(twist.re, -(re * twist.im))));
    }
}

impl Side for Converted {
    fn name(&self) -> String {
        format!("tfhe-fft 0.10.1 {PEERS}")
    }

    fn trip(&mut self) {
        self.transform
            .forward(&mut self.points, black_box(&self.digits));
        self.transform
            .inverse_add(&mut self.sum, black_box(&mut self.points));
    }

    fn worst_error(&mut self, sample: &Sample) -> Result<Option<f64>, Failure> {
        // The torus polynomial in digits of 32 bits, each a product of its own.
        let mut result = vec![0; sample.size()];
        let mut digits = vec![c64::new(0.0, 0.0); sample.size() / 2];
        self.transform.forward(&mut digits, &sample.digits);
        for shift in [0, 32] {
            let part = sample
                .torus
                .iter()
                .map(|word| i64::from((word >> shift) as u32));
            let mut part_points = digits.clone();
            self.transform
                .forward(&mut part_points, &part.collect::<Vec<_>>());
            for (point, digit) in part_points.iter_mut().zip(&digits) {
                *point *= digit;
            }
            let mut product = vec![0; sample.size()];
            self.transform.inverse_add(&mut product, &mut part_points);
            for (result, product) in result.iter_mut().zip(product) {
                *result = u64::wrapping_add(*result, product << shift);
            }
        }
        sample.judge(&self.name(), &result).map(Some)
    }
}
