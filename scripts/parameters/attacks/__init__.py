"""Attacks on LWE keys, estimated in plain Python with the structure of our keys counted.

The cost model is MATZOV's, as the lattice estimator has it (reduction.py). Beside that estimator,
what is counted here is

- every parameter of the dual hybrid attack optimised: the number of samples and the dimension of
  the sieve, too, which the estimator fixes (dual.py);
- guesses at their exact price: log2(d + 1) bits for a block of d bits of which at most one is set,
  one bit for a uniform bit, log2(3) for a uniform ternary coefficient (keys.py);
- the covariance of a block, in the part that is left to the lattice (keys.py);
- a transform that is computed only where keys can be (dual.py);
- a meet in the middle over blocks (meet.py), and primal uSVP with the covariance (primal.py).

`estimate` does all of it for any key:

    >>> from attacks import estimate, keys
    >>> estimate(2048, 64, -49.0, keys.UNIFORM_BINARY)["dual_hybrid_free"].bits

`python3 -m attacks N LOG2_Q LOG2_DEVIATION SECRET` from scripts/parameters prints it; SECRET is
`binary`, `ternary` or `blocks-of-D`. Deviations are fractions of the modulus.
"""

from . import dual, keys, meet, primal

# What the least is taken of. The other variants are told, and are not promises' business.
COUNTED = {
    "dual_hybrid_free": dual.search,
    "meet_in_the_middle": meet.search,
    "usvp_covariance": primal.search,
}


def estimate(dimension, log2_modulus, log2_deviation, secret):
    """Attack by name: each with `bits`, log2 of its cost, and `parameters` that reach it."""
    problem = keys.Problem(dimension, log2_modulus, log2_deviation, secret)
    return {name: search(problem) for name, search in COUNTED.items()}


def again(name, problem, parameters):
    """The cost of an attack with given parameters: what a record is held against."""
    module = {"dual_hybrid_free": dual, "meet_in_the_middle": meet, "usvp_covariance": primal}[name]
    return module.cost(problem, **parameters).bits
