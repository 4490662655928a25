//! Random structured programs in machine code: choices, loops with a clear bound and a way out,
//! calls, early returns, and conditional instructions in between.
//!
//! Registers 0 to 3 begin as four secret words, 4 to 7 as clear ones; 8 and 9 count, 10 points to
//! the buffer, 11 to some word in its first half, often a secret one. At the end everything is in
//! the dump: registers 0 to 9, then N, Z, C and V.

use super::simulated::Random;

const ALWAYS: u32 = 0xe;

/// A program being written.
pub(crate) struct Writer<'a> {
    pub(crate) words: Vec<u32>,
    random: &'a mut Random,
    /// Where functions begin.
    functions: Vec<usize>,
    /// Whether returns need what was pushed; `None` outside of functions.
    pushed: Option<bool>,
    counters: u32,
}

/// A whole program; the buffer, the dump and the four secret words are at these addresses.
pub(crate) fn program(random: &mut Random, [buffer, dump, secrets]: [u32; 3]) -> Vec<u32> {
    let mut writer = Writer {
        words: vec![0],
        random,
        functions: Vec::new(),
        pushed: None,
        counters: 0,
    };
    for leaf in [true, false, true] {
        writer.function(leaf);
    }
    let begin = writer.words.len();
    writer.words[0] = jump(ALWAYS, 0, begin);
    writer.words.push(0xe92d_4ff0); // push {r4-r11, lr}
    writer.address(10, secrets);
    writer.words.push(0xe89a_000f); // ldm r10, {r0-r3}
    for register in 4..8 {
        let value = writer.below(200);
        writer.words.push(0xe3a0_0000 | register << 12 | value);
    }
    writer.address(10, buffer);
    writer.words.push(0xe1a0_b00a); // mov r11, r10
    writer.block(3);
    writer.address(10, dump);
    writer.words.push(0xe88a_03ff); // stm r10, {r0-r9}
    for (position, condition) in [4, 0, 2, 6].into_iter().enumerate() {
        writer.words.push(0xe3a0_0000); // mov r0, #0
        writer.words.push(condition << 28 | 0x03a0_0001); // mov<c> r0, #1
        writer.words.push(0xe58a_0000 | (40 + 4 * position as u32)); // str r0, [r10, #…]
    }
    writer.words.push(0xe8bd_8ff0); // pop {r4-r11, pc}
    writer.words
}

fn jump(condition: u32, from: usize, to: usize) -> u32 {
    let offset = (to as i64 - from as i64 - 2) as u32;
    condition << 28 | 0x0a00_0000 | offset & 0x00ff_ffff
}

