"""Dual hybrid attacks with a Fourier transform as the distinguisher (MATZOV 2022, theorem 7.6).

Of the n coefficients of the secret, `guess` are guessed one value after the other, `fft` are found
by a transform modulo `p`, and the rest is left to the lattice. Write l for the rest, m for the
samples, D = l + m. The lattice of all (x, y) with x·A = y on those coordinates, the y scaled until
error and secret have the same deviation, has dimension D and volume σ^m (s·q)^l, in units where the
error's deviation is σ and the secret's s. BKZ in blocks of β and a sieve in dimension β' on its
first vectors leave 2^(0.2075·β') vectors of length

    L = sqrt(4/3)·sqrt(β'/2πe)·δ(β)^(D - β')·volume^(1/D).

Each gives a sample of deviation L/q for the guess; rounding the fft part to the modulus p adds
fft·(s·π/p)²/3 to the exponent. So

    N = exp(4·(π·L/q)² + fft/3·(s·π/p)²)·(guess·H + fft·ln(p) + ln 2)

vectors tell the right guess from all others with probability 1/2, H being ln of the number of
values of a coefficient. The cost is that of reduction and sieve, as often as N needs, and for each
of exp(guess·H) guesses 4·160·N operations that fill a table, and its transform.

Four differences from `dual_hybrid` of the lattice estimator, each to the attacker's favour:
m is free (there m = n), guesses cost what they cost (there the entropy of a Gaussian of the same
deviation, and a factor for enumerating by likelihood), and the lengths are those of the sieve's own
dimension β' (there of β). The transform is cheaper, too (`log2_fft`). `as_estimator` keeps the
estimator's ways, so that a test can hold the one against the other.
"""

import math

from . import reduction
from .keys import IMPOSSIBLE, Attack

# Operations of an addition and of a multiplication: MATZOV p. 37, and the estimator's C_add.
ADD, MULTIPLY = 160, 1024
LN2 = math.log(2)


def log2_fft(secret, fft, p):
    """Operations of a transform of p^fft entries, evaluated only where secrets can be.

    MATZOV's is 1024·fft·p^(fft + 1). For p = 2 there is nothing to multiply: 160·fft·2^fft.
    Where a unit of d coefficients has fewer values than p^d, transform unit after unit and keep what
    a unit can be: the table shrinks by values/p^d each time, so that the whole costs the first pass
    over 1 - values/p^d. A pass over a block takes the sums over all but one coordinate, at most
    2p/(p - 1) additions for an entry (sum out one coordinate after the other), and then p
    multiplications for each bit, none if p = 2. A pass over one coefficient takes values·p
    multiplications for p entries.
    """
    if fft == 0:
        return -math.inf
    log2_p = math.log2(p)
    best = math.log2(MULTIPLY * fft) + (fft + 1) * log2_p
    if p == 2:
        best = min(best, math.log2(ADD * fft) + fft)
    entries = p**secret.unit
    if secret.values < entries:
        if secret.unit == 1:
            entry = MULTIPLY * secret.values
        else:
            entry = ADD * 2 * p / (p - 1) + (MULTIPLY * secret.unit * p / entries if p > 2 else 0)
        best = min(best, math.log2(entry / (1 - secret.values / entries)) + fft * log2_p)
    return best


def gaussian_entropy(deviation):
    """Bits of a coefficient as the estimator counts them."""
    log = math.log(math.sqrt(2 * math.pi) * deviation) - math.log(math.tanh(math.pi**2 * deviation**2))
    return (0.5 + log) / LN2


def log2_samples(length, rounding, candidates, dimension, beta, sieve):
    """log2 of N; `length` is ln(L/q) but for the factors that the sieve decides."""
    length += 0.5 * math.log(sieve / (2 * math.pi * math.e)) + (dimension - sieve) * reduction.ln_delta(beta)
    if length > 3:
        return math.inf
    return (4 * (math.pi * math.exp(length)) ** 2 + rounding + math.log(candidates)) / LN2


def times(samples, sieve):
    """log2 of how often reduction and sieve are run for this many samples."""
    more = samples - reduction.VECTORS * sieve
    return 0.0 if more <= 0 else math.log2(math.ceil(2**more)) if more < 50 else more


