//! Which secret conditions lead to which path.
//!
//! Every branch splits a path in two, and every point at which paths meet makes one of them: the
//! conditions form a graph with one leaf for each path, a decision diagram. What becomes one path is
//! selected by the conditions above it and no others; a path that ended is nobody's, and costs
//! nothing.

use std::rc::Rc;

use circuits::Wire;

use crate::machine::Care;

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

/// The number of a path, and of its leaf; one that came of others has a number of its own.
pub(super) type PathId = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A path that is under way.
    Leaf,
    /// The path ended.
    Dead,
    Fork {
        condition: Wire,
        holds: usize,
        fails: usize,
    },
    /// Whatever comes here goes on there.
    Joined(usize),
}

#[derive(Debug)]
struct Node {
    kind: Kind,
    /// Whether execution comes here.
    reached: Wire,
    facts: Facts,
    /// The same as a function, as far as that is known.
    care: Care,
}

/// The graph; its root is node 0.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// A step of the traversal that makes paths one, from the leaves up. Each gives the value of a node.
pub(super) enum Step {
    /// A path's own value.
    Path(PathId),
    /// One value of the two nodes' values: the first where the condition holds.
    Join {
        node: usize,
        condition: Wire,
        holds: usize,
        fails: usize,
    },
}

impl Tree {
    /// One path, of number 0, whose condition is known to hold.
    pub(super) fn new() -> Self {
        let root = Node {
            kind: Kind::Leaf,
            reached: Wire::TRUE,
            facts: None,
            care: Care::ALWAYS,
        };
        Self { nodes: vec![root] }
    }

    /// What is known on a path.
    pub(super) fn facts(&self, path: PathId) -> Facts {
        self.nodes[path].facts.clone()
    }

    /// Whether the path is the one that is taken.
    pub(super) fn reached(&self, path: PathId) -> Wire {
        self.nodes[path].reached
    }

    /// Where the path is taken.
    pub(super) fn care(&self, path: PathId) -> Care {
        self.nodes[path].care
    }

    /// Where every path is taken.
    pub(super) fn cares(&mut self) -> impl Iterator<Item = &mut Care> {
        self.nodes.iter_mut().map(|node| &mut node.care)
    }

    /// Says where a path is taken.
    pub(super) fn set_care(&mut self, path: PathId, care: Care) {
        self.nodes[path].care = care;
    }

    fn add(&mut self, reached: Wire, facts: Facts, care: Care) -> usize {
        self.nodes.push(Node {
            kind: Kind::Leaf,
            reached,
            facts,
            care,
        });
        self.nodes.len() - 1
    }

    /// Splits a path: the numbers of the one on which the condition holds and of the other.
    pub(super) fn split(
        &mut self,
        path: PathId,
        condition: Wire,
        cares: [Care; 2],
        mut and: impl FnMut(Wire, Wire) -> Wire,
    ) -> (PathId, PathId) {
        let (reached, facts) = (self.reached(path), self.facts(path));
        let holds = and(reached, condition);
        let holds = self.add(holds, knowing(&facts, condition, true), cares[0]);
        let fails = and(reached, !condition);
        let fails = self.add(fails, knowing(&facts, condition, false), cares[1]);
        self.nodes[path].kind = Kind::Fork {
            condition,
            holds,
            fails,
        };
        (holds, fails)
    }

    /// A path ended.
    pub(super) fn end(&mut self, path: PathId) {
        self.nodes[path].kind = Kind::Dead;
    }

    /// The node that a node has become.
    fn now(&self, mut node: usize) -> usize {
        while let Kind::Joined(next) = self.nodes[node].kind {
            node = next;
        }
        node
    }

    /// The forks that can be come to, each after those below it.
    fn forks(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        let mut visit = vec![(self.now(0), false)];
        while let Some((node, below)) = visit.pop() {
            let Kind::Fork { holds, fails, .. } = self.nodes[node].kind else {
                continue;
            };
            if below {
                order.push(node);
            } else if !std::mem::replace(&mut seen[node], true) {
                visit.push((node, true));
                visit.extend([(self.now(holds), false), (self.now(fails), false)]);
            }
        }
        order
    }

