//! One form for the parameter sets of both engines: what a set is and what follows from it.

use tfhe::gate::noise::{GateNoise, GateSource};
use tfhe::gate::{GATE_SETS, Gate, GateParameters};
use tfhe::noise::{KINDS, NoiseBudget, Source};
use tfhe::{Decomposition, Parameters, Promise, SETS, SmallKey, WEAKENED};

/// What a set is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To be used.
    Use,
    /// Made no longer: keys and files of it still work.
    Former,
    /// A reproduction of a paper's set.
    Paper,
    /// For tests only.
    Test,
}

/// A set and its figures.
#[derive(Debug)]
pub(super) struct Sheet {
    pub(super) name: &'static str,
    pub(super) engine: &'static str,
    pub(super) purpose: Purpose,
    /// What it really is, in a line.
    pub(super) remark: String,
    pub(super) promise: Promise,
    pub(super) n: u64,
    pub(super) small_key: SmallKey,
    pub(super) k: u64,
    pub(super) size: u64,
    pub(super) log2_lwe_deviation: f64,
    pub(super) log2_glwe_deviation: f64,
    pub(super) bootstrap: Gadget,
    pub(super) key_switch: Gadget,
    /// Degree of the key switch's ring, where it has one.
    pub(super) key_switch_ring: Option<u64>,
    pub(super) keys: Vec<KeySheet>,
    /// Name and variance of the noise of every step.
    pub(super) noise: Vec<Step>,
    /// The noise at which the promise ends, in units of a rotation's.
    pub(super) largest_factor: Option<f64>,
    pub(super) failures: Vec<Failing>,
    pub(super) transforms: u64,
    /// Transforms of the key switch, where it uses some.
    pub(super) key_switch_transforms: Option<u64>,
    pub(super) streamed_bytes: u64,
    pub(super) expanded_bytes: u64,
    pub(super) seeded_bytes: u64,
    pub(super) bit_bytes: u64,
}

/// Base 2^`base_log`, so many levels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gadget {
    pub(super) base_log: u64,
    pub(super) levels: u64,
}

/// One key as a problem to attack.
#[derive(Debug)]
pub(super) struct KeySheet {
    pub(super) role: &'static str,
    pub(super) dimension: u64,
    pub(super) secret: SmallKey,
    pub(super) log2_modulus: u32,
    pub(super) log2_deviation: f64,
}

/// The noise of a step: a variance as a fraction of the torus squared.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) key: &'static str,
    pub(super) words: &'static str,
    pub(super) variance: f64,
}

/// How often one kind of operation goes wrong.
#[derive(Debug)]
pub(super) struct Failing {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) half_window: f64,
    /// What its sum is made of, where that is rotations with tables.
    pub(super) sources: &'static [Source],
    /// Noise of its operands, in units of a rotation's.
    pub(super) factor: f64,
    pub(super) variance: f64,
    pub(super) log2_failure: f64,
}

/// Every set.
pub(super) fn all() -> Vec<Sheet> {
    let lookups = SETS.iter().map(|set| {
        let (purpose, remark) = match *set {
            set if set == tfhe::P16 => (
                Purpose::Use,
                "the default: block-binary small key, four times fewer transforms, a younger \
                 assumption",
            ),
            set if set == tfhe::P16_128_PFAIL_2M100 => (
                Purpose::Former,
                "the default of earlier releases, with less security than its name says: its keys and \
                 files still work, make new ones of P16_BLOCK_128_PFAIL_2M100",
            ),
            set if set == tfhe::P16_UNIFORM => {
                (Purpose::Use, "the conservative choice: uniform binary keys")
            }
            _ => (Purpose::Test, "for tests: small rings, NO SECURITY"),
        };
        lookup(set, purpose, remark.to_owned())
    });
    let weakened = WEAKENED.iter().map(|(set, kind)| {
        let remark = format!("weakened until `{kind}` fails once in 2^12: NO SECURITY");
        lookup(set, Purpose::Test, remark)
    });
    let gates = GATE_SETS.iter().map(|set| {
        let (purpose, remark) = match *set {
            set if set == tfhe::gate::TFHE_LIB_118 => (
                Purpose::Paper,
                "the TFHE library's default since 2020, which its authors count as 129 bits and the \
                 lattice estimator as 118",
            ),
            set if set == tfhe::gate::TFHE_2016_93 => (
                Purpose::Paper,
                "the TFHE library's default from 2017 to 2020, which its authors counted as 110 \
                 bits, later as 80, and the lattice estimator as 93",
            ),
            set if set == tfhe::gate::GATE_128_PFAIL_2M64 => (
                Purpose::Former,
                "gates as earlier releases measured them, with less security than the name says",
            ),
            set if set == tfhe::gate::GATE_UNIFORM_128_PFAIL_2M64 => (
                Purpose::Use,
                "the papers' gate bootstrapping at today's security",
            ),
            _ => (Purpose::Test, "for tests: a small ring, NO SECURITY"),
        };
        gate(set, purpose, remark.to_owned())
    });
    lookups.chain(gates).chain(weakened).collect()
}

