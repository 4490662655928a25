//! Where outputs stand in rows, in few bytes.
//!
//! Bits of an array follow one another at coefficients a fixed step apart, or at coefficients whose numbers
//! are, read from the other end, as rows are that were packed by a server. A *run* is as many bits as do so: a
//! row of 2,048 bits is one.

use std::num::NonZeroU32;

use tfhe::ShrunkPlace;

use crate::WireError;

/// Bytes of a run in a file.
pub(crate) const RUN_BYTES: usize = 12;

/// Bits that follow one another: `count` of row number `row` − 1 at coefficients number `first`, `first` +
/// `step`, … modulo N; or by themselves, in no row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Run {
    row: Option<NonZeroU32>,
    count: u32,
    first: u16,
    step: u16,
}

/// How a row's coefficients are numbered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Order {
    Natural,
    /// By their log2(N) bits from the other end.
    Reversed,
}

impl Order {
    pub(crate) fn of(byte: u8) -> Result<Self, WireError> {
        match byte {
            0 => Ok(Self::Natural),
            1 => Ok(Self::Reversed),
            _ => Err(WireError::malformed("a row in an unknown order")),
        }
    }

    pub(crate) fn byte(self) -> u8 {
        u8::from(self == Self::Reversed)
    }

    /// The number of a coefficient below `size`, a power of two, or the coefficient of a number.
    fn swapped(self, coefficient: u16, size: usize) -> u16 {
        match self {
            Self::Natural => coefficient,
            Self::Reversed => coefficient.reverse_bits() >> (u16::BITS - size.ilog2()),
        }
    }
}

