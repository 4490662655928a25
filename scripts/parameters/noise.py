"""Noise and failure probabilities of parameter sets, computed a second time.

The formulas are those of the papers and of docs/parameters.md, written independently of the Rust
code (crates/tfhe/src/noise and crates/tfhe/src/gate/noise.rs), so that a slip in either shows. All
variances are of errors as fractions of the torus.
"""

import math


def log2_erfc(x):
    """log2 of the complementary error function of any x >= 0.

    By the library as long as the value is an ordinary double, then by the divergent expansion
    e^(-x^2)/(x sqrt(pi)) (1 - 1/(2x^2) + 3/(4x^4) - ...) cut at its least term, which for x >= 20
    is below 10^-170.
    """
    if x < 20:
        return math.log2(math.erfc(x))
    term = total = 1.0
    for k in range(1, 100):
        following = term * -(2 * k - 1) / (2 * x * x)
        if abs(following) >= abs(term) or abs(following) < 1e-18:
            break
        term = following
        total += term
    return (-x * x - math.log(x * math.sqrt(math.pi)) + math.log(total)) / math.log(2)


def log2_leaves(margin, variance):
    """log2 of the probability that a normal error leaves +-margin."""
    return log2_erfc(margin / math.sqrt(2 * variance))


def digit_square(base):
    """Mean square of a digit, uniform in -base/2 .. base/2."""
    return (base * base + 2) / 12


def rounding_of_transform(base, levels, k, size):
    """Variance of one external product's rounding errors in double precision: measured constant,
    form of the fit in tfhe-rs."""
    return (
        0.0117 * 2.0**-106 * base**2
        * levels**1.01827 * k**1.22003 * size**2.22003 * (k + 1) ** 1.01827
    )


def secret_of(small_key):
    """Mean and variance of a bit of the small key, and bits per step of a rotation."""
    if small_key["kind"] == "uniform binary":
        return 1 / 2, 1 / 4, 1
    d = small_key["block"]
    return 1 / (d + 1), d / (d + 1) ** 2, d


def steps(s):
    """Variances of the steps of a lookup, of a set as `blindcore params --json` describes it."""
    n, k, size = s["n"], s["k"], s["N"]
    big = k * size
    base, levels = 2.0 ** s["bootstrap"]["base_log"], s["bootstrap"]["levels"]
    base_k, levels_k = 2.0 ** s["key_switch"]["base_log"], s["key_switch"]["levels"]
    small2, big2 = 4.0 ** s["log2_lwe_deviation"], 4.0 ** s["log2_glwe_deviation"]
    mean, variance, block = secret_of(s["small_key"])
    # A product is multiplied by X^a - 1 after the fact where blocks share one decomposition.
    amplified = 1 if block == 1 else 2
    errors = (k + 1) * levels * size * digit_square(base) * big2
    digits = mean * (1 + big / 2) * base ** (-2 * levels) / 12
    transform = rounding_of_transform(base, levels, k, size)
    rotations = 2 * size
    return {
        "rotation": amplified * n * (errors + digits + transform),
        "common": amplified * n * (digits + transform) / 2,
        "external_product": errors + digits + transform,
        "key_switch": big * base_k ** (-2 * levels_k) / 24
        + big * levels_k * small2 * digit_square(base_k),
        "modulus_switch": (1 + n * variance) / 12 / rotations**2,
        "fresh": big2,
        # Encrypted under the public key (a, a s + e): e2, and e u and e1 s of binary u and s.
        "fresh_public": (1 + size / 2 + big / 2) * big2,
        "shrink": (1 + n * variance) / 12 / 65536.0**2,
    }


def table_vector(table):
    """Steps of a function at the sixteen window edges; the ring is negacyclic."""
    f = [table >> t & 1 for t in range(16)]
    return [f[0] + f[15]] + [f[t] - f[t - 1] for t in range(1, 16)]


def factor(kind, noise):
    """Variance of a kind's sum over a rotation's."""
    share = noise["common"] / noise["rotation"]
    total = 0.0
    for source in kind["sources"]:
        vector, function = [0] * 16, [0] * 16
        for output in source["outputs"]:
            table, weight = int(output["table"], 16), output["weight"]
            vector = [v + weight * x for v, x in zip(vector, table_vector(table))]
            function = [f + weight * (table >> t & 1) for t, f in enumerate(function)]
        independent = sum(v * v for v in vector)
        shared = 4 * sum(f * f for f in function) / 16
        total += source["count"] * ((1 - share) * independent + share * shared)
    return total


def log2_failure(noise, factor_of_sum, half_window):
    """log2 of the failure probability of a lookup."""
    variance = factor_of_sum * noise["rotation"] + noise["key_switch"] + noise["modulus_switch"]
    return log2_leaves(half_window, variance)


def largest_factor(noise, log2_probability):
    """The noise of a sum at which a lookup fails with a given probability."""
    low, high = 0.0, 1e12
    if log2_failure(noise, 0.0, 1 / 64) > log2_probability:
        return 0.0
    for _ in range(200):
        middle = (low + high) / 2
        if log2_failure(noise, middle, 1 / 64) > log2_probability:
            high = middle
        else:
            low = middle
    return low


# Gate bootstrapping: bits of +-1/8 under the small key, uniform keys, a classical key switch.


def gate_steps(s):
    """Variances of the steps of a gate."""
    n, k, size = s["n"], s["k"], s["N"]
    base, levels = 2.0 ** s["bootstrap"]["base_log"], s["bootstrap"]["levels"]
    base_k, levels_k = 2.0 ** s["key_switch"]["base_log"], s["key_switch"]["levels"]
    small2, big2 = 4.0 ** s["log2_lwe_deviation"], 4.0 ** s["log2_glwe_deviation"]
    errors = (k + 1) * levels * size * digit_square(base) * big2
    digits = (1 + k * size / 2) * base ** (-2 * levels) / 12 / 2
    product = errors + digits + rounding_of_transform(base, levels, k, size)
    return {
        "fresh": small2,
        "external_product": product,
        "rotation": n * product,
        "key_switch": k * size * (base_k ** (-2 * levels_k) / 24 + levels_k * small2 * digit_square(base_k)),
        "modulus_switch": (1 + n / 4) / 12 / (2 * size) ** 2,
    }


def gate_failures(s, noise):
    """log2 of the failure probability of each kind of gate, by name."""
    gate = noise["rotation"] + noise["key_switch"]
    mux = 2 * noise["rotation"] + noise["key_switch"]
    # Rounding to whole counts moves the edge by half of one.
    half_count = 1 / (4 * s["N"])

    def sign(margin, variance):
        """To one side."""
        return log2_leaves(margin - half_count, variance + noise["modulus_switch"]) - 1

    and_like = sign(1 / 8, 2 * gate)
    return {
        "and-like": and_like,
        # +-1/4 has an edge on either side, +-1/8 and -+3/8 on one.
        "xor": sign(1 / 4, 8 * gate) + 1,
        # Either of two ANDs.
        "mux": and_like + 1,
        "worst-allowed": sign(1 / 8, 2 * mux),
    }
