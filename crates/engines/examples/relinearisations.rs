//! Would circuits gain if products stayed in three parts until two are needed?
//!
//! `cargo run -p blindcore-engines --example relinearisations`
//!
//! Sums of products can be relinearised once (`Evaluator::sum_of_products`), but relinearising also
//! takes the product to the level of its noise, for nothing: a product that stays in three parts
//! has to be switched when it meets a later one, three parts of it. Counted here, for units as the
//! library draws them: relinearisations, and switches of three parts, if every product is
//! relinearised at once; if none is before an AND or an output reads it; and by the best choice of
//! products that a search finds, once as if switches were free and once at what they cost. An XOR
//! takes the form of two parts where there is one.
#![allow(
    clippy::unwrap_used,
    reason = "a count of circuits that are known to be drawn"
)]

use std::collections::HashSet;

use bgv::{Level, Parameters, Security};
use blindcore_engines::bgv::{choose, profile_without_parameters};
use circuits::library::{self, Signedness};
use circuits::passes::{multiplicative_depth, prepare};
use circuits::{Builder, Circuit, Op, Wire};

/// A circuit by its signals.
struct Net {
    /// Whether it is an AND, an XOR (or an input, without operands), and what it reads.
    nodes: Vec<(bool, Vec<usize>)>,
    /// Whether an AND or an output reads it, so that it must have two parts.
    read_in_two: Vec<bool>,
    /// ANDs in a row.
    depth: Vec<usize>,
}

impl Net {
    fn of(circuit: &Circuit) -> Self {
        let signals = circuit.signals();
        let mut net = Self {
            nodes: vec![(false, Vec::new()); signals],
            read_in_two: vec![false; signals],
            depth: vec![0; signals],
        };
        for node in circuit.nodes() {
            let op = circuit.op(node);
            let secret = op.operands().filter(|wire| wire.as_constant().is_none());
            let operands: Vec<usize> = secret.map(|wire| wire.signal().index()).collect();
            let product = matches!(op, Op::And(..));
            for &operand in operands.iter().filter(|_| product) {
                net.read_in_two[operand] = true;
            }
            let own = circuit.signals_of(node).next().unwrap().index();
            let before = operands.iter().map(|&operand| net.depth[operand]).max();
            net.depth[own] = before.unwrap_or(0) + usize::from(product);
            net.nodes[own] = (product, operands);
        }
        for wire in circuit.outputs() {
            if wire.as_constant().is_none() {
                net.read_in_two[wire.signal().index()] = true;
            }
        }
        net
    }

    /// Relinearisations and switches of three parts, if these products are relinearised at once. A
    /// product is computed at its operands' level and relinearised to the next one; a sum is at its
    /// operands' lowest.
    fn count(&self, at_once: &[bool]) -> (usize, usize) {
        let mut three = vec![false; self.nodes.len()];
        let mut spent = vec![0; self.nodes.len()];
        let mut relinearised = 0;
        let mut switched = HashSet::new();
        for (own, (product, operands)) in self.nodes.iter().enumerate() {
            if *product {
                three[own] = true;
                spent[own] = self.depth[own] - 1;
            } else {
                let lowest = operands.iter().map(|&operand| spent[operand]).max();
                spent[own] = lowest.unwrap_or(0);
                for &operand in operands {
                    three[own] |= three[operand];
                    if three[operand] && spent[operand] < spent[own] {
                        switched.insert((operand, spent[own]));
                    }
                }
            }
            if three[own] && (self.read_in_two[own] || at_once[own]) {
                relinearised += 1;
                three[own] = false;
                spent[own] = spent[own].max(self.depth[own]);
            }
        }
        (relinearised, switched.len())
    }

    fn products(&self) -> Vec<bool> {
        self.nodes.iter().map(|node| node.0).collect()
    }

