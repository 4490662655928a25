//! The paper's primitives of Gentry and Halevi's scheme at dimension 2,048: long products that each
//! takes, cycles of our circuit for them, and this machine's time.
//!
//!     cargo run --release --example primitives --features whole
//!
//! Products are counted while they are computed; a circuit's cycles are those of one simulated
//! product for each. Additions and everything short are the host's, and not counted.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bignum::device::{self, Device};
use bignum::paper::OPERAND_LIMBS;
use blindcore_hardware::{Chip, Command, Engine, Lanes};
use gentry_halevi::{Encryptor, Evaluator, Parameters, SecretKey, Transforms};
use random::Generator;
use rug::Integer;
use rug::integer::Order;

/// Counts the products that a chip would be asked for.
#[derive(Default)]
struct Counter(AtomicU64);

impl Device for Counter {
    fn takes(&self, a: usize, b: usize) -> bool {
        Chip::has_room_for(a, b)
    }

    fn multiply(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        self.0.fetch_add(1, Ordering::Relaxed);
        let [a, b] = [a, b].map(|limbs| Integer::from_digits(limbs, Order::Lsf));
        (a * b).write_digits(out, Order::Lsf);
    }
}

/// A result that somebody looks at.
fn consumed<T>(result: T) {
    black_box(result);
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cycles: Vec<(Lanes, usize)> = Lanes::ALL
        .into_iter()
        .map(|lanes| {
            let number = vec![0x0123_4567_89AB_CDEF; OPERAND_LIMBS];
            let run = Engine::new(lanes).run(Command::Multiply, &number, &number[1..]);
            (lanes, run.cycles)
        })
        .collect();

    let one = NonZeroUsize::MIN;
    let mut generator = Generator::from_key([7; 32]);
    let (secret, public) =
        SecretKey::generate(Parameters::BROKEN_2048, &mut generator, one, &|_| {
            ControlFlow::Continue(())
        })?;
    let encryptor = || Encryptor::new(&public, Encryptor::MEMORY, one);
    let encrypting = encryptor()?;
    let fresh = encrypting.encrypt(&[true], &mut generator)?;
    let evaluator = Evaluator::new(&public, Transforms::Kept, one)?;
    let product = evaluator.and(&fresh[0], &fresh[0])?;

    println!(
        "{:<15} {:>9} {:>12}  cycles of the circuit",
        "", "products", "software, ms"
    );
    let row = |name: &str, run: &mut dyn FnMut() -> Result<(), gentry_halevi::Error>| {
        let times: Vec<f64> = (0..5)
            .map(|_| {
                let begin = Instant::now();
                run()?;
                Ok(begin.elapsed().as_secs_f64() * 1e3)
            })
            .collect::<Result<_, gentry_halevi::Error>>()?;
        let counter = Arc::new(Counter::default());
        device::install(Some(Arc::clone(&counter) as Arc<dyn Device>));
        let counted = run();
        device::install(None);
        counted?;
        let products = counter.0.load(Ordering::Relaxed);
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        print!("{name:<15} {products:>9} {least:>12.1} ");
        for (lanes, cycles) in &cycles {
            print!(" {lanes:?}: {}", products * *cycles as u64);
        }
        println!();
        Ok::<_, gentry_halevi::Error>(())
    };
    row("table of powers", &mut || encryptor().map(consumed))?;
    row("encryption", &mut || {
        encrypting.encrypt(&[true], &mut generator).map(consumed)
    })?;
    row("decryption", &mut || {
        secret.decrypt(&fresh[0]).map(consumed)
    })?;
    row("AND", &mut || {
        evaluator.and(&fresh[0], &product).map(consumed)
    })?;
    row("recryption", &mut || {
        evaluator.recrypt(&product).map(consumed)
    })?;
    Ok(())
}
