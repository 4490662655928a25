//! What units do to noise: their own lookups keep within the limit on fresh operands, and on
//! operands that are themselves computed almost so: what passes still refresh is bounded here.

use crate::harness::Unit;
use crate::units::UNITS;
use circuits::library::{self, Word};
use circuits::{Builder, Circuit, Profile, passes};

/// The unit on operands that are sums, shifted against their slices.
fn on_sums(unit: &Unit, profile: &Profile, n: usize) -> Circuit {
    let mut b = Builder::new(profile);
    let operands: Vec<Word> = (unit.operands)(n)
        .iter()
        .map(|&width| {
            let (x, y) = (b.inputs(width + 1), b.inputs(width + 1));
            library::add(&mut b, &x, &y)[1..].to_vec()
        })
        .collect();
    let results = (unit.build)(&mut b, &operands);
    results.iter().flatten().for_each(|&wire| b.output(wire));
    b.finish()
}

#[test]
fn fresh_operands_need_no_refresh() {
    let profile = Profile::lookup_simulation();
    let model = profile.lookup.unwrap().noise;
    for unit in UNITS {
        for n in [8, 16, 32] {
            let circuit = unit.build(&profile, n).circuit;
            let noise = passes::noise(&circuit, &model);
            let over = noise.sums.iter().filter(|&&sum| sum > model.limit).count();
            eprintln!("{} {n}: {} over {over} of {}", unit.name, noise.worst, passes::cost(&circuit, &profile).bootstraps);
        }
    }
}

#[test]
fn computed_operands_need_few_refreshes() {
    let profile = Profile::lookup_simulation();
    let model = profile.lookup.unwrap().noise;
    for unit in UNITS {
        let n = 32;
        let circuit = on_sums(unit, &profile, n);
        let noise = passes::noise(&circuit, &model);
        let over = noise.sums.iter().filter(|&&sum| sum > model.limit).count();
        let prepared = passes::prepare(&circuit, &profile);
        let (before, after) = (passes::cost(&circuit, &profile), passes::cost(&prepared, &profile));
        let worst = passes::noise(&prepared, &model).worst;
        eprintln!("sums {} {n}: {} over {over}; {} -> {} ({} refresh), worst {worst}", unit.name, noise.worst, before.bootstraps, after.bootstraps, after.refresh);
    }
}
