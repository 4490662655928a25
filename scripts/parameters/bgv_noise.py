#!/usr/bin/env python3
"""BGV's noise computed a second time: the chains of moduli, where evaluation goes on them, how deep
circuits may be, and the probability with which a decryption fails.

    scripts/parameters/bgv_noise.py            checks every row of depths.csv: seconds
    scripts/parameters/bgv_noise.py --levels   prints the levels that the deepest circuits take, too

depths.csv has the set that is chosen for the deepest circuits of each ring, with sums of that many
independent values before each product; a test of the crate `bgv` compares it with what the crate
chooses. Depths are computed here from the formulas of docs/bgv.md and crates/bgv/src/noise,
written independently of the Rust code.

What a failure is. Every ciphertext has a bound B on all coordinates of its noise in the canonical
embedding. B counts CUT deviations of what is normal and is added and multiplied like the noise
itself, so that it holds for every circuit, whatever its operands have in common, unless

  1. some ciphertext's normal part exceeds CUT deviations in some coordinate, or
  2. an error of the evaluation key is larger in some coordinate than was counted.

If it holds, 3. a coefficient exceeds Q/2 although coordinates do not exceed B. The three are added.

What is assumed: rounding errors of a switch are independent of each other and of those of other
switches, uniform, and numerous enough that a coordinate is complex normal; so are errors and the secret;
coordinates that are not conjugates of each other are independent (for 3).
"""

import csv
import math
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import noise

RECORD = Path(__file__).resolve().parent / "depths.csv"

# Deviations of normal parts that a bound counts.
CUT = 7.25
# Per coefficient of an error.
ERROR = 3.2
# Bits that limits leave.
HEADROOM = 1
# What is promised, and for circuits of how many sums and products. Each has three ciphertexts of its
# own: two operands switched to a common level, and the result.
FAILURE_LOG2 = -64
OPERATIONS = 80_000
# Index: its primes, the order of 2.
RINGS = {4369: ([17, 257], 16), 13107: ([3, 17, 257], 16), 21845: ([5, 17, 257], 16),
         65535: ([3, 5, 17, 257], 16), 65537: ([65537], 32)}


def is_prime(n):
    """Miller and Rabin's test; these bases decide below 2^64."""
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    if n < 2 or any(n % p == 0 for p in bases):
        return n in bases
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in bases:
        power = pow(base, odd, n)
        if power != 1 and all(pow(power, 2**k, n) != n - 1 for k in range(twos)):
            return False
    return True


def primes(index, bits, count, skip):
    """The largest primes of `bits` bits modulo which the ring has transforms."""
    step = index * max(prime - 1 for prime in RINGS[index][0])
    found, multiple = [], (2**bits - 2) // step
    while len(found) < count:
        q = multiple * step + 1
        if q < 2 ** (bits - 1):
            raise ValueError(f"too few primes of {bits} bits for {index}")
        if q not in skip and is_prime(q):
            found.append(q)
        multiple -= 1
    return found


def fifths(level):
    """Bits of a level's modulus in fifths of a big prime's."""
    return [4, 5, 8, 9, 10][level - 1] if level <= 5 else level + 6


def shape(level):
    """Big and small primes of a level."""
    smalls = -fifths(level) % 5
    return (fifths(level) + smalls) // 5 - smalls, smalls


