//! The circuits of the table over the integer ring in every slot at real parameters: each slot
//! against clear arithmetic, and the noise that every output has against its estimate and against
//! the forecast.
//!
//! ```text
//! BGV_NOISE_RECORD=$PWD/bench/record/<date>-bgv-noise.csv \
//!     cargo test -p blindcore-engines --test testsuite bgv_slots -- --include-ignored --nocapture
//! ```
//!
//! prints what it measured, and appends a row for each circuit to the file.
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::process::Command;
use std::sync::Arc;

use bgv::{Keys, SecretKey, Security};
use blindcore_engines::bgv::{Bgv, Vector, choose, forecast, profile, profile_without_parameters};
use circuits::library::{self, Architectures, Divider, Multiplier, Signedness, Subtractor};
use circuits::passes::prepare;
use circuits::{Builder, Circuit, Pool, Profile, Wire, run};
use random::Generator;

/// Bits by which an output's measured deviation may exceed the estimate, which is that of
/// independent operands. A carry is (x ⊕ c)·(y ⊕ c) ⊕ c: both operands have c in them, and the
/// deviation of c² is √2 times what the estimate gives it; along a ripple of such carries that
/// comes to 0.75 bits. What counts operands as they may be is the bound, which no measurement may
/// exceed.
const ABOVE: f64 = 1.0;
/// Bits by which it may fall short of the estimate. An error that is missing would show here.
const BELOW: f64 = 0.5;

/// What a row computes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    Addition,
    Subtraction,
    Multiplication,
    Division,
}

use Operation::{Addition, Division, Multiplication, Subtraction};

impl Operation {
    fn draw(self, b: &mut Builder, x: &[Wire], y: &[Wire]) -> Vec<Wire> {
        match self {
            Addition => library::add(b, x, y),
            Subtraction => library::subtract(b, x, y),
            Multiplication => library::multiply(b, x, y),
            Division => {
                let divided = library::divide(b, Signedness::Unsigned, x, y);
                [divided.quotient, divided.remainder].concat()
            }
        }
    }

    /// The result's bits as one number: of a division the remainder above the quotient.
    fn clear(self, bits: usize, x: u64, y: u64) -> u64 {
        let mask = u64::MAX >> (64 - bits);
        match self {
            Addition => x.wrapping_add(y) & mask,
            Subtraction => x.wrapping_sub(y) & mask,
            Multiplication => x.wrapping_mul(y) & mask,
            // By zero: the quotient 0, the remainder x.
            Division => {
                let quotient = x.checked_div(y).unwrap_or(0);
                quotient | (x - quotient * y) << bits
            }
        }
    }
}

/// Whose circuit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drawing {
    /// What the library takes for BGV.
    Library,
    /// The paper's, with the adder that it names.
    Paper(&'static str),
}

use Drawing::{Library, Paper};

impl Drawing {
    fn profile(self, operation: Operation) -> Profile {
        let mut profile = profile_without_parameters();
        if let Paper(adder) = self {
            let adder = adder.parse().unwrap();
            profile.architectures = Architectures {
                adder: Some(adder),
                subtractor: Some(match operation {
                    Subtraction if adder == "ripple".parse().unwrap() => Subtractor::Borrow,
                    _ => Subtractor::Complement(adder),
                }),
                multiplier: Some(Multiplier::PencilAndPaper),
                divider: Some(Divider::Precomputed),
                ..Architectures::default()
            };
        }
        profile
    }

    fn name(self) -> &'static str {
        match self {
            Library => "library",
            Paper(adder) => adder,
        }
    }
}

fn circuit(operation: Operation, bits: usize, drawing: Drawing) -> Circuit {
    let profile = drawing.profile(operation);
    let mut build = Builder::new(&profile);
    let (x, y) = (build.inputs(bits), build.inputs(bits));
    for bit in operation.draw(&mut build, &x, &y) {
        build.output(bit);
    }
    prepare(&build.finish(), &profile)
}

/// What the outputs of a circuit had, in bits of deviation.
struct Found {
    slots: usize,
    errors: usize,
    outputs: usize,
    /// Estimate and measurement where the measurement exceeds it most, and where it falls short
    /// most.
    highest: (f64, f64),
    lowest: (f64, f64),
    /// How far the nearest measurement stays below its bound, which decides what is refused.
    below_bound: f64,
    /// The least room that the noise leaves by its bound: what the forecast says.
    room: f64,
    forecast: f64,
    name: String,
}

