"""Primal uSVP, with the covariance of the key's units.

The lattice of Bai and Galbraith, of dimension D = n + m + 1, holds (s·σ/σ_s, e, σ), σ the error's
deviation and σ_s the secret's, by directions of its covariance. BKZ in blocks of β finds it where

    σ·sqrt(β) <= δ(β)^(2β - D - 1)·(q^m·(σ/σ_s)^n·σ)^(1/D)

(Alkim, Ducas, Pöppelmann, Schwabe 2016). For uniform keys this is the lattice estimator's `usvp`.
Its `bdd` is 1 to 3 bits cheaper, and counted from its record.
"""

import math

from . import reduction
from .keys import IMPOSSIBLE, Attack


def excess(problem, m, beta):
    """ln of the right side over the left."""
    n = problem.dimension
    dimension = n + m + 1
    modulus = problem.log2_modulus * math.log(2)
    error = problem.log2_deviation * math.log(2) + modulus
    scale = error - math.log(problem.secret.lattice_deviation)
    volume = (m * modulus + n * scale + error) / dimension
    return (2 * beta - dimension - 1) * reduction.ln_delta(beta) + volume - error - 0.5 * math.log(beta)


def cost(problem, m, beta):
    """The attack with these parameters."""
    dimension = problem.dimension + m + 1
    if m < 1 or beta < 50 or beta >= dimension or excess(problem, m, beta) < 0:
        return IMPOSSIBLE
    return Attack(reduction.log2_bkz(beta, dimension), {"m": m, "beta": beta})


def search(problem):
    """The smallest block that reaches the secret, with as few samples as suffice."""

    def best(beta):
        low, high = 1, 4 * problem.dimension
        while high - low > 2:
            third = (high - low) // 3
            a, b = low + third, high - third
            low, high = (low, b) if excess(problem, a, beta) >= excess(problem, b, beta) else (a, high)
        return max(range(low, high + 1), key=lambda m: excess(problem, m, beta))

    low, high = 50, 2000
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if excess(problem, best(middle), middle) >= 0 else (middle + 1, high)
    few, many = 1, best(low)
    while few < many:
        middle = (few + many) // 2
        few, many = (few, middle) if excess(problem, middle, low) >= 0 else (middle + 1, many)
    return cost(problem, few, low)