class Set:
    """A parameter set by its name: index, bits of big and of small primes, top level, special
    primes, primes of a digit."""

    def __init__(self, name):
        numbers = name.removeprefix("WEAK_80_").split("-")
        self.index, self.big_bits, small_bits, self.top = map(int, numbers[:4])
        specials, special_bits = map(int, numbers[4].split("x"))
        self.digit = int(numbers[5])
        factors, order = RINGS[self.index]
        self.degree = math.prod(p - 1 for p in factors)
        self.slots = self.degree // order
        self.bigs = fifths(self.top) // 5
        found = []
        for bits, count in ((self.big_bits, self.bigs), (small_bits, 4), (special_bits, specials)):
            found += primes(self.index, bits, count, found)
        self.bits = [math.log2(p) for p in found]
        self.special_bits = sum(self.bits[-specials:])
        levels = range(1, self.top + 1)
        self.modulus = {level: sum(self.bits[p] for p in self.primes_of(level)) for level in levels}
        tail = bound_for(FAILURE_LOG2 - math.log2(self.degree))
        # A coefficient's deviation by a coordinate's.
        self.spread = math.sqrt(2 ** len(factors) / self.index)
        self.limit = 2 * tail * self.spread * 2**HEADROOM
        self.tail = tail
        self.switching = {level: self.switching_variance(level) for level in levels}

    def primes_of(self, level):
        bigs, smalls = shape(level)
        return [*range(bigs), *range(self.bigs, self.bigs + smalls)]

    def key_bits(self):
        """log2 of the longest modulus of a key."""
        tops = {shape(level)[1]: self.modulus[level] for level in range(1, self.top + 1)}
        return max(tops.values()) + self.special_bits

    def switching_variance(self, level):
        """Of key switching at a level: digits uniform in an interval, times twice an error."""
        smalls = shape(level)[1]
        top = max(other for other in range(1, self.top + 1) if shape(other)[1] == smalls)
        digits, used = [], math.inf
        for prime in [*range(self.bigs, self.bigs + smalls), *range(shape(top)[0])]:
            if used + self.bits[prime] > self.digit * self.big_bits:
                digits.append([])
                used = 0
            digits[-1].append(prime)
            used += self.bits[prime]
        here = self.primes_of(level)
        lengths = [sum(self.bits[p] for p in digit if p in here) for digit in digits]
        error = 4 * self.index * ERROR**2 * self.degree / 12
        return sum(error * 4 ** (bits - self.special_bits) for bits in lengths if bits)

    def most(self, level):
        """log2 of the largest bound that a level holds."""
        return self.modulus[level] - math.log2(self.limit)


def bound_for(log2):
    """The deviations that a normal variable leaves with this probability."""
    low, high = 1.0, 64.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if noise.log2_leaves(middle, 1) > log2 else (low, middle)
    return high


class Estimate:
    """Variances of normal parts and amplitudes of all others, in pairs, and the levels that
    evaluation chooses by them."""

    def __init__(self, chosen, cut=CUT):
        self.set, self.cut = chosen, cut
        degree = chosen.degree
        self.most_secret = math.log(degree) + 3
        self.most_error = math.log(degree) + 52
        secret = 2 * degree / 3 * self.most_secret
        self.rounding = degree / 3 * (1 + secret), (1 + math.sqrt(secret)) / 2
        error = 4 * chosen.index * ERROR**2
        message = (1 + math.sqrt(chosen.slots * chosen.index)) / 2
        encryption = error * (1 + 2 * secret) * 4**-chosen.special_bits
        self.fresh = self.rounding[0] + encryption, self.rounding[1] + message

    def bound(self, part):
        return self.cut * math.sqrt(part[0]) + part[1]

    def switched(self, part, start, end, switching=0.0):
        scale = 2 ** (self.set.modulus[end] - self.set.modulus[start])
        variance = (part[0] + switching) * scale**2 + self.rounding[0]
        return variance, part[1] * scale + self.rounding[1]

    def level_of_product(self, operand, start):
        def worth(level):
            part = operand if level == start else self.switched(operand, start, level)
            return self.set.modulus[level] - 2 * math.log2(self.bound(part))

        return best(start, worth)

    def relinearised(self, product, start):
        switching = self.set.switching[start] * self.most_error

        def worth(level):
            bits = math.log2(self.bound(self.switched(product, start, level, switching)))
            beyond = bits - self.set.most(level)
            return -beyond - 1e6 if beyond > 0 else self.set.modulus[level] - 2 * bits

        level = best(start, worth)
        return level, self.switched(product, start, level, switching)

    def products(self, terms):
        """Level before and after, and the share of normal parts in the bound of an operand, of as many
        products in a row as there can be, each of sums of `terms` terms."""
        part, level, found = self.fresh, self.set.top, []
        while True:
            operand = part[0] * terms, part[1] * terms
            at = self.level_of_product(operand, level)
            if at != level:
                operand = self.switched(operand, level, at)
            share = self.cut * math.sqrt(operand[0]) / self.bound(operand)
            product = 0.0, self.bound(operand) ** 2
            level, part = self.relinearised(product, at)
            result = self.bound((part[0] * terms, part[1] * terms))
            if not math.log2(result) <= self.set.most(level):
                return found
            found.append((at, level, share))


def best(level, worth):
    found = level, -math.inf
    for candidate in range(level, max(0, level - 13), -1):
        here = worth(candidate)
        if here >= found[1]:
            found = candidate, here
    return found[0]


