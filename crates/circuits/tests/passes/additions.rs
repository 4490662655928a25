//! Additions by fours, where nobody needs their bits as bits.

use blindcore_circuits::passes::{self, cost};
use blindcore_circuits::{Builder, Circuit, Profile, Wire, library, sim};

/// Words of this many columns.
const WIDTHS: [usize; 6] = [3, 4, 9, 16, 30, 32];

fn selectors() -> Profile {
    Profile::selector_simulation()
}

/// Prepares what is made of two words, and compares it with what was recorded.
fn prepared(
    profile: &Profile,
    width: usize,
    make: impl Fn(&mut Builder, &[Wire], &[Wire]) -> Vec<Wire>,
) -> Circuit {
    let mut b = Builder::new(profile);
    let (x, y) = (b.inputs(width), b.inputs(width));
    for wire in make(&mut b, &x, &y) {
        b.output(wire);
    }
    let circuit = b.finish();
    let prepared = passes::prepare(&circuit, profile);
    let mut state = 1_u64;
    for _ in 0..8 {
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(11);
            state ^ state >> 29
        };
        let inputs: Vec<u64> = (0..2 * width).map(|_| random()).collect();
        let [before, after] =
            [&circuit, &prepared].map(|circuit| sim::evaluate(circuit, &inputs).unwrap());
        assert_eq!(before, after, "{width}");
    }
    prepared
}

fn bootstraps(circuit: &Circuit, profile: &Profile) -> usize {
    cost(circuit, profile).bootstraps
}

#[test]
fn sums_that_are_decrypted_take_four_columns() {
    let profile = selectors();
    for width in WIDTHS {
        let fours = width.div_ceil(4);
        for make in [library::add, library::subtract] {
            let sum = prepared(&profile, width, make);
            assert_eq!(bootstraps(&sum, &profile), fours, "{width}");
        }
        // Of another XOR, and of each other.
        let summed = prepared(&profile, width, |b, x, y| {
            let (sum, difference) = (library::add(b, x, y), library::subtract(b, x, y));
            let both = library::xor(b, &sum, &difference);
            library::xor(b, &both, x)
        });
        assert_eq!(bootstraps(&summed, &profile), 2 * fours, "{width}");
    }
}

#[test]
fn carries_that_are_read_alone_take_four_columns() {
    for profile in [selectors(), Profile::lookup_simulation()] {
        for width in WIDTHS {
            let carry = prepared(&profile, width, |b, x, y| {
                vec![library::add_with_carry(b, x, y, Wire::TRUE).carry]
            });
            let taken = bootstraps(&carry, &profile);
            assert_eq!(taken, width.div_ceil(4), "{width}");
        }
    }
}

#[test]
fn bits_that_somebody_reads_take_three() {
    let profile = selectors();
    for width in WIDTHS {
        let threes = width.div_ceil(3);
        // One bit that a lookup reads is enough; so is overflow.
        let read = prepared(&profile, width, |b, x, y| {
            let mut sum = library::add(b, x, y);
            let both = b.and(sum[width - 1], sum[0]);
            sum.push(both);
            sum
        });
        let taken = bootstraps(&read, &profile);
        assert!((threes..=threes + 1).contains(&taken), "{width}: {taken}");
        let overflow = prepared(&profile, width, |b, x, y| {
            let added = library::add_with_carry(b, x, y, Wire::FALSE);
            [added.sum, vec![added.carry, added.overflow]].concat()
        });
        let taken = bootstraps(&overflow, &profile);
        assert!((threes..=threes + 1).contains(&taken), "{width}: {taken}");
        // Without selectors there are no halves.
        let lookups = Profile::lookup_simulation();
        let sum = prepared(&lookups, width, library::add);
        assert_eq!(bootstraps(&sum, &lookups), threes, "{width}");
    }
}

/// A comparison of the same words reads the carries of their difference: they are not computed twice.
#[test]
fn what_is_shared_stays_shared() {
    let profile = selectors();
    for width in WIDTHS {
        let shared = prepared(&profile, width, |b, x, y| {
            let not = library::not(y);
            let carry = library::add_with_carry(b, x, &not, Wire::TRUE).carry;
            let mut sum = library::subtract(b, x, y);
            sum.push(carry);
            sum
        });
        assert_eq!(bootstraps(&shared, &profile), width.div_ceil(4), "{width}");
    }
}

/// Constant, equal and opposite columns, sums of sums, and operands that are too noisy for a weight of 8.
#[test]
fn columns_of_all_kinds() {
    let profile = selectors();
    for width in WIDTHS {
        prepared(&profile, width, |b, x, y| {
            let mut z = y.to_vec();
            z[0] = x[0];
            z[width / 2] = Wire::TRUE;
            z[width - 1] = !x[width - 1];
            library::add(b, x, &z)
        });
        prepared(&profile, width, |b, x, y| {
            let low = library::add(b, &x[..width / 2], &y[..width / 2]);
            let constant = library::constant(0x5a5a_1234, width / 2);
            let more = library::add(b, &low, &constant);
            let padded: Vec<Wire> = more.into_iter().chain(x.iter().copied()).collect();
            library::add(b, &padded[..width], y)
        });
        let noisy = prepared(&profile, width, |b, x, y| {
            let mut sum = library::add(b, x, y);
            for _ in 0..3 {
                sum.rotate_left(1);
                sum = library::add(b, &sum, x);
            }
            sum
        });
        let noise = passes::noise(&noisy, &profile.lookup.unwrap().noise);
        assert!(noise.worst <= profile.lookup.unwrap().noise.limit);
    }
}
