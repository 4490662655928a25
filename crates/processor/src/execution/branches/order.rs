//! The order of a function's instructions in which paths wait for each other.
//!
//! Instructions are arranged so that every one comes after those that lead to it, but for the way
//! back to a loop's head; a loop's instructions stand together, its head first. That is the weak
//! topological order of F. Bourdoncle, "Efficient chaotic iteration strategies with widenings"
//! (1993): strongly connected components in topological order, and within each the same again
//! without the way back to its head. So whatever of two paths stands earlier can still come to where
//! the other one is, and has to be carried on first.
//!
//! The graph is explored from the function's first instruction, over clear code as it stands in
//! memory. A call falls through to the next instruction. The order need not be right for a run to
//! be: paths become one only where they really meet.

use std::collections::HashMap;

/// The most instructions explored of one function; those beyond have no place of their own.
const EXPLORED: usize = 1 << 14;

/// Loops within loops beyond this number are not told apart.
const NESTING: usize = 32;

/// Loops with several ways in are looked at up to this number of instructions,
const COMPARED: usize = 1 << 11;

/// and up to this number of heads tried.
const CANDIDATES: usize = 16;

/// Where an instruction may lead within its function, as far as that stands in it.
pub(super) type Successors = [Option<u32>; 2];

/// The place of an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Its number in the order.
    pub(super) position: u32,
    /// The heads of the loops that it lies in, the outermost first.
    pub(super) loops: Vec<u32>,
}

/// The places of a function's instructions, by address.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    entry: u32,
    places: HashMap<u32, Place>,
}

impl Order {
    /// Explores what can be reached from `entry`.
    pub(super) fn new(entry: u32, successors: impl FnMut(u32) -> Vec<u32>) -> Self {
        let graph = Graph::explore(entry, successors);
        let places = HashMap::new();
        let mut order = Self { entry, places };
        let all: Vec<usize> = (0..graph.addresses.len()).collect();
        graph.arrange(&all, &mut Vec::new(), &mut order);
        order
    }

    /// Where the function begins.
    pub(super) fn entry(&self) -> u32 {
        self.entry
    }

    /// The place of the instruction at an address, if it was found.
    pub(super) fn place(&self, address: u32) -> Option<&Place> {
        self.places.get(&address)
    }

    /// The instructions that were found.
    pub(super) fn addresses(&self) -> impl Iterator<Item = u32> + '_ {
        self.places.keys().copied()
    }

    /// Whether an instruction lies in the loop with this head.
    pub(super) fn is_in(&self, address: u32, head: u32) -> bool {
        self.place(address)
            .is_some_and(|place| place.loops.contains(&head))
    }
}

/// Instructions by number, the entry first, and where each leads.
struct Graph {
    addresses: Vec<u32>,
    edges: Vec<Vec<usize>>,
}

impl Graph {
    fn explore(entry: u32, mut successors: impl FnMut(u32) -> Vec<u32>) -> Self {
        let mut addresses = vec![entry];
        let mut numbers = HashMap::from([(entry, 0)]);
        let mut edges = Vec::new();
        while edges.len() < addresses.len() {
            let mut leads = Vec::new();
            for next in successors(addresses[edges.len()]) {
                match numbers.get(&next) {
                    Some(number) => leads.push(*number),
                    None if addresses.len() >= EXPLORED => {}
                    None => {
                        numbers.insert(next, addresses.len());
                        leads.push(addresses.len());
                        addresses.push(next);
                    }
                }
            }
            edges.push(leads);
        }
        Self { addresses, edges }
    }

    /// Places some of the instructions, which all lie in the loops with these heads.
    fn arrange(&self, nodes: &[usize], heads: &mut Vec<u32>, order: &mut Order) {
        for mut component in self.components(nodes) {
            let head = self.head(&component, nodes);
            component.swap(0, head);
            let head = component[0];
            let is_loop = component.len() > 1 || self.edges[head].contains(&head);
            if is_loop && heads.len() < NESTING {
                heads.push(self.addresses[head]);
                self.put(head, heads, order);
                self.arrange(&component[1..], heads, order);
                heads.pop();
            } else {
                for node in component {
                    self.put(node, heads, order);
                }
            }
        }
    }

    /// The place of a component's head in it: the instruction at which the loop is entered. Where
    /// compilers have made several ways in, it is one that every round goes through and none of them
    /// leads to, if there is one: else the rounds of two paths could not be compared.
    fn head(&self, component: &[usize], nodes: &[usize]) -> usize {
        if !(3..=COMPARED).contains(&component.len()) {
            return 0;
        }
        let inside: HashMap<usize, usize> = (0..).zip(component).map(|(i, n)| (*n, i)).collect();
        let mut entered = vec![false; component.len()];
        let mut before = vec![0_u32; component.len()];
        for node in nodes {
            for next in &self.edges[*node] {
                match (inside.get(node), inside.get(next)) {
                    (None, Some(next)) => entered[*next] = true,
                    (Some(_), Some(next)) => before[*next] += 1,
                    (_, None) => {}
                }
            }
        }
        if entered.iter().filter(|entered| **entered).count() < 2 {
            return 0;
        }
        let meets = |place: &usize| before[*place] > 1 && !entered[*place];
        let every_round = |place: &usize| {
            let rest = component
                .iter()
                .copied()
                .filter(|node| *node != component[*place]);
            let rest: Vec<usize> = rest.collect();
            let found = self.components(&rest);
            found
                .iter()
                .all(|one| one.len() == 1 && !self.edges[one[0]].contains(&one[0]))
        };
        let mut candidates = (0..component.len()).filter(meets).take(CANDIDATES);
        candidates.find(every_round).unwrap_or(0)
    }

