//! Every unit of the library in every architecture, with its definition on integers.
//!
//! Tests, reports and exports take units from here, so that a unit that is listed is tested,
//! counted and measured without further ado. A [`Unit`] is an operation, the architectures that are
//! forced while it is built, and what it means: words of n bits in, words out, as integers. The
//! units of an operation stand together, that which leaves every choice to the library first.
//!
//! ```
//! use blindcore_circuits::library::catalogue::{self, DEFAULT, Drawn, Family, Unit};
//! use blindcore_circuits::{Profile, library::Formula, passes};
//!
//! let profile = Profile::gate_simulation();
//! let units: Vec<Unit> = catalogue::catalogue();
//! let sklansky = units.iter().find(|unit| unit.name() == "add, sklansky").unwrap();
//! assert_eq!(sklansky.family, Family::Addition);
//! assert_eq!((sklansky.clear)(16, &[40_000, 30_000])[0] % (1 << 16), 4_464);
//!
//! // What it costs is a formula, and the drawing agrees.
//! let Drawn { circuit, operands, results } = sklansky.draw(&profile, 16);
//! assert_eq!((operands, results), (vec![16, 16], vec![16]));
//! let formula: Formula = sklansky.formula(16).unwrap();
//! assert_eq!(formula.ands, passes::cost(&circuit, &profile).and);
//!
//! // The library's own choice goes by the operation's name alone.
//! let own = units.iter().find(|unit| unit.name() == "add").unwrap();
//! assert_eq!((own.is_default(), own.architecture.as_str()), (true, DEFAULT));
//! ```

mod add;
mod bitwise;
mod compare;
mod divide;
mod integers;
mod multiply;
mod shift;
mod subtract;
mod sum;
mod table;
mod unit;

pub use unit::{DEFAULT, Drawn, Family, Unit};

/// Every unit in every architecture.
#[must_use]
pub fn catalogue() -> Vec<Unit> {
    [
        add::units(),
        subtract::units(),
        sum::units(),
        compare::units(),
        bitwise::units(),
        shift::units(),
        multiply::units(),
        divide::units(),
        table::units(),
    ]
    .concat()
}