    /// How paths become one, in the order in which it is to be done: the last value is the result.
    /// Nodes without a value lead to none of them.
    pub(super) fn steps(&self, paths: &[PathId]) -> Vec<Step> {
        let mut steps: Vec<Step> = paths.iter().map(|path| Step::Path(*path)).collect();
        for node in self.forks() {
            if let Kind::Fork {
                condition,
                holds,
                fails,
            } = self.nodes[node].kind
            {
                let (holds, fails) = (self.now(holds), self.now(fails));
                steps.push(Step::Join {
                    node,
                    condition,
                    holds,
                    fails,
                });
            }
        }
        steps
    }

    /// The root as it is now: the node that has the value of all.
    pub(super) fn root(&self) -> usize {
        self.now(0)
    }

    /// These paths are one from now on; gives its number.
    pub(super) fn join(
        &mut self,
        paths: &[PathId],
        mut any: impl FnMut(&[Wire]) -> Wire,
    ) -> PathId {
        let joined = self.add(Wire::FALSE, None, Care::ALWAYS);
        for path in paths {
            self.nodes[*path].kind = Kind::Joined(joined);
        }
        let forks = self.forks();
        // A fork whose sides are one, or one and none, is none.
        for node in &forks {
            if let Kind::Fork { holds, fails, .. } = self.nodes[*node].kind {
                let (holds, fails) = (self.now(holds), self.now(fails));
                if holds == fails || self.nodes[fails].kind == Kind::Dead {
                    self.nodes[*node].kind = Kind::Joined(holds);
                } else if self.nodes[holds].kind == Kind::Dead {
                    self.nodes[*node].kind = Kind::Joined(fails);
                }
            }
        }
        // Where the path is entered from what is left.
        let mut entries = Vec::new();
        if self.now(0) == joined {
            entries.push(0);
        }
        for node in &forks {
            if let Kind::Fork { holds, fails, .. } = self.nodes[*node].kind {
                entries.extend(
                    [holds, fails]
                        .into_iter()
                        .filter(|side| self.now(*side) == joined),
                );
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let reached: Vec<Wire> = entries.iter().map(|entry| self.reached(*entry)).collect();
        let mut facts = entries.iter().map(|entry| self.facts(*entry));
        let first = facts.next().flatten();
        let facts = facts.fold(first, |all, own| shared(&all, &own));
        self.nodes[joined].reached = any(&reached);
        self.nodes[joined].facts = facts;
        joined
    }
}

#[cfg(test)]
mod tests {
    use circuits::{Builder, Profile};

    use super::*;

    const FREE: [Care; 2] = [Care::ALWAYS; 2];

    /// Two branches, of which one side each goes to the same place: one leaf, however often.
    #[test]
    fn paths_that_meet_have_one_leaf() {
        let mut builder = Builder::new(&Profile::lookup_simulation());
        let conditions = builder.inputs(40);
        let mut tree = Tree::new();
        let mut path = 0;
        let mut aside = Vec::new();
        for pair in conditions.chunks(2) {
            let (a, rest) = tree.split(path, pair[0], FREE, |x, y| builder.and(x, y));
            let (b, c) = tree.split(rest, pair[1], FREE, |x, y| builder.and(x, y));
            aside.push(b);
            path = tree.join(&[a, c], |wires| builder.any(wires));
        }
        assert!(
            tree.forks().len() <= conditions.len(),
            "{}",
            tree.forks().len()
        );
        aside.push(path);
        let all = tree.join(&aside, |wires| builder.any(wires));
        assert_eq!((tree.root(), tree.reached(all)), (all, Wire::TRUE));
        assert!(tree.facts(all).is_none());
    }

    #[test]
    fn a_side_that_ended_costs_nothing() {
        let mut builder = Builder::new(&Profile::lookup_simulation());
        let conditions = builder.inputs(2);
        let mut tree = Tree::new();
        let (a, b) = tree.split(0, conditions[0], FREE, |x, y| builder.and(x, y));
        let (c, d) = tree.split(a, conditions[1], FREE, |x, y| builder.and(x, y));
        tree.end(c);
        let all = tree.join(&[b, d], |wires| builder.any(wires));
        assert_eq!((tree.root(), tree.reached(all)), (all, Wire::TRUE));
    }
}