    fn put(&self, node: usize, heads: &[u32], order: &mut Order) {
        let place = Place {
            position: order.places.len() as u32,
            loops: heads.to_vec(),
        };
        order.places.insert(self.addresses[node], place);
    }

    /// The strongly connected components of the graph of these nodes alone, in topological order,
    /// each beginning with the node that is come to first. R. Tarjan, "Depth-first search and
    /// linear graph algorithms" (1972), with a stack of its own.
    fn components(&self, nodes: &[usize]) -> Vec<Vec<usize>> {
        const OUTSIDE: usize = usize::MAX;
        // By node: its place in `nodes`.
        let mut local: HashMap<usize, usize> = HashMap::new();
        for (index, node) in nodes.iter().enumerate() {
            local.insert(*node, index);
        }
        let mut number = vec![OUTSIDE; nodes.len()];
        let mut low = vec![OUTSIDE; nodes.len()];
        let mut open = vec![false; nodes.len()];
        let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
        for start in 0..nodes.len() {
            if number[start] != OUTSIDE {
                continue;
            }
            let mut visit = vec![(start, 0)];
            while let Some((at, edge)) = visit.pop() {
                if edge == 0 {
                    (number[at], low[at], open[at]) = (count, count, true);
                    count += 1;
                    stack.push(at);
                }
                match self.edges[nodes[at]].get(edge) {
                    Some(next) => {
                        visit.push((at, edge + 1));
                        let Some(&next) = local.get(next) else {
                            continue;
                        };
                        if number[next] == OUTSIDE {
                            visit.push((next, 0));
                        } else if open[next] {
                            low[at] = low[at].min(number[next]);
                        }
                    }
                    None => {
                        if let Some((parent, _)) = visit.last() {
                            low[*parent] = low[*parent].min(low[at]);
                        }
                        if low[at] == number[at] {
                            let first = stack.iter().rposition(|node| *node == at).unwrap_or(0);
                            let mut component = stack.split_off(first);
                            for node in &component {
                                open[*node] = false;
                            }
                            component.iter_mut().for_each(|node| *node = nodes[*node]);
                            found.push(component);
                        }
                    }
                }
            }
        }
        found.reverse();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of a graph of addresses 0, 1, …
    fn order(edges: &[&[u32]]) -> Order {
        Order::new(0, |address| edges[address as usize].to_vec())
    }

    fn loops(order: &Order, address: u32) -> &[u32] {
        &order.place(address).unwrap().loops
    }

    #[test]
    fn branches_come_before_where_they_meet() {
        let order = order(&[&[1, 2], &[3], &[3], &[]]);
        let position = |address| order.place(address).unwrap().position;
        assert_eq!((position(0), position(3)), (0, 3));
        assert!((0..4).all(|address| loops(&order, address).is_empty()));
    }

    #[test]
    fn loops_stand_together_and_before_what_follows_them() {
        // 1 is the head of a loop with a branch in it, 5 follows; 3 leaves early.
        let order = order(&[&[1], &[2, 5], &[3, 4], &[5, 1], &[1], &[]]);
        let position = |address| order.place(address).unwrap().position;
        assert_eq!((position(0), position(1), position(5)), (0, 1, 5));
        for inside in 1..5 {
            assert_eq!(loops(&order, inside), [1]);
        }
        assert!(loops(&order, 5).is_empty());
        assert!(order.is_in(3, 1) && !order.is_in(5, 1) && !order.is_in(9, 1));
    }

    #[test]
    fn loops_within_loops_are_told_apart() {
        let order = order(&[&[1], &[2], &[3], &[2, 4], &[1, 5], &[]]);
        assert_eq!(loops(&order, 3), [1, 2]);
        assert_eq!(loops(&order, 4), [1]);
        let position = |address| order.place(address).unwrap().position;
        assert!(position(3) < position(4));
    }

    /// A loop with its first test peeled off: entered at 1 and at 4, round by round through 2.
    #[test]
    fn a_loop_with_two_ways_in_counts_where_they_meet() {
        let order = order(&[&[4, 1], &[2], &[3, 5], &[1, 4], &[2], &[]]);
        for inside in 1..5 {
            assert_eq!(loops(&order, inside), [2]);
        }
    }

    #[test]
    fn large_functions_have_an_end() {
        let order = Order::new(0, |address| vec![address + 1, address / 2]);
        assert_eq!(order.places.len(), EXPLORED);
    }
}
