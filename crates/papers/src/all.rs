//! `blindcore papers all`: every study on one page, the short ones first.

use std::num::NonZeroUsize;

use serde_json::json;

use super::report::{Provenance, Report};
use super::{adders, emulator, fft, integer_ring, multiplier};
use crate::arguments::{
    Output, PaperSet, PapersAdders, PapersAll, PapersEmulator, PapersFft, PapersIntegerRing,
    PapersMultiplier,
};
use crate::control::Control;
use crate::document::{Delivered, Document, deliver};
use crate::error::PapersError;

/// How often each sum is run.
const ROUNDS: NonZeroUsize = NonZeroUsize::MIN;
/// How often each product of large integers is computed.
const PRODUCTS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(14);

/// Measures, prints, and writes the page.
pub(crate) fn all(arguments: &PapersAll, control: &Control) -> Result<Delivered, PapersError> {
    deliver(&arguments.output, control, || document(arguments, control))
}

fn document(arguments: &PapersAll, control: &Control) -> Result<Document, PapersError> {
    let mut provenance = Provenance::begin();
    let output = || Output {
        html: None,
        json: false,
        quiet: arguments.output.quiet,
    };
    let first = arguments.fft.first().copied();
    let mut parts = Vec::new();
    let mut whole = true;
    // What comes after an interrupted study would only say that it was interrupted.
    let mut add = |name: &'static str, study: &dyn Fn() -> Result<Document, PapersError>| {
        if whole {
            let document = study()?;
            whole = !document.interrupted;
            parts.push((name, document));
        }
        Ok::<(), PapersError>(())
    };
    add("adders", &|| {
        let arguments = PapersAdders {
            gate_set: vec![arguments.gate_set],
            lookup_set: arguments.lookup_set,
            threads: arguments.threads.clone(),
            fft: first,
            rounds: ROUNDS,
            quick: arguments.quick,
            output: output(),
        };
        adders::document(&arguments, control)
    })?;
    add("emulator", &|| {
        let arguments = PapersEmulator {
            gate_set: arguments.gate_set,
            lookup_set: arguments.lookup_set,
            threads: arguments.threads.clone(),
            fft: first,
            quick: arguments.quick,
            whole: false,
            output: output(),
        };
        emulator::document(&arguments, control)
    })?;
    add("fft", &|| {
        let sets = [
            PaperSet::Gates(arguments.gate_set),
            PaperSet::Lookups(arguments.lookup_set),
        ];
        let fft = PapersFft::of(
            sets.to_vec(),
            arguments.fft.clone(),
            arguments.quick,
            output(),
        );
        fft::document(&fft, control)
    })?;
    add("multiplier", &|| {
        let arguments = PapersMultiplier {
            flint: None,
            threads: arguments.threads.clone(),
            rounds: PRODUCTS,
            quick: arguments.quick,
            output: output(),
        };
        multiplier::document(&arguments, control)
    })?;
    add("integer-ring", &|| {
        let arguments = PapersIntegerRing {
            // The paper's.
            threads: NonZeroUsize::MIN,
            rounds: ROUNDS,
            quick: arguments.quick,
            output: output(),
        };
        integer_ring::document(&arguments, control)
    })?;
    provenance.end(whole);
    Ok(join(&provenance, parts))
}

/// One document of several.
fn join(provenance: &Provenance, parts: Vec<(&'static str, Document)>) -> Document {
    let mut json = json!({ "all": provenance });
    let mut report = Report {
        title: "The papers' tables, measured here".to_owned(),
        lead: vec![
            "The papers that the system reproduces, each with its circuits on the schemes that it is about."
                .to_owned(),
        ],
        facts: provenance.facts(),
        sections: Vec::new(),
        parts: Vec::new(),
    };
    for (name, document) in parts {
        json[name] = document.json;
        report.parts.push(document.report);
    }
    Document {
        report,
        json,
        interrupted: provenance.interrupted(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::sample;
    use super::*;

    #[test]
    fn documents_are_joined() {
        let part = |interrupted| Document {
            report: sample(),
            json: json!({ "x": 1 }),
            interrupted,
        };
        let mut provenance = Provenance::begin();
        provenance.end(false);
        let joined = join(
            &provenance,
            vec![("adders", part(false)), ("fft", part(true))],
        );
        assert!(joined.interrupted);
        assert_eq!(joined.json["fft"]["x"], 1);
        assert_eq!(joined.report.parts.len(), 2);
        let text = joined.report.text();
        assert_eq!(text.matches("A <paper>").count(), 2, "{text}");
        let page = joined.report.html();
        // Title, contents and both parts; contents lead to their headings.
        assert_eq!(page.matches("href=\"#part-2").count(), 2, "{page}");
        assert!(page.contains("id=\"part-2\"") && page.contains("id=\"part-2-section-1\""));
    }
}
