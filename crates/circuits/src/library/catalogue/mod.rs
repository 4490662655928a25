//! Every unit of the library in every architecture, with its definition on integers.
//!
//! Tests, reports and exports take units from here, so that a unit that is listed is tested, counted
//! and measured without further ado. A [`Unit`] is an operation, the architectures that are forced
//! while it is built, and what it means: words of n bits in, words out, as integers. The units of an
//! operation stand together, that which leaves every choice to the library first.
//!
//! ```
//! use blindcore_circuits::{Profile, library::catalogue};
//!
//! let profile = Profile::gate_simulation();
//! let units = catalogue::catalogue();
//! let sklansky = units.iter().find(|unit| unit.name() == "add, sklansky").unwrap();
//! let drawn = sklansky.draw(&profile, 16);
//! assert_eq!(drawn.results, [16]);
//! assert_eq!((sklansky.clear)(16, &[40_000, 30_000])[0] % (1 << 16), 4_464);
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
