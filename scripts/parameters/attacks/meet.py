"""A meet in the middle for the guess, over whole units (Howgrave-Graham 2007).

`guess` coefficients are guessed as a sum of two halves, each nonzero in other units: two lists of
S^(1/2) halves, S the number of guesses. The other coefficients and m errors are found by Babai's
algorithm in a basis of dimension D = n - guess + m + 1 that BKZ in blocks of β has reduced, at
D²/2^1.06 operations for each entry (Hirschhorn, Hoffstein, Howgrave-Graham, Whyte 2009). With r_i the
lengths of its orthogonalised vectors (the geometric series) and σ the error's deviation, by
directions of the covariance as in primal.py, with y_i = r_i/(σ·sqrt 2), Babai finds it with
probability

    Π erf(y_i/2),

and the two halves round to the same with probability (Wunderer 2018; a normal error leaves the
cell of a uniform point)

    Π (erf(y_i) - (1 - exp(-y_i²))/(y_i·sqrt π)).

Where halves do not meet, the same coefficients are divided otherwise. Entries are counted once for
both lists, storage and the search for neighbours are free: each to the attacker's favour. `counted`
takes one reduction for all divisions. What is told beside it, `VARIANTS`: every division with a
reduction of its own (`repeated`), and lists of S^0.4 entries in place of S^0.5, which representations
(May 2021) might reach, with constants and memory that nobody has counted for such keys (`may`).
"""

import math
from functools import lru_cache

from . import reduction
from .keys import IMPOSSIBLE, Attack

# Exponent of S, and whether one reduction serves all divisions.
COUNTED = (0.5, True)
VARIANTS = {"meet_repeated": (0.5, False), "meet_may": (0.4, True)}
# Every few vectors of a basis are looked at: 0.05 bits.
COARSE = 8


@lru_cache(200_000)
def log2_probabilities(problem, guess, m, beta, step):
    """log2 of what Babai finds, and of how often halves meet."""
    rest = problem.dimension - guess
    dimension = rest + m + 1
    modulus = problem.log2_modulus * math.log(2)
    error = problem.log2_deviation * math.log(2) + modulus
    scale = error - math.log(problem.secret.lattice_deviation)
    # ln of r_i over the error's deviation.
    first = (m * modulus + rest * scale + error) / dimension - error
    slope = reduction.ln_delta(beta)
    babai = meets = 0.0
    for i in range(0, dimension, step):
        width = min(step, dimension - i)
        middle = i + (width - 1) / 2
        y = math.exp(first + (dimension - 1 - 2 * middle) * slope) / math.sqrt(2)
        if y > 1e8:
            continue
        inside = math.erf(y / 2)
        meet = math.erf(y) + math.expm1(-y * y) / (y * math.sqrt(math.pi))
        if inside < 1e-9 or meet <= 0:
            return -math.inf, -math.inf
        babai += width * math.log2(inside)
        meets += width * math.log2(meet)
    return babai, meets


def cost(problem, guess, m, beta, variant=COUNTED, step=1):
    """The attack with these parameters."""
    secret, (exponent, once) = problem.secret, variant
    dimension = problem.dimension - guess + m + 1
    if guess < 0 or guess >= problem.dimension or guess % secret.unit or m < 1 or not 50 <= beta < dimension:
        return IMPOSSIBLE
    babai, meets = log2_probabilities(problem, guess, m, beta, step)
    if babai < -60 or meets < -400:
        return IMPOSSIBLE
    entries = exponent * guess * secret.bits + 2 * math.log2(dimension) - 1.06
    reduce = reduction.log2_bkz(beta, dimension)
    if once:
        bits = reduction.log2_sum(reduce, entries - meets) - babai
    else:
        bits = reduction.log2_sum(reduce, entries) - meets - babai
    return Attack(bits, {"guess": guess, "m": m, "beta": beta})


def search(problem, variant=COUNTED):
    """The cheapest attack: a pattern search over all three, steps halved down to a unit and to 8 samples."""
    unit, n = problem.secret.unit, problem.dimension
    f = lambda point: cost(problem, *point, variant, COARSE).bits  # noqa: E731
    starts = [(n // share // unit * unit, n * 2 // 3, beta) for share in (3, 5, 10) for beta in range(200, 480, 40)]
    best = math.inf, None
    for point in sorted(starts, key=f)[:2]:
        steps, value = [16 * unit, n // 10, 32], f(point)
        while steps[2] >= 1 and value < math.inf:
            moves = [(steps[0], 0, 0), (0, steps[1], 0), (0, 0, steps[2]), (steps[0], 0, -steps[2])]
            others = [tuple(x + sign * y for x, y in zip(point, move)) for move in moves for sign in (1, -1)]
            there, other = min((f(other), other) for other in others)
            if there < value - 1e-9:
                point, value = other, there
            else:
                steps = [max(unit, steps[0] // 2 // unit * unit), max(8, steps[1] // 2), steps[2] // 2]
        best = min(best, (value, point))
    return cost(problem, *best[1], variant) if best[0] < math.inf else IMPOSSIBLE
