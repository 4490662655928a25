/// Samples that our circuit takes a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// 16.
    Sixteen,
    /// 32.
    ThirtyTwo,
    /// 64.
    SixtyFour,
}

impl Lanes {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Sixteen, Self::ThirtyTwo, Self::SixtyFour];
}