class Partly:
    """The attack with all its parameters but the sieve's dimension."""

    def __init__(self, problem, m, beta, guess, fft, p):
        secret = problem.secret
        rest = problem.dimension - guess - fft
        self.dimension = rest + m
        whole = guess % secret.unit == 0 and fft % secret.unit == 0
        self.valid = whole and m >= 1 and min(guess, fft) >= 0 and rest > 0 and 50 <= beta < self.dimension
        if not self.valid:
            return
        error, modulus = problem.log2_deviation * LN2, problem.log2_modulus * LN2
        error, rest_deviation = error + modulus, math.log(secret.lattice_deviation) + modulus
        self.length = (m * error + rest * rest_deviation) / self.dimension + 0.5 * math.log(4 / 3) - modulus
        self.rounding = fft / 3 * (secret.deviation * math.pi / p) ** 2
        self.candidates = guess * secret.bits * LN2 + fft * math.log(p) + LN2
        self.beta = beta
        self.bkz = reduction.log2_bkz(beta, self.dimension)
        self.guessing = guess * secret.bits
        self.transform = log2_fft(secret, fft, p)

    def samples(self, sieve):
        return log2_samples(self.length, self.rounding, self.candidates, self.dimension, self.beta, sieve)

    def bits(self, sieve):
        """log2 of the cost."""
        samples = self.samples(sieve)
        if samples == math.inf:
            return math.inf
        reducing = times(samples, sieve) + reduction.log2_sum(self.bkz, reduction.log2_sieve(sieve))
        guessing = self.guessing + reduction.log2_sum(self.transform, math.log2(4 * ADD) + samples)
        return reduction.log2_sum(reducing, guessing)

    def best(self):
        """The least cost, and the sieve that reaches it.

        More vectors than one sieve leaves cost a whole reduction more, or a larger sieve: the best is
        at most a few dimensions below the least that suffices alone.
        """
        if not self.valid:
            return math.inf, 0
        low, high = 41, self.dimension
        if high < low or self.samples(high) > reduction.VECTORS * high:
            return math.inf, 0
        while low < high:
            middle = (low + high) // 2
            enough = self.samples(middle) <= reduction.VECTORS * middle
            low, high = (low, middle) if enough else (middle + 1, high)
        return min((self.bits(s), s) for s in range(max(41, low - 12), min(self.dimension, low + 3) + 1))


def cost(problem, m, beta, sieve, guess, fft, p):
    """The attack with these parameters."""
    parameters = {"m": m, "beta": beta, "sieve": sieve, "guess": guess, "fft": fft, "p": p}
    attack = Partly(problem, m, beta, guess, fft, p)
    if not attack.valid or not 41 <= sieve <= attack.dimension:
        return IMPOSSIBLE
    return Attack(attack.bits(sieve), parameters)


def samples_of(problem, beta, guess, fft, less):
    """How many samples give the dimension that is best for so long vectors.

    BKZ's vectors are shortest where rest·ln(s·q/σ)/D + D·ln δ is least, and a few per cent fewer
    dimensions make them little longer: relative to that D by `less`/16 over sqrt(D·ln δ).
    """
    rest = problem.dimension - guess - fft
    ratio = math.log(problem.secret.lattice_deviation) - problem.log2_deviation * LN2
    series = reduction.ln_delta(beta)
    dimension = math.sqrt(max(1.0, rest * ratio) / series)
    return round(dimension * (1 - less / 16 / math.sqrt(dimension * series))) - rest


