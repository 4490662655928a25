//! Where the two paths of a branch meet: the branch's immediate post-dominator, the first
//! instruction that every way from the branch to the function's end goes through.
//!
//! The graph is explored from the branch on, over clear code as it stands in memory. A call falls
//! through to the next instruction; a return, a computed jump, the end of the program and what
//! cannot be decoded lead to one virtual exit. If that is the only thing that all ways share, the
//! paths meet where both return. The answer need not be right for a run to be: paths are joined
//! only where they really meet, and a wrong one is a branch that is not joined.
//!
//! Post-dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on
//! the reversed graph; nearly linear in the instructions explored, of which there are at most
//! [`EXPLORED`].

use std::collections::HashMap;

/// The most instructions explored for one branch; beyond them every way counts as leading out.
const EXPLORED: usize = 1 << 14;

/// The virtual exit's number.
const EXIT: usize = 0;

/// Where an instruction may lead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Successors {
    /// Addresses in the same function.
    pub(super) next: [Option<u32>; 2],
    /// Whether it may leave the function.
    pub(super) leaves: bool,
}

/// The first address after `branch` that every way from it goes through, `None` for the exit.
pub(super) fn join(branch: u32, successors: impl FnMut(u32) -> Successors) -> Option<u32> {
    let (addresses, edges) = explore(branch, successors);
    let dominators = dominators(&edges);
    match dominators.get(1).copied().flatten() {
        None | Some(EXIT) => None,
        Some(node) => addresses.get(node).copied(),
    }
}

/// The addresses by number, the exit first and the branch second, and where each leads.
fn explore(
    branch: u32,
    mut successors: impl FnMut(u32) -> Successors,
) -> (Vec<u32>, Vec<Vec<usize>>) {
    let mut addresses = vec![0, branch];
    let mut numbers = HashMap::from([(branch, 1)]);
    let mut edges = vec![Vec::new()];
    while edges.len() < addresses.len() {
        let found = successors(addresses[edges.len()]);
        let mut leads: Vec<usize> = Vec::new();
        for next in found.next.into_iter().flatten() {
            leads.push(match numbers.get(&next) {
                Some(number) => *number,
                None if addresses.len() >= EXPLORED => EXIT,
                None => {
                    numbers.insert(next, addresses.len());
                    addresses.push(next);
                    addresses.len() - 1
                }
            });
        }
        if found.leaves {
            leads.push(EXIT);
        }
        edges.push(leads);
    }
    (addresses, edges)
}

/// For each node its immediate post-dominator; `None` for those from which no way leads out.
fn dominators(edges: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (from, leads) in edges.iter().enumerate() {
        for to in leads {
            reversed[*to].push(from);
        }
    }
    let order = postorder(&reversed);
    let mut rank = vec![0; edges.len()];
    for (position, node) in order.iter().enumerate() {
        rank[*node] = position;
    }
    let mut immediate = vec![None; edges.len()];
    immediate[EXIT] = Some(EXIT);
    let mut changed = true;
    while changed {
        changed = false;
        for node in order.iter().rev().copied().filter(|node| *node != EXIT) {
            let mut found = None;
            for lead in edges[node].iter().copied() {
                if immediate[lead].is_some() {
                    found = Some(match found {
                        None => lead,
                        Some(other) => meet(&immediate, &rank, lead, other),
                    });
                }
            }
            if immediate[node] != found {
                immediate[node] = found;
                changed = true;
            }
        }
    }
    immediate
}

/// The nearest node that post-dominates both.
fn meet(immediate: &[Option<usize>], rank: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let lower = if rank[a] < rank[b] { &mut a } else { &mut b };
        *lower = immediate[*lower].unwrap_or(EXIT);
    }
    a
}

