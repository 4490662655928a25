//! Why a node is there: a number of whoever records it, such as that of an instruction. It is kept
//! through all passes, so that what is left can be charged to what asked for it.

/// What a node was recorded for: a number that the recorder chooses.
///
/// ```
/// use blindcore_circuits::{Builder, Cause, Profile, passes};
///
/// let profile = Profile::lookup_simulation();
/// let mut build = Builder::new(&profile);
/// let bits = build.inputs(8);
/// build.attribute_to(Cause(1));
/// let all = build.all(&bits[..4]);
/// build.attribute_to(Cause(2));
/// let one = build.and(all, bits[4]);
/// build.output(one);
///
/// // Both gates are one lookup, of the one that is read.
/// let circuit = passes::prepare(&build.finish(), &profile);
/// let causes = circuit.nodes().filter(|&node| circuit.op(node).is_bootstrap(&profile));
/// assert_eq!(causes.map(|node| circuit.cause(node)).collect::<Vec<_>>(), [Some(Cause(2))]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cause(pub u32);

/// The causes of nodes that are being recorded.
#[derive(Clone, Debug)]
pub(crate) struct Causes {
    now: Cause,
    of: Vec<Cause>,
}

impl Causes {
    /// Nodes that are there already are charged to the first cause.
    pub(crate) fn new(now: Cause, nodes: usize) -> Self {
        Self {
            now,
            of: vec![now; nodes],
        }
    }

    /// Nodes from here on have this cause.
    pub(crate) fn turn_to(&mut self, cause: Cause) {
        self.now = cause;
    }

    /// One more node.
    pub(crate) fn append(&mut self) {
        self.of.push(self.now);
    }

    /// The cause of a node.
    pub(crate) fn of(&self, node: usize) -> Option<Cause> {
        self.of.get(node).copied()
    }
}
