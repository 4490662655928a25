//! Room for more: functions that nothing stands for any more are forgotten.

use super::{Diagrams, Function, NODES};

impl Diagrams {
    /// Whether [`compact`](Self::compact) should be called before more is asked.
    pub fn is_crowded(&self) -> bool {
        self.nodes.len() > self.crowded
    }

    /// Keeps the functions of signals and those held outside, which have new numbers then. Where
    /// those of the signals are too many, only variables stay: the others are worked out again
    /// when somebody asks.
    pub fn compact(&mut self, held: &mut [&mut Function]) {
        let outside: Vec<Function> = held.iter().map(|function| **function).collect();
        let mut kept = self.reached(&outside);
        if kept.iter().filter(|kept| **kept).count() > NODES / 4 {
            let mut functions = std::mem::take(&mut self.functions);
            functions.retain(|_, function| self.is_variable(*function));
            self.functions = functions;
            kept = self.reached(&outside);
        }
        let nodes = std::mem::take(&mut self.nodes);
        self.unique.clear();
        self.chosen.clear();
        self.counted.clear();
        self.counts = 0;
        let mut renamed = vec![Function::FALSE; nodes.len()];
        // What a node is made of comes before it, and constants first.
        for (number, node) in nodes
            .into_iter()
            .enumerate()
            .filter(|(number, _)| kept[*number])
        {
            if number < 2 {
                self.nodes.push(node);
                renamed[number] = Function(number as u32);
                continue;
            }
            let [holds, fails] = [node.holds, node.fails].map(|side| renamed[side.0 as usize]);
            renamed[number] = self.node(node.variable, holds, fails);
        }
        for function in self.functions.values_mut() {
            *function = renamed[function.0 as usize];
        }
        for function in held {
            **function = renamed[function.0 as usize];
        }
        // Where much is held outside, as much again is made before anything is forgotten: what a
        // compaction takes is paid for by what was made since the last.
        self.crowded = (2 * self.nodes.len()).max(NODES / 2);
    }

    /// By node, whether something stands for it or is made of it; the constants always are.
    fn reached(&self, outside: &[Function]) -> Vec<bool> {
        let mut reached = vec![false; self.nodes.len()];
        let mut open: Vec<Function> = self.functions.values().chain(outside).copied().collect();
        open.extend([Function::FALSE, Function::TRUE]);
        while let Some(Function(number)) = open.pop() {
            if !std::mem::replace(&mut reached[number as usize], true) && number > 1 {
                let node = self.nodes[number as usize];
                open.extend([node.holds, node.fails]);
            }
        }
        reached
    }
}
