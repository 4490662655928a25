//! Every law, on every size and every instruction set that this machine has.

use transforms::{Isa, Plan, PolynomialSize, TransformError, laws};

#[test]
fn every_plan_keeps_every_law() {
    for isa in Isa::available() {
        for log in 5..=13 {
            let plan = Plan::new(PolynomialSize::new(1 << log).unwrap(), isa).unwrap();
            println!("{isa} N=2^{log}: {:.1?}", laws::all(&plan));
        }
    }
}

#[test]
fn the_largest_rings_too() {
    for isa in Isa::available() {
        for log in 14..=16 {
            let plan = Plan::new(PolynomialSize::new(1 << log).unwrap(), isa).unwrap();
            laws::values_at_roots(&plan);
            laws::monomials_rotate(&plan);
            println!(
                "{isa} N=2^{log}: {:.1}, {:.1}",
                laws::round_trip(&plan),
                laws::product(&plan, 23)
            );
        }
    }
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
    let plan = Plan::new(PolynomialSize::new(64).unwrap(), Isa::detect()).unwrap();
    plan.forward_signed(&mut [0.0; 32], &[0; 64]);
}
