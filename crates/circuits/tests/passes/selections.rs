//! Selections that become choices where their condition decides much.

use blindcore_circuits::passes::{self, Cost};
use blindcore_circuits::{Builder, Circuit, Profile, Wire, library, sim};

fn cost(circuit: &Circuit, profile: &Profile) -> Cost {
    passes::cost(circuit, profile)
}

#[test]
fn what_a_condition_decides_is_counted() {
    let selected = |profile: &Profile| {
        let mut b = Builder::new(profile);
        let (much, little) = (b.input(), b.input());
        for place in 0..35 {
            let condition = if place < 32 { much } else { little };
            let (then, otherwise) = (b.input(), b.input());
            let selected = b.mux(condition, then, otherwise);
            b.output(selected);
        }
        cost(&passes::prepare(&b.finish(), profile), profile)
    };
    let with = selected(&Profile::selector_simulation());
    assert_eq!(
        (with.selector, with.choice, with.bootstraps),
        (1, 32, 1 + 2)
    );
    let without = selected(&Profile::lookup_simulation());
    assert_eq!((without.selector, without.choice), (0, 0));
    // On so many cores lookups are done before a selector is.
    let many = Profile::selector_simulation().with_cores(32);
    assert_eq!(selected(&many).choice, 0);
    let gates = Profile::gate_simulation();
    assert_eq!(selected(&gates).choice, 0);
}

/// Words that are exchanged again and again are refreshed in time, and not each time.
#[test]
fn sorted_words_are_refreshed_now_and_then() {
    const WORDS: usize = 8;
    const WIDTH: usize = 8;
    let sorted = |profile: &Profile| {
        let mut b = Builder::new(profile);
        let mut words: Vec<Vec<Wire>> = (0..WORDS).map(|_| b.inputs(WIDTH)).collect();
        for round in 0..WORDS {
            for low in (round % 2..WORDS - 1).step_by(2) {
                let (x, y) = (words[low].clone(), words[low + 1].clone());
                let less = library::less_than_unsigned(&mut b, &x, &y);
                let mut either = |then: &[Wire], otherwise: &[Wire]| -> Vec<Wire> {
                    let places = then.iter().zip(otherwise);
                    places
                        .map(|(&then, &other)| b.mux(less, then, other))
                        .collect()
                };
                (words[low], words[low + 1]) = (either(&x, &y), either(&y, &x));
            }
        }
        words.into_iter().flatten().for_each(|bit| b.output(bit));
        passes::prepare(&b.finish(), profile)
    };
    let profile = Profile::selector_simulation();
    let (circuit, lookups) = (sorted(&profile), Profile::lookup_simulation());
    let model = profile.lookup.unwrap().noise;
    assert!(passes::noise(&circuit, &model).worst <= model.limit);
    let with = cost(&circuit, &profile);
    let without = cost(&sorted(&lookups), &lookups);
    // Of 28 exchanges, four or three in a round: three lookups for each comparison, a rotation for two.
    let least = 28 * 3 + 16;
    assert_eq!(
        (with.selector, with.choice, with.and),
        (16, 28 * 2 * WIDTH, 0)
    );
    assert!(
        with.bootstraps > least && 2 * with.bootstraps < without.bootstraps,
        "{with:?}"
    );
    // Sixty-four sequences at a time.
    let mut state = 7_u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state ^ state >> 31
    };
    let lanes: Vec<u64> = (0..WORDS * WIDTH).map(|_| random()).collect();
    let value = |bits: &[u64], lane: usize| {
        let bits = bits.iter().rev();
        bits.fold(0_u64, |value, bit| value << 1 | bit >> lane & 1)
    };
    let found = sim::evaluate(&circuit, &lanes).unwrap();
    for lane in 0..64 {
        let words = |bits: &[u64]| -> Vec<u64> {
            bits.chunks(WIDTH).map(|word| value(word, lane)).collect()
        };
        let mut expected = words(&lanes);
        expected.sort_unstable();
        assert_eq!(words(&found), expected, "lane {lane}");
    }
}