def search(problem, moduli=(2, 3, 4, 5), starts=((40, 40), (80, 64))):
    """The cheapest attack.

    A pattern search over β, guess and fft, whole units of the key at a time, each with the best of a
    few numbers of samples, from several starts for each p; steps are halved down to one. Then m and
    all of them again, in single steps. `grid` looks for cheaper ones.
    """
    unit, n = problem.secret.unit, problem.dimension

    def bits(p, beta, guess, fft, m):
        return Partly(problem, m, beta, guess, fft, p).best()[0]

    best = math.inf, None, None
    for p in moduli:

        def coarse(point):
            beta, guess, fft = point
            if beta < 50 or guess < 0 or fft < 0 or guess + fft >= n:
                return math.inf
            tried = (samples_of(problem, *point, less) for less in range(5))
            return min(bits(p, *point, m) for m in tried)  # noqa: B023

        for start in starts:
            guess, fft = (min(x, n // 4) // unit * unit for x in start)
            point = min(((beta, guess, fft) for beta in range(50, 900, 10)), key=coarse)
            moves = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, -1), (-1, 1, 0), (-1, 0, 1)]
            found = descend(coarse, point, [8, 4 * unit, 4 * unit], [1, unit, unit], moves)
            best = min(best, (coarse(found), p, found))
    if best[0] == math.inf:
        return IMPOSSIBLE
    _, p, point = best
    m = min((samples_of(problem, *point, less) for less in range(5)), key=lambda m: bits(p, *point, m))
    moves = [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (-1, 1, 0, 0), (-1, 0, 1, 0), (-1, 0, 0, 1)]
    fine = lambda point: bits(p, *point) if min(point) >= 0 and point[3] > 0 else math.inf  # noqa: E731
    beta, guess, fft, m = descend(fine, (*point, m), [1, unit, unit, max(1, n // 32)], [1, unit, unit, 1], moves)
    return cost(problem, m, beta, Partly(problem, m, beta, guess, fft, p).best()[1], guess, fft, p)


def descend(f, point, steps, least, moves):
    """A point that no move in the least steps makes lower."""
    value = f(point)
    while True:
        moved = False
        for move in moves:
            for sign in (1, -1):
                other = tuple(x + sign * step * along for x, step, along in zip(point, steps, move))
                there = f(other)
                if there < value - 1e-9:
                    point, value, moved = other, there, True
        if not moved:
            if steps == least:
                return point
            steps = [max(low, step // 2 // low * low) for step, low in zip(steps, least)]


# The lattice estimator's way, for a test.


def cost_as_estimator(problem, m, beta, guess, fft, p):
    """log2 of the cost as the estimator's `dual_hybrid` counts it."""
    deviation = problem.secret.deviation
    entropy = gaussian_entropy(deviation)
    rest = problem.dimension - guess - fft
    dimension = rest + m
    error, modulus = problem.log2_deviation * LN2, problem.log2_modulus * LN2
    length = m / dimension * (error + modulus) + rest / dimension * (math.log(deviation) + modulus)
    length += 0.5 * math.log(4 / 3) - modulus
    rounding = fft / 3 * (deviation * math.pi / p) ** 2
    candidates = guess * entropy + fft * math.log(p) + LN2
    samples = log2_samples(length, rounding, candidates, dimension, beta, beta)
    if samples == math.inf:
        return math.inf
    floor = beta - math.floor(reduction.free_dimensions(beta))
    sieve = min(dimension, math.floor(floor + (math.log2(dimension - beta) + reduction.LOG2_C) / reduction.A))
    transform = math.log2(MULTIPLY * fft) + (fft + 1) * math.log2(p) if fft else -math.inf
    alpha = (math.pi * deviation) ** 2
    likely = 8 * alpha * math.exp(-2 * alpha) * math.tanh(alpha) / LN2
    enumerate_ = guess * (1 + likely - 0.5 / LN2 + entropy) - math.log2(1 - math.exp(-0.5 / deviation**2))
    return reduction.log2_sum(
        times(samples, sieve) + reduction.log2_sum(reduction.log2_bkz(beta, dimension), reduction.log2_sieve(sieve)),
        enumerate_ + reduction.log2_sum(transform, math.log2(4 * ADD) + samples),
    )


def as_estimator(problem):
    """The least over the estimator's own grid: m = n, steps of ten for guess and fft."""
    n = problem.dimension
    best = math.inf
    for p in (2, 3, 4):
        for guess in range(0, 61, 10):
            for fft in range(0, 131, 10):
                low, high = 50, 600
                f = lambda beta: cost_as_estimator(problem, n, beta, guess, fft, p)  # noqa: E731
                while high - low > 3:
                    third = (high - low) // 3
                    low, high = (low, high - third) if f(low + third) <= f(high - third) else (low + third, high)
                best = min(best, min(map(f, range(low, high + 1))))
    return best
