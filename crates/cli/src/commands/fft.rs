//! `blindcore fft`: the FFT processors of this machine side by side, so that a choice by `--fft` is
//! an informed one.

use std::time::Duration;

use engines::tfhe_lookup::{self, Calibration, batch};
use serde_json::{Value, json};
use tfhe::P16;
use transforms::torus::accuracy::{self, Accuracy};
use transforms::torus::speed::{self, Speed, Spread};
use transforms::torus::{Fft, Plan, PolynomialSize, TransformError};

use super::{internal, print, print_json};
use crate::arguments;
use crate::failure::Failure;
use crate::progress::Steps;

/// Rings to compare on: that of the papers, and that of P16.
const RINGS: [usize; 2] = [1024, 2048];
/// Digits as P16 has them.
const DIGIT_BITS: u32 = 23;
/// A lookup takes so much longer than its parts that it is timed so much more rarely.
const ROUNDS_PER_LOOKUP: usize = 32;

/// Measures every processor and prints the tables.
pub(crate) fn fft(arguments: &arguments::Fft) -> Result<(), Failure> {
    let processors = Fft::available();
    let rounds = arguments.rounds as usize;
    let lookup_rounds = rounds.div_ceil(ROUNDS_PER_LOOKUP);
    let steps = Steps::new(arguments.json, (RINGS.len() + lookup_rounds) as u64);
    let mut rings = Vec::new();
    for coefficients in RINGS {
        steps.begin(format!("transforms of N = {coefficients}"));
        rings.push(Ring::measure(coefficients, &processors, rounds).map_err(internal)?);
        steps.reach(1);
    }
    steps.begin("lookups");
    let lookups = tfhe_lookup::compare(&P16, &processors, lookup_rounds, &mut |round| {
        steps.reach(round as u64);
    });
    steps.finish();
    let lookups = lookups.map_err(internal)?;
    if arguments.json {
        print_json(&json!({
            "rings": rings.iter().map(Ring::json).collect::<Vec<_>>(),
            "rounds": rounds,
            "lookups": lookups_json(&processors, &lookups),
            "lookup_rounds": lookup_rounds,
        }))
    } else {
        let mut text = format!(
            "Microseconds of the best and of the median of {rounds} rounds, all processors in turn.\n\
             A block step is four key elements, two rows and two columns. Errors of a product are in\n\
             bits, units of 2^-64 of the torus.\n"
        );
        for ring in &rings {
            text.push_str(&ring.text());
        }
        text.push_str(&lookups_text(&processors, &lookups, lookup_rounds));
        text.push_str(&format!("\nWithout --fft, {} computes.\n", Fft::detect()));
        print(&text)
    }
}

/// What was measured on one ring.
struct Ring {
    size: PolynomialSize,
    rows: Vec<(Fft, Speed, Accuracy)>,
}

impl Ring {
    fn measure(
        coefficients: usize,
        processors: &[Fft],
        rounds: usize,
    ) -> Result<Ring, TransformError> {
        let size = PolynomialSize::new(coefficients)?;
        let speeds = speed::compare(size, processors, DIGIT_BITS, rounds)?;
        let rows = processors.iter().zip(speeds).map(|(&fft, speed)| {
            let accuracy = accuracy::measure(&Plan::new(size, fft)?, DIGIT_BITS)?;
            Ok((fft, speed, accuracy))
        });
        Ok(Ring {
            size,
            rows: rows.collect::<Result<_, _>>()?,
        })
    }

    fn text(&self) -> String {
        let mut text = format!(
            "\nN = {}, digits of {} bits\n{:10}{:>14}{:>14}{:>14}{:>8}{:>8}\n",
            self.size.coefficients(),
            DIGIT_BITS,
            "",
            "forward",
            "inverse",
            "block step",
            "rms",
            "max",
        );
        for (fft, speed, accuracy) in &self.rows {
            let bits = |bits: Option<f64>| bits.map_or("exact".to_owned(), |b| format!("{b:.1}"));
            text.push_str(&format!(
                "{fft:10}{:>14}{:>14}{:>14}{:>8}{:>8}\n",
                range(speed.forward),
                range(speed.inverse),
                range(speed.block_step),
                bits(accuracy.rms_bits()),
                bits(accuracy.worst_bits()),
            ));
        }
        text
    }

    fn json(&self) -> Value {
        let rows = self.rows.iter().map(|(fft, speed, accuracy)| {
            json!({
                "fft": fft.name(),
                "forward": spread(speed.forward),
                "inverse": spread(speed.inverse),
                "block_step": spread(speed.block_step),
                "rms_error_bits": accuracy.rms_bits(),
                "max_error_bits": accuracy.worst_bits(),
            })
        });
        json!({
            "coefficients": self.size.coefficients(),
            "digit_bits": DIGIT_BITS,
            "processors": rows.collect::<Vec<_>>(),
        })
    }
}

fn lookups_text(processors: &[Fft], lookups: &[Calibration], rounds: usize) -> String {
    let mut text = format!(
        "\nA lookup of {}: milliseconds on one thread, best of {rounds}\n{:10}{:>14}{:>14}\n",
        P16.name(),
        "",
        "alone",
        format!("of {} at once", batch(&P16)),
    );
    for (fft, lookup) in processors.iter().zip(lookups) {
        let [alone, batched] = [lookup.alone, lookup.batched].map(|time| time.as_secs_f64() * 1e3);
        text.push_str(&format!("{fft:10}{alone:>14.2}{batched:>14.2}\n"));
    }
    text
}

fn lookups_json(processors: &[Fft], lookups: &[Calibration]) -> Value {
    let rows = processors.iter().zip(lookups).map(|(fft, lookup)| {
        json!({
            "fft": fft.name(),
            "alone_seconds": lookup.alone.as_secs_f64(),
            "batched_seconds": lookup.batched.as_secs_f64(),
        })
    });
    json!({
        "parameters": P16.name(),
        "batch": batch(&P16),
        "processors": rows.collect::<Vec<_>>(),
    })
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn range(time: Spread) -> String {
    let [best, median] = [time.best, time.median].map(microseconds);
    format!("{best:.2}–{median:.2}")
}

fn spread(time: Spread) -> Value {
    json!({
        "best_us": microseconds(time.best),
        "median_us": microseconds(time.median),
        "ninth_decile_us": microseconds(time.ninth_decile),
    })
}
