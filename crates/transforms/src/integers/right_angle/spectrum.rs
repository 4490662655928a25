//! A transformed operand or a sum of products, with what its certificate needs.

use crate::torus::Spectra;

/// What a spectrum holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Content {
    /// Nothing: zero.
    Zero,
    /// The transform of an operand.
    Operand {
        /// The sum of the squares of its digits, exact.
        square_norm: f64,
    },
    /// A sum of products.
    Sum {
        /// Sum of the products of both operands' norms.
        norms: f64,
        /// That sum after every addition, added up: each addition rounds once more.
        partial_norms: f64,
    },
}

impl Content {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Zero => "nothing",
            Self::Operand { .. } => "an operand",
            Self::Sum { .. } => "a sum of products",
        }
    }
}

/// What two plans must have in common to use the same spectra.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) points: usize,
    pub(super) bits: u32,
    pub(super) lanes: usize,
    /// Whether the ring is first split into two halves.
    pub(super) halved: bool,
}

/// The values of an operand, or of a sum of products, at the points of a plan: `N` complex numbers
/// in an order of the plan's own. [`Plan::spectrum`](super::Plan::spectrum) makes one; only plans
/// of the same shape can use it.
#[derive(Debug, Clone)]
pub struct Spectrum {
    pub(super) values: Spectra,
    pub(super) layout: Layout,
    pub(super) content: Content,
    /// Where an inverse transform leaves a residue that its caller wants only a part of.
    pub(super) residue: Vec<u64>,
}

impl Spectrum {
    pub(super) fn zero(layout: Layout) -> Self {
        Self {
            values: Spectra::zeroed(2 * layout.points),
            layout,
            content: Content::Zero,
            residue: Vec::new(),
        }
    }

    /// Complex points.
    pub fn points(&self) -> usize {
        self.layout.points
    }

    /// Makes it zero again, to begin another sum.
    pub fn clear(&mut self) {
        self.content = Content::Zero;
    }
}