impl Found {
    /// Above and below the estimate at most.
    fn differences(&self) -> [f64; 2] {
        [&self.highest, &self.lowest].map(|(estimate, measured)| measured - estimate)
    }

    fn check(&self) {
        let name = &self.name;
        let [above, below] = self.differences();
        assert_eq!(self.errors, 0, "{name}");
        assert!(above <= ABOVE, "{name}: {above} bits above the estimate");
        assert!(below >= -BELOW, "{name}: {below} bits below the estimate");
        assert!(self.below_bound > 0.0, "{name}: beyond the bound");
        // What was forecast is what ran.
        let (room, forecast) = (self.room, self.forecast);
        assert!((room - forecast).abs() < 1e-9, "{name}: {room} {forecast}");
    }
}

/// Runs a circuit on random operands in at least `slots` slots, with one key.
fn measure(operation: Operation, bits: usize, drawing: Drawing, slots: usize, seed: u8) -> Found {
    let circuit = circuit(operation, bits, drawing);
    let choice = choose(&circuit, 1, Security::Bits128).unwrap();
    let parameters = choice.parameters;
    let mut generator = Generator::from_key([seed; 32]);
    let two = NonZeroUsize::new(2).unwrap();
    let go_on = |_| ControlFlow::Continue(());
    let keys = SecretKey::generate(&parameters, &[], &mut generator, two, &go_on).unwrap();
    let engine = Bgv::new(&keys.evaluation, profile(&parameters)).unwrap();
    let mut found = Found {
        slots: 0,
        errors: 0,
        outputs: 0,
        highest: (f64::INFINITY, f64::NEG_INFINITY),
        lowest: (f64::NEG_INFINITY, f64::INFINITY),
        below_bound: f64::INFINITY,
        room: f64::INFINITY,
        forecast: f64::NEG_INFINITY,
        name: String::new(),
    };
    while found.slots < slots {
        evaluate(
            (&engine, &keys),
            &circuit,
            (operation, bits),
            &mut generator,
            &mut found,
        );
    }
    let name = format!("{operation:?} of {bits} bits, {}", drawing.name());
    let [above, below] = found.differences();
    println!(
        "{name}: {}, {} slots, {} errors, {} outputs: log2 deviation {:.2} measured, {:.2} estimated ({above:+.2}); \
         {:.2}, {:.2} ({below:+.2}); at least {:.1} below the bound, which leaves {:.1}",
        parameters.name(),
        found.slots,
        found.errors,
        found.outputs,
        found.highest.1,
        found.highest.0,
        found.lowest.1,
        found.lowest.0,
        found.below_bound,
        found.room,
    );
    record(&[
        format!("{operation:?}").to_lowercase(),
        bits.to_string(),
        drawing.name().to_owned(),
        parameters.name(),
        found.slots.to_string(),
        found.errors.to_string(),
        found.outputs.to_string(),
        format!("{:.3}", found.highest.0),
        format!("{:.3}", found.highest.1),
        format!("{:.3}", found.lowest.0),
        format!("{:.3}", found.lowest.1),
        ABOVE.to_string(),
        BELOW.to_string(),
        format!("{:.2}", found.below_bound),
        format!("{:.2}", found.room),
    ]);
    // The set was chosen for inputs of the public key; these are the owner's.
    let own = forecast(&circuit, keys.secret.parameters()).unwrap();
    assert!(own.least.unwrap().1 >= choice.forecast.least.unwrap().1);
    found.forecast = own.least.unwrap().1;
    found.name = name;
    found
}

