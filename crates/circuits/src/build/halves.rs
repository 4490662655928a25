//! Bits at scale 1/2, of which sums are XORs.

use super::Builder;
use crate::ir::chosen::{Most, most_of_sum};
use crate::ir::{DECRYPTED, HalfInputs, HalfNoise, Record, Signal, Term, Wire};

/// Bits of one sum: bounds the work of whoever reads it.
const TERMS: usize = 64;
/// Of what a half may have, the part that loads and choices of it add at most.
const ADDED: f64 = 1.0 / 5.0;

impl Builder {
    /// A new input that is a half, and its most noise.
    pub fn input_at_half(&mut self, noise: HalfNoise) -> Wire {
        self.half_inputs.push(self.inputs, noise);
        self.input()
    }

    /// The inputs that are halves, by number, ascending, each with its most noise.
    pub fn half_inputs(&self) -> impl Iterator<Item = (u32, HalfNoise)> {
        self.half_inputs.iter()
    }

    /// Which of the inputs to come are halves.
    pub(crate) fn expect_half_inputs(&mut self, inputs: &HalfInputs) {
        self.half_inputs.clone_from(inputs);
    }

    pub(super) fn note_half_input(&mut self, number: u32, input: Wire) {
        let known = self.half_inputs.get(number);
        if let (Some(noise), Some(node)) = (known, self.source(input)) {
            self.nodes[node as usize].is_half = true;
            self.bounds.set(node as usize, Most::of_input(&noise));
        }
    }

    /// Whether a wire is a bit at scale 1/2.
    #[must_use]
    pub fn is_half(&self, wire: Wire) -> bool {
        let node = self.source(wire);
        node.is_some_and(|node| self.nodes[node as usize].is_half)
    }

    /// The most noise of a wire that is a half; `None` for others.
    #[must_use]
    pub fn half_noise(&self, wire: Wire) -> Option<HalfNoise> {
        let node = self.source(wire).filter(|_| self.is_half(wire))?;
        self.bounds.get(node as usize).map(Most::as_input)
    }

    /// Whether an odd number of bits is 1, as a half: without any rotation where the target has
    /// selectors, elsewhere as [`Builder::parity`]. A bit alone stays what it is.
    ///
    /// ```
    /// use blindcore_circuits::{Builder, Profile, passes, sim};
    ///
    /// let profile = Profile::selector_simulation();
    /// let mut b = Builder::new(&profile);
    /// let bits = b.inputs(40);
    /// let odd = b.linear(&bits);
    /// assert!(b.is_half(odd));
    /// b.output(odd);
    /// let circuit = passes::prepare(&b.finish(), &profile);
    /// let cost = passes::cost(&circuit, &profile);
    /// assert_eq!((cost.linear, cost.bootstraps), (1, 0));
    /// let ones = [u64::MAX; 40];
    /// assert_eq!(sim::evaluate(&circuit, &ones).unwrap(), [0]);
    /// ```
    pub fn linear(&mut self, wires: &[Wire]) -> Wire {
        if self.profile.selectors.is_none() {
            return self.parity(wires);
        }
        let mut inverted = false;
        let mut bits: Vec<Signal> = Vec::with_capacity(wires.len());
        for &wire in wires {
            inverted ^= wire.is_inverted();
            match self.linear_terms(wire.signal()) {
                Some(terms) => bits.extend(terms.iter().map(|term| term.wire.signal())),
                None => bits.push(wire.signal()),
            }
        }
        bits.retain(|&bit| bit != Signal::FALSE);
        bits.sort_unstable();
        // Pairs vanish.
        let odd = bits.chunk_by(|a, b| a == b);
        let odd = odd.filter(|same| same.len() % 2 == 1);
        let odd: Vec<Wire> = odd.map(|same| Wire::from(same[0])).collect();
        self.linear_of(odd).invert_if(inverted)
    }

    /// Of distinct, sorted bits, none of which is such a sum.
    fn linear_of(&mut self, mut bits: Vec<Wire>) -> Wire {
        if bits.len() > 1 {
            let most = self.most_of_bits(&bits);
            let limit = self.half_limit();
            let model = self.profile.lookup.map(|lookup| lookup.noise);
            if bits.len() <= TERMS && model.is_none_or(|model| most.variance(&model) <= limit) {
                return self.linear_node(&bits, most);
            }
            // Parts of it become quiet bits: those that are halves alone, others as a parity.
            if let Some(at) = bits.iter().position(|&bit| self.is_half(bit)) {
                bits[at] = self.refresh(bits[at]);
                return self.linear(&bits);
            }
            if bits.len() == 2 {
                return self.parity(&bits);
            }
            let rest = bits.split_off(bits.len().div_ceil(2));
            let both = [self.parity(&bits), self.parity(&rest)];
            return self.linear(&both);
        }
        bits.pop().unwrap_or(Wire::FALSE)
    }

    /// The most variance of a half.
    pub(super) fn half_limit(&self) -> f64 {
        (1.0 - ADDED) * self.noise_limit() / DECRYPTED
    }

    fn most_of_bits(&self, bits: &[Wire]) -> Most {
        let model = self.profile.lookup.map(|lookup| lookup.noise);
        let terms = bits.iter().map(|&bit| (bit, 1));
        model.map_or_else(Most::default, |model| most_of_sum(self, terms, &model))
    }

    fn linear_terms(&self, signal: Signal) -> Option<&[Term]> {
        match self.op(self.source(Wire::from(signal))?) {
            crate::Op::Linear { terms } => Some(terms),
            _ => None,
        }
    }

    /// The sum of distinct, sorted wires.
    fn linear_node(&mut self, wires: &[Wire], most: Most) -> Wire {
        let count = wires.len() as u32;
        let sum = self.sum_of(wires, |first| Record::Linear { first, count });
        if let Some(node) = self.source(sum) {
            self.bounds.set(node as usize, most);
        }
        sum
    }
}
