//! §VII-A, tables XVI to XXIII: how many gates a unit takes on one core, and how many in a row on
//! enough cores, for operands of N bits and in units of G, the time of a gate.

use serde::Serialize;

use super::Function;

/// The formulas of a unit, written and evaluated.
#[derive(Clone, Copy, Debug, Serialize)]
pub(in super::super) struct Formulas {
    pub(in super::super) table: &'static str,
    pub(in super::super) single: &'static str,
    pub(in super::super) multi: &'static str,
    /// The same for some N.
    pub(in super::super) gates: usize,
    pub(in super::super) depth: usize,
}

/// What the paper says of a unit of n bits, n a power of two.
pub(in super::super) fn formulas(function: Function, n: usize) -> Option<Formulas> {
    let log = n.ilog2() as usize;
    let (table, single, gates, multi, depth) = match function {
        Function::Addition => ("XVI, XVII", "6GN", 6 * n, "2G log N + 2G", 2 * log + 2),
        Function::Subtraction => ("XVIII", "6GN + 2G", 6 * n + 2, "2G log N + 4G", 2 * log + 4),
        Function::ShiftLeft | Function::ShiftRight | Function::ShiftRightArithmetic => {
            ("XIX", "2GN log N", 2 * n * log, "2G log N", 2 * log)
        }
        Function::Multiplication => (
            "XX",
            "7GN²",
            7 * n * n,
            "2GN log N + 3GN",
            2 * n * log + 3 * n,
        ),
        Function::MultiplicationSigned => (
            "XX",
            "7GN² + 6GN",
            7 * n * n + 6 * n,
            "2GN log N + 3GN + 2G log N + 3G",
            2 * n * log + 3 * n + 2 * log + 3,
        ),
        Function::Division => (
            "XXI",
            "7GN² + 2GN",
            7 * n * n + 2 * n,
            "2GN log N + 5GN",
            2 * n * log + 5 * n,
        ),
        Function::And | Function::Or | Function::Xor | Function::OrNot => ("XXII", "GN", n, "G", 1),
        Function::Flags => ("XXIII", "GN + 5G", n + 5, "G log N + 3G", log + 3),
        _ => return None,
    };
    Some(Formulas {
        table,
        single,
        multi,
        gates,
        depth,
    })
}

#[cfg(test)]
mod tests {
    use super::super::GATE;
    use super::*;

    #[test]
    fn formulas_beside_its_single_core() {
        // Where nothing is left out the formula is the time.
        for (function, least, most) in [
            (Function::ShiftLeft, 0.95, 1.0),
            (Function::And, 0.99, 1.01),
            (Function::Flags, 0.95, 1.0),
            // The scan for the carries is N log N, not 3N.
            (Function::Addition, 1.7, 1.8),
            (Function::Multiplication, 1.8, 1.9),
            (Function::Division, 1.8, 1.9),
        ] {
            let (single, _) = function.unit().unwrap().single.unwrap();
            let computed = formulas(function, 16).unwrap().gates as f64 * GATE;
            let ratio = single / computed;
            assert!((least..most).contains(&ratio), "{function:?}: {ratio}");
        }
        assert!(formulas(Function::Not, 16).is_none());
    }
}
