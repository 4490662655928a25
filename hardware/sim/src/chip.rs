//! The simulated circuit as a device behind `bignum`: whatever multiplies long numbers, a scheme of
//! Gentry and Halevi's, multiplies on it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bignum::device::Device;
use bignum::paper::OPERAND_LIMBS;

use crate::{Command, Engine, Lanes};

/// From how many limbs the chip takes products: a limb's would keep it as busy as the longest.
const SHORTEST: usize = 1024;

/// As many circuits as threads ask for, and what they did.
pub struct Chip {
    lanes: Lanes,
    idle: Mutex<Vec<Engine>>,
    products: AtomicU64,
    cycles: AtomicU64,
}

impl Chip {
    /// Of circuits with so many lanes.
    pub fn new(lanes: Lanes) -> Self {
        Self {
            lanes,
            idle: Mutex::default(),
            products: AtomicU64::new(0),
            cycles: AtomicU64::new(0),
        }
    }

    /// Whether a chip takes products of numbers of so many limbs.
    pub fn has_room_for(a: usize, b: usize) -> bool {
        a.min(b) >= SHORTEST && a.max(b) <= OPERAND_LIMBS
    }

    /// Products since the last call, and the cycles that they took.
    pub fn take(&self) -> (u64, u64) {
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        (take(&self.products), take(&self.cycles))
    }

    fn count(&self, cycles: usize) {
        self.products.fetch_add(1, Ordering::Relaxed);
        self.cycles.fetch_add(cycles as u64, Ordering::Relaxed);
    }
}

impl Device for Chip {
    fn takes(&self, a: usize, b: usize) -> bool {
        Self::has_room_for(a, b)
    }

    fn multiply(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let free = idle().pop();
        let mut engine = free.unwrap_or_else(|| Engine::new(self.lanes));
        let command = if std::ptr::eq(a, b) {
            Command::Square
        } else {
            Command::Multiply
        };
        let product = engine.run(command, a, b);
        out.copy_from_slice(&product.limbs[..out.len()]);
        assert!(product.limbs[out.len()..].iter().all(|&limb| limb == 0));
        self.count(product.cycles);
        idle().push(engine);
    }
}
