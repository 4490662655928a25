//! Words and bits, and the operators that record.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};
use std::sync::Arc;

use super::node::{Kind, Node, Operation};

/// Integers that words can hold.
///
/// ```
/// use blindcore::Integer;
///
/// assert_eq!((<i16 as Integer>::BITS, <i16 as Integer>::SIGNED), (16, true));
/// assert_eq!(i8::from_word((-1_i16).to_word()), -1);
/// ```
pub trait Integer: Copy + sealed::Sealed {
    /// Bits.
    const BITS: usize;
    /// Whether there are negative ones.
    const SIGNED: bool;

    /// Two's complement.
    fn to_word(self) -> u64;

    /// From the lowest bits.
    fn from_word(word: u64) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! integers {
    ($($integer:ty: $signed:literal),*) => {$(
        impl sealed::Sealed for $integer {}

        impl Integer for $integer {
            const BITS: usize = <$integer>::BITS as usize;
            const SIGNED: bool = $signed;

            fn to_word(self) -> u64 {
                self as u64
            }

            fn from_word(word: u64) -> Self {
                word as $integer
            }
        }

        impl From<$integer> for Word<$integer> {
            fn from(value: $integer) -> Self {
                Word::of(Node::leaf(Kind::Clear(value.to_word()), <$integer as Integer>::BITS))
            }
        }
    )*};
}

integers!(u8: false, u16: false, u32: false, u64: false, i8: true, i16: true, i32: true, i64: true);

/// An encrypted integer, or an expression over such. Arithmetic wraps around, as in C without
/// signs.
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// let keys = blindcore::Keys::generate()?;
/// let price = keys.secret.encrypt_word(250_u16)?;
/// let total = &price * 3 + 20;
/// let due = total.gt(&700.into()).select(&(&total - 70), &total);
/// let answer = keys.server.evaluate(&due)?;
/// assert_eq!(keys.secret.decrypt_word(&answer)?, 700);
/// # Ok(())
/// # }
/// ```
pub struct Word<T> {
    pub(super) node: Arc<Node>,
    integer: PhantomData<T>,
}

/// An encrypted truth value, or an expression over such.
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::{Bit, Word};
///
/// let keys = blindcore::Keys::generate()?;
/// let (a, b) = (keys.secret.encrypt_word(3_i8)?, keys.secret.encrypt_word(-5_i8)?);
/// let bits: Vec<Bit> = vec![a.eq(&b), a.ne(&b), a.le(&b), a.ge(&b)];
/// let words: (Word<i8>, Word<i8>) = (a.min(&b), a.max(&b));
/// let wider: (Word<i16>, Word<u8>) = (b.cast(), bits[3].word());
///
/// // Whatever is evaluated together is one circuit.
/// let (bits, (words, wider)) = keys.server.evaluate(&(bits, (words, wider)))?;
/// let bits: Result<Vec<bool>, _> = bits.iter().map(|bit| keys.secret.decrypt_bit(bit)).collect();
/// assert_eq!(bits?, [false, true, false, true]);
/// assert_eq!((keys.secret.decrypt_word(&words.0)?, keys.secret.decrypt_word(&words.1)?), (-5, 3));
/// assert_eq!((keys.secret.decrypt_word(&wider.0)?, keys.secret.decrypt_word(&wider.1)?), (-5, 1));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Bit {
    pub(super) node: Arc<Node>,
}

impl<T> Clone for Word<T> {
    fn clone(&self) -> Self {
        Self {
            node: Arc::clone(&self.node),
            integer: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Word<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Word({} bits)", self.node.width)
    }
}

impl fmt::Debug for Bit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bit")
    }
}

impl<T: Integer> Word<T> {
    pub(super) fn of(node: Arc<Node>) -> Self {
        Self {
            node,
            integer: PhantomData,
        }
    }

    fn with(&self, operation: Operation, other: &Self) -> Self {
        let operands = vec![Arc::clone(&self.node), Arc::clone(&other.node)];
        Self::of(Node::operation(operation, T::BITS, operands))
    }

    fn alone(&self, operation: Operation) -> Self {
        let operands = vec![Arc::clone(&self.node)];
        Self::of(Node::operation(operation, T::BITS, operands))
    }

