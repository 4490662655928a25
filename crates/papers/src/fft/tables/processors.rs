//! Table 1: FFT processors.

use tfhe::Fft;

use super::super::super::bench::Times;
use super::super::super::report::{Cell, Origin, Row, Section};
use super::super::paper;
use super::super::study::{GateSet, Study};
use super::table;

pub(super) fn section(study: &Study) -> Section {
    let columns = [
        "processor",
        "licence",
        "language and portability",
        "performance",
        "where",
    ];
    let mut rows = vec![Row::Heading("the paper".to_owned())];
    for library in &paper::LIBRARIES {
        let cells = [
            library.licence,
            library.language,
            library.performance,
            library.website,
        ];
        let cells = cells.map(|text| Cell::new(Origin::Paper, text)).to_vec();
        rows.push(Row::Cells(library.name.to_owned(), cells));
    }
    rows.push(Row::Heading("ours".to_owned()));
    let slowest = study.gate_sets.first().map_or(0.0, |set| {
        let medians = set.processors.iter().map(|times| times.and.median);
        medians.fold(0.0, f64::max)
    });
    for fft in ffts(study) {
        let Described {
            licence,
            language,
            place,
        } = described(fft);
        let and = study.gate_sets.first().and_then(|set| and_of(set, fft));
        let performance = and.map_or_else(
            || Cell::text(""),
            |and| Cell::new(Origin::Measured, format!("{:.1}", slowest / and.median)),
        );
        let cells = vec![
            Cell::text(licence),
            Cell::text(language),
            performance,
            Cell::text(place),
        ];
        rows.push(Row::Cells(fft.name().to_owned(), cells));
    }
    let of = study.gate_sets.first().map_or("", |set| set.name);
    Section {
        title: "Table 1: FFT processors".to_owned(),
        table: table(&columns, rows),
        remarks: match of {
            "" => Vec::new(),
            of => vec![format!(
                "Performance, ours: the slowest processor's AND over this one's, with {of}."
            )],
        },
        ..Section::default()
    }
}

struct Described {
    licence: &'static str,
    language: &'static str,
    place: &'static str,
}

fn described(fft: Fft) -> Described {
    let (licence, language, place) = match fft.name() {
        "scalar" => ("Apache 2 or MIT", "Rust, any machine", "blindcore"),
        "avx2" => ("Apache 2 or MIT", "Rust, AVX2 and FMA", "blindcore"),
        "avx512" => ("Apache 2 or MIT", "Rust, AVX-512", "blindcore"),
        "ntt" => (
            "Apache 2 or MIT",
            "Rust, exact, modulo 2^64 - 2^32 + 1",
            "blindcore",
        ),
        "rustfft" => (
            "Apache 2 or MIT",
            "Rust, SSE to AVX, NEON",
            "crates.io/crates/rustfft",
        ),
        "fftw" => ("GPL", "C", "www.fftw.org"),
        _ => ("", "", ""),
    };
    Described {
        licence,
        language,
        place,
    }
}

/// Every processor of the study, in the order of the first set.
fn ffts(study: &Study) -> Vec<Fft> {
    let mut ffts = Vec::new();
    let gates = study.gate_sets.iter().flat_map(|set| &set.processors);
    let lookups = study.lookup_sets.iter().flat_map(|set| &set.processors);
    for fft in gates.map(|of| of.fft).chain(lookups.map(|of| of.fft)) {
        if !ffts.contains(&fft) {
            ffts.push(fft);
        }
    }
    ffts
}

fn and_of(set: &GateSet, fft: Fft) -> Option<Times> {
    let times = set.processors.iter().find(|times| times.fft == fft)?;
    Some(times.and)
}
