"""Distributions of secrets, by what an attack can make of them.

A secret is a row of independent units. A unit of a uniform key is one coefficient. A unit of a
block-binary key is a block of d bits with d + 1 equally likely values: all clear, or one bit set.
With v = 1/(d + 1) its covariance is v·I - v²·J (J all ones): v in d - 1 directions, and
v - d·v² = v² along (1, ..., 1). A lattice attack scales each direction to the same deviation, so
that what counts is the determinant's root, (v^(d - 1)·v²)^(1/2d) = v^((d + 1)/2d): 0.366 for blocks
of four, where one bit's deviation is 0.400.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Secret:
    name: str
    # Coefficients of a unit.
    unit: int
    # Equally likely values of a unit.
    values: int
    # Deviation of one coefficient.
    deviation: float
    # Geometric mean of the deviations in the directions of the covariance.
    lattice_deviation: float

    @property
    def bits(self):
        """What guessing a coefficient costs."""
        return math.log2(self.values) / self.unit


UNIFORM_BINARY = Secret("binary", 1, 2, 0.5, 0.5)
UNIFORM_TERNARY = Secret("ternary", 1, 3, math.sqrt(2 / 3), math.sqrt(2 / 3))


def blocks_of(d):
    v = 1 / (d + 1)
    return Secret(f"blocks-of-{d}", d, d + 1, math.sqrt(v * (1 - v)), v ** ((d + 1) / (2 * d)))


def named(name):
    """The secret of a name."""
    for secret in (UNIFORM_BINARY, UNIFORM_TERNARY):
        if name == secret.name:
            return secret
    if name.startswith("blocks-of-"):
        return blocks_of(int(name.removeprefix("blocks-of-")))
    raise ValueError(f"no secret is called {name}")


def described(secret):
    """The secret of a description in security.json or `blindcore params --json`."""
    return UNIFORM_BINARY if secret["kind"] == "uniform binary" else blocks_of(secret["block"])


@dataclass(frozen=True)
class Problem:
    """Samples b = <a, s> + e modulo q without limit; the error's deviation is a fraction of q."""

    dimension: int
    log2_modulus: float
    log2_deviation: float
    secret: Secret


@dataclass(frozen=True)
class Attack:
    """log2 of the cost of an attack, and the parameters that reach it."""

    bits: float
    parameters: dict


IMPOSSIBLE = Attack(math.inf, {})
