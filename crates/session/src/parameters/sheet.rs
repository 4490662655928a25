//! One form for the parameter sets of both engines of TFHE: what a set is and what follows from it.

use tfhe::gate::noise::{GateNoise, GateSource};
use tfhe::gate::{GATE_SETS, Gate, GateParameters};
use tfhe::noise::{KINDS, NoiseBudget, Source};
use tfhe::{Cost, Decomposition, Parameters, Promise, SETS, SmallKey, WEAKENED};

/// What a set is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
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
pub struct Sheet {
    /// The set's name, which says what it promises.
    pub name: &'static str,
    /// `lookup` or `gate`.
    pub engine: &'static str,
    /// What it is for.
    pub purpose: Purpose,
    /// What it really is, in a line.
    pub remark: String,
    /// Security and failures that the set answers for.
    pub promise: Promise,
    /// Dimension of the small key.
    pub n: u64,
    /// Distribution of the small key.
    pub small_key: SmallKey,
    /// Polynomials of the big key.
    pub k: u64,
    /// Coefficients of a polynomial, N.
    pub size: u64,
    /// log2 of the small key's error, as a fraction of the torus.
    pub log2_lwe_deviation: f64,
    /// log2 of the big key's error, as a fraction of the torus.
    pub log2_glwe_deviation: f64,
    /// Decomposition of the bootstrapping key.
    pub bootstrap: Gadget,
    /// Decomposition of the key-switching key.
    pub key_switch: Gadget,
    /// Degree of the key switch's ring, where it has one.
    pub key_switch_ring: Option<u64>,
    /// The keys, each a problem to attack.
    pub keys: Vec<KeySheet>,
    /// Name and variance of the noise of every step.
    pub noise: Vec<Step>,
    /// The noise at which the promise ends, in units of a rotation's.
    pub largest_factor: Option<f64>,
    /// How often each kind of operation fails.
    pub failures: Vec<Failing>,
    /// Transforms and bytes.
    pub cost: Cost,
}

/// A decomposition in base 2^`base_log`.
#[derive(Clone, Copy, Debug)]
pub struct Gadget {
    /// log2 of the base.
    pub base_log: u64,
    /// Number of levels.
    pub levels: u64,
}

/// One key as a problem to attack.
#[derive(Debug)]
pub struct KeySheet {
    /// `small key` or `big key`.
    pub role: &'static str,
    /// Dimension of the LWE problem.
    pub dimension: u64,
    /// Distribution of its coefficients.
    pub secret: SmallKey,
    /// log2 of the modulus.
    pub log2_modulus: u32,
    /// log2 of the error, as a fraction of the torus.
    pub log2_deviation: f64,
}

/// The noise of a step: a variance as a fraction of the torus squared.
#[derive(Debug)]
pub struct Step {
    /// Its name in documents.
    pub key: &'static str,
    /// Its name for people.
    pub words: &'static str,
    /// The variance.
    pub variance: f64,
}

/// How often one kind of operation goes wrong.
#[derive(Debug)]
pub struct Failing {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub description: &'static str,
    /// The noise at which it goes wrong, as a fraction of the torus.
    pub half_window: f64,
    /// What its sum is made of, where that is rotations with tables.
    pub sources: &'static [Source],
    /// Noise of its operands, in units of a rotation's.
    pub factor: f64,
    /// Variance of the noise where it is decided.
    pub variance: f64,
    /// log2 of the probability that it goes wrong.
    pub log2_failure: f64,
}

impl Sheet {
    /// Every set.
    #[must_use]
    pub fn all() -> Vec<Sheet> {
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

    /// The set of this name, in any case, with `-` for `_`; `p16` and `p16-uniform` mean the
    /// default and the conservative set.
    #[must_use]
    pub fn named(asked: &str) -> Option<Sheet> {
        let name = asked.to_uppercase().replace('-', "_");
        let name = match name.as_str() {
            "P16" => tfhe::P16.name(),
            "P16_UNIFORM" => tfhe::P16_UNIFORM.name(),
            name => name,
        };
        Sheet::all().into_iter().find(|sheet| sheet.name == name)
    }
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
        cost: set.cost(),
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
        cost: set.cost(),
    }
}