    fn compared(&self, operation: Operation, other: &Self) -> Bit {
        let operands = vec![Arc::clone(&self.node), Arc::clone(&other.node)];
        Bit {
            node: Node::operation(operation, 1, operands),
        }
    }

    /// Whether both are equal.
    #[must_use]
    pub fn eq(&self, other: &Self) -> Bit {
        self.compared(Operation::Equal, other)
    }

    /// Whether they differ.
    #[must_use]
    pub fn ne(&self, other: &Self) -> Bit {
        !self.eq(other)
    }

    /// Whether this is less than the other.
    #[must_use]
    pub fn lt(&self, other: &Self) -> Bit {
        self.compared(Operation::Less { signed: T::SIGNED }, other)
    }

    /// Whether this is at most the other.
    #[must_use]
    pub fn le(&self, other: &Self) -> Bit {
        !other.lt(self)
    }

    /// Whether this is greater than the other.
    #[must_use]
    pub fn gt(&self, other: &Self) -> Bit {
        other.lt(self)
    }

    /// Whether this is at least the other.
    #[must_use]
    pub fn ge(&self, other: &Self) -> Bit {
        !self.lt(other)
    }

    /// The smaller one.
    #[must_use]
    pub fn min(&self, other: &Self) -> Self {
        self.lt(other).select(self, other)
    }

    /// The larger one.
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        self.lt(other).select(other, self)
    }

    /// Its bits, the lowest first.
    ///
    /// ```
    /// # fn main() -> Result<(), blindcore::Error> {
    /// use blindcore::Word;
    ///
    /// let keys = blindcore::Keys::generate()?;
    /// let mut bits = keys.secret.encrypt_word(0b1101_u8)?.bits();
    /// bits.reverse();
    /// let mirrored = keys.server.evaluate(&Word::<u8>::from_bits(&bits))?;
    /// assert_eq!(keys.secret.decrypt_word(&mirrored)?, 0b1011_0000);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn bits(&self) -> Vec<Bit> {
        let bit = |place| {
            let operands = vec![Arc::clone(&self.node)];
            let node = Node::operation(Operation::Place(place), 1, operands);
            Bit { node }
        };
        (0..T::BITS).map(bit).collect()
    }

    /// The word of these bits, the lowest first. Bits that are missing are 0, and more than the
    /// type has are dropped.
    #[must_use]
    pub fn from_bits(bits: &[Bit]) -> Self {
        let zero = Node::leaf(Kind::Clear(0), 1);
        let given = bits.iter().map(|bit| Arc::clone(&bit.node));
        let operands = given.chain(std::iter::repeat(zero)).take(T::BITS);
        Self::of(Node::operation(
            Operation::Join,
            T::BITS,
            operands.collect(),
        ))
    }

    /// As another type: wider with the sign of this one, or its lowest bits, as `as` has it.
    #[must_use]
    pub fn cast<U: Integer>(&self) -> Word<U> {
        let operation = Operation::Extend { signed: T::SIGNED };
        Word::of(Node::operation(
            operation,
            U::BITS,
            vec![Arc::clone(&self.node)],
        ))
    }
}

impl Bit {
    /// One word or the other.
    #[must_use]
    pub fn select<T: Integer>(&self, then: &Word<T>, otherwise: &Word<T>) -> Word<T> {
        let operands = vec![
            Arc::clone(&self.node),
            Arc::clone(&then.node),
            Arc::clone(&otherwise.node),
        ];
        Word::of(Node::operation(Operation::Select, T::BITS, operands))
    }

    /// 1 or 0.
    #[must_use]
    pub fn word<T: Integer>(&self) -> Word<T> {
        let operation = Operation::Extend { signed: false };
        Word::of(Node::operation(
            operation,
            T::BITS,
            vec![Arc::clone(&self.node)],
        ))
    }

    fn with(&self, operation: Operation, other: &Self) -> Self {
        let operands = vec![Arc::clone(&self.node), Arc::clone(&other.node)];
        let node = Node::operation(operation, 1, operands);
        Self { node }
    }
}

impl From<bool> for Bit {
    fn from(value: bool) -> Self {
        let node = Node::leaf(Kind::Clear(value.into()), 1);
        Self { node }
    }
}

