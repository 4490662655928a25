//! A heap buffer for secrets: wiped when dropped, printed never, copied never.

use zeroize::{Zeroize, ZeroizeOnDrop};

/// A fixed-length buffer whose contents are overwritten with zeros on drop.
///
/// It has neither `Debug` nor `Clone`, so a secret reaches a log or a second
/// place in memory only where somebody writes that out. The length is fixed at
/// construction: a growing vector would leave copies behind when it moves.
/// Comparison and indexing are whatever the borrowed slice offers, and those of
/// the standard library are not constant-time.
pub struct SecretBuffer<T: Zeroize>(Box<[T]>);

impl<T: Zeroize> SecretBuffer<T> {
    /// Takes ownership of values that nobody else keeps.
    ///
    /// A vector with spare capacity is moved to an exact allocation; its old
    /// one is wiped first.
    #[must_use]
    pub fn new(mut values: Vec<T>) -> Self
    where
        T: Clone,
    {
        if values.len() == values.capacity() {
            return Self(values.into_boxed_slice());
        }
        let exact: Box<[T]> = values.as_slice().into();
        values.zeroize();
        Self(exact)
    }

    /// The secret values.
    #[must_use]
    pub fn expose(&self) -> &[T] {
        &self.0
    }

    /// The secret values, to be changed in place.
    pub fn expose_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Zeroize> Drop for SecretBuffer<T> {
    fn drop(&mut self) {
        self.0.iter_mut().zeroize();
    }
}

impl<T: Zeroize> ZeroizeOnDrop for SecretBuffer<T> {}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    #[test]
    fn keeps_what_it_is_given_whatever_the_capacity() {
        let mut roomy = Vec::with_capacity(64);
        roomy.extend_from_slice(&[1_u64, 2, 3]);
        assert_eq!(SecretBuffer::new(roomy).expose(), [1, 2, 3]);
        assert_eq!(SecretBuffer::new(vec![4_u8; 3]).expose(), [4, 4, 4]);
    }

    /// Counts how often it is wiped, for safe code cannot look at freed memory.
    #[derive(Clone)]
    struct Probe(Rc<Cell<u32>>);

    impl Zeroize for Probe {
        fn zeroize(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }

    #[test]
    fn dropping_wipes_every_element_once() {
        let wiped = Rc::new(Cell::new(0));
        let buffer = SecretBuffer::new(vec![Probe(Rc::clone(&wiped)); 5]);
        assert_eq!(wiped.get(), 0);
        drop(buffer);
        assert_eq!(wiped.get(), 5);
    }

    #[test]
    fn moving_to_an_exact_allocation_wipes_the_old_one() {
        let wiped = Rc::new(Cell::new(0));
        let mut roomy = Vec::with_capacity(64);
        roomy.extend(std::iter::repeat_n(Probe(Rc::clone(&wiped)), 3));
        let buffer = SecretBuffer::new(roomy);
        assert_eq!(wiped.get(), 3);
        drop(buffer);
        assert_eq!(wiped.get(), 6);
    }
}
