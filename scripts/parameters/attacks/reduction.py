"""What lattice reduction costs and reaches: the model that the lattice estimator calls MATZOV.

A sieve in dimension b costs C·2^(a·b + c) operations, with a and c fitted by MATZOV (2022) to the
circuits of Albrecht, Gheorghiu, Postlethwaite and Schanck (2020), list decoding, classical; C is
what the smaller sieves before it add. It leaves 2^(0.2075·b) vectors, all shorter than sqrt(4/3)
times the shortest expected. BKZ in blocks of b takes C·(d - b) such calls, each in b less the
dimensions for free (Ducas 2018), and leaves a basis whose vectors follow the geometric series of
the root Hermite factor δ (Chen 2013).
"""

import math
from functools import lru_cache

A = 0.29613500308205365
B = 20.387885985467914
LOG2_C = -math.log2(1 - 2**-A)
# log2 of how many vectors a sieve leaves, in a dimension.
VECTORS = 0.2075


def log2_sum(x, y):
    """log2(2^x + 2^y)."""
    x, y = max(x, y), min(x, y)
    return x + math.log2(1 + 2.0 ** (y - x)) if y - x > -60 else x


@lru_cache(None)
def ln_delta(block):
    """ln of the root Hermite factor that BKZ reaches."""
    gaussian = math.log(block / (2 * math.pi * math.e)) + math.log(math.pi * block) / block
    return gaussian / (2 * (block - 1))


def free_dimensions(block):
    return max(0.0, block * math.log(4 / 3) / math.log(block / (2 * math.pi * math.e)))


def log2_sieve(dimension):
    return LOG2_C + A * dimension + B


def log2_bkz(block, dimension):
    calls = LOG2_C + math.log2(max(dimension - block, 1))
    return calls + log2_sieve(block - free_dimensions(block))
