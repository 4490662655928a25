//! `NAME=VALUE`: splitting an argument into a name, a type if one is written, and a value.

use std::str::FromStr;

use crate::Type;

use super::rows::Rows;
use super::source::Source;
use super::{InputError, Literal};

/// One argument of `encrypt` (or of a clear run).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The variable; a field as `point.x` or `rows[2].key`.
    pub name: String,
    /// The type, if it is written.
    pub ty: Option<Type>,
    /// Where the value comes from.
    pub value: Value,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// It stands in the argument.
    Inline(String),
    /// It stands in a file.
    File(Source),
    /// It has been read already.
    Ready(Literal),
    /// There is none: all of the variable is 0, whatever its type.
    Nothing,
}

impl Assignment {
    /// Reads one argument; `@FILE.json` stands for one assignment per key of the file's object.
    ///
    /// # Errors
    /// Any [`InputError`].
    pub fn expand(text: &str) -> Result<Vec<Assignment>, InputError> {
        match text.strip_prefix('@') {
            Some(path) => Ok(Source::parse(path)
                .object()?
                .into_iter()
                .map(|(name, literal)| Assignment {
                    name,
                    ty: None,
                    value: Value::Ready(literal),
                })
                .collect()),
            None => Ok(vec![text.parse()?]),
        }
    }

    /// The value as JSON has it, for a variable that is a structure; `None` if it has another form.
    ///
    /// # Errors
    /// Any [`InputError`].
    pub fn structure(&self) -> Result<Option<Literal>, InputError> {
        match &self.value {
            Value::Inline(text) if text.trim_start().starts_with(['{', '[']) => {
                super::source::inline(text, &self.name).map(Some)
            }
            Value::Inline(_) => Ok(None),
            Value::File(source) => source.literal(&self.name),
            Value::Ready(literal) => Ok(Some(literal.clone())),
            Value::Nothing => Ok(None),
        }
    }

    /// The rows of a whole CSV file, of which no column is chosen, under their header; `None` for
    /// everything else.
    ///
    /// # Errors
    /// Any [`InputError`].
    pub fn rows(&self) -> Result<Option<Rows>, InputError> {
        match &self.value {
            Value::File(source) if source.is_table()? => source.rows(&self.name).map(Some),
            _ => Ok(None),
        }
    }

    /// Whether the value is bytes as the program's memory holds them, which need no type.
    pub fn is_raw(&self) -> bool {
        match &self.value {
            Value::File(source) => source.is_raw(),
            Value::Ready(literal) => literal.raw().is_some(),
            Value::Inline(_) => false,
            Value::Nothing => true,
        }
    }

    /// The values of the variable's first elements, in memory order.
    ///
    /// # Errors
    /// Any [`InputError`].
    pub fn elements(&self, ty: &Type) -> Result<Vec<i128>, InputError> {
        match &self.value {
            Value::Inline(text) => Literal::parse(text, &self.name, ty)?.elements(&self.name, ty),
            Value::File(source) => source.elements(&self.name, ty),
            Value::Ready(literal) => literal.elements(&self.name, ty),
            Value::Nothing => Ok(Vec::new()),
        }
    }
}

impl FromStr for Assignment {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Assignment, InputError> {
        let wrong = || InputError::NotAnAssignment {
            text: super::shortened(text),
        };
        let (left, value) = text.split_once('=').ok_or_else(wrong)?;
        let (name, ty) = match left.split_once(':') {
            Some((name, ty)) => (name.trim(), Some(ty.trim())),
            None => (left.trim(), None),
        };
        let allowed = |c: char| c.is_alphanumeric() || "_.$[]".contains(c);
        if name.is_empty() || !name.chars().all(allowed) {
            return Err(wrong());
        }
        let ty = ty
            .map(str::parse)
            .transpose()
            .map_err(|source| InputError::Type {
                name: name.to_owned(),
                source,
            })?;
        let value = match value.strip_prefix('@') {
            Some(path) => Value::File(Source::parse(path)),
            None => Value::Inline(value.to_owned()),
        };
        Ok(Assignment {
            name: name.to_owned(),
            ty,
            value,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_types_and_values_are_told_apart() {
        let plain: Assignment = "a=b=c".parse().unwrap();
        assert_eq!(
            plain,
            Assignment {
                name: "a".to_owned(),
                ty: None,
                value: Value::Inline("b=c".to_owned())
            }
        );
        let typed: Assignment = "rows[2].key:u32[8]=1:2".parse().unwrap();
        assert_eq!(typed.name, "rows[2].key");
        assert_eq!(typed.ty, Some("u32[8]".parse().unwrap()));
        assert_eq!(typed.value, Value::Inline("1:2".to_owned()));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "a", "=1", "a b=1", ":u8=1", "-a=1"] {
            assert_eq!(
                text.parse::<Assignment>(),
                Err(InputError::NotAnAssignment {
                    text: text.to_owned()
                }),
                "{text}"
            );
        }
        assert!(matches!(
            "a:u7=1".parse::<Assignment>(),
            Err(InputError::Type { .. })
        ));
    }
}
