//! What to change where much is paid: divisions, products, shifts, doubles, selections by an index.
//!
//! What a narrower form would cost is not guessed: it is drawn for the same target and counted.

use a32::{
    FloatAccumulate, FloatBinary, FloatInstruction, FloatUnary, Operand, Operation, Precision,
};
use circuits::library::float::{self, Format, Mode};
use circuits::library::{self, Signedness};
use circuits::{Builder, Profile, Wire, passes};
use processor::{Access, Attribution, Program};

/// An instruction that costs much, and advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The instruction.
    pub address: u32,
    /// Where it is, as a person looks for it: file and line, else function and offset.
    pub place: String,
    /// What all of its executions cost.
    pub bootstraps: u64,
    /// How often it worked on secret data.
    pub times: u64,
    /// What to do about it.
    pub advice: String,
}

/// Advice for instructions, the dearest first.
pub(super) fn hints(program: &Program, found: &Attribution, profile: &Profile) -> Vec<Hint> {
    let narrower = Narrower { profile };
    let mut hints: Vec<Hint> = Vec::new();
    for (address, (bootstraps, times)) in found.instructions() {
        if bootstraps == 0 {
            continue;
        }
        // What one execution takes, of those that cost anything.
        let each = bootstraps / times.max(1);
        let advice = selection(found, address).or_else(|| {
            let operation = instruction(program, address)?;
            advice(&operation, each, &narrower)
        });
        if let Some(advice) = advice {
            hints.push(Hint {
                address,
                place: place(program, address),
                bootstraps,
                times,
                advice,
            });
        }
    }
    hints.sort_by_key(|hint| std::cmp::Reverse(hint.bootstraps));
    hints
}

/// Where an instruction is, as a person looks for it.
fn place(program: &Program, address: u32) -> String {
    let place = program.place(address);
    match (place.line, place.symbol) {
        (Some((file, line)), _) => format!("{file}:{line}"),
        (None, Some((name, offset))) => format!("{name}+{offset:#x}"),
        (None, None) => format!("{address:#010x}"),
    }
}

fn instruction(program: &Program, address: u32) -> Option<Operation> {
    let segment = program.segment(address)?;
    let offset = (address - segment.address) as usize;
    let bytes = segment.bytes.get(offset..offset.checked_add(4)?)?;
    let word = u32::from_le_bytes(bytes.try_into().ok()?);
    Some(a32::decode(word).ok()?.operation)
}

/// Advice for an access at a secret address.
fn selection(found: &Attribution, address: u32) -> Option<String> {
    let mut selections = found.plan.selections.iter();
    let selection = selections.find(|selection| selection.site.place.address == address)?;
    let objects: Vec<String> = selection
        .objects
        .iter()
        .map(|object| format!("{} ({} bytes)", object.name, object.size))
        .collect();
    let verb = match selection.access {
        Access::Store => "store",
        _ => "load",
    };
    Some(format!(
        "this {verb} at a secret index selects over {}: a smaller table, a narrower index or --object \
         make that less, a loop over public indices may need none",
        objects.join(" and ")
    ))
}

fn advice(operation: &Operation, each: u64, narrower: &Narrower<'_>) -> Option<String> {
    match operation {
        Operation::Divide { signedness, .. } => {
            let signedness = match signedness {
                a32::Signedness::Signed => Signedness::Signed,
                a32::Signedness::Unsigned => Signedness::Unsigned,
            };
            let of = |bits| {
                narrower.of(bits, |b, x, y| {
                    library::divide(b, signedness, x, y).quotient
                })
            };
            let less = fewer(each, &[("16 bits", of(16)), ("8 bits", of(8))]);
            Some(format!(
                "this division: use a constant divisor{}",
                or_narrower(&less)
            ))
        }
        Operation::Multiply { .. }
        | Operation::MultiplyAccumulate { .. }
        | Operation::MultiplySubtract { .. }
        | Operation::MultiplyLong { .. }
        | Operation::MultiplyAccumulateLong { .. }
        | Operation::MultiplyAccumulateTwice { .. } => {
            let of = |bits| {
                narrower.of(bits, |b, x, y| {
                    library::multiply_long(b, Signedness::Unsigned, x, y)
                })
            };
            let less = fewer(each, &[("16 bits", of(16)), ("8 bits", of(8))]);
            (!less.is_empty()).then(|| {
                format!("this multiplication: where the factors are small, use narrower types, or mask them ({less})")
            })
        }
        Operation::Float(float) => in_double(float, each, narrower),
        operation if shifts_by_register(operation) => Some(
            "this shift by a secret amount: shift by a constant, or mask the amount to fewer bits \
             (x << (n & 7))"
                .to_owned(),
        ),
        _ => None,
    }
}

