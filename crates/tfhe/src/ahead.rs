//! The next block's key, handed out in parts while this block is computed.
//!
//! A block's key (256 KB for P16) comes from memory faster than it is needed, if
//! it is asked for evenly: all at once the requests queue up and the computation
//! waits behind them. So each transform and the products of a block get a part of the next
//! block's key, in proportion to how long they take; fused multiplications, four
//! for a complex product, stand for the time.

use transforms::torus::{KeyShape, Plan};

/// What a block is made of, in fused operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockWork {
    transform: usize,
    products: usize,
    whole: usize,
}

impl BlockWork {
    /// The work of a block for a batch: rows digit transforms, the products, and
    /// columns transforms back for each lookup. Keys of one element multiply
    /// without weights, by an operation that is too short to prefetch in.
    pub(crate) fn new(plan: &Plan, shape: KeyShape, batch: usize) -> Self {
        let points = plan.size().coefficients() / 2;
        let KeyShape {
            elements,
            rows,
            columns,
        } = shape;
        // Six operations for a butterfly of two points.
        let transform = 3 * points * points.ilog2() as usize;
        // Products, their weights X^a − 1, and making the weight.
        let products = if elements == 1 {
            0
        } else {
            4 * points * elements * (rows * columns + columns + 1) * batch
        };
        Self {
            transform,
            products,
            whole: batch * (rows + columns) * transform + products,
        }
    }

    /// What either of two threads does of it: one column of the products and of the transforms back, and
    /// all transforms of digits.
    pub(crate) fn of_column(self) -> Self {
        let products = self.products / 2;
        Self {
            products,
            whole: self.whole - products - self.transform,
            ..self
        }
    }
}

/// The part of a key, in one array or in two, that is still to be asked for.
#[derive(Debug)]
pub(crate) struct Ahead<'a> {
    keys: [&'a [f64]; 2],
    given: usize,
    done: usize,
    work: BlockWork,
}

impl<'a> Ahead<'a> {
    pub(crate) fn new(keys: [&'a [f64]; 2], work: BlockWork) -> Self {
        Self {
            keys,
            given: 0,
            done: 0,
            work,
        }
    }

    /// The part to ask for during a transform. It ends where the first array does.
    pub(crate) fn during_transform(&mut self) -> &'a [f64] {
        let [first, second] = self.during(self.work.transform);
        if first.is_empty() {
            return second;
        }
        self.given -= second.len();
        first
    }

    /// The parts of both arrays to ask for during the products of the batch.
    pub(crate) fn during_products(&mut self) -> [&'a [f64]; 2] {
        self.during(self.work.products)
    }

    fn during(&mut self, operations: usize) -> [&'a [f64]; 2] {
        /// Numbers in a cache line.
        const LINE: usize = 8;
        let [first, second] = self.keys;
        let (border, whole) = (first.len(), first.len() + second.len());
        self.done += operations;
        let end = if self.done >= self.work.whole {
            whole
        } else {
            whole / LINE * self.done / self.work.whole * LINE
        };
        let given = std::mem::replace(&mut self.given, end);
        let of_second = given.saturating_sub(border)..end.saturating_sub(border);
        [
            first.get(given.min(border)..end.min(border)),
            second.get(of_second),
        ]
        .map(Option::unwrap_or_default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use transforms::torus::{Fft, PolynomialSize};

    /// Every word once, in order, in whole lines, and like parts for like work.
    #[test]
    fn the_whole_key_is_given_in_even_parts() {
        let plan = Plan::new(PolynomialSize::new(2048).unwrap(), Fft::Scalar).unwrap();
        let key: Vec<f64> = (0..4 * 4 * 2048).map(f64::from).collect();
        for (elements, batch) in [(1, 1), (4, 1), (4, 5), (3, 8)] {
            let shape = KeyShape {
                elements,
                rows: 2,
                columns: 2,
            };
            let mut ahead = Ahead::new([&key, &[]], BlockWork::new(&plan, shape, batch));
            let mut parts: Vec<&[f64]> = Vec::new();
            parts.extend((0..2 * batch).map(|_| ahead.during_transform()));
            if elements > 1 {
                parts.push(ahead.during_products()[0]);
            }
            parts.extend((0..2 * batch).map(|_| ahead.during_transform()));
            assert_eq!(parts.concat(), key);
            assert!(parts.iter().all(|part| part.len() % 8 == 0));
            assert!(parts[0].len().abs_diff(parts[1].len()) <= 8);
            assert!(ahead.during_transform().is_empty());
        }
    }

    /// Also where a transform passes the border: what lies behind it is asked for by the next one.
    #[test]
    fn nothing_of_two_keys_is_left_out() {
        let plan = Plan::new(PolynomialSize::new(2048).unwrap(), Fft::Scalar).unwrap();
        for elements in 1..8 {
            let shape = KeyShape {
                elements,
                rows: 6,
                columns: 2,
            };
            let key: Vec<f64> = (0..elements * 6 * 2048).map(|x| x as f64).collect();
            let (first, second) = key.split_at(key.len() / 3);
            let work = BlockWork::new(&plan, shape, 1).of_column();
            let mut ahead = Ahead::new([first, second], work);
            let mut parts = ahead.during_products().to_vec();
            parts.extend((0..7).map(|_| ahead.during_transform()));
            assert!(parts.concat() == key, "{elements} elements");
        }
    }

    #[test]
    fn two_keys_are_given_one_after_the_other() {
        let plan = Plan::new(PolynomialSize::new(2048).unwrap(), Fft::Scalar).unwrap();
        let key: Vec<f64> = (0..4 * 12 * 2048).map(f64::from).collect();
        let shape = KeyShape {
            elements: 4,
            rows: 6,
            columns: 2,
        };
        for batch in [1, 8] {
            let (first, second) = key.split_at(key.len() / 3);
            let work = BlockWork::new(&plan, shape, batch);
            let mut ahead = Ahead::new([first, second], work);
            let mut parts = ahead.during_products().to_vec();
            parts.extend((0..8 * batch).map(|_| ahead.during_transform()));
            assert_eq!(parts.concat(), key);
            // Half of the work, and so more than the third that the first array is.
            assert_eq!(parts[0].len(), key.len() / 3);
            let share = key.len() * work.transform / work.whole;
            assert!(parts[2..].iter().all(|part| part.len() <= share + 8));
        }
    }
}
