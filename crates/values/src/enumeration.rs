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
    /// Their numbers, by name: a file can have thousands of variables that each are looked at.
    by_name: Arc<[u16]>,
    /// Likewise by value; of one value the first of the source comes first.
    by_value: Arc<[u16]>,
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
        if !counted || !enumerators.iter().all(|(name, _)| named(name)) {
            return None;
        }
        let numbers = || (0..enumerators.len() as u16).collect::<Vec<u16>>();
        let (mut by_name, mut by_value) = (numbers(), numbers());
        // Stable, so that what came first stays first.
        by_name.sort_by_key(|&number| &enumerators[usize::from(number)].0);
        by_value.sort_by_key(|&number| enumerators[usize::from(number)].1);
        Some(Self {
            by_name: by_name.into(),
            by_value: by_value.into(),
            enumerators,
        })
    }

    /// The enumerators in the order of the source.
    #[must_use]
    pub fn enumerators(&self) -> &Arc<[(String, i128)]> {
        &self.enumerators
    }

    /// The first name of a value.
    #[must_use]
    pub fn name(&self, value: i128) -> Option<&str> {
        let before = |number: &u16| self.at(*number).is_some_and(|(_, own)| *own < value);
        let place = self.by_value.partition_point(before);
        let (name, own) = self.at(*self.by_value.get(place)?)?;
        (*own == value).then_some(name.as_str())
    }

    /// The value of a name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<i128> {
        let before = |number: &u16| self.at(*number).is_some_and(|(own, _)| own.as_str() < name);
        let place = self.by_name.partition_point(before);
        let (own, value) = self.at(*self.by_name.get(place)?)?;
        (own == name).then_some(*value)
    }

    fn at(&self, number: u16) -> Option<&(String, i128)> {
        self.enumerators.get(usize::from(number))
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

    /// The first of a name counts, in any order of the others.
    #[test]
    fn all_of_many_are_found() {
        let value = |at: i128| at * 7919 % 4093;
        let mut many: Vec<_> = (0..4093).map(|at| (format!("e{at}"), value(at))).collect();
        many.push(("e5".to_owned(), 0));
        let all = Enumeration::new(many).unwrap();
        for at in 0..4093 {
            let name = format!("e{at}");
            assert_eq!(all.value(&name), Some(value(at)));
            assert_eq!(all.name(value(at)), Some(name.as_str()));
        }
        assert_eq!((all.value("e4093"), all.name(4093)), (None, None));
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
