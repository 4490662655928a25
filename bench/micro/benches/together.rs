//! A rotation on two threads beside the same one on one, in turn, and one of a batch of eight. What comes
//! out is compared.

use std::sync::Arc;
use std::time::{Duration, Instant};

use random::Generator;
use tfhe::leveled::{LeveledKey, SeededLeveledKey};
use tfhe::{Duet, Lookup, P16, SecretKey, SeededServerKey, ServerKey, TruthTable};

const ROUNDS: usize = 40;
/// Operations of each kind in a round.
const OPERATIONS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut generator = Generator::from_entropy()?;
    let secret = SecretKey::generate(P16, &mut generator)?;
    let seeded = SeededServerKey::generate(&secret, &mut generator, 2, &|_, _| {})?;
    let server = ServerKey::expand(&seeded, 2, &|_, _| {})?;
    let second = SeededLeveledKey::generate(&secret, &mut generator, 2, &|_, _| {})?;
    let leveled = LeveledKey::expand(&second, &server, 2, &|_, _| {})?;
    let bits = secret.encrypt(&[true, true], &mut generator).unpack();
    let lookup = Lookup {
        terms: &[(&bits[0], 1), (&bits[1], 1)],
        constant: 0,
        tables: &[TruthTable::of(|t| t & 1 == 1), TruthTable::of(|t| t >= 2)],
    };
    let (mut alone, mut shared) = (server.scratch(1), server.scratch(1));
    let mut eight = server.scratch(8);
    let (mut work, mut shared_work) = (leveled.work(&server, 1), leveled.work(&server, 1));
    let duet = Arc::new(Duet::new());
    let mut times = [const { Vec::new() }; 5];
    std::thread::scope(|scope| {
        scope.spawn(|| leveled.accompany(&server, &mut leveled.work(&server, 1), &duet));
        shared.set_partner(Some(Arc::clone(&duet)));
        shared_work.set_partner(Some(Arc::clone(&duet)));
        for _ in 0..ROUNDS {
            let one = timed(&mut times[0], || server.lookup_many(&mut alone, &[lookup]))?;
            let two = timed(&mut times[1], || server.lookup_many(&mut shared, &[lookup]))?;
            assert!(one == two, "two threads give another result");
            timed(&mut times[2], || {
                server.lookup_many(&mut eight, &[lookup; 8])
            })?;
            timed(&mut times[3], || {
                leveled.selectors(&server, &mut work, &[lookup])
            })?;
            timed(&mut times[4], || {
                leveled.selectors(&server, &mut shared_work, &[lookup])
            })?;
        }
        shared.set_partner(None);
        shared_work.set_partner(None);
        Ok::<(), tfhe::TfheError>(())
    })?;
    times[2].iter_mut().for_each(|time| *time /= 8);
    let names = [
        "lookup",
        "lookup, shared",
        "one of eight",
        "two selectors",
        "both, shared",
    ];
    println!(
        "{} ms: least, lower quartile, median, upper quartile",
        P16.name()
    );
    for (name, times) in names.iter().zip(&mut times) {
        times.sort_unstable();
        let at = |quarter: usize| times[(times.len() - 1) * quarter / 4].as_secs_f64() * 1e3;
        println!(
            "  {name:<14} {:6.2} {:6.2} {:6.2} {:6.2}",
            at(0),
            at(1),
            at(2),
            at(3)
        );
    }
    let ratio = |one: usize, two: usize| {
        let quartile = |times: &[Duration]| times[(times.len() - 1) / 4].as_secs_f64();
        quartile(&times[one]) / quartile(&times[two])
    };
    println!(
        "two threads gain {:.2} times for a lookup, {:.2} for two selectors (lower quartiles)",
        ratio(0, 1),
        ratio(3, 4)
    );
    if duet.was_abandoned() {
        println!("a thread waited too long for the other, and went on alone: the cores are busy");
    }
    Ok(())
}

/// Some operations in a row. The first one is left out: a helper that sleeps has to wake up for it.
fn timed<T, E>(
    times: &mut Vec<Duration>,
    mut operation: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    let mut result = operation()?;
    for _ in 0..OPERATIONS {
        let start = Instant::now();
        result = operation()?;
        times.push(start.elapsed());
    }
    Ok(result)
}
