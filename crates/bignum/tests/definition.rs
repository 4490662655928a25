//! Products by every ladder of small algorithms against the definition.
#![expect(clippy::unwrap_used)]

use bignum::{Modulus, Multiplier, Options, Route};

/// Limbs that look random.
fn numbers(seed: u64, length: usize) -> Vec<u64> {
    let mut state = seed;
    std::iter::repeat_with(|| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    })
    .take(length)
    .collect()
}

fn by(route: Route) -> Multiplier {
    let options = Options {
        route,
        ..Options::default()
    };
    Multiplier::new(0, options).unwrap()
}

#[test]
fn every_small_route_gives_the_product() {
    let schoolbook = by(Route::Schoolbook);
    for route in [Route::Automatic, Route::Karatsuba, Route::Toom] {
        let other = by(route);
        for (n, m) in [
            (1, 1),
            (33, 31),
            (64, 64),
            (65, 200),
            (161, 160),
            (500, 479),
            (1000, 1000),
        ] {
            let (a, b) = (numbers(1, n), numbers(2, m));
            let (mut expected, mut found) = (vec![7; n + m], vec![9; n + m]);
            schoolbook.multiply(&mut expected, &a, &b).unwrap();
            other.multiply(&mut found, &a, &b).unwrap();
            assert_eq!(found, expected, "{route}: {n} by {m}");
            let (mut expected, mut found) = (vec![7; 2 * n], vec![9; 2 * n]);
            schoolbook.multiply(&mut expected, &a, &a).unwrap();
            other.square(&mut found, &a).unwrap();
            assert_eq!(found, expected, "{route}: square of {n}");
        }
    }
}

#[test]
fn an_inverse_is_one() {
    let d = {
        let mut d = numbers(3, 12);
        d[0] |= 1;
        d
    };
    let modulus = Modulus::new(&d, Options::default()).unwrap();
    let a = numbers(4, 11);
    let inverse = modulus.invert_vartime(&a).unwrap().unwrap();
    let mut one = vec![0; 12];
    modulus.multiply(&mut one, &a, &inverse).unwrap();
    assert_eq!(one[0], 1);
    assert_eq!(one[1..], [0; 11]);
}
