//! tfhe-fft bare: a complex transform of N/2 points and its inverse, without conversions,
//! fold or twist. Less than what a blind rotation needs; shown for what the rest costs.

use std::hint::black_box;
use std::time::Duration;

use clock::Failure;
use dyn_stack::{PodBuffer, PodStack};
use tfhe_fft::c64;
use tfhe_fft::unordered::{Method, Plan};

use crate::PEERS;
use crate::side::{Sample, Side};

pub struct Bare {
    plan: Plan,
    buffer: PodBuffer,
    points: Vec<c64>,
}

impl Bare {
    pub fn new(sample: &Sample) -> Self {
        let plan = Plan::new(
            sample.size() / 2,
            Method::Measure(Duration::from_millis(100)),
        );
        let points = sample.digits.chunks_exact(2);
        Self {
            buffer: PodBuffer::new(plan.fft_scratch()),
            points: points
                .map(|pair| c64::new(pair[0] as f64, pair[1] as f64))
                .collect(),
            plan,
        }
    }
}

impl Side for Bare {
    fn name(&self) -> String {
        format!("tfhe-fft 0.10.1 bare {PEERS}")
    }

    fn converts(&self) -> bool {
        false
    }

    fn trip(&mut self) {
        let stack = PodStack::new(&mut self.buffer);
        self.plan.fwd(black_box(&mut self.points), stack);
        self.plan.inv(black_box(&mut self.points), stack);
        // Each trip multiplies by N/2; brought back before the numbers overflow, by a pass that is
        // due every fifty trips and costs a small part of one.
        if self.points[0].norm_sqr() > 1e200 {
            for point in &mut self.points {
                *point *= 1e-150;
            }
        }
    }

    fn worst_error(&mut self, _: &Sample) -> Result<Option<f64>, Failure> {
        let before = self.points.clone();
        self.trip();
        let scale = 1.0 / before.len() as f64;
        for (point, before) in self.points.iter_mut().zip(&before) {
            *point *= scale;
            if (*point - before).norm() > 1e-3 {
                return Err(format!("{} does not come back", self.name()).into());
            }
        }
        Ok(None)
    }
}
