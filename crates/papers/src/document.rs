//! The end of every study: its report as text, and written as a page, also of a run that was
//! interrupted.

use serde_json::{Value, json};

use super::report::{Page, Report};
use crate::arguments::Output;
use crate::control::Control;
use crate::error::PapersError;

/// What a study found out.
pub(crate) struct Document {
    pub(crate) report: Report,
    /// The same for machines.
    pub(crate) json: Value,
    /// Something is missing because of Ctrl-C.
    pub(crate) interrupted: bool,
}

/// What a study leaves: its page is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// What to print.
    pub text: String,
    /// Whether somebody stopped the study: the report holds what was measured until then.
    pub interrupted: bool,
}

/// Makes sure of the page's place, has the study made and writes the page. What an interrupted run
/// measured is delivered too.
pub(crate) fn deliver(
    output: &Output,
    control: &Control,
    study: impl FnOnce() -> Result<Document, PapersError>,
) -> Result<Delivered, PapersError> {
    let place = Place::reserve(output, control)?;
    place.deliver(output, study()?)
}

/// Where the page will be, if there is to be one.
pub(crate) struct Place(Option<(String, Page)>);

impl Place {
    /// Makes sure that the page can be written.
    pub(crate) fn reserve(output: &Output, control: &Control) -> Result<Self, PapersError> {
        Ok(Self(match &output.html {
            Some(path) => Some((path.display().to_string(), Page::reserve(path, control)?)),
            None => None,
        }))
    }

    /// Writes the page, and says what is to be printed.
    pub(crate) fn deliver(
        self,
        output: &Output,
        mut document: Document,
    ) -> Result<Delivered, PapersError> {
        let written = match self.0 {
            Some((path, page)) => {
                page.write(&document.report.html())?;
                Some(path)
            }
            None => None,
        };
        let text = if output.json {
            document.json["html"] = json!(written);
            format!("{:#}\n", document.json)
        } else {
            let mut text = document.report.text();
            if let Some(path) = written {
                text.push_str(&format!("\n{path}: this report with charts\n"));
            }
            text
        };
        Ok(Delivered {
            text,
            interrupted: document.interrupted,
        })
    }
}