/// One run, a vector for each bit.
fn evaluate(
    (engine, keys): (&Bgv, &Keys),
    circuit: &Circuit,
    (operation, bits): (Operation, usize),
    generator: &mut Generator,
    found: &mut Found,
) {
    let slots = keys.secret.parameters().slots();
    let mask = u64::MAX >> (64 - bits);
    let operands: Vec<[u64; 2]> = (0..slots)
        .map(|_| [generator.uniform() & mask, generator.uniform() & mask])
        .collect();
    let inputs: Vec<Arc<Vector>> = (0..2 * bits)
        .map(|input| {
            let (word, place) = (input / bits, input % bits);
            let column: Vec<bool> = operands.iter().map(|o| o[word] >> place & 1 == 1).collect();
            Arc::new(keys.secret.encrypt(&column, generator).unwrap().into())
        })
        .collect();
    let outputs = run(engine, circuit, &inputs, &Pool::new(2)).unwrap();
    let mut results = vec![0u64; slots];
    for (place, (output, wire)) in outputs.iter().zip(circuit.outputs()).enumerate() {
        let ciphertext = output.ciphertext();
        for (slot, bit) in keys
            .secret
            .decrypt(ciphertext)
            .unwrap()
            .into_iter()
            .enumerate()
        {
            results[slot] |= u64::from(bit) << place;
        }
        if wire.as_constant().is_some() {
            continue;
        }
        let measured = keys.secret.noise(ciphertext).unwrap();
        let noise = ciphertext.noise();
        let estimate = noise.log2_deviation();
        if measured - estimate > found.highest.1 - found.highest.0 {
            found.highest = (estimate, measured);
        }
        if measured - estimate < found.lowest.1 - found.lowest.0 {
            found.lowest = (estimate, measured);
        }
        let below = noise.log2_bound() - measured;
        found.below_bound = found.below_bound.min(below);
        let room = ciphertext.forecast().room(keys.secret.parameters());
        found.room = found.room.min(room);
        found.outputs += 1;
    }
    let wrong = operands.iter().zip(&results);
    found.errors += wrong
        .filter(|([x, y], result)| operation.clear(bits, *x, *y) != **result)
        .count();
    found.slots += slots;
}

/// Appends a row to the file that `BGV_NOISE_RECORD` names, if any.
fn record(fields: &[String]) {
    let Ok(path) = std::env::var("BGV_NOISE_RECORD") else {
        return;
    };
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path);
    let mut file = file.unwrap();
    if file.metadata().unwrap().len() == 0 {
        let header = "date,commit,operation,bits,circuit,parameters,slots,errors,outputs,estimate_at_most_above,\
                      measured_at_most_above,estimate_at_most_below,measured_at_most_below,tolerance_above,\
                      tolerance_below,log2_below_bound,log2_room";
        writeln!(file, "{header}").unwrap();
    }
    let line_of = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let date = line_of("date", &["-u", "+%Y-%m-%d"]);
    let commit = line_of("git", &["describe", "--always", "--dirty", "--exclude=*"]);
    writeln!(file, "{date},{commit},{}", fields.join(",")).unwrap();
}

/// One vector through the smallest circuits of the table.
#[test]
fn an_addition_and_a_product_in_every_slot() {
    for (operation, bits) in [(Addition, 16), (Multiplication, 8)] {
        let found = measure(operation, bits, Library, 1, 1);
        found.check();
        assert!(found.slots >= 256);
    }
}

/// Every row of the table by the library's circuit, and the 8-bit division.
#[test]
#[ignore = "10,000 slots through eight circuits, some minutes"]
fn circuits_of_the_library_in_slots_10000() {
    // All rows are measured before the first is judged.
    let mut all = Vec::new();
    for (seed, (operation, bits)) in [
        (Addition, 16),
        (Addition, 64),
        (Subtraction, 16),
        (Subtraction, 64),
        (Multiplication, 8),
        (Multiplication, 16),
        (Division, 4),
        (Division, 8),
    ]
    .into_iter()
    .enumerate()
    {
        let found = measure(operation, bits, Library, 10_000, seed as u8);
        assert!(found.slots >= 10_000);
        all.push(found);
    }
    all.iter().for_each(Found::check);
}

/// Every row by the paper's own circuit.
#[test]
#[ignore = "10,000 slots through nine circuits, some minutes"]
fn circuits_of_the_paper_in_slots_10000() {
    let mut all = Vec::new();
    let (ripple, ahead) = (Paper("ripple"), Paper("look-ahead-groups"));
    for (seed, (operation, bits, drawing)) in [
        (Addition, 16, ripple),
        (Addition, 16, ahead),
        (Addition, 64, ahead),
        (Subtraction, 16, ripple),
        (Subtraction, 16, ahead),
        (Subtraction, 64, ahead),
        (Multiplication, 8, ripple),
        (Multiplication, 16, ripple),
        (Division, 4, ripple),
    ]
    .into_iter()
    .enumerate()
    {
        let found = measure(operation, bits, drawing, 10_000, 100 + seed as u8);
        assert!(found.slots >= 10_000);
        all.push(found);
    }
    all.iter().for_each(Found::check);
}
