//! ANDs of more and more bits, as programs write them: prepared, and compared with what was recorded.

use blindcore_circuits::passes::{self, cost};
use blindcore_circuits::{Builder, Circuit, Profile, Wire, library, sim};

/// `x |= x >> 1; x |= x >> 2; …`: below each bit whether any above it is 1.
fn smeared(b: &mut Builder, word: &[Wire]) -> Vec<Wire> {
    let mut word = word.to_vec();
    let mut by = 1;
    while by < word.len() {
        let moved = word[by..].iter().copied();
        let moved: Vec<Wire> = moved.chain(vec![Wire::FALSE; by]).collect();
        word = library::or(b, &word, &moved);
        by *= 2;
    }
    word
}

/// What is made of a word.
type Make<'a> = &'a dyn Fn(&mut Builder, &[Wire]) -> Vec<Wire>;

/// Prepares a circuit, and compares it on random words, on words of few ones and on those of few zeros.
fn prepared(profile: &Profile, width: usize, make: Make<'_>) -> Circuit {
    let mut b = Builder::new(profile);
    let word = b.inputs(width);
    for wire in make(&mut b, &word) {
        b.output(wire);
    }
    let circuit = b.finish();
    let prepared = passes::prepare(&circuit, profile);
    let mut state = 7_u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(11);
        state ^ state >> 29
    };
    for round in 0..12 {
        let word = (0..width).map(|_| match round % 3 {
            0 => random(),
            1 => random() & random() & random() & random(),
            _ => random() | random() | random() | random(),
        });
        let word: Vec<u64> = word.collect();
        let [before, after] = [&circuit, &prepared].map(|it| sim::evaluate(it, &word).unwrap());
        assert_eq!(before, after, "{width} bits");
    }
    prepared
}

fn bootstraps(circuit: &Circuit) -> usize {
    cost(circuit, &Profile::selector_simulation()).bootstraps
}

#[test]
fn smeared_words_take_a_lookup_for_three_bits() {
    let profile = Profile::selector_simulation();
    for (width, lookups) in [(8, 3), (16, 5), (32, 11), (64, 21)] {
        let circuit = prepared(&profile, width, &smeared);
        assert!(
            bootstraps(&circuit) <= lookups,
            "{width}: {}",
            bootstraps(&circuit)
        );
    }
}

#[test]
fn counts_of_leading_zeros_by_smearing() {
    let profile = Profile::selector_simulation();
    let circuit = prepared(&profile, 32, &|b, word| {
        let smeared = smeared(b, word);
        let zeros = library::not(&smeared);
        library::population_count(b, &zeros)
    });
    assert!(bootstraps(&circuit) <= 30, "{}", bootstraps(&circuit));
}

#[test]
fn what_depends_on_an_and_stays_behind_it() {
    for profile in [Profile::selector_simulation(), Profile::lookup_simulation()] {
        // Each AND's next bit is made of that AND.
        prepared(&profile, 24, &|b, word| {
            let mut all = word[0];
            let mut found = Vec::new();
            for &bit in &word[1..] {
                let next = b.xor(all, bit);
                all = b.and(all, next);
                found.push(all);
            }
            found
        });
        // Chains that begin alike, and ANDs of a bit and its opposite.
        prepared(&profile, 24, &|b, word| {
            let mut found = Vec::new();
            let mut all = [word[0], word[0]];
            for pair in word[1..].chunks(2) {
                all[0] = b.and(all[0], pair[0]);
                let last = pair[pair.len() - 1];
                all[1] = b.and(all[1], !last);
                let both = b.and(all[0], all[1]);
                let parity = b.xor(all[0], all[1]);
                found.extend([all[0], all[1], both, parity]);
            }
            found
        });
    }
}

#[test]
fn random_nests() {
    let mut state = 5_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut cored = Profile::lookup_simulation();
    cored.cores = 8;
    for profile in [Profile::selector_simulation(), cored] {
        for _ in 0..60 {
            let width = 4 + random(20);
            let choices: Vec<(usize, usize, usize, usize)> = (0..6 * width)
                .map(|at| (random(width + at), random(width + at), random(8), random(3)))
                .collect();
            prepared(&profile, width, &|b, word| {
                let mut wires = word.to_vec();
                let mut found = Vec::new();
                for &(x, y, kind, is_read) in &choices {
                    let (x, y) = (wires[x], wires[y]);
                    let wire = match kind {
                        0..5 => b.and(x, y),
                        5 => b.or(x, y),
                        6 => !b.and(x, y),
                        _ => b.xor(x, y),
                    };
                    wires.push(wire);
                    if is_read == 0 {
                        found.push(wire);
                    }
                }
                found
            });
        }
    }
}

#[test]
fn what_is_read_beside_a_sum_of_its_bits_costs_nothing() {
    let profile = Profile::selector_simulation();
    let masks: [(&str, Make<'_>); 4] = [
        ("x & (x - 1)", &|b, x| {
            let one = library::constant(1, x.len());
            let less = library::subtract(b, x, &one);
            library::and(b, x, &less)
        }),
        ("x & -x", &|b, x| {
            let negative = library::negate(b, x);
            library::and(b, x, &negative)
        }),
        ("x | (x + 1)", &|b, x| {
            let more = library::increment(b, x, Wire::TRUE).0;
            library::or(b, x, &more)
        }),
        ("x ^ (x - 1)", &|b, x| {
            let one = library::constant(1, x.len());
            let less = library::subtract(b, x, &one);
            library::xor(b, x, &less)
        }),
    ];
    for (name, mask) in masks {
        let circuit = prepared(&profile, 32, mask);
        assert!(
            bootstraps(&circuit) <= 12,
            "{name}: {}",
            bootstraps(&circuit)
        );
    }
}
