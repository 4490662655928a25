//! What circuits are prepared for: simulated targets, some of them noisy or poor.

use blindcore_circuits::{NoiseAmount, NoiseGrowth, Profile};

pub(crate) fn lookups() -> Profile {
    Profile::lookup_simulation()
}

pub(crate) fn gates() -> Profile {
    Profile::gate_simulation()
}

pub(crate) fn small_noise() -> Profile {
    let mut profile = lookups();
    if let Some(lookup) = &mut profile.lookup {
        lookup.noise.limit = 90.0;
    }
    profile
}

/// No selection by masks, not every function of four bits, or hardly any; and cores to spare, for
/// which depth counts.
pub(crate) fn narrow(max_value: u8) -> Profile {
    let mut profile = lookups();
    profile.cores = 16;
    if let Some(lookup) = &mut profile.lookup {
        lookup.max_value = max_value;
    }
    profile
}

/// Selectors that pay for any two bits, and `noisier` choices than there are.
pub(crate) fn selectors(noisier: f64) -> Profile {
    let mut profile = Profile::selector_simulation();
    if let Some(selectors) = &mut profile.selectors {
        selectors.rotation = 0.5;
    }
    if let Some(choice) = (profile.lookup.as_mut()).and_then(|lookup| lookup.noise.choice.as_mut())
    {
        choice.variance *= noisier;
    }
    profile
}

pub(crate) fn levelled() -> Profile {
    let mut profile = gates();
    profile.levels = Some(3);
    profile
}

pub(crate) const FRESH: NoiseAmount = NoiseAmount {
    bits: 3.0,
    degree: 1,
};

/// Gates whose noise grows with the degree, refreshes that leave as much as three fresh bits have.
pub(crate) fn growing() -> Profile {
    let mut profile = gates();
    profile.growth = Some(NoiseGrowth {
        fresh: FRESH,
        refreshed: NoiseAmount {
            bits: 10.0,
            degree: 3,
        },
        // Two refreshed bits, perhaps negated, multiplied: C(6, 3) = 20 ways.
        limit: 23.0,
    });
    profile
}
