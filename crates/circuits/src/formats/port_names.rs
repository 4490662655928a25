//! Names of ports in a file, where no two bits may be called alike.

use std::collections::{HashMap, HashSet};

use super::interface::indexed;

/// The names of ports so far, by what could be some bit of another.
#[derive(Default)]
pub(super) struct PortNames {
    words: HashSet<String>,
    bits: HashSet<String>,
    /// `a` of a port of one bit that is called `a[3]`.
    bases: HashSet<String>,
    /// How often a name was asked for.
    asked: HashMap<String, usize>,
}

impl PortNames {
    /// The name if no bit of it is another's, else one that it begins: `a_`, `a_2`, `a_3` …
    pub(super) fn unique(&mut self, name: String, width: usize) -> String {
        let mut found = name.clone();
        while self.has(&found, width) {
            let asked = self.asked.entry(name.clone()).or_default();
            *asked += 1;
            found = match *asked {
                1 => format!("{name}_"),
                more => format!("{name}_{more}"),
            };
        }
        if width != 1 {
            self.words.insert(found.clone());
            return found;
        }
        if let Some((base, _)) = indexed(&found) {
            self.bases.insert(base.to_owned());
        }
        self.bits.insert(found.clone());
        found
    }

    fn has(&self, name: &str, width: usize) -> bool {
        if width != 1 {
            return self.words.contains(name) || self.bases.contains(name);
        }
        let base = indexed(name).map(|(base, _)| base);
        self.bits.contains(name) || base.is_some_and(|base| self.words.contains(base))
    }
}