/// An operator for words and references to words on the left; words, references and integers on the
/// right.
macro_rules! operator {
    ($trait:ident, $method:ident, |$left:ident, $right:ident| $made:expr) => {
        impl<T: Integer> $trait<&Word<T>> for &Word<T> {
            type Output = Word<T>;

            fn $method(self, other: &Word<T>) -> Word<T> {
                let ($left, $right) = (self, other);
                $made
            }
        }

        impl<T: Integer> $trait<Word<T>> for &Word<T> {
            type Output = Word<T>;

            fn $method(self, other: Word<T>) -> Word<T> {
                $trait::$method(self, &other)
            }
        }

        impl<T: Integer> $trait<&Word<T>> for Word<T> {
            type Output = Word<T>;

            fn $method(self, other: &Word<T>) -> Word<T> {
                $trait::$method(&self, other)
            }
        }

        impl<T: Integer> $trait<Word<T>> for Word<T> {
            type Output = Word<T>;

            fn $method(self, other: Word<T>) -> Word<T> {
                $trait::$method(&self, &other)
            }
        }

        impl<T: Integer> $trait<T> for &Word<T> {
            type Output = Word<T>;

            fn $method(self, other: T) -> Word<T> {
                let other = Word::of(Node::leaf(Kind::Clear(other.to_word()), T::BITS));
                $trait::$method(self, &other)
            }
        }

        impl<T: Integer> $trait<T> for Word<T> {
            type Output = Word<T>;

            fn $method(self, other: T) -> Word<T> {
                $trait::$method(&self, other)
            }
        }
    };
}

operator!(Add, add, |a, b| a.with(Operation::Add, b));
operator!(Sub, sub, |a, b| a.with(Operation::Subtract, b));
operator!(Mul, mul, |a, b| a.with(Operation::Multiply, b));
operator!(BitAnd, bitand, |a, b| a.with(Operation::And, b));
operator!(BitOr, bitor, |a, b| a.with(Operation::Or, b));
operator!(BitXor, bitxor, |a, b| a.with(Operation::Xor, b));
operator!(Div, div, |a, b| a.with(
    Operation::Divide {
        signed: T::SIGNED,
        remainder: false
    },
    b
));
operator!(Rem, rem, |a, b| a.with(
    Operation::Divide {
        signed: T::SIGNED,
        remainder: true
    },
    b
));

macro_rules! unary {
    ($($owner:ty),*) => {$(
        impl<T: Integer> Not for $owner {
            type Output = Word<T>;

            fn not(self) -> Word<T> {
                self.alone(Operation::Not)
            }
        }

        impl<T: Integer> Neg for $owner {
            type Output = Word<T>;

            fn neg(self) -> Word<T> {
                let zero = Word::of(Node::leaf(Kind::Clear(0), T::BITS));
                zero.with(Operation::Subtract, &self)
            }
        }

        impl<T: Integer> Shl<u32> for $owner {
            type Output = Word<T>;

            /// Zeros come in; by the width or more places nothing is left.
            fn shl(self, places: u32) -> Word<T> {
                self.alone(Operation::ShiftLeft(places))
            }
        }

        impl<T: Integer> Shr<u32> for $owner {
            type Output = Word<T>;

            /// The sign comes in, or zeros where there is none.
            fn shr(self, places: u32) -> Word<T> {
                let signed = T::SIGNED;
                self.alone(Operation::ShiftRight { places, signed })
            }
        }
    )*};
}

unary!(Word<T>, &Word<T>);

macro_rules! of_bits {
    ($($trait:ident $method:ident $operation:ident),*) => {$(
        impl $trait for &Bit {
            type Output = Bit;

            fn $method(self, other: &Bit) -> Bit {
                self.with(Operation::$operation, other)
            }
        }

        impl $trait for Bit {
            type Output = Bit;

            fn $method(self, other: Bit) -> Bit {
                self.with(Operation::$operation, &other)
            }
        }
    )*};
}

of_bits!(BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor);

impl Not for &Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        let operands = vec![Arc::clone(&self.node)];
        let node = Node::operation(Operation::Not, 1, operands);
        Bit { node }
    }
}

impl Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        !&self
    }
}
