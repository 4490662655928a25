//! A number of many bits that is to be one of few values: the bits that tell these apart, and
//! whether it is one of them.
//!
//! An index of 32 bits into sixteen entries has four bits that matter and 28 that must be 0. Beside
//! an offset it is less plain: the entries of `a[i + 1]` are at i = −1, 0, …, 14, whose upper bits
//! are all 1 or all 0. So bits are compared *over the wanted values*: those that are the same in
//! all of them must have that value; of those that are equal to each other (or opposite) one
//! remains, and the others must agree with it. No adder moves the index, and the remaining bits
//! alone are decoded.
//!
//! Cost: a lookup for fifteen bits that must be something.

use std::collections::HashMap;

use crate::{Builder, Wire};

/// The bits that tell the wanted values of a number apart.
///
/// ```
/// use blindcore_circuits::library::Code;
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// // Of addresses 0x1000, 0x1004, 0x1008 and 0x100c two bits matter; all others must be as they are.
/// let address = b.inputs(32);
/// let code = Code::new(b, &address, &[0x1000, 0x1004, 0x1008, 0x100c]);
/// assert_eq!(code.index, [address[2], address[3]]);
/// // Whatever these two bits are, they name one of the addresses.
/// assert!(code.is_total());
/// assert_eq!(code.valid.as_constant(), None);
/// ```
#[derive(Clone, Debug)]
pub struct Code {
    /// They, lowest first.
    pub index: Vec<Wire>,
    /// Whether the number is among the wanted values, wherever `index` has one of
    /// [`values`](Self::values).
    pub valid: Wire,
    /// What `index` reads for each wanted value that the number can have: its place among those
    /// given, and the value; ascending by the value.
    pub values: Vec<(u32, usize)>,
}

impl Code {
    /// The code of the number that `bits` write, at most 32 of them, lowest first, for these values
    /// of it, all different. A value that the number's constant or repeated bits exclude drops out.
    pub fn new(b: &mut Builder, bits: &[Wire], wanted: &[u32]) -> Self {
        let bit = |value: u32, at: usize| value.checked_shr(at as u32).unwrap_or(0) & 1 == 1;
        // Each signal once, with the places where it stands and whether inverted there.
        let mut first: Vec<usize> = Vec::new();
        let mut seen: HashMap<Wire, usize> = HashMap::new();
        for (at, wire) in bits.iter().enumerate() {
            if wire.as_constant().is_none() {
                seen.entry(wire.positive()).or_insert_with(|| {
                    first.push(at);
                    at
                });
            }
        }
        let possible = |value: u32| {
            bits.iter().enumerate().all(|(at, wire)| {
                let expected = match wire.as_constant() {
                    Some(constant) => constant,
                    None => {
                        let other = seen.get(&wire.positive()).copied().unwrap_or(at);
                        bit(value, other) ^ bits[other].is_inverted() ^ wire.is_inverted()
                    }
                };
                bit(value, at) == expected
            }) && value.checked_shr(bits.len() as u32).unwrap_or(0) == 0
        };
        let kept: Vec<usize> = (0..wanted.len())
            .filter(|&at| possible(wanted[at]))
            .collect();
        if kept.is_empty() {
            return Self {
                index: Vec::new(),
                valid: Wire::FALSE,
                values: Vec::new(),
            };
        }

        // A bit's column over the values, from a 0 on: equal columns are equal or opposite bits.
        let mut classes: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut members: Vec<Vec<(Wire, usize)>> = Vec::new();
        let mut must = Vec::new();
        for &at in &first {
            let flip = bit(wanted[kept[0]], at);
            let mut column = vec![0u64; kept.len().div_ceil(64)];
            for (row, &value) in kept.iter().enumerate() {
                column[row / 64] |= u64::from(bit(wanted[value], at) ^ flip) << (row % 64);
            }
            let wire = bits[at].invert_if(flip);
            if column.iter().all(|&word| word == 0) {
                must.push(!wire);
                continue;
            }
            let class = *classes.entry(column).or_insert(members.len());
            match members.get_mut(class) {
                Some(members) => members.push((wire, at)),
                None => members.push(vec![(wire, at)]),
            }
        }
        for members in &members {
            let wires: Vec<Wire> = members.iter().map(|(wire, _)| *wire).collect();
            if wires.len() > 1 {
                let (none, all) = (!b.any(&wires), b.all(&wires));
                must.push(b.or(none, all));
            }
        }
        let valid = b.all(&must);
        let index: Vec<Wire> = members.iter().map(|members| bits[members[0].1]).collect();
        let mut values: Vec<(u32, usize)> =
            kept.into_iter()
                .map(|place| {
                    let read = members.iter().enumerate().map(|(number, members)| {
                        u32::from(bit(wanted[place], members[0].1)) << number
                    });
                    (read.sum(), place)
                })
                .collect();
        values.sort_unstable();
        Self {
            index,
            valid,
            values,
        }
    }

    /// Whether every value of `index` is one of the wanted, so that `valid` alone says whether the
    /// number is.
    #[must_use]
    pub fn is_total(&self) -> bool {
        1usize.checked_shl(self.index.len() as u32) == Some(self.values.len())
    }
}