/// The nodes from which the exit can be reached, each after those that lead to it first.
fn postorder(reversed: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; reversed.len()];
    let mut stack = vec![(EXIT, 0)];
    seen[EXIT] = true;
    while let Some((node, position)) = stack.last_mut() {
        match reversed[*node].get(*position) {
            Some(&next) => {
                *position += 1;
                if !seen[next] {
                    seen[next] = true;
                    stack.push((next, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph by address: where each leads, 0 for out.
    fn joined(branch: u32, graph: &[(u32, &[u32])]) -> Option<u32> {
        let graph: HashMap<u32, &[u32]> = graph.iter().copied().collect();
        join(branch, |address| {
            let leads = graph.get(&address).copied().unwrap_or(&[0]);
            let mut inside = leads.iter().copied().filter(|next| *next != 0);
            Successors {
                next: [inside.next(), inside.next()],
                leaves: leads.contains(&0),
            }
        })
    }

    #[test]
    fn arms_meet_after_both() {
        let diamond: &[(u32, &[u32])] = &[(1, &[2, 3]), (2, &[4]), (3, &[4]), (4, &[0])];
        assert_eq!(joined(1, diamond), Some(4));
        let short: &[(u32, &[u32])] = &[(1, &[2, 3]), (2, &[3]), (3, &[0])];
        assert_eq!(joined(1, short), Some(3));
        let nested: &[(u32, &[u32])] = &[
            (1, &[2, 6]),
            (2, &[3, 4]),
            (3, &[5]),
            (4, &[5]),
            (5, &[7]),
            (6, &[7]),
            (7, &[0]),
        ];
        assert_eq!(joined(1, nested), Some(7));
        assert_eq!(joined(2, nested), Some(5));
    }

    #[test]
    fn a_break_meets_behind_its_loop() {
        // 1: head; 2: if … break; 3: step, back to 1 or out to 4.
        let graph: &[(u32, &[u32])] =
            &[(1, &[2]), (2, &[3, 4]), (3, &[1, 4]), (4, &[5]), (5, &[0])];
        assert_eq!(joined(2, graph), Some(4));
        // A loop that never ends on one side: the other one decides.
        let endless: &[(u32, &[u32])] = &[(1, &[2, 3]), (2, &[2]), (3, &[4]), (4, &[0])];
        assert_eq!(joined(1, endless), Some(3));
    }

    #[test]
    fn returns_meet_outside() {
        let graph: &[(u32, &[u32])] = &[(1, &[2, 3]), (2, &[0]), (3, &[4]), (4, &[0])];
        assert_eq!(joined(1, graph), None);
        let forever: &[(u32, &[u32])] = &[(1, &[2, 1]), (2, &[1])];
        assert_eq!(joined(1, forever), None);
        // A conditional return.
        let conditional: &[(u32, &[u32])] = &[(1, &[0, 2]), (2, &[0])];
        assert_eq!(joined(1, conditional), None);
    }

    #[test]
    fn exploration_is_bounded() {
        let mut queries = 0;
        let found = join(4, |address| {
            queries += 1;
            Successors {
                next: [Some(address + 4), None],
                leaves: false,
            }
        });
        assert_eq!(queries + 1, EXPLORED);
        assert_eq!(found, Some(8));
    }

    /// By definition: a node that lies on every way out.
    fn by_definition(edges: &[Vec<usize>], from: usize) -> Vec<usize> {
        let reaches = |without: usize| {
            let mut seen = vec![false; edges.len()];
            let mut stack = vec![from];
            while let Some(node) = stack.pop() {
                if node == EXIT {
                    return true;
                }
                if !std::mem::replace(&mut seen[node], true) {
                    stack.extend(edges[node].iter().filter(|next| **next != without));
                }
            }
            false
        };
        (0..edges.len())
            .filter(|node| *node != from && *node != EXIT && reaches(usize::MAX) && !reaches(*node))
            .collect()
    }

    #[test]
    fn random_graphs_agree_with_the_definition() {
        let mut state = 7u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        let mut shared = 0;
        for _ in 0..3000 {
            let size = 2 + random(9);
            let mut edges = vec![Vec::new()];
            for _ in 1..size {
                edges.push((0..1 + random(2)).map(|_| random(size)).collect());
            }
            let found = dominators(&edges);
            for (from, found) in found.into_iter().enumerate().skip(1) {
                let all = by_definition(&edges, from);
                match found {
                    Some(node) if node != EXIT => {
                        // The nearest: every other one lies behind it.
                        assert!(all.contains(&node), "{edges:?} {from}: {node}");
                        let behind = by_definition(&edges, node);
                        assert!(all.iter().all(|a| *a == node || behind.contains(a)));
                        shared += 1;
                    }
                    _ => assert!(all.is_empty(), "{edges:?} {from}: {all:?}"),
                }
            }
        }
        assert!(shared > 1000, "{shared}");
    }
}
