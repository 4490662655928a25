//! Somebody who knows the simulator's values, and answers from the first lane.

use a32::Condition;
use blindcore_processor::{Answer, Asked, Host, HostError, Operands, Question};

use super::simulated::gather;

/// Answers from the first lane.
#[derive(Default)]
pub(crate) struct Oracle {
    pub(crate) asked: Vec<(u64, u32, Asked, Answer)>,
    pub(crate) written: Vec<u8>,
}

pub(crate) fn number(bits: &[bool]) -> u32 {
    bits.iter()
        .rev()
        .fold(0, |value, bit| value << 1 | u32::from(*bit))
}

fn holds(condition: Condition, [n, z, c, v]: [bool; 4]) -> bool {
    match condition {
        Condition::Equal => z,
        Condition::NotEqual => !z,
        Condition::CarrySet => c,
        Condition::CarryClear => !c,
        Condition::Minus => n,
        Condition::Plus => !n,
        Condition::OverflowSet => v,
        Condition::OverflowClear => !v,
        Condition::UnsignedHigher => c && !z,
        Condition::UnsignedLowerOrSame => !c || z,
        Condition::SignedGreaterOrEqual => n == v,
        Condition::SignedLess => n != v,
        Condition::SignedGreater => !z && n == v,
        Condition::SignedLessOrEqual => z || n != v,
        Condition::Always => true,
    }
}

impl Host<u64> for Oracle {
    fn ask(&mut self, question: &Question<u64>) -> Result<Answer, HostError> {
        let bits = gather(&question.bits, 0);
        let answer = match question.asked {
            Asked::Condition(_) => {
                assert_eq!(bits.len(), 1);
                Answer::Holds(bits[0])
            }
            Asked::Operands {
                condition,
                of,
                holds: taken,
                fails,
            } => {
                let flags = match of {
                    Operands::Sum => {
                        let (a, b) = (number(&bits[..32]), number(&bits[32..64]));
                        assert_eq!(bits.len(), 65);
                        let (sum, first) = a.overflowing_add(b);
                        let (sum, second) = sum.overflowing_add(u32::from(bits[64]));
                        let overflow = (a ^ sum) & (b ^ sum) & (1 << 31) != 0;
                        [sum >> 31 == 1, sum == 0, first | second, overflow]
                    }
                    Operands::Flags => bits.try_into().unwrap(),
                };
                Answer::Next(if holds(condition, flags) {
                    taken
                } else {
                    fails
                })
            }
            Asked::Target => Answer::Next(number(&bits)),
        };
        assert_eq!(question.number, self.asked.len() as u64);
        self.asked
            .push((question.number, question.address, question.asked, answer));
        Ok(answer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        self.written.extend(bytes);
        Ok(())
    }
}