fn gadget(of: Decomposition) -> Gadget {
    Gadget {
        base_log: of.base_log.get() as u64,
        levels: of.levels.get() as u64,
    }
}

fn step(key: &'static str, words: &'static str, variance: f64) -> Step {
    Step {
        key,
        words,
        variance,
    }
}

fn lookup(set: &Parameters, purpose: Purpose, remark: String) -> Sheet {
    let budget = NoiseBudget::new(set);
    let cost = set.cost();
    let literal = set.literal();
    let keys = vec![
        KeySheet {
            role: "small key",
            dimension: set.lwe_dimension().get() as u64,
            secret: set.small_key(),
            log2_modulus: 64,
            log2_deviation: literal.log2_lwe_deviation,
        },
        KeySheet {
            role: "big key",
            dimension: set.big_lwe_dimension().get() as u64,
            secret: SmallKey::Uniform,
            log2_modulus: 64,
            log2_deviation: literal.log2_glwe_deviation,
        },
    ];
    let product = budget.external_product;
    let noise = vec![
        step("fresh", "fresh input", budget.fresh),
        step(
            "fresh_public",
            "fresh input, with the public key",
            budget.public,
        ),
        step(
            "external_product",
            "one external product, mean over key bits",
            product.errors + product.set * product.decomposition + product.transform,
        ),
        step("rotation", "rotation, one coefficient", budget.rotation),
        step(
            "common",
            "  of it common to all coefficients",
            budget.common,
        ),
        step("key_switch", "key switch", budget.key_switch),
        step(
            "modulus_switch",
            "modulus switch to 2N",
            budget.modulus_switch,
        ),
        step(
            "shrink",
            "modulus switch to 2^16 for transport",
            budget.shrink,
        ),
    ];
    let largest = budget.largest_factor(set.promise().log2_failure);
    let mut failures: Vec<Failing> = KINDS
        .iter()
        .map(|kind| Failing {
            name: kind.name,
            description: kind.description,
            half_window: kind.half_window,
            sources: kind.sources,
            factor: kind.factor(&budget),
            variance: kind.variance(&budget),
            log2_failure: kind.log2_failure(&budget),
        })
        .collect();
    failures.push(Failing {
        name: "worst-allowed",
        description: "a lookup of as much noise as the set's promise allows",
        half_window: tfhe::noise::HALF_WINDOW,
        sources: &[],
        factor: largest,
        variance: budget.lookup(largest),
        log2_failure: budget.log2_failure(largest),
    });
    Sheet {
        name: set.name(),
        engine: "lookup",
        purpose,
        remark,
        promise: set.promise(),
        n: set.lwe_dimension().get() as u64,
        small_key: set.small_key(),
        k: set.glwe_dimension().get() as u64,
        size: set.polynomial_size().get() as u64,
        log2_lwe_deviation: literal.log2_lwe_deviation,
        log2_glwe_deviation: literal.log2_glwe_deviation,
        bootstrap: gadget(set.bootstrap_decomposition()),
        key_switch: gadget(set.key_switch_decomposition()),
        key_switch_ring: Some(set.key_switch_polynomial_size().get() as u64),
        keys,
        noise,
        largest_factor: Some(largest),
        failures,
        transforms: cost.transforms,
        key_switch_transforms: Some(cost.key_switch_transforms),
        streamed_bytes: cost.streamed_bytes,
        expanded_bytes: cost.expanded_bytes,
        seeded_bytes: cost.seeded_bytes,
        bit_bytes: cost.bit_bytes,
    }
}