fn or_narrower(less: &str) -> String {
    match less.is_empty() {
        true => String::new(),
        false => format!(" or narrower types ({less})"),
    }
}

/// Those that cost less than what is paid.
fn fewer(paid: u64, forms: &[(&str, u64)]) -> String {
    let less = forms.iter().filter(|(_, cost)| *cost < paid);
    let less: Vec<String> = less.map(|(name, cost)| format!("{name}: {cost}")).collect();
    less.join(", ")
}

/// Advice for arithmetic in double precision.
fn in_double(instruction: &FloatInstruction, each: u64, narrower: &Narrower<'_>) -> Option<String> {
    type Unit = fn(&mut Builder, &[Wire], &[Wire]) -> Vec<Wire>;
    const SINGLE: (Format, Mode) = (Format::SINGLE, Mode::IEEE);
    let (register, name, unit): (_, _, Option<Unit>) = match *instruction {
        FloatInstruction::Binary { op, rd, .. } => match op {
            FloatBinary::Add => (
                rd,
                "addition",
                Some(|b, x, y| float::add(b, SINGLE.0, SINGLE.1, x, y).value),
            ),
            FloatBinary::Subtract => (
                rd,
                "subtraction",
                Some(|b, x, y| float::subtract(b, SINGLE.0, SINGLE.1, x, y).value),
            ),
            FloatBinary::Multiply | FloatBinary::NegatedMultiply => (
                rd,
                "multiplication",
                Some(|b, x, y| float::multiply(b, SINGLE.0, SINGLE.1, x, y).value),
            ),
            FloatBinary::Divide => (
                rd,
                "division",
                Some(|b, x, y| float::divide(b, SINGLE.0, SINGLE.1, x, y).value),
            ),
            _ => (rd, "comparison", None),
        },
        FloatInstruction::Accumulate { op, rd, .. } => {
            let fused = !matches!(
                op,
                FloatAccumulate::Add
                    | FloatAccumulate::Subtract
                    | FloatAccumulate::NegatedAdd
                    | FloatAccumulate::NegatedSubtract
            );
            (
                rd,
                if fused {
                    "fused multiplication"
                } else {
                    "multiplication and addition"
                },
                None,
            )
        }
        FloatInstruction::Unary {
            op: FloatUnary::SquareRoot,
            rd,
            ..
        } => (
            rd,
            "square root",
            Some(|b, x, _| float::square_root(b, SINGLE.0, SINGLE.1, x).value),
        ),
        FloatInstruction::Compare { rd, .. } => (rd, "comparison", None),
        _ => return None,
    };
    if register.precision() != Precision::Double {
        return None;
    }
    let less = unit.map_or_else(String::new, |unit| {
        fewer(each, &[("in float", narrower.of(32, unit))])
    });
    let less = match less.is_empty() {
        true => String::new(),
        false => format!(" ({less})"),
    };
    Some(format!(
        "this {name} in double: float costs less where its 24 bits suffice{less}"
    ))
}

fn shifts_by_register(operation: &Operation) -> bool {
    let (Operation::Alu { operand, .. }
    | Operation::Move { operand, .. }
    | Operation::Compare { operand, .. }) = operation
    else {
        return false;
    };
    matches!(operand, Operand::ShiftedByRegister { .. })
}

/// Narrower forms, drawn and counted.
struct Narrower<'a> {
    profile: &'a Profile,
}

impl Narrower<'_> {
    /// The bootstraps of a unit on two secret words of so many bits.
    fn of(&self, bits: usize, unit: impl Fn(&mut Builder, &[Wire], &[Wire]) -> Vec<Wire>) -> u64 {
        let mut build = Builder::new(self.profile);
        let (x, y) = (build.inputs(bits), build.inputs(bits));
        let outputs = unit(&mut build, &x, &y);
        outputs.into_iter().for_each(|wire| build.output(wire));
        let circuit = passes::prepare(&build.finish(), self.profile);
        passes::cost(&circuit, self.profile).bootstraps as u64
    }
}
