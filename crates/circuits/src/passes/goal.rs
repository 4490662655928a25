//! What lookups are chosen for.

/// What a cover by lookups is chosen for, and what lookups are fused for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goal {
    /// Few rotations, depth second.
    Rotations,
    /// Little depth, rotations second.
    Depth,
}
