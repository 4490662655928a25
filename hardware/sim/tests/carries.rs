//! Carries of 64 segments, with sums that carries run through.

mod random;

use blindcore_hardware::{Carries, Digits, Lanes};
use random::Random;
use rug::Integer;
use rug::integer::Order;

const ROWS: usize = 1024;
const POINTS: usize = 64 * ROWS;
const FULL: u64 = 0xFF_FFFF;

/// Digits of 24 bits.
fn digits(number: &Integer) -> Vec<u32> {
    let mut bytes = vec![0; 3 * POINTS];
    let found = number.to_digits::<u8>(Order::Lsf);
    let kept = found.len().min(bytes.len());
    bytes[..kept].copy_from_slice(&found[..kept]);
    bytes
        .chunks(3)
        .map(|digit| u32::from_le_bytes([digit[0], digit[1], digit[2], 0]))
        .collect()
}

/// The sum of `sums[i] 2^(24 i)`, of any words, as three numbers whose digits do not meet.
fn value(sums: &[u64]) -> Integer {
    (0..3).fold(Integer::new(), |sum, phase| {
        let mut bytes = vec![0; 3 * sums.len() + 16];
        for at in (phase..sums.len()).step_by(3) {
            bytes[3 * at..][..8].copy_from_slice(&sums[at].to_le_bytes());
        }
        let limbs: Vec<u64> = bytes
            .chunks(8)
            .map(|bytes| {
                bytes
                    .iter()
                    .rev()
                    .fold(0, |limb, &byte| limb << 8 | u64::from(byte))
            })
            .collect();
        sum + Integer::from_digits(&limbs, Order::Lsf)
    })
}

/// A segment of one of the kinds that carries have to do with.
fn segment(random: &mut Random) -> Vec<u64> {
    let kind = random.word() % 8;
    let at = random.word() as usize % ROWS;
    let mut word = || random.word() >> 1;
    (0..ROWS)
        .map(|row| match kind {
            0 => word(),
            // Full digits, all of them or but one.
            1 => FULL,
            2 => FULL - u64::from(row == at),
            // A carry from below full digits, which runs to the end; from the last but two.
            3 => FULL + u64::from(row == at),
            4 => FULL + u64::from(row == ROWS - 3),
            // A sum that is felt two digits above, and nothing.
            5 if row + 3 == ROWS => u64::MAX >> 1,
            5 | 6 => 0,
            _ if row > ROWS - 4 => FULL,
            _ => word(),
        })
        .collect()
}

fn check(circuit: &mut Carries, seeds: std::ops::Range<u64>) {
    let (mut decided, mut exceeding) = (0, 0);
    for seed in seeds {
        let mut random = Random(seed);
        let mut sums: Vec<u64> = (0..POINTS).map(|_| random.word() >> 1).collect();
        let (segment, last) = (seed as usize / 4 % 64, ROWS - 1);
        let its = &mut sums[segment * ROWS..][..ROWS];
        // Whether carries have to be decided, where that is known.
        let decided_here = match seed % 4 {
            // Carries that run through every segment: 2^(24·65536) - 1 and one in the lowest digit.
            0 => {
                sums = vec![FULL; POINTS];
                sums[segment % 3] += 1;
                Some(true)
            }
            // Through one; what the highest passes on, nobody asks.
            1 => {
                its.fill(FULL);
                its[0] += 1;
                Some(segment < 63)
            }
            // The last digit alone is full, and no other.
            2 => {
                its[last - 3..].copy_from_slice(&[0, 0, 0, FULL]);
                Some(false)
            }
            _ => {
                sums = (0..64).flat_map(|_| self::segment(&mut random)).collect();
                None
            }
        };
        let found = circuit.run(&sums, &vec![0; POINTS], false);
        let sum = value(&sums);
        assert!(found.digits == digits(&sum), "seed {seed}");
        let exceeds = sum.significant_bits() > 24 * POINTS as u32;
        assert_eq!(found.exceeds, exceeds, "seed {seed}");
        exceeding += usize::from(exceeds);
        if let Some(right) = decided_here {
            assert_eq!(found.decided, right, "seed {seed}");
        }
        decided += usize::from(found.decided);
    }
    println!("{decided} decided, {exceeding} too long");
}

/// The lower half of the sum is zero, by what is added.
fn check_exact(circuit: &mut Carries, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut random = Random(seed);
        let mut sums: Vec<u64> = (0..64).flat_map(|_| segment(&mut random)).collect();
        let half = 24 * POINTS as u32 / 2;
        let lower = value(&sums[..POINTS / 2]).keep_bits(half);
        let mut added = digits(&((Integer::from(1) << half) - lower).keep_bits(half));
        // Added at random, or nothing, so that carries run through the upper half.
        for digit in &mut added[POINTS / 2..] {
            *digit = (random.word() & FULL) as u32 * (seed % 2) as u32;
        }
        let words: Vec<u64> = added.iter().map(|&digit| digit.into()).collect();
        if seed % 4 == 2 {
            // The segment above the lower half has full digits together with what that leaves, and
            // passes nothing on.
            let leaves = (value(&sums[..POINTS / 2]) + value(&words[..POINTS / 2])) >> half;
            let full = (Integer::from(1) << (24 * ROWS as u32)) - 1u32 - leaves;
            for (sum, digit) in sums[POINTS / 2..].iter_mut().zip(&digits(&full)[..ROWS]) {
                *sum = u64::from(*digit);
            }
        }
        let right = digits(&(value(&sums) + value(&words)));
        let Digits { digits, .. } = circuit.run(&sums, &added, true);
        assert!(
            digits[..POINTS / 2].iter().all(|&digit| digit == 0),
            "seed {seed}"
        );
        assert!(digits == right, "seed {seed}");
    }
}

#[test]
fn sums_of_sixteen_lanes() {
    let mut circuit = Carries::new(Lanes::Sixteen);
    // Through each segment.
    check(&mut circuit, 0..256);
    check_exact(&mut circuit, 0..40);
}

#[cfg(feature = "whole")]
#[test]
fn sums_of_sixty_four_lanes() {
    let mut circuit = Carries::new(Lanes::SixtyFour);
    check(&mut circuit, 0..400);
    check_exact(&mut circuit, 0..200);
}
