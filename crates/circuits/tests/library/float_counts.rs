//! What floating point costs: a snapshot for several formats (`float_counts.txt`).

use blindcore_circuits::library::Word;
use blindcore_circuits::library::float::{self, Fixed, Format, Invalid, Mode};
use blindcore_circuits::{Builder, Profile, passes};
use std::fmt::Write as _;
use std::path::Path;

use super::harness::{cost, on_cores};

type Draw = fn(&mut Builder, Format, Mode, &[Word]) -> Word;

/// Operations and how many operands they have; of integers of 32 bits where there are none.
const OPERATIONS: [(&str, usize, Draw); 15] = [
    ("add", 2, |b, f, m, x| {
        float::add(b, f, m, &x[0], &x[1]).value
    }),
    ("subtract", 2, |b, f, m, x| {
        float::subtract(b, f, m, &x[0], &x[1]).value
    }),
    ("multiply", 2, |b, f, m, x| {
        float::multiply(b, f, m, &x[0], &x[1]).value
    }),
    ("divide", 2, |b, f, m, x| {
        float::divide(b, f, m, &x[0], &x[1]).value
    }),
    ("square root", 1, |b, f, m, x| {
        float::square_root(b, f, m, &x[0]).value
    }),
    ("multiply and add", 3, |b, f, m, x| {
        float::multiply_add(b, f, m, &x[0], &x[1], &x[2]).value
    }),
    ("maximum", 2, |b, f, m, x| {
        float::maximum_number(b, f, m, &x[0], &x[1]).value
    }),
    ("less", 2, |b, f, m, x| {
        vec![float::compare(b, f, m, Invalid::Signaling, &x[0], &x[1]).less]
    }),
    ("less, equal, unordered", 2, |b, f, m, x| {
        let compared = float::compare(b, f, m, Invalid::Signaling, &x[0], &x[1]);
        vec![compared.less, compared.equal, compared.unordered]
    }),
    ("from unsigned", 0, |b, f, m, _| {
        let word = b.inputs(32);
        float::from_fixed(b, f, m, Fixed::UNSIGNED, &word).value
    }),
    ("from signed", 0, |b, f, m, _| {
        let word = b.inputs(32);
        float::from_fixed(b, f, m, Fixed::SIGNED, &word).value
    }),
    ("to signed", 1, |b, f, m, x| {
        float::to_fixed(b, f, m, Fixed::SIGNED, 32, &x[0]).value
    }),
    ("round to integral", 1, |b, f, m, x| {
        float::round_to_integral(b, f, m, false, &x[0]).value
    }),
    ("to single", 1, |b, f, m, x| {
        float::convert(b, f, Format::SINGLE, m, &x[0]).value
    }),
    ("to double", 1, |b, f, m, x| {
        float::convert(b, f, Format::DOUBLE, m, &x[0]).value
    }),
];

const FORMATS: [Format; 4] = [
    Format::HALF,
    Format::BFLOAT16,
    Format::SINGLE,
    Format::DOUBLE,
];

#[test]
#[ignore = "slow: 4 s"]
fn snapshot() {
    let mut text = String::from(
        "# Lookups / longest chain after all passes, on one core: IEEE 754, and with ARM's flush to zero\n\
         # and default NaN; ANDs / longest chain without lookups. Exceptions are not read.\n\
         # Rewrite with LIBRARY_COUNTS=write cargo test -p blindcore-circuits.\n",
    );
    let flushing = Mode {
        flush_to_zero: true,
        default_nan: true,
        ..Mode::IEEE
    };
    for (name, profile, mode) in [
        ("lookups", on_cores(1), Mode::IEEE),
        ("lookups, flushing", on_cores(1), flushing),
        ("ANDs", Profile::gate_simulation(), Mode::IEEE),
    ] {
        let title = format!("# {name}");
        let names = ["half", "bfloat16", "single", "double"].map(|name| format!("{name:>12}"));
        write!(text, "\n{title:24}{}\n", names.concat()).unwrap();
        for (operation, operands, draw) in OPERATIONS {
            write!(text, "{operation:24}").unwrap();
            for format in FORMATS {
                let mut b = Builder::new(&profile);
                let words: Vec<Word> = (0..operands).map(|_| b.inputs(format.width())).collect();
                let made = draw(&mut b, format, mode, &words);
                made.into_iter().for_each(|bit| b.output(bit));
                let mut circuit = b.finish();
                if profile.lookup.is_some() {
                    circuit = passes::prepare(&circuit, &profile);
                }
                let (count, depth) = cost(&circuit, &profile);
                write!(text, "{:>12}", format!("{count} / {depth}")).unwrap();
            }
            text.push('\n');
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/float_counts.txt");
    if std::env::var_os("LIBRARY_COUNTS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text);
}
