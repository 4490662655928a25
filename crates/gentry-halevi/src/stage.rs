//! The parts of key generation, as a watch is told of them.

/// A part of key generation. They come in this order; the last is nearly all of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// The resultant d of a secret polynomial and two coefficients of its inverse, by halving. More
    /// levels than announced mean that a polynomial was refused and another drawn.
    Resultant,
    /// The root r, which takes an inverse modulo d.
    Root,
    /// Powers of r.
    Powers,
    /// Encryptions of the secret key's indices.
    Encryptions,
}

/// How far key generation is.
pub type Progress = work::Progress<Stage>;

/// Called from any thread, often; stops key generation by
/// [`ControlFlow::Break`](std::ops::ControlFlow::Break).
pub type Watch<'a> = work::Watch<'a, Stage>;
