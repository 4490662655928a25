//! Where a sample lies: sixteen memories of 4,096 words, and a bank and an address for each
//! position (equations 10 to 12).
//!
//! A position is the 16-bit number of a sample as it was loaded, four digits to the base 16. Its
//! bank is the sum of the digits modulo 16 (the paper's equation 11 has lost a plus sign before its
//! third term), its address the upper three digits. Sixteen positions that differ in one digit only
//! lie in sixteen banks, so that every group of every stage, and every sixteen consecutive samples
//! that are loaded or read, move in one cycle.

use super::POINTS;

/// Memories of one processor.
pub const BANKS: usize = 16;

/// Words in each of them.
pub const WORDS: usize = POINTS / BANKS;

/// The memory of a position, 0 to 15. Positions from 65,536 up are taken modulo that.
pub const fn bank(position: usize) -> usize {
    ((position >> 12) + (position >> 8) + (position >> 4) + position) % BANKS
}

/// The address in its memory, 0 to 4,095.
pub const fn address(position: usize) -> usize {
    (position >> 4) % WORDS
}

/// The position that lies in a bank at an address.
pub const fn position(bank: usize, address: usize) -> usize {
    let others = (address >> 8) + (address >> 4) + address;
    let lowest = bank.wrapping_sub(others) % BANKS;
    (address % WORDS) << 4 | lowest
}

#[cfg(test)]
mod tests {
    use super::super::stages::group;
    use super::*;

    #[test]
    fn every_place_is_taken_once() {
        for at in 0..POINTS {
            assert_eq!(position(bank(at), address(at)), at);
        }
    }

    #[test]
    fn no_group_meets_in_a_bank() {
        for stride in [4096, 256, 16, 1] {
            for number in 0..POINTS / 16 {
                let banks = group(stride, number).fold(0u16, |banks, at| banks | 1 << bank(at));
                assert_eq!(banks, u16::MAX, "stride {stride}, group {number}");
            }
        }
    }

    #[test]
    fn the_first_rows_are_those_of_figure_5() {
        let row = |address| -> Vec<usize> { (0..16).map(|b| position(b, address)).collect() };
        assert_eq!(row(0), (0..16).collect::<Vec<_>>());
        let second: Vec<usize> = std::iter::once(31).chain(16..31).collect();
        assert_eq!(row(1), second);
    }

    #[test]
    fn without_the_missing_plus_banks_would_collide() {
        // Equation 11 as printed, the two terms side by side read as one number of eight bits,
        // modulo 16 leaves the digit above the lowest out of the sum of the stage that varies the
        // third.
        let printed = |at: usize| ((at >> 12) + (at >> 4 & 0xff) + at) % BANKS;
        let banks = group(256, 0).fold(0u16, |banks, at| banks | 1 << printed(at));
        assert_ne!(banks, u16::MAX);
    }
}
