//! Which secret conditions lead to which path.
//!
//! Every branch splits a path in two, so the conditions form a binary tree with paths as its
//! leaves. A path that came of several has several leaves. What becomes one is selected by the
//! conditions above it and no others; a path that ended is nobody's, and costs nothing.

use std::collections::HashMap;
use std::rc::Rc;

use circuits::Wire;

/// A condition that is known on a path, and those known before it.
#[derive(Debug)]
pub(super) struct Fact {
    pub(super) condition: Wire,
    pub(super) value: bool,
    before: Facts,
    depth: usize,
}

/// What is known on a path, the latest first.
pub(super) type Facts = Option<Rc<Fact>>;

/// Knows one condition more.
pub(super) fn knowing(facts: &Facts, condition: Wire, value: bool) -> Facts {
    let depth = facts.as_ref().map_or(0, |fact| fact.depth) + 1;
    let before = facts.clone();
    Some(Rc::new(Fact {
        condition,
        value,
        before,
        depth,
    }))
}

/// All that is known, the latest first.
pub(super) fn each(facts: &Facts) -> impl Iterator<Item = &Fact> {
    std::iter::successors(facts.as_deref(), |fact| fact.before.as_deref())
}

/// What is known on both of two paths.
fn shared(a: &Facts, b: &Facts) -> Facts {
    let depth = |facts: &Facts| facts.as_ref().map_or(0, |fact| fact.depth);
    let before = |facts: &Facts| facts.as_ref().and_then(|fact| fact.before.clone());
    let (mut a, mut b) = (a.clone(), b.clone());
    loop {
        match (&a, &b) {
            (Some(own), Some(other)) if Rc::ptr_eq(own, other) => return a,
            (None, _) | (_, None) => return None,
            _ => {}
        }
        let (own, other) = (depth(&a), depth(&b));
        if own >= other {
            a = before(&a);
        }
        if other >= own {
            b = before(&b);
        }
    }
}

impl Drop for Fact {
    /// One after the other: a chain as long as a loop is no recursion.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(fact) = next {
            next = match Rc::try_unwrap(fact) {
                Ok(mut fact) => fact.before.take(),
                Err(_) => None,
            };
        }
    }
}

/// The number of a path; one that came of others has a number of its own.
pub(super) type PathId = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Leaf(PathId),
    /// The path ended.
    Dead,
    Fork {
        condition: Wire,
        holds: usize,
        fails: usize,
    },
}

#[derive(Debug)]
struct Node {
    kind: Kind,
    /// Whether execution comes here.
    reached: Wire,
    facts: Facts,
}

/// The tree; its root is node 0.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    leaves: HashMap<PathId, Vec<usize>>,
    paths: PathId,
}

/// A step of the traversal that makes paths one, from the leaves up.
pub(super) enum Step {
    /// The next value is that of a path.
    Path(PathId),
    /// The next value is nobody's.
    Nothing,
    /// The last two values become one: the first where the condition holds, else the second.
    Join(Wire),
}

impl Tree {
    /// One path, of number 0, whose condition is known to hold.
    pub(super) fn new() -> Self {
        let root = Node {
            kind: Kind::Leaf(0),
            reached: Wire::TRUE,
            facts: None,
        };
        Self {
            nodes: vec![root],
            leaves: HashMap::from([(0, vec![0])]),
            paths: 1,
        }
    }

    /// What is known on a path.
    pub(super) fn facts(&self, path: PathId) -> Facts {
        let mut leaves = self.leaves[&path].iter();
        let first = leaves
            .next()
            .and_then(|leaf| self.nodes[*leaf].facts.clone());
        leaves.fold(first, |facts, leaf| {
            shared(&facts, &self.nodes[*leaf].facts)
        })
    }

