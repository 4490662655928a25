//! What the paper printed: Boale Bomolo, Ntumba Badibanga, Mbuyi Mukendi, Performance of adder
//! architectures on encrypted integers, IJEAT 10(6), August 2021, tables III and IV, in seconds.
//! The number in parentheses behind each time is that of the operands, the one behind the Xeon that
//! of its processors.

use serde::Serialize;

pub(super) const TITLE: &str = "Performance of Adder Architectures on Encrypted Integers";
pub(super) const SOURCE: &str = "P. Boale Bomolo, S. Ntumba Badibanga, E. Mbuyi Mukendi, 2021";
/// Bits of a number.
pub(super) const WIDTH: usize = 16;

/// The columns.
pub(super) const MACHINES: [Machine; 3] = [
    Machine {
        name: "AMD E1-2100, 1.0 GHz",
        processors: 1,
    },
    Machine {
        name: "Intel Core i5-3210, 2.5 GHz",
        processors: 1,
    },
    Machine {
        name: "Intel Xeon 5120, 1.86 GHz (2)",
        processors: 2,
    },
];

/// Numbers of the columns to compare with: the better of one processor, and that of two.
pub(super) const ONE_PROCESSOR: usize = 1;
pub(super) const TWO_PROCESSORS: usize = 2;

/// A column.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Machine {
    pub(super) name: &'static str,
    pub(super) processors: usize,
}

/// A row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Row {
    pub(super) name: &'static str,
    /// How many numbers are added.
    pub(super) operands: usize,
    /// In the order of [`MACHINES`].
    pub(super) seconds: [f64; 3],
}

const fn row(name: &'static str, operands: usize, seconds: [f64; 3]) -> Row {
    Row {
        name,
        operands,
        seconds,
    }
}

/// Table III, the sum of two numbers, and of three for the carry-save adder.
pub(super) const TWO: [Row; 4] = [
    row("RCA", 2, [131.0, 109.0, 55.0]),
    row("CLA", 2, [109.0, 90.0, 46.0]),
    row("CSA", 3, [247.0, 205.0, 105.0]),
    row("CSSA", 2, [393.0, 325.0, 167.0]),
];

/// Table IV, the sum of four numbers.
pub(super) const FOUR: [Row; 4] = [
    row("RCA", 4, [393.0, 333.0, 167.0]),
    row("CLA", 4, [326.0, 279.0, 139.0]),
    row("CSA", 4, [378.0, 322.0, 161.0]),
    row("WALLACE", 4, [377.0, 320.0, 161.0]),
];

/// The best time of a column.
pub(super) fn best(rows: &[Row], machine: usize) -> f64 {
    let times = rows.iter().map(|row| row.seconds[machine]);
    times.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[Row], name: &str) -> Row {
        *rows.iter().find(|row| row.name == name).unwrap()
    }

    /// A share in percent, rounded down as the paper does.
    fn saved(less: f64, more: f64) -> f64 {
        (100.0 * (1.0 - less / more)).floor()
    }

    #[test]
    fn the_percentages_of_its_text() {
        let (rca, cla, cssa) = (of(&TWO, "RCA"), of(&TWO, "CLA"), of(&TWO, "CSSA"));
        // "reduced by 16 % from processor 1 to processor 2 … by 58 % from processor 1 to 3".
        assert_eq!(saved(rca.seconds[1], rca.seconds[0]), 16.0);
        assert_eq!(saved(rca.seconds[2], rca.seconds[0]), 58.0);
        for machine in 0..3 {
            // "16 % on average on all processors of the carry propagation technique and by 72 % of
            // the selective carry technique".
            let of_rca = saved(cla.seconds[machine], rca.seconds[machine]);
            assert!((16.0..=17.0).contains(&of_rca), "{of_rca}");
            assert_eq!(saved(cla.seconds[machine], cssa.seconds[machine]), 72.0);
        }
    }

    #[test]
    fn the_best_are_look_ahead() {
        for rows in [TWO, FOUR] {
            for machine in 0..3 {
                assert_eq!(best(&rows, machine), of(&rows, "CLA").seconds[machine]);
            }
        }
        assert_eq!(best(&FOUR, ONE_PROCESSOR), 279.0);
        // "a 50 % improvement was seen on all adders".
        for row in TWO.iter().chain(&FOUR) {
            let halved = saved(row.seconds[TWO_PROCESSORS], row.seconds[ONE_PROCESSOR]);
            assert!((48.0..=50.0).contains(&halved), "{row:?}");
        }
    }
}
