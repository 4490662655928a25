//! Selectors beside lookups: the rotation with three levels and what follows it for one function and for two,
//! alone and as a share of a batch, on one thread and shared by two, and a choice. What is chosen is
//! decrypted.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use random::Generator;
use tfhe::leveled::{LeveledKey, SeededLeveledKey};
use tfhe::{Duet, Lookup, P16, SecretKey, SeededServerKey, ServerKey, TruthTable};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .measurement_time(Duration::from_secs(8))
        .configure_from_args();

    let mut generator = Generator::from_entropy()?;
    let secret = SecretKey::generate(P16, &mut generator)?;
    let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    let server = ServerKey::expand(&seeded, 1, &|_, _| {})?;
    let second = SeededLeveledKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    let leveled = LeveledKey::expand(&second, &server, 1, &|_, _| {})?;
    let bits = secret
        .encrypt(&[true, true, false, true], &mut generator)
        .unpack();
    let terms = [(&bits[0], 1), (&bits[1], 1)];
    let tables = [TruthTable::of(|t| t & 1 == 1), TruthTable::of(|t| t >= 2)];
    let sum = |tables| Lookup {
        terms: &terms,
        constant: 0,
        tables,
    };

    let mut group = criterion.benchmark_group(format!("leveled/{}", P16.name()));
    for batch in [1, 4, 8] {
        group.throughput(Throughput::Elements(batch as u64));
        let (mut scratch, lookups) = (server.scratch(batch), vec![sum(&tables); batch]);
        group.bench_function(format!("lookup, batch of {batch}"), |bench| {
            bench.iter(|| server.lookup_many(&mut scratch, black_box(&lookups)));
        });
        let mut work = leveled.work(&server, batch);
        for (name, tables) in [("one selector", &tables[..1]), ("two selectors", &tables)] {
            let sums = vec![sum(tables); batch];
            group.bench_function(format!("{name}, batch of {batch}"), |bench| {
                bench.iter(|| leveled.selectors(&server, &mut work, black_box(&sums)));
            });
        }
    }
    group.throughput(Throughput::Elements(1));
    let (mut scratch, mut work) = (server.scratch(1), leveled.work(&server, 1));
    let duet = Arc::new(Duet::new());
    std::thread::scope(|scope| {
        scope.spawn(|| leveled.accompany(&server, &mut leveled.work(&server, 1), &duet));
        scratch.set_partner(Some(Arc::clone(&duet)));
        work.set_partner(Some(Arc::clone(&duet)));
        let (lookup, sum) = ([sum(&tables)], [sum(&tables)]);
        group.bench_function("lookup, two threads", |bench| {
            bench.iter(|| server.lookup_many(&mut scratch, black_box(&lookup)));
        });
        group.bench_function("two selectors, two threads", |bench| {
            bench.iter(|| leveled.selectors(&server, &mut work, black_box(&sum)));
        });
        scratch.set_partner(None);
    });
    let mut work = leveled.work(&server, 1);
    let selectors = leveled.selectors(&server, &mut work, &[sum(&tables)])?;
    let high = &selectors[0][1];
    group.bench_function("choice", |bench| {
        bench.iter(|| leveled.choose(&mut work, black_box(high), &bits[2], &bits[3]));
    });
    group.finish();
    // One and one is two, whose high bit chooses the second.
    let chosen = leveled.choose(&mut work, high, &bits[2], &bits[3])?;
    assert!(secret.decrypt(&chosen)?);
    criterion.final_summary();
    Ok(())
}
