//! FFTW 3, the library of the system (Debian: libfftw3-dev), with the feature `fftw`.
//!
//! **FFTW is under the GNU General Public License, version 2 or later**: a binary built with this
//! feature may be handed on under that licence only. The feature is off unless asked for, and
//! nothing else needs it.
//!
//! The binding is declared here: three functions that have not changed since version 3.0, of which
//! `fftw_execute_dft` alone may be called by several threads at once (FFTW manual, §5.4).

use super::Made;
use super::adapter::{Adapter, ComplexFft};
use crate::torus::{PolynomialSize, Spectra, TransformError};
use std::ffi::{c_int, c_uint};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// `fftw_plan` points to this.
#[repr(C)]
struct Opaque {
    _private: [u8; 0],
}

#[link(name = "fftw3")]
unsafe extern "C" {
    fn fftw_plan_dft_1d(
        n: c_int,
        from: *mut [f64; 2],
        to: *mut [f64; 2],
        sign: c_int,
        flags: c_uint,
    ) -> *mut Opaque;
    fn fftw_execute_dft(plan: *mut Opaque, from: *mut [f64; 2], to: *mut [f64; 2]);
    fn fftw_destroy_plan(plan: *mut Opaque);
}

const POSITIVE: c_int = 1;
const NEGATIVE: c_int = -1;

/// Measure several algorithms and take the fastest.
const MEASURE: c_uint = 0;
const DESTROY_INPUT: c_uint = 1 << 0;
const UNALIGNED: c_uint = 1 << 1;

/// Everything but executing a plan must happen on one thread at a time.
static PLANNER: Mutex<()> = Mutex::new(());

/// A plan of FFTW's, out of place, for `points` points.
#[derive(Debug)]
struct FftwPlan {
    plan: NonNull<Opaque>,
    points: usize,
    aligned: bool,
}

// SAFETY: a plan is not changed by executing it, which FFTW allows on several threads at once; it
// is made and destroyed under the lock.
unsafe impl Send for FftwPlan {}
// SAFETY: as above.
unsafe impl Sync for FftwPlan {}

impl FftwPlan {
    fn new(points: usize, sign: c_int, aligned: bool) -> Option<Self> {
        let n = c_int::try_from(points).ok()?;
        let (mut from, mut to) = (Spectra::zeroed(2 * points), Spectra::zeroed(2 * points));
        let aligned = aligned && is_aligned(&from) && is_aligned(&to);
        let flags = MEASURE | DESTROY_INPUT | if aligned { 0 } else { UNALIGNED };
        let _alone = PLANNER.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: both buffers have `points` pairs of numbers, which planning overwrites; the plan
        // keeps no pointer to them that is used (only `fftw_execute_dft`, with its own pointers,
        // executes it).
        let plan = unsafe {
            fftw_plan_dft_1d(
                n,
                from.as_mut_ptr().cast(),
                to.as_mut_ptr().cast(),
                sign,
                flags,
            )
        };
        NonNull::new(plan).map(|plan| Self {
            plan,
            points,
            aligned,
        })
    }

    fn execute(&self, from: &mut [f64], to: &mut [f64]) {
        assert!(
            from.len() == 2 * self.points && to.len() == 2 * self.points,
            "{} and {} numbers for {} points",
            from.len(),
            to.len(),
            self.points
        );
        assert!(!self.aligned || (is_aligned(from) && is_aligned(to)));
        let (from, to) = (from.as_mut_ptr().cast(), to.as_mut_ptr().cast());
        // SAFETY: the lengths are those of the plan, the buffers are distinct as both are borrowed
        // mutably, and they are aligned as those of the plan were, or the plan does not need it.
        unsafe { fftw_execute_dft(self.plan.as_ptr(), from, to) };
    }
}

impl Drop for FftwPlan {
    fn drop(&mut self) {
        let _alone = PLANNER.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the plan came from FFTW, is destroyed once, and nobody else can plan meanwhile.
        unsafe { fftw_destroy_plan(self.plan.as_ptr()) };
    }
}

/// Whether a plan for buffers on cache lines may be used on this one: FFTW asks for the alignment
/// that the plan's own had, which for no instruction set is more than that.
fn is_aligned(data: &[f64]) -> bool {
    data.as_ptr().addr().is_multiple_of(64)
}

/// One direction: the fast plan, and one for buffers that a caller has put at odd addresses.
#[derive(Debug)]
struct Direction {
    aligned: FftwPlan,
    unaligned: FftwPlan,
}

impl Direction {
    fn new(points: usize, sign: c_int) -> Option<Self> {
        Some(Self {
            aligned: FftwPlan::new(points, sign, true)?,
            unaligned: FftwPlan::new(points, sign, false)?,
        })
    }

    fn execute(&self, from: &mut [f64], to: &mut [f64]) {
        if is_aligned(from) && is_aligned(to) {
            self.aligned.execute(from, to);
        } else {
            self.unaligned.execute(from, to);
        }
    }
}

#[derive(Debug)]
struct Fftw {
    forward: Direction,
    inverse: Direction,
}

pub(super) fn new(size: PolynomialSize) -> Made {
    let fft = || {
        Some(Fftw {
            forward: Direction::new(size.points(), POSITIVE)?,
            inverse: Direction::new(size.points(), NEGATIVE)?,
        })
    };
    let Some(fft) = fft() else {
        let coefficients = size.coefficients();
        return Some(Err(TransformError::UnsupportedSize { coefficients }));
    };
    Some(Ok(Box::new(Adapter::new(size, fft)?)))
}

impl ComplexFft for Fftw {
    fn forward(&self, from: &mut [f64], to: &mut [f64], _: &mut [f64]) {
        self.forward.execute(from, to);
    }

    fn inverse(&self, from: &mut [f64], to: &mut [f64], _: &mut [f64]) {
        self.inverse.execute(from, to);
    }
}
