//! Differences, negation and increments.

use super::integers::{ONE, TWO};
use super::unit::{Family, Unit};
use crate::architectures::{Architectures, Subtractor};
use crate::library::{self, add};

/// Every subtractor.
pub(super) fn units() -> Vec<Unit> {
    let subtract = Unit::new(
        Family::Subtraction,
        "subtract",
        TWO,
        |b, w| vec![library::subtract(b, &w[0], &w[1])],
        |_, v| vec![v[0].wrapping_sub(v[1])],
    )
    .costing(|forced, n| forced.subtractor?.formula(n));
    let mut units = vec![subtract.clone()];
    for subtractor in Subtractor::all() {
        let forced = Architectures {
            subtractor: Some(subtractor),
            ..Architectures::default()
        };
        units.push(subtract.forced(subtractor, subtractor.source(), forced));
    }
    units.extend(negations());
    let increment = Unit::new(
        Family::Addition,
        "increment",
        |n| vec![n, 1],
        |b, w| vec![library::increment(b, &w[0], w[1][0]).0],
        |_, v| vec![v[0] + v[1]],
    );
    let chain = increment.built_by("half-adders", "Xu, Chen, Wu, Feng, 2016, §3.1", |b, w| {
        vec![library::half_adder_chain(b, &w[0], w[1][0]).0]
    });
    let chain = chain.costing(|_, n| Some(add::half_adders::gates(n)));
    units.extend([increment, chain]);
    units
}

fn negations() -> [Unit; 2] {
    let negate = Unit::new(
        Family::Subtraction,
        "negate",
        ONE,
        |b, w| vec![library::negate(b, &w[0])],
        |_, v| vec![v[0].wrapping_neg()],
    );
    let negate_if = Unit::new(
        Family::Subtraction,
        "negate_if",
        |n| vec![n, 1],
        |b, w| vec![library::negate_if(b, w[1][0], &w[0])],
        |_, v| vec![if v[1] == 1 { v[0].wrapping_neg() } else { v[0] }],
    );
    [negate, negate_if]
}
