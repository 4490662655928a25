//! The end of every study: its report printed and written, also of a run that was interrupted.

use serde_json::{Value, json};

use super::super::{print, print_json};
use super::report::{Page, Report};
use crate::arguments::Output;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;

/// What a study found out.
pub(in crate::commands) struct Document {
    pub(in crate::commands) report: Report,
    /// The same for machines.
    pub(in crate::commands) json: Value,
    /// Something is missing because of Ctrl-C.
    pub(in crate::commands) interrupted: bool,
}

/// Makes sure of the page's place, has the study made, prints it and writes the page. What an
/// interrupted run measured is delivered too, but such a run fails.
pub(in crate::commands) fn deliver(
    output: &Output,
    interrupt: &Interrupt,
    study: impl FnOnce() -> Result<Document, Failure>,
) -> Result<(), Failure> {
    let page = match &output.html {
        Some(path) => Some((path, Page::reserve(path, interrupt)?)),
        None => None,
    };
    let mut document = study()?;
    let written = match page {
        Some((path, page)) => {
            page.write(&document.report.html())?;
            Some(path.display().to_string())
        }
        None => None,
    };
    if output.json {
        document.json["html"] = json!(written);
        print_json(&document.json)?;
    } else {
        let mut text = document.report.text();
        if let Some(path) = written {
            text.push_str(&format!("\n{path}: this report with charts\n"));
        }
        print(&text)?;
    }
    if document.interrupted {
        return Err(Failure::new(
            Code::Interrupted,
            "interrupted: the report holds what was measured until then",
        ));
    }
    Ok(())
}
