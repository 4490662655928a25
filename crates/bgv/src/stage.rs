//! The parts of key generation, as a watch is told of them.

/// A part of key generation. They come in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Roots and tables of the transforms, one prime a step.
    Tables,
    /// The secret and the public key.
    Keys,
    /// Keys for relinearisation, one residue of a digit a step.
    Relinearisation,
    /// Keys for rotations, one residue of a digit a step.
    Rotations,
}

/// How far key generation is.
pub type Progress = work::Progress<Stage>;

/// Called from any thread, often; stops key generation by
/// [`ControlFlow::Break`](std::ops::ControlFlow::Break).
pub type Watch<'a> = work::Watch<'a, Stage>;