    /// The best choice found by changing one product at a time, from all at once and from none.
    fn best(&self, switch: f64) -> (usize, usize) {
        let cost = |(relinearised, switched): (usize, usize)| {
            relinearised as f64 + switch * switched as f64
        };
        let climb = |mut at_once: Vec<bool>| {
            let mut best = self.count(&at_once);
            loop {
                let before = best;
                for own in 0..at_once.len() {
                    if !self.nodes[own].0 || self.read_in_two[own] {
                        continue;
                    }
                    at_once[own] ^= true;
                    let here = self.count(&at_once);
                    if cost(here) < cost(best) {
                        best = here;
                    } else {
                        at_once[own] ^= true;
                    }
                }
                if best == before {
                    return best;
                }
            }
        };
        let ends = [climb(self.products()), climb(vec![false; self.nodes.len()])];
        if cost(ends[0]) <= cost(ends[1]) {
            ends[0]
        } else {
            ends[1]
        }
    }
}

/// Transforms of a switch of three parts by a circuit's level, over those of a product, in the
/// middle of the chain.
fn cost_of_switch(parameters: &Parameters) -> f64 {
    let from = parameters.top().number() / 2;
    let to = from.saturating_sub(2).max(Level::LEAST.number());
    let [from, to] = [from, to].map(Level::from_number);
    let (here, kept) = (parameters.primes_of(from), parameters.primes_of(to));
    let dropped = here.iter().filter(|number| !kept.contains(number)).count();
    3.0 * (dropped + kept.len()) as f64 / parameters.transforms_of_product(from) as f64
}

type Unit = fn(&mut Builder, &[Wire], &[Wire]) -> Vec<Wire>;

fn main() {
    let divide: Unit = |b, x, y| {
        let divided = library::divide(b, Signedness::Unsigned, x, y);
        [divided.quotient, divided.remainder].concat()
    };
    let distance: Unit = |b, x, y| {
        let bits = x.iter().zip(y).map(|(&x, &y)| b.xor(x, y));
        let bits: Vec<Wire> = bits.collect();
        library::population_count(b, &bits)
    };
    let units: [(&str, usize, Unit); 10] = [
        ("addition", 16, |b, x, y| library::add(b, x, y)),
        ("addition", 64, |b, x, y| library::add(b, x, y)),
        ("subtraction", 16, |b, x, y| library::subtract(b, x, y)),
        ("subtraction", 64, |b, x, y| library::subtract(b, x, y)),
        ("product", 8, |b, x, y| library::multiply(b, x, y)),
        ("product", 16, |b, x, y| library::multiply(b, x, y)),
        ("division", 4, divide),
        ("division", 8, divide),
        ("Hamming distance", 32, distance),
        ("comparison", 16, |b, x, y| {
            vec![library::less_than_unsigned(b, x, y)]
        }),
    ];
    println!(
        "relinearisations + switches of three parts\n{:20} depth  at once  when needed  best, switches free  \
         a switch, products  best at that: in products",
        "unit"
    );
    let profile = profile_without_parameters();
    for (name, bits, unit) in units {
        let mut build = Builder::new(&profile);
        let (x, y) = (build.inputs(bits), build.inputs(bits));
        for bit in unit(&mut build, &x, &y) {
            build.output(bit);
        }
        let circuit = prepare(&build.finish(), &profile);
        let net = Net::of(&circuit);
        let set = choose(&circuit, 1, Security::Bits128).unwrap().parameters;
        let switch = cost_of_switch(&set);
        let needed = net.count(&vec![false; net.nodes.len()]);
        let (free, priced) = (net.best(0.0), net.best(switch));
        println!(
            "{:20} {:5} {:8} {:>12} {:>20} {:19.2} {:>15}: {:.1}",
            format!("{name}, {bits}"),
            multiplicative_depth(&circuit).depth,
            net.count(&net.products()).0,
            format!("{} + {}", needed.0, needed.1),
            format!("{} + {}", free.0, free.1),
            switch,
            format!("{} + {}", priced.0, priced.1),
            priced.0 as f64 + switch * priced.1 as f64,
        );
    }
}