impl Writer<'_> {
    fn below(&mut self, limit: u32) -> u32 {
        (self.random.next() % u64::from(limit)) as u32
    }

    fn condition(&mut self) -> u32 {
        self.below(14)
    }

    fn address(&mut self, register: u32, address: u32) {
        for (word, half) in [
            (0xe300_0000, address & 0xffff),
            (0xe340_0000, address >> 16),
        ] {
            self.words
                .push(word | register << 12 | (half >> 12) << 16 | half & 0xfff);
        }
    }

    fn function(&mut self, leaf: bool) {
        let begin = self.words.len();
        if !leaf {
            self.words.push(0xe92d_4300); // push {r8, r9, lr}
        }
        self.pushed = Some(!leaf);
        self.block(if leaf { 1 } else { 2 });
        self.leave(ALWAYS);
        self.pushed = None;
        self.functions.push(begin);
    }

    fn leave(&mut self, condition: u32) {
        match self.pushed {
            Some(true) => self.words.push(condition << 28 | 0x08bd_8300), // pop {r8, r9, pc}
            Some(false) => self.words.push(condition << 28 | 0x012f_ff1e), // bx lr
            None => {}
        }
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..2 + self.below(3) {
            match self.below(if depth == 0 { 8 } else { 15 }) {
                0..=3 => self.arithmetic(),
                4 => self.memory(),
                5 => {
                    self.compare();
                    let condition = self.condition();
                    self.leave(condition);
                }
                6 => self.pointer(),
                7 => self.pointed(),
                8..=10 => self.choice(depth - 1),
                11 | 12 => self.looped(depth - 1),
                13 => self.call(),
                _ => self.shared(depth - 1),
            }
        }
    }

    /// Data processing on registers 0 to 7, sometimes under a condition, sometimes with flags.
    fn arithmetic(&mut self) {
        let condition = match self.below(4) {
            0 => self.condition(),
            _ => ALWAYS,
        };
        let operation = [0, 1, 2, 3, 4, 5, 6, 12, 13, 14][self.below(10) as usize];
        let (rd, rn, flags) = (self.below(8), self.below(8), self.below(3) / 2);
        let operand = match self.below(3) {
            0 => 1 << 25 | self.below(256),
            1 => self.below(8),
            _ => self.below(8) | (1 + self.below(30)) << 7 | self.below(4) << 5,
        };
        let rn = if operation == 13 { 0 } else { rn };
        self.words
            .push(condition << 28 | operation << 21 | flags << 20 | rn << 16 | rd << 12 | operand);
    }

    /// A load or a store of a word or a byte in the buffer.
    fn memory(&mut self) {
        let condition = match self.below(4) {
            0 => self.condition(),
            _ => ALWAYS,
        };
        let (load, byte, rt) = (self.below(2), self.below(2), self.below(8));
        let offset = match byte {
            1 => self.below(64),
            _ => 4 * self.below(16),
        };
        self.words
            .push(condition << 28 | 0x058a_0000 | load << 20 | byte << 22 | rt << 12 | offset);
    }

    /// Makes register 11 point to a word that a register names.
    fn pointer(&mut self) {
        let condition = match self.below(3) {
            0 => self.condition(),
            _ => ALWAYS,
        };
        let (rn, mask) = (self.below(5), [7, 7, 6, 5][self.below(4) as usize]);
        self.words.push(0xe200_c000 | rn << 16 | mask); // and r12, rn, #mask
        self.words.push(condition << 28 | 0x008a_b10c); // add<c> r11, r10, r12, lsl #2
    }

    /// A load or a store of a word or a byte where register 11 points to, or up to 32 bytes behind.
    fn pointed(&mut self) {
        let condition = match self.below(4) {
            0 => self.condition(),
            _ => ALWAYS,
        };
        let (load, byte, rt) = (self.below(2), self.below(2), self.below(8));
        let offset = match byte {
            1 => self.below(36),
            _ => 4 * self.below(9),
        };
        self.words
            .push(condition << 28 | 0x058b_0000 | load << 20 | byte << 22 | rt << 12 | offset);
    }

    fn compare(&mut self) {
        let operation = [8, 9, 10, 10, 10, 11][self.below(6) as usize];
        let rn = self.below(5);
        let operand = match self.below(2) {
            0 => 1 << 25 | self.below(64),
            _ => self.below(4),
        };
        self.words
            .push(ALWAYS << 28 | operation << 21 | 1 << 20 | rn << 16 | operand);
    }

    /// A jump whose target is not yet known.
    fn hole(&mut self) -> usize {
        self.words.push(0);
        self.words.len() - 1
    }

    fn fill(&mut self, hole: usize, condition: u32) {
        self.words[hole] = jump(condition, hole, self.words.len());
    }

    /// `if`, often with `else`.
    fn choice(&mut self, depth: u32) {
        self.compare();
        let (condition, hole) = (self.condition(), self.hole());
        self.block(depth);
        if self.below(3) == 0 {
            self.fill(hole, condition);
            return;
        }
        let end = self.hole();
        self.fill(hole, condition);
        self.block(depth);
        self.fill(end, ALWAYS);
    }

    /// Two to four rounds, with a way out, and at times a way to the next round.
    fn looped(&mut self, depth: u32) {
        if self.counters == 2 || self.pushed == Some(false) {
            return self.arithmetic();
        }
        let counter = 8 + self.counters;
        self.counters += 1;
        let rounds = 2 + self.below(3);
        self.words.push(0xe3a0_0000 | counter << 12 | rounds);
        let begin = self.words.len();
        self.block(depth.min(1));
        self.compare();
        let out = self.hole();
        let onward = (self.below(2) == 0).then(|| {
            self.arithmetic();
            self.compare();
            self.hole()
        });
        self.block(0);
        if let Some(onward) = onward {
            let condition = self.condition();
            self.fill(onward, condition);
        }
        self.words.push(0xe250_0001 | counter << 16 | counter << 12); // subs counter, counter, #1
        let back = jump(1, self.words.len(), begin); // bne
        self.words.push(back);
        let condition = self.condition();
        self.fill(out, condition);
        self.counters -= 1;
    }

    /// A call, sometimes under a condition; functions do not call.
    fn call(&mut self) {
        if self.pushed.is_some() {
            return self.arithmetic();
        }
        self.compare();
        let condition = match self.below(2) {
            0 => self.condition(),
            _ => ALWAYS,
        };
        let choice = self.below(self.functions.len() as u32);
        let callee = self.functions[choice as usize];
        let from = self.words.len();
        self.words.push(jump(condition, from, callee) | 1 << 24);
    }

    /// Two branches to the same place.
    fn shared(&mut self, depth: u32) {
        self.compare();
        let (first, one) = (self.condition(), self.hole());
        self.arithmetic();
        self.compare();
        let (second, two) = (self.condition(), self.hole());
        self.block(depth);
        self.fill(one, first);
        self.fill(two, second);
    }
}
