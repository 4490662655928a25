//! Forms of bundles against their definition.

use super::*;
use crate::integers::primes::Row;

fn rows(numbers: &[(u16, &[u16])]) -> Vec<Row> {
    let row = |&(factor, summands): &(u16, &[u16])| Row {
        factor,
        summands: summands.to_vec(),
    };
    numbers.iter().map(row).collect()
}

#[test]
fn forms_are_sums_of_products_of_sums() {
    for set in InstructionSet::available() {
        for (length, other) in [(40, 24), (96, 96), (500, 499)] {
            let plan = Plan::for_long_sums(2 * length, set, ONE).unwrap();
            assert_eq!(plan.prime_bits(), 50);
            // All ones are what comes nearest to the bounds.
            let numbers: Vec<Vec<u64>> = (0..23)
                .map(|seed| match seed % 3 {
                    0 => vec![u64::MAX; length],
                    1 => random(length, seed),
                    _ => random(other, seed),
                })
                .collect();
            let (mut bundle, mut work) = (plan.bundle(numbers.len()), plan.spectrum());
            for (index, number) in numbers.iter().enumerate() {
                plan.forward(number, &mut work).unwrap();
                plan.insert(&mut bundle, index, &work).unwrap();
            }
            let all: Vec<u16> = (0..23).collect();
            let forms = [
                rows(&[(0, &all), (7, &all[2..]), (22, &[]), (21, &[21])]),
                rows(&[]),
                rows(&[(3, &[5, 5, 6])]),
            ];
            let mut sums = [(); 3].map(|()| plan.spectrum());
            let borrowed: Vec<&[Row]> = forms.iter().map(Vec::as_slice).collect();
            plan.forms(&mut sums, &bundle, &borrowed).unwrap();
            for (sum, form) in sums.iter_mut().zip(&forms) {
                let mut expected = Integer::new();
                for row in form {
                    let other = row
                        .summands
                        .iter()
                        .map(|&i| integer(&numbers[usize::from(i)]));
                    expected += integer(&numbers[usize::from(row.factor)]) * other.sum::<Integer>();
                }
                let mut out = vec![0xdead; 2 * length + 1];
                plan.inverse(sum, &mut out).unwrap();
                assert_eq!(integer(&out), expected, "{set}: {length}");
            }
        }
    }
}

#[test]
fn what_does_not_fit_a_bundle_is_refused() {
    let plan = Plan::for_long_sums(96, InstructionSet::Scalar, ONE).unwrap();
    let (mut bundle, mut work) = (plan.bundle(2), plan.spectrum());
    plan.forward(&[1; 48], &mut work).unwrap();
    let no_such = |index| Err(PrimesError::NoSuchOperand { index, count: 2 });
    assert_eq!(plan.insert(&mut bundle, 2, &work), no_such(2));
    plan.insert(&mut bundle, 0, &work).unwrap();
    let mut sums = [plan.spectrum()];
    for (factor, summands, index) in [(2, vec![0], 2), (0, vec![1, 7], 7)] {
        let form = [Row { factor, summands }];
        assert_eq!(plan.forms(&mut sums, &bundle, &[&form]), no_such(index));
    }
    let summands = vec![0; plan.most_summands(48) + 1];
    let form = [Row {
        factor: 0,
        summands,
    }];
    assert!(matches!(
        plan.forms(&mut sums, &bundle, &[&form]),
        Err(PrimesError::TooManyTerms { .. })
    ));
    let other = Plan::for_long_sums(1000, InstructionSet::Scalar, ONE).unwrap();
    assert_eq!(
        other.insert(&mut bundle, 0, &other.spectrum()),
        Err(PrimesError::ForeignSpectrum)
    );
    assert_eq!(
        other.forms(&mut [], &bundle, &[]),
        Err(PrimesError::ForeignSpectrum)
    );
}