    /// Where each is 1, the path is the one that is taken: the conditions of its leaves.
    pub(super) fn reached(&self, path: PathId) -> Vec<Wire> {
        let leaves = self.leaves[&path].iter();
        leaves.map(|leaf| self.nodes[*leaf].reached).collect()
    }

    /// Splits a path: the numbers of the one on which the condition holds and of the other.
    pub(super) fn split(
        &mut self,
        path: PathId,
        condition: Wire,
        mut and: impl FnMut(Wire, Wire) -> Wire,
    ) -> (PathId, PathId) {
        let (holds, fails) = (self.paths, self.paths + 1);
        self.paths += 2;
        for leaf in self.leaves.remove(&path).unwrap_or_default() {
            let reached = self.nodes[leaf].reached;
            let facts = self.nodes[leaf].facts.clone();
            for (child, value) in [(holds, true), (fails, false)] {
                self.leaves.entry(child).or_default().push(self.nodes.len());
                self.nodes.push(Node {
                    kind: Kind::Leaf(child),
                    reached: and(reached, if value { condition } else { !condition }),
                    facts: knowing(&facts, condition, value),
                });
            }
            self.nodes[leaf].kind = Kind::Fork {
                condition,
                holds: self.nodes.len() - 2,
                fails: self.nodes.len() - 1,
            };
        }
        (holds, fails)
    }

    /// A path ended.
    pub(super) fn end(&mut self, path: PathId) {
        for leaf in self.leaves.remove(&path).unwrap_or_default() {
            self.nodes[leaf].kind = Kind::Dead;
        }
    }

    /// How paths become one, in the order in which it is to be done.
    pub(super) fn steps(&self, paths: &[PathId]) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut visit = vec![0];
        while let Some(node) = visit.pop() {
            match self.nodes[node].kind {
                Kind::Leaf(path) if paths.contains(&path) => steps.push(Step::Path(path)),
                Kind::Leaf(_) | Kind::Dead => steps.push(Step::Nothing),
                Kind::Fork {
                    condition,
                    holds,
                    fails,
                } => {
                    steps.push(Step::Join(condition));
                    visit.extend([holds, fails]);
                }
            }
        }
        // Each join was met before its sides: backwards, the side that fails before the other.
        steps.reverse();
        steps
    }

    /// These paths are one from now on; gives its number.
    pub(super) fn join(&mut self, paths: &[PathId]) -> PathId {
        let joined = self.paths;
        self.paths += 1;
        for path in paths {
            for leaf in self.leaves.remove(path).unwrap_or_default() {
                self.nodes[leaf].kind = Kind::Leaf(joined);
            }
        }
        self.collapse();
        joined
    }

    /// Makes a leaf of every fork whose sides are one path, or one path and none.
    fn collapse(&mut self) {
        let mut order = Vec::new();
        let mut visit = vec![0];
        while let Some(node) = visit.pop() {
            if let Kind::Fork { holds, fails, .. } = self.nodes[node].kind {
                order.push(node);
                visit.extend([holds, fails]);
            }
        }
        for node in order.into_iter().rev() {
            let Kind::Fork { holds, fails, .. } = self.nodes[node].kind else {
                continue;
            };
            match (self.nodes[holds].kind, self.nodes[fails].kind) {
                (Kind::Leaf(a), Kind::Leaf(b)) if a != b => {}
                (one @ (Kind::Leaf(_) | Kind::Dead), Kind::Leaf(_) | Kind::Dead) => {
                    let other = self.nodes[fails].kind;
                    let kind = if one == Kind::Dead { other } else { one };
                    self.nodes[node].kind = kind;
                }
                _ => {}
            }
        }
        self.leaves.clear();
        let mut visit = vec![0];
        while let Some(node) = visit.pop() {
            match self.nodes[node].kind {
                Kind::Leaf(path) => self.leaves.entry(path).or_default().push(node),
                Kind::Dead => {}
                Kind::Fork { holds, fails, .. } => visit.extend([holds, fails]),
            }
        }
    }
}
