//! The names of an enumeration's values.

use std::sync::Arc;

/// Most enumerators that are kept.
const COUNT_LIMIT: usize = 4096;

/// The names of some values, as C's `enum` gives them.
///
/// Of several names of one value the first is shown, all are understood.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Enumeration {
    /// In the order of the source.
    enumerators: Arc<[(String, i128)]>,
}

impl Enumeration {
    /// Names with their values, in the order of the source.
    ///
    /// `None` if there are none or more than 4096, or if a name is empty, longer than 255 bytes,
    /// has other characters than letters, digits and `_`, or could be read as a number.
    #[must_use]
    pub fn new(enumerators: impl Into<Arc<[(String, i128)]>>) -> Option<Self> {
        let enumerators = enumerators.into();
        let counted = !enumerators.is_empty() && enumerators.len() <= COUNT_LIMIT;
        let named = |name: &str| {
            let begins = name
                .chars()
                .next()
                .is_some_and(|c| c.is_alphabetic() || c == '_');
            let letters = name.chars().all(|c| c.is_alphanumeric() || c == '_');
            begins && letters && name.len() <= 255
        };
        let all = counted && enumerators.iter().all(|(name, _)| named(name));
        all.then_some(Self { enumerators })
    }

    /// The enumerators in the order of the source.
    #[must_use]
    pub fn enumerators(&self) -> &Arc<[(String, i128)]> {
        &self.enumerators
    }

    /// The first name of a value.
    #[must_use]
    pub fn name(&self, value: i128) -> Option<&str> {
        let mut all = self.enumerators.iter();
        all.find(|(_, own)| *own == value)
            .map(|(name, _)| name.as_str())
    }

    /// The value of a name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<i128> {
        let mut all = self.enumerators.iter();
        all.find(|(own, _)| own == name).map(|(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[(&str, i128)]) -> Option<Enumeration> {
        let names = names.iter();
        let names = names.map(|(name, value)| ((*name).to_owned(), *value));
        Enumeration::new(names.collect::<Vec<_>>())
    }

    #[test]
    fn names_and_values_find_each_other() {
        let colours = of(&[("RED", 0), ("GREEN", 5), ("GRASS", 5), ("NONE", -1)]).unwrap();
        assert_eq!(colours.name(5), Some("GREEN"));
        assert_eq!(colours.value("GRASS"), Some(5));
        assert_eq!((colours.name(1), colours.value("red")), (None, None));
        assert_eq!(colours.name(-1), Some("NONE"));
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for name in ["", "1st", "a b", "a\x1b[2J", "-1", &"x".repeat(256)] {
            assert_eq!(of(&[(name, 0)]), None, "{name:?}");
        }
        assert_eq!(of(&[]), None);
        let many = (0..4097).map(|i| (format!("e{i}"), i));
        assert_eq!(Enumeration::new(many.collect::<Vec<_>>()), None);
    }
}
