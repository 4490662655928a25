//! Where a program begins when nobody says it: at `main`, else at the entry point, if somebody
//! chose that.
//!
//! A linker that is told no entry and finds no `_start` warns, and writes the address of the first
//! code into the header (GNU ld) or zero (lld). The first function of a file is any function: a
//! program that began there would compute something, but not what was meant.

use super::Program;

/// Names that say that a program begins there, beside `main`.
const BEGINNINGS: [&str; 9] = [
    "_start",
    "start",
    "__start",
    "_main",
    "_entry",
    "entry",
    "_mainCRTStartup",
    "Reset_Handler",
    "_reset",
];
/// How many functions a message names.
const NAMED_LIMIT: usize = 8;

/// Why a program begins nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoBeginning {
    /// The function that stands at the entry point, where that is the code's first.
    pub(crate) first: Option<String>,
    /// Functions to choose from.
    pub(crate) functions: Vec<String>,
}

impl Program {
    /// The address of `main`, else the entry point, if it was chosen by somebody: it is code, and
    /// either not the first of its section or known by a name that entries have. A file without any
    /// symbol has nothing to choose from, and begins at its entry point.
    pub(crate) fn beginning(&self) -> Result<u32, NoBeginning> {
        if let Ok(main) = self.label("main") {
            return Ok(main);
        }
        let entry = self.entry;
        let functions = &self.functions;
        let at_entry = || {
            let functions = functions.iter().filter(|f| f.address == entry);
            let labels = self.labels().filter(|(_, address)| *address == entry);
            functions
                .map(|f| f.name.as_str())
                .chain(labels.map(|(name, _)| name))
        };
        let in_code = self
            .segment(entry)
            .is_some_and(|segment| segment.executable);
        let first = self.entry_begins_code || functions.first().is_some_and(|f| f.address == entry);
        let named = at_entry().any(|name| BEGINNINGS.contains(&name));
        let without_symbols = functions.is_empty() && self.labels.is_empty();
        if in_code && (named || without_symbols || !first) {
            return Ok(entry);
        }
        let names = functions.iter().filter(|function| !function.thumb);
        Err(NoBeginning {
            first: at_entry().next().filter(|_| in_code).map(str::to_owned),
            functions: names.map(|f| f.name.clone()).take(NAMED_LIMIT).collect(),
        })
    }
}
