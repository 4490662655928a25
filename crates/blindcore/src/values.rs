//! Values as a program gives them.

use ::values::{Assignment, Literal};

/// A value: a number, text, a list, or the members of a structure.
///
/// ```
/// use blindcore::Value;
///
/// let _: Vec<Value> = vec![7.into(), true.into(), "GATTACA".into(), [1_u8, 2].into(), 0.5.into()];
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Value(Literal);

/// Values of variables, by their names.
///
/// ```
/// let values = blindcore::Values::new().set("age", 41).set("codes", [3, 1, 4]);
/// assert_eq!(values.names().collect::<Vec<_>>(), ["age", "codes"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(Vec<(String, Value)>);

impl Values {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more value. Elements of an array that are not given are 0.
    #[must_use]
    pub fn set(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.push((name.into(), value.into()));
        self
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// In columns: each name with its value in every row.
    pub(crate) fn literals(values: &[Value]) -> Vec<Literal> {
        values.iter().map(|value| value.0.clone()).collect()
    }

    pub(crate) fn assignments(&self) -> Vec<Assignment> {
        let assignments = self.0.iter().map(|(name, value)| Assignment {
            name: name.clone(),
            ty: None,
            value: ::values::Value::Ready(value.0.clone()),
        });
        assignments.collect()
    }
}

impl Value {
    /// A structure, by the names of its members.
    ///
    /// ```
    /// use blindcore::Value;
    ///
    /// let point = Value::structure([("x", Value::from(3)), ("y", Value::from(4))]);
    /// ```
    #[must_use]
    pub fn structure<N: Into<String>>(members: impl IntoIterator<Item = (N, Value)>) -> Value {
        let members = members.into_iter();
        let members = members.map(|(name, value)| (name.into(), value.0));
        Value(Literal::Object(members.collect()))
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Value {
            fn from(value: $integer) -> Self {
                Value(Literal::Number(value.into()))
            }
        }
    )*};
}

from_integers!(i8, i16, i32, i64, i128, u8, u16, u32, u64, bool);

impl From<f32> for Value {
    fn from(value: f32) -> Self {
        Value(Literal::Real(value.to_string()))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value(Literal::Real(value.to_string()))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value(Literal::Text(text.as_bytes().to_vec()))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value(Literal::Text(text.into_bytes()))
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        let values = values.into_iter().map(|value| value.into().0);
        Value(Literal::List(values.collect()))
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(values: [T; N]) -> Self {
        Vec::from(values).into()
    }
}

impl<T: Clone + Into<Value>> From<&[T]> for Value {
    fn from(values: &[T]) -> Self {
        values.to_vec().into()
    }
}
