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
    use super::*;

    #[test]
    fn keeps_what_it_is_given_whatever_the_capacity() {
        let mut roomy = Vec::with_capacity(64);
        roomy.extend_from_slice(&[1_u64, 2, 3]);
        assert_eq!(SecretBuffer::new(roomy).expose(), [1, 2, 3]);
        assert_eq!(SecretBuffer::new(vec![4_u8; 3]).expose(), [4, 4, 4]);
    }

    #[test]
    fn wipes_in_place() {
        // Safe code cannot look at freed memory; that `zeroize` reaches every
        // element is visible on a live buffer.
        let mut buffer = SecretBuffer::new(vec![7_u64; 5]);
        buffer.expose_mut().zeroize();
        assert_eq!(buffer.expose(), [0; 5]);
    }
}
