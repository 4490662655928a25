//! Every law, on every size and every FFT processor that this machine has.

#![expect(clippy::unwrap_used, clippy::panic)]

use blindcore_transforms::torus::{Fft, Plan, PolynomialSize, TransformError, laws};

/// Every processor serves the rings of the parameter sets; the smallest and the largest, some
/// refuse.
fn plan(fft: Fft, log: u32) -> Option<Plan> {
    match Plan::new(PolynomialSize::new(1 << log).unwrap(), fft) {
        Ok(plan) => Some(plan),
        Err(TransformError::UnsupportedSize { coefficients }) => {
            assert!(
                !(7..=12).contains(&log),
                "{fft} has no transform of {coefficients}"
            );
            None
        }
        Err(error) => panic!("{fft}: {error}"),
    }
}

#[test]
#[ignore = "slow: 8 s"]
fn every_plan_keeps_every_law() {
    for fft in Fft::available() {
        for log in 5..=13 {
            let Some(plan) = plan(fft, log) else { continue };
            println!("{fft} N=2^{log}: {:.1?}", laws::all(&plan));
        }
    }
}

#[test]
fn the_largest_rings_too() {
    for fft in Fft::available() {
        for log in 14..=16 {
            let Some(plan) = plan(fft, log) else { continue };
            laws::values_at_roots(&plan);
            laws::monomials_rotate(&plan);
            println!(
                "{fft} N=2^{log}: {:.1}, {:.1}",
                laws::round_trip(&plan),
                laws::product(&plan, 23)
            );
        }
    }
}

#[test]
fn names_are_read_as_they_are_written() {
    for &fft in Fft::ALL {
        assert_eq!(fft.to_string().parse(), Ok(fft));
    }
    assert_eq!("Scalar".parse::<Fft>(), Err(TransformError::UnknownFft));
    let message = TransformError::UnknownFft.to_string();
    assert!(
        Fft::available()
            .iter()
            .all(|fft| message.contains(fft.name())),
        "{message}"
    );
}

#[test]
fn other_sizes_are_refused() {
    for coefficients in [0, 1, 16, 48, 1 << 17, usize::MAX] {
        let refusal = TransformError::UnsupportedSize { coefficients };
        assert_eq!(PolynomialSize::new(coefficients), Err(refusal));
    }
}

#[test]
#[should_panic(expected = "spectrum has 32 numbers: 1 times 64 are expected")]
fn a_slice_of_the_wrong_length_is_named() {
    let plan = Plan::new(PolynomialSize::new(64).unwrap(), Fft::detect()).unwrap();
    plan.forward_signed(&mut [0.0; 32], &[0; 64]);
}
