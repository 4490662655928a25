//! Architectures that are forced: one flag for each family of units.

use circuits::library::{
    Adder, Architectures, Comparator, Divider, Multiplier, Shifter, Subtractor, Summation,
};
use clap::Args;

/// Which architecture every unit of a family is built in; without a flag the library chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Architectures (default: the fastest for parameters and threads)")]
pub struct Forced {
    /// Sums of two words: ripple, sklansky, kogge-stone …
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = named::<Adder>)]
    adder: Option<Adder>,
    /// Sums of many words
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = named::<Summation>)]
    sum: Option<Summation>,
    /// Differences
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = named::<Subtractor>)]
    subtractor: Option<Subtractor>,
    /// Orders of two words
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = named::<Comparator>)]
    comparator: Option<Comparator>,
    /// Products
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = named::<Multiplier>)]
    multiplier: Option<Multiplier>,
    /// Quotients and remainders
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = named::<Divider>)]
    divider: Option<Divider>,
    /// Shifts by secret amounts
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = named::<Shifter>)]
    shifter: Option<Shifter>,
}

impl Forced {
    /// As profiles take them.
    pub fn architectures(&self) -> Architectures {
        Architectures {
            adder: self.adder,
            summation: self.sum,
            subtractor: self.subtractor,
            comparator: self.comparator,
            multiplier: self.multiplier,
            divider: self.divider,
            shifter: self.shifter,
        }
    }

    /// Whether any is.
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }

    /// The flags that say the same, for a command line.
    pub fn flags(&self) -> String {
        fn flag(name: &str, value: Option<impl std::fmt::Display>) -> String {
            value.map_or_else(String::new, |value| format!(" --{name} {value}"))
        }
        [
            flag("adder", self.adder),
            flag("sum", self.sum),
            flag("subtractor", self.subtractor),
            flag("comparator", self.comparator),
            flag("multiplier", self.multiplier),
            flag("divider", self.divider),
            flag("shifter", self.shifter),
        ]
        .concat()
    }
}

/// An architecture by its name; the error lists those that there are.
fn named<T: std::str::FromStr<Err: std::fmt::Display>>(name: &str) -> Result<T, String> {
    name.parse().map_err(|error: T::Err| error.to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        forced: Forced,
    }

    #[test]
    fn flags_say_what_was_said() {
        for adder in Adder::all() {
            let line = format!("x --adder {adder}");
            let forced = Line::parse_from(line.split(' ')).forced;
            assert_eq!(forced.architectures().adder, Some(adder));
            assert_eq!(forced.architectures().multiplier, None);
            assert_eq!(forced.flags(), line[1..]);
        }
    }
}
