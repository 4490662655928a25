//! How long loads from packed arrays take here, on one thread: of inputs, which come in rows, of computed
//! bits, which are packed first, and after one word has changed.
//!
//! `cargo run --release -p blindcore-tfhe --example load_time [PARAMETER_SET]`

use std::time::Instant;

use blindcore_tfhe::leveled::{Entry, LeveledKey, SeededLeveledKey, Selector};
use blindcore_tfhe::{
    LweCiphertext, P16, Parameters, SecretKey, SeededServerKey, ServerKey, TfheError,
};
use random::Generator;

const WIDTH: usize = 32;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let set = std::env::args()
        .nth(1)
        .and_then(|name| Parameters::named(&name))
        .unwrap_or(P16);
    let mut generator = Generator::from_entropy()?;
    let secret = SecretKey::generate(set, &mut generator)?;
    let seeded = SeededServerKey::generate(&secret, &mut generator, 2, &|_, _| {})?;
    let second = SeededLeveledKey::generate(&secret, &mut generator, 2, &|_, _| {})?;
    let server = ServerKey::expand(&seeded, 2, &|_, _| {})?;
    let leveled = LeveledKey::expand(&second, &server, 2, &|_, _| {})?;
    let mut work = leveled.work(&server, 8);

    let size = set.polynomial_size().get();
    let words_of_row = size / WIDTH;
    let low = words_of_row.ilog2() as usize;
    let index = secret
        .encrypt(&vec![true; low + 4], &mut generator)
        .unpack();
    let groups: Vec<[&LweCiphertext; 1]> = index.iter().map(|bit| [bit]).collect();
    let groups: Vec<&[&LweCiphertext]> = groups.iter().map(|bits| &bits[..]).collect();
    let selectors = leveled.parity_selectors(&server, &mut work, &groups)?;
    let selectors = selectors.iter().map(|selector| (selector, false));
    let selectors: Vec<(&Selector, bool)> = selectors.collect();

    println!(
        "{}, words of {WIDTH} bits, index given as selectors",
        set.name()
    );
    for rows in [1, 2, 16] {
        let words = rows * words_of_row;
        let index = &selectors[..words.ilog2() as usize];
        let bits = secret.encrypt(&vec![true; words * WIDTH], &mut generator);
        let bits = bits.unpack();
        let mut load = |bits: &[LweCiphertext]| -> Result<f64, TfheError> {
            let entries: Vec<Entry<'_>> = bits.iter().map(Entry::Bit).collect();
            let begin = Instant::now();
            let word = leveled.load(&mut work, index, &entries, WIDTH)?;
            let taken = begin.elapsed().as_secs_f64() * 1e3;
            for bit in &word {
                assert!(secret.decrypt(bit)?);
            }
            Ok(taken)
        };
        let least = |load: &mut dyn FnMut(&[LweCiphertext]) -> Result<f64, TfheError>,
                     bits: &[_]| {
            let times: Result<Vec<f64>, _> = (0..50).map(|_| load(bits)).collect();
            times.map(|times| times.into_iter().fold(f64::MAX, f64::min))
        };
        let own = |bit: &LweCiphertext| {
            let elements = bit.elements().into_owned();
            LweCiphertext::from_parts(&set, bit.key_id(), elements)
        };
        let products = rows - 1 + low;
        let of_inputs = least(&mut load, &bits)?;
        println!("{words} words of inputs: {of_inputs:.3} ms, {products} products");
        let mut computed: Vec<_> = bits.iter().map(own).collect::<Result<_, _>>()?;
        if rows <= 2 {
            let taken = load(&computed)?;
            let packed = computed.len() - rows;
            println!(
                "  computed: {taken:.1} ms at first, {:.1} µs for each of {packed} automorphisms",
                (taken - of_inputs) * 1e3 / packed as f64
            );
            println!("  again: {:.3} ms", least(&mut load, &computed)?);
        } else {
            computed = bits.clone();
        }
        for bit in &mut computed[..WIDTH] {
            *bit = own(bit)?;
        }
        let taken = load(&computed)?;
        println!(
            "  a word changed: {taken:.2} ms, then {:.3} ms",
            least(&mut load, &computed)?
        );
    }
    Ok(())
}
