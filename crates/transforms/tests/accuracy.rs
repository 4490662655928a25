//! The accuracy that is reported for each processor, from both sides: an error that is too small
//! would mean that nothing was measured.

use blindcore_transforms::torus::{Fft, Plan, PolynomialSize, TransformError, accuracy};

/// 53-bit arithmetic in `log2 N` levels leaves about `2^-53·√(log2 N)` of a product's rms (see
/// `blindcore_transforms::torus::laws`); a processor is within 2 bits of that, or exact.
#[test]
fn complex_processors_have_the_error_of_their_arithmetic() {
    for n in [64, 1024, 2048] {
        for fft in Fft::available() {
            let plan = match Plan::new(PolynomialSize::new(n).unwrap(), fft) {
                Ok(plan) => plan,
                Err(TransformError::UnsupportedSize { .. }) => continue,
                Err(error) => panic!("{error}"),
            };
            let found = accuracy::measure(&plan, 23).unwrap();
            println!(
                "{fft} N={n}: {:?}, {:?}",
                found.rms_bits(),
                found.worst_bits()
            );
            if plan.is_exact() {
                assert_eq!((found.rms, found.worst), (0.0, 0.0));
                continue;
            }
            let n = n as f64;
            let product = n.sqrt() * 2f64.powi(63 + 22) / 3.0;
            let expected = (product * 2f64.powi(-53) * n.log2().sqrt()).log2();
            let rms = found.rms_bits().unwrap();
            assert!(
                (rms - expected).abs() < 2.0,
                "{fft}: 2^{rms}, expected about 2^{expected}"
            );
            // The largest of 4,096 Gaussian errors is at 3.9 deviations in the mean.
            let ratio = found.worst / found.rms;
            assert!(
                (3.0..6.0).contains(&ratio),
                "{fft}: the largest is {ratio} deviations"
            );
        }
    }
}

#[test]
fn digits_that_no_gadget_has_are_refused() {
    let plan = Plan::new(PolynomialSize::new(64).unwrap(), Fft::Scalar).unwrap();
    for base_log in [0, 53] {
        let refusal = TransformError::UnsupportedGadget {
            base_log,
            levels: 1,
        };
        assert_eq!(accuracy::measure(&plan, base_log), Err(refusal));
    }
}
