//! Decrypted values.

use processor::Type;
use session::owner::Decrypted;
use session::{Error, ErrorKind};

/// Decrypted values of variables: of one row, or of the rows of a table.
///
/// [`Debug`] does not show values.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    batches: Vec<Decrypted>,
}

impl Answer {
    pub(crate) fn new(batches: Vec<Decrypted>) -> Self {
        Self { batches }
    }

    /// How many rows there are: 1, unless they are of a table.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.batches.iter().map(Decrypted::rows).sum()
    }

    /// Whether they are of a table, be it one of a single row.
    #[must_use]
    pub fn is_table(&self) -> bool {
        self.batches.iter().any(Decrypted::is_table)
    }

    /// Names of the variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.batches.iter().take(1).flat_map(Decrypted::names)
    }

    /// The type of a variable; `None` if there is no such variable.
    #[must_use]
    pub fn ty(&self, name: &str) -> Option<&Type> {
        let first = self.batches.first().filter(|batch| batch.rows() > 0)?;
        let mut values = first.row(0);
        values.find_map(|(own, ty, _)| (own == name).then_some(ty))
    }

    /// The value of a variable in the first row.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] if there is no such variable, or if it does not fit the type that is
    /// asked for.
    pub fn get<T: FromValue>(&self, name: &str) -> Result<T, Error> {
        self.get_at(0, name)
    }

    /// The value of a variable in a row, counted from 0.
    ///
    /// # Errors
    /// As for [`get`](Self::get); [`ErrorKind::Input`] if there is no such row.
    pub fn get_at<T: FromValue>(&self, row: usize, name: &str) -> Result<T, Error> {
        let mut within = row;
        for batch in &self.batches {
            if within >= batch.rows() {
                within -= batch.rows();
                continue;
            }
            let mut values = batch.row(within);
            let Some((_, ty, elements)) = values.find(|(own, ..)| *own == name) else {
                let names: Vec<&str> = self.names().collect();
                let message = format!("{name}: no such output; there are {}", names.join(", "));
                return Err(Error::new(ErrorKind::Input, message));
            };
            return T::from_elements(&elements).ok_or_else(|| {
                let wanted = std::any::type_name::<T>();
                let message = format!("{name}: a value of type {ty} is no {wanted}");
                Error::new(ErrorKind::Input, message)
            });
        }
        let message = format!("row {row}: there are {}", self.rows());
        Err(Error::new(ErrorKind::Input, message))
    }

    /// The value of a variable in every row.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    pub fn column<T: FromValue>(&self, name: &str) -> Result<Vec<T>, Error> {
        (0..self.rows()).map(|row| self.get_at(row, name)).collect()
    }
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer")
            .field("names", &self.names().collect::<Vec<_>>())
            .field("rows", &self.rows())
            .finish()
    }
}

/// What a decrypted value can become.
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::{Answer, FromValue, Keys, Program, Values};
///
/// /// A temperature, which the program computes in tenths of a degree.
/// struct Celsius(f64);
///
/// impl FromValue for Celsius {
///     fn from_elements(elements: &[i128]) -> Option<Self> {
///         match *elements {
///             [tenths] => Some(Self(tenths as f64 / 10.0)),
///             _ => None,
///         }
///     }
/// }
///
/// let text = b".bits 16\n.data inside\n LOAD R0, inside\n ADD R0, R0, 5\n STORE R0, inside";
/// let program = Program::from_bytes("warmer.hea", text)?.secret(["inside"])?.outputs(["inside:i16"]);
/// let keys = Keys::generate()?;
/// let inputs = keys.secret.encrypt(&program, &Values::new().set("inside", 210))?;
/// let answer: Answer = keys.secret.decrypt(&program.run(&keys.server, &inputs)?)?;
/// assert_eq!(answer.names().collect::<Vec<_>>(), ["inside"]);
/// assert_eq!((answer.is_table(), answer.ty("inside").map(|ty| ty.to_string())), (false, Some("i16".to_owned())));
/// assert_eq!(answer.get::<Celsius>("inside")?.0, 21.5);
/// # Ok(())
/// # }
/// ```
pub trait FromValue: Sized {
    /// The value of these elements; `None` if it does not fit.
    fn from_elements(elements: &[i128]) -> Option<Self>;
}

macro_rules! from_value {
    ($($integer:ty),*) => {$(
        impl FromValue for $integer {
            fn from_elements(elements: &[i128]) -> Option<Self> {
                match elements {
                    [only] => (*only).try_into().ok(),
                    _ => None,
                }
            }
        }
    )*};
}

from_value!(i8, i16, i32, i64, i128, u8, u16, u32, u64);

impl FromValue for bool {
    fn from_elements(elements: &[i128]) -> Option<Self> {
        match elements {
            [only @ (0 | 1)] => Some(*only == 1),
            _ => None,
        }
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    fn from_elements(elements: &[i128]) -> Option<Self> {
        elements
            .iter()
            .map(|element| T::from_elements(&[*element]))
            .collect()
    }
}

impl FromValue for String {
    /// Text of bytes, up to the first zero.
    fn from_elements(elements: &[i128]) -> Option<Self> {
        let bytes: Option<Vec<u8>> = elements
            .iter()
            .take_while(|element| **element != 0)
            .map(|element| (*element & 0xff).try_into().ok())
            .collect();
        String::from_utf8(bytes?).ok()
    }
}
