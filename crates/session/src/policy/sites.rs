//! Rules resolved against a program: which addresses they allow.

use std::ops::Range;

use processor::{Asked, Place, Program};

use super::journal::Used;
use super::{Allowance, PolicyError, Refusal, Rules, Site};

/// Rules for one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    sites: Vec<Resolved>,
    max_bits: u64,
    max_bits_of_key: Option<u64>,
    jump_bits: u64,
}

/// What a question about a branch costs: that it goes on, that it does not, and that the question
/// does not decrypt are three outcomes.
const BRANCH_BITS: u64 = 2;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Resolved {
    site: Site,
    /// Several where a name is borne by several static functions.
    addresses: Vec<Range<u32>>,
    answers: Option<u64>,
}

impl Policy {
    /// Finds the sites in the program.
    ///
    /// # Errors
    /// [`PolicyError::Unknown`] for a symbol that the program lacks (it names the nearest one);
    /// [`PolicyError::NoCode`].
    pub fn new(rules: &Rules, program: &Program) -> Result<Policy, PolicyError> {
        let sites = rules
            .allow
            .iter()
            .map(|allowance| resolve(allowance, program));
        // The places to go to, and the refusal to name any: of what is no place, and of what does
        // not decrypt, which look alike.
        let places = 1 + instructions(program);
        Ok(Policy {
            sites: sites.collect::<Result<_, _>>()?,
            max_bits: rules.bits(),
            max_bits_of_key: rules.max_bits_of_key,
            jump_bits: u64::from(places.next_power_of_two().trailing_zeros()),
        })
    }

    /// How many bits a question costs: the logarithm of the number of its outcomes, rounded up.
    /// That it does not decrypt is one of them.
    #[must_use]
    pub fn bits(&self, asked: &Asked) -> u64 {
        match asked {
            Asked::Condition(_) | Asked::Operands { .. } => BRANCH_BITS,
            Asked::Target => self.jump_bits,
        }
    }

    /// Whether the rules allow one more answer after what the job, and the key over all jobs, have
    /// used; returns what it costs.
    ///
    /// # Errors
    /// [`Refusal::Site`], [`Refusal::Answers`], [`Refusal::Bits`], [`Refusal::KeyBits`].
    pub(super) fn permit(
        &self,
        place: &Place,
        asked: &Asked,
        used: &Used,
        of_key: u64,
    ) -> Result<u64, Refusal> {
        let here = |site: &&Resolved| site.addresses.iter().any(|r| r.contains(&place.address));
        // A rule for one instruction comes before one for all of a function.
        let narrow = |site: &&Resolved| !matches!(site.site, Site::Symbol(_));
        let all = || self.sites.iter().filter(here);
        let site = all().find(narrow).or_else(|| all().next());
        let Some(site) = site else {
            return Err(Refusal::Site {
                place: Box::new(place.clone()),
            });
        };
        if let Some(limit) = site.answers {
            let given: u64 = site.addresses.iter().map(|r| used.answers(r)).sum();
            if given >= limit {
                return Err(Refusal::Answers {
                    site: site.site.clone(),
                    limit,
                });
            }
        }
        let bits = self.bits(asked);
        if used.bits().saturating_add(bits) > self.max_bits {
            return Err(Refusal::Bits {
                place: Box::new(place.clone()),
                bits,
                used: used.bits(),
                limit: self.max_bits,
            });
        }
        if let Some(limit) = self.max_bits_of_key
            && of_key.saturating_add(bits) > limit
        {
            return Err(Refusal::KeyBits {
                place: Box::new(place.clone()),
                bits,
                used: of_key,
                limit,
            });
        }
        Ok(bits)
    }
}

fn resolve(allowance: &Allowance, program: &Program) -> Result<Resolved, PolicyError> {
    let site = &allowance.site;
    let addresses = match site {
        Site::Address(address) => vec![instruction(site, program, Some(*address))?],
        Site::Offset(name, offset) => {
            let base = label(site, program, name)?;
            vec![instruction(site, program, base.checked_add(*offset))?]
        }
        Site::Symbol(name) => {
            let functions = program.functions().iter().filter(|f| f.name == *name);
            let bodies: Vec<_> = functions
                .map(|f| f.address..f.address.saturating_add(f.size.max(4)))
                .collect();
            match bodies.is_empty() {
                true => vec![instruction(
                    site,
                    program,
                    Some(label(site, program, name)?),
                )?],
                false => bodies,
            }
        }
    };
    Ok(Resolved {
        site: site.clone(),
        addresses,
        answers: allowance.answers,
    })
}

fn label(site: &Site, program: &Program, name: &str) -> Result<u32, PolicyError> {
    // Of the two errors, that about functions names the likelier neighbour.
    let function = match program.function(name) {
        Ok(function) => return Ok(function.address),
        Err(error) => error,
    };
    program.label(name).map_err(|_| PolicyError::Unknown {
        site: site.clone(),
        source: function,
    })
}

/// The four bytes at an address, if they can be an instruction.
fn instruction(
    site: &Site,
    program: &Program,
    address: Option<u32>,
) -> Result<Range<u32>, PolicyError> {
    match address {
        Some(address) if is_code(program, address) => Ok(address..address.saturating_add(4)),
        _ => Err(PolicyError::NoCode {
            site: site.clone(),
            address: address.unwrap_or(u32::MAX),
        }),
    }
}

/// Whether an instruction can stand at an address.
pub(super) fn is_code(program: &Program, address: u32) -> bool {
    address.is_multiple_of(4)
        && program
            .segment(address)
            .is_some_and(|segment| segment.executable)
}

/// How many places for instructions there are.
fn instructions(program: &Program) -> u64 {
    let executable = program.segments().iter().filter(|s| s.executable);
    executable
        .map(|segment| u64::from(segment.size.div_ceil(4)))
        .sum()
}

/// How a rule would name a place.
pub(super) fn site_of(place: &Place) -> Site {
    match &place.symbol {
        // A name alone would be all of the function.
        Some((name, offset)) => Site::Offset(name.clone(), *offset),
        None => Site::Address(place.address),
    }
}
