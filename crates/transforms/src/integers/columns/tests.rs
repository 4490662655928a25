use super::Columns;
use crate::integers::primes::tests::random;
use rug::Integer;
use rug::integer::Order;

/// GMP's product.
fn product(a: &[u64], b: &[u64]) -> Vec<u64> {
    let number = |limbs| Integer::from_digits(limbs, Order::Lsf);
    let mut limbs = (number(a) * number(b)).to_digits(Order::Lsf);
    limbs.resize(a.len() + b.len(), 0);
    limbs
}

#[test]
fn columns_are_products() {
    let Some(columns) = Columns::detect() else {
        println!("this machine has no columns");
        return;
    };
    // Runs of ones and zeros among them, whose carries go far.
    let operand = |kind: usize, length: usize| -> Vec<u64> {
        let limb = |word: u64| match kind {
            0 => word,
            1 => u64::MAX,
            2 => [0, u64::MAX, 1, 1 << 63][word as usize % 4],
            _ => u64::from(word.is_multiple_of(8)) << (word >> 58),
        };
        random(length, (4 * length + kind) as u64)
            .into_iter()
            .map(limb)
            .collect()
    };
    let lengths = (0..40).flat_map(|n| [(n, n), (n, 40 - n), (n, 1), (Columns::MOST, n)]);
    let most = Columns::MOST;
    for (n, m) in lengths.chain([(most, most), (most - 1, most), (101, 103), (64, 128)]) {
        for kinds in 0..16 {
            let (a, b) = (operand(kinds / 4, n), operand(kinds % 4, m));
            let mut found = vec![0x5555; n + m];
            columns.multiply(&mut found, &a, &b);
            assert!(found == product(&a, &b), "{n} by {m} limbs, kinds {kinds}");
        }
    }
}

#[test]
#[should_panic(expected = "operands by columns")]
fn longer_operands_are_refused() {
    let Some(columns) = Columns::detect() else {
        panic!("operands by columns are not there");
    };
    let a = [1; Columns::MOST + 1];
    columns.multiply(&mut [0; Columns::MOST + 2], &a, &[1]);
}