fn gate(set: &GateParameters, purpose: Purpose, remark: String) -> Sheet {
    let noise = GateNoise::new(set);
    let literal = set.literal();
    let [n, k, size] = [
        set.lwe_dimension().get() as u64,
        set.glwe_dimension().get() as u64,
        set.polynomial_size().get() as u64,
    ];
    let (bootstrap, switch) = (
        gadget(set.bootstrap_decomposition()),
        gadget(set.key_switch_decomposition()),
    );
    let key = |role, dimension, log2_modulus, log2_deviation| KeySheet {
        role,
        dimension,
        secret: SmallKey::Uniform,
        log2_modulus,
        log2_deviation,
    };
    let failing = |name, description, operands: f64, half_window, log2_failure| Failing {
        name,
        description,
        half_window,
        sources: &[],
        factor: operands / noise.rotation,
        variance: operands + noise.modulus_switch,
        log2_failure,
    };
    use GateSource::{Gate as OfGate, Mux};
    let (bit, mux) = (noise.bit(OfGate), noise.bit(Mux));
    let failures = vec![
        failing(
            "and-like",
            "AND, OR, NAND, NOR and their like, of two gates",
            2.0 * bit,
            0.125,
            noise.log2_failure(Gate::And, OfGate, OfGate),
        ),
        failing(
            "xor",
            "XOR or XNOR, of two gates",
            8.0 * bit,
            0.25,
            noise.log2_failure(Gate::Xor, OfGate, OfGate),
        ),
        failing(
            "mux",
            "s ? a : b, of gates: either of two rotations",
            2.0 * bit,
            0.125,
            noise.log2_mux_failure(OfGate, OfGate, OfGate),
        ),
        failing(
            "worst-allowed",
            "an AND of two multiplexers",
            2.0 * mux,
            0.125,
            noise.log2_worst_failure(),
        ),
    ];
    // Bodies and masks of the rows, spectra of N doubles, and classical key switching rows of
    // n + 1 words of 32 bits.
    let rows = n * (k + 1) * bootstrap.levels;
    let streamed_bytes = 8 * rows * (k + 1) * size;
    let switch_rows = k * size * switch.levels;
    Sheet {
        name: set.name(),
        engine: "gate",
        purpose,
        remark,
        promise: set.promise(),
        n,
        small_key: SmallKey::Uniform,
        k,
        size,
        log2_lwe_deviation: literal.log2_lwe_deviation,
        log2_glwe_deviation: literal.log2_glwe_deviation,
        bootstrap,
        key_switch: switch,
        key_switch_ring: None,
        keys: vec![
            key("small key", n, 32, literal.log2_lwe_deviation),
            key("big key", k * size, 64, literal.log2_glwe_deviation),
        ],
        noise: vec![
            step("fresh", "fresh input", noise.fresh),
            step(
                "external_product",
                "one external product, mean over key bits",
                0.5 * (noise.external_product_set + noise.external_product_clear),
            ),
            step("rotation", "rotation", noise.rotation),
            step("key_switch", "key switch", noise.key_switch),
            step(
                "modulus_switch",
                "modulus switch to 2N",
                noise.modulus_switch,
            ),
        ],
        largest_factor: None,
        failures,
        transforms: set.transforms_per_rotation(),
        key_switch_transforms: None,
        streamed_bytes,
        expanded_bytes: streamed_bytes + 4 * switch_rows * (n + 1),
        seeded_bytes: 8 * rows * size + 4 * switch_rows + random::Seed::LENGTH as u64,
        bit_bytes: set.bytes_per_bit(),
    }
}