def log2_exceeds(degree, cut):
    """1., for one ciphertext: some coordinate of some key that is used. |s|^2 is x times its mean with
    density e^-x, at most `most` times; a part that was counted there is shorter elsewhere."""
    most, mean, steps = math.log(degree) + 3, 2 * degree / 3, 20_000

    def density(x):
        return math.exp(-x - cut**2 * (1 + most * mean) / (1 + x * mean))

    integral = sum(density((i + 0.5) * most / steps) for i in range(steps)) * most / steps
    used = math.exp(-degree / 2 * math.exp(-most))
    return math.log2(degree / 2 * integral / used)


def log2_key_error(degree):
    """2. Of the five shapes of modulus; digits share the noise, at worst one has all of it."""
    return math.log2(5 * degree / 2) - (math.log(degree) + 52) / math.log(2)


def log2_decryption(chosen):
    """3., by Hoeffding: a coefficient is a sum over pairs of conjugates, of numbers between -2|c|B
    and 2|c|B, of which the sum of |c|^2 is half of spread^2. So it exceeds t with probability at
    most 2 exp(-t^2 / (4 spread^2 B^2))."""
    over = (chosen.limit / 2 / chosen.spread) ** 2 / 4
    return math.log2(2 * chosen.degree) - over / math.log(2)


def largest_message(index):
    """The largest coordinate of a plaintext: (1 + sum of |eta|)/2, eta over the orbits of doubling."""
    factors, order = RINGS[index]
    seen, total = set(), 0.0
    for unit in range(1, index):
        if unit in seen or any(unit % p == 0 for p in factors):
            continue
        orbit = [unit * 2**k % index for k in range(order)]
        seen.update(orbit)
        total += abs(sum(complex(math.cos(a), math.sin(a)) for a in (math.tau * e / index for e in orbit)))
    return (1 + total) / 2


def least_energy(chosen, terms, cut):
    """With bounds that count `cut` deviations: the least sum of squares of normal parts, in deviations,
    with which a coordinate exceeds its bound eight times at the end of the deepest circuit, the same
    one in all operands. The probability is about e to minus that."""
    estimate = Estimate(chosen, cut)
    shares = [share for _, _, share in estimate.products(terms)]
    grid = [g / 50 for g in range(401)]
    least = [(g * cut / shares[0]) ** 2 for g in grid]
    for share in shares[1:]:
        after = []
        for g in grid:
            found = math.inf
            for h, before in zip(grid, least):
                rest = g - (1 - share) * h * h
                found = min(found, before + (max(rest, 0) * cut / share) ** 2)
                if rest <= 0:
                    break
            after.append(found)
        least = after
    return least[-1]


def recorded():
    with RECORD.open() as file:
        return list(csv.DictReader(file))


def check(levels=False):
    """What is wrong with depths.csv and with the promise."""
    wrong = []
    for row in recorded():
        name, terms = row["parameters"], int(row["terms"])
        chosen = Set(name)
        products = Estimate(chosen).products(terms)
        if chosen.degree != int(row["degree"]) or len(products) != int(row["depth"]):
            wrong.append(f"{name}, sums of {terms}: {len(products)} products, recorded {row['depth']}")
        if chosen.key_bits() > float(row["log2_most"]):
            wrong.append(f"{name}: {chosen.key_bits():.1f} bits of modulus, {row['log2_most']} are secure")
        operations = log2_exceeds(chosen.degree, CUT) + math.log2(3 * OPERATIONS)
        parts = [operations, log2_key_error(chosen.degree), log2_decryption(chosen)]
        failure = math.log2(sum(2.0**part for part in parts))
        if failure > FAILURE_LOG2:
            wrong.append(f"{name}: a decryption fails with 2^{failure:.1f}")
        if levels:
            path = " ".join(f"{at}-{to}" for at, to, _ in products)
            print(f"{name}, sums of {terms}: {len(products)} products: {path}")
            print(f"  normal parts 2^{parts[0]:.1f}, errors of keys 2^{parts[1]:.1f}, "
                  f"coefficients 2^{parts[2]:.1f}: 2^{failure:.1f}")
    for index, (factors, order) in RINGS.items():
        degree = math.prod(p - 1 for p in factors)
        if largest_message(index) > (1 + math.sqrt(index * degree / order)) / 2:
            wrong.append(f"{index}: messages are larger than counted")
    return wrong


def main():
    levels = "--levels" in sys.argv[1:]
    wrong = check(levels)
    if levels:
        chosen = Set("13107-44-36-14-1x34-1")
        energy = least_energy(chosen, 2, 2.25)
        print(f"{chosen.top} levels of 13107 with 2.25 deviations: at the worst coordinate 2^{-energy / math.log(2):.1f}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(recorded())} sets of BGV: depths and failures are what they should be")


if __name__ == "__main__":
    main()