impl Run {
    pub(crate) fn of(bytes: [u8; RUN_BYTES]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = bytes;
        Self {
            row: NonZeroU32::new(u32::from_le_bytes([a, b, c, d])),
            count: u32::from_le_bytes([e, f, g, h]),
            first: u16::from_le_bytes([i, j]),
            step: u16::from_le_bytes([k, l]),
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let row = self.row.map_or(0, NonZeroU32::get);
        let counts = [row, self.count].into_iter().flat_map(u32::to_le_bytes);
        let numbers = [self.first, self.step]
            .into_iter()
            .flat_map(u16::to_le_bytes);
        counts.chain(numbers).collect()
    }

    /// Bits of it.
    pub(crate) fn count(&self) -> usize {
        self.count as usize
    }

    /// Whether its bits are in a row.
    pub(crate) fn is_of_row(&self) -> bool {
        self.row.is_some()
    }

    /// Where its bits are, in rows of `size` coefficients and of these orders; their bodies are 0.
    pub(crate) fn places(
        self,
        orders: &[Order],
        size: usize,
    ) -> Result<impl Iterator<Item = Option<ShrunkPlace>>, WireError> {
        let row = self.row.map(|row| row.get() - 1);
        let order = row.map(|row| {
            let order = orders.get(row as usize).copied();
            order.ok_or_else(|| WireError::malformed("an output in a row that is not there"))
        });
        let order = order.transpose()?.unwrap_or(Order::Natural);
        Ok((0..self.count).map(move |index| {
            let number = u64::from(self.first) + u64::from(index) * u64::from(self.step);
            row.map(|row| ShrunkPlace {
                row,
                coefficient: order.swapped((number % size as u64) as u16, size),
                body: 0,
            })
        }))
    }

    /// The run with one bit more, if that continues it.
    fn and(self, next: Self, size: usize) -> Option<Self> {
        let step = (next.first.wrapping_sub(self.first)) as usize % size;
        let expected = usize::from(self.first) + self.count() * usize::from(self.step);
        let continues = match (self.row == next.row, self.row, self.count) {
            (false, ..) => return None,
            (true, None, _) | (true, Some(_), 1) => true,
            (true, Some(_), _) => expected % size == usize::from(next.first),
        };
        let step = match (self.row, self.count) {
            (Some(_), 1) => step as u16,
            _ => self.step,
        };
        let count = self.count.checked_add(1)?;
        continues.then_some(Self {
            count,
            step,
            ..self
        })
    }
}

/// The runs of some bits, and the order of each of `rows` rows that makes fewest.
pub(crate) fn runs(
    places: &[Option<ShrunkPlace>],
    rows: usize,
    size: usize,
) -> (Vec<Order>, Vec<Run>) {
    let counted = |order| {
        let mut counts = vec![0_usize; rows];
        for run in runs_in(places, &|_| order, size) {
            if let Some(row) = run.row {
                counts[row.get() as usize - 1] += 1;
            }
        }
        counts
    };
    let counts = [Order::Natural, Order::Reversed].map(counted);
    let orders = counts[0].iter().zip(&counts[1]);
    let orders: Vec<Order> = orders
        .map(|(natural, reversed)| match reversed < natural {
            true => Order::Reversed,
            false => Order::Natural,
        })
        .collect();
    let runs = runs_in(places, &|row| orders[row as usize], size);
    (orders, runs)
}

fn runs_in(places: &[Option<ShrunkPlace>], order: &dyn Fn(u32) -> Order, size: usize) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for place in places {
        let next = Run {
            row: place.and_then(|place| NonZeroU32::new(place.row + 1)),
            count: 1,
            first: place.map_or(0, |place| order(place.row).swapped(place.coefficient, size)),
            step: 0,
        };
        match runs
            .last_mut()
            .and_then(|run| Some((run.and(next, size)?, run)))
        {
            Some((longer, run)) => *run = longer,
            None => runs.push(next),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZE: usize = 2048;

    fn place(row: u32, coefficient: usize) -> Option<ShrunkPlace> {
        Some(ShrunkPlace {
            row,
            coefficient: coefficient as u16,
            body: 0,
        })
    }

    fn back(orders: &[Order], runs: &[Run]) -> Vec<Option<ShrunkPlace>> {
        let runs = runs
            .iter()
            .map(|run| Run::of(run.bytes().try_into().unwrap()));
        runs.flat_map(|run| run.places(orders, SIZE).unwrap())
            .collect()
    }

    #[test]
    fn whole_rows_are_one_run() {
        let reversed = |number: usize| (number as u16).reverse_bits() as usize >> 5;
        let natural = (0..SIZE).map(|number| place(0, number));
        let packed = (0..SIZE).map(|number| place(1, reversed(number)));
        // Fields of structures, words from the last to the first, one bit three times, and bits alone.
        let fields = (0..64).map(|number| place(2, 32 * number + 7));
        let down = (0..64).map(|number| place(3, SIZE - 1 - number));
        let same = [place(4, 9); 3];
        let places: Vec<_> = natural
            .chain(packed)
            .chain([None; 5])
            .chain(fields)
            .chain(down)
            .chain(same)
            .collect();
        let (orders, runs) = runs(&places, 5, SIZE);
        assert_eq!(
            runs.iter().map(Run::count).collect::<Vec<_>>(),
            [2048, 2048, 5, 64, 64, 3]
        );
        assert_eq!(orders.iter().map(|order| order.byte()).sum::<u8>(), 1);
        assert_eq!(orders[1], Order::Reversed);
        assert_eq!(back(&orders, &runs), places);
    }

    proptest! {
        #[test]
        fn any_places_come_back(
            pieces in prop::collection::vec((0_u32..4, 0..SIZE, 0..SIZE, 1_usize..9), 1..20),
        ) {
            let places: Vec<_> = pieces
                .iter()
                .flat_map(|&(row, first, step, count)| {
                    (0..count).map(move |index| match row {
                        3 => None,
                        row => place(row, (first + index * step) % SIZE),
                    })
                })
                .collect();
            let (orders, runs) = runs(&places, 3, SIZE);
            prop_assert_eq!(back(&orders, &runs), places);
        }
    }
}
