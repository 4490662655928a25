#!/usr/bin/env python3
"""Finds the default set of lookups again, and what its neighbours cost.

    scripts/parameters/search.py          lookup sets: dimensions, block sizes, key switches (five minutes)
    scripts/parameters/search.py --gates  the same for the gate set
    scripts/parameters/search.py --grid   tries the dual hybrid attack on the default's keys on a grid of
                                          all its parameters, against its search (minutes)

For each n and block size the small key's error is the least with which no attack of attacks/ is below
the margin; the big key's is given (--big). What is asked of a candidate:

- `dual` and `meet`, the dual hybrid attack and the meet in the middle, are at least MARGIN bits;
- `room`, how many times the noise of the noisiest addition a lookup allows at 2^-100, is at least ROOM:
  below, circuits need more refreshes.

The cost of a lookup is its transforms, then the products with the key, in proportion to its bytes.
"""

import argparse
import math
import sys

sys.dont_write_bytecode = True

import attacks
import noise

MARGIN = 128.5
ROOM = 1.33
# ‖v‖² and 4·mean(f²) of an addition whose operands are both shifted against the slices.
ADDITION = 562.0, 94.0
PROMISE = -100.0


def dual(n, log2_modulus, deviation, secret, moduli=(2, 3)):
    return attacks.dual.search(attacks.keys.Problem(n, log2_modulus, deviation, secret), moduli).bits


def least_deviation(n, log2_modulus, secret, guess):
    """The least error, in hundredths, with which the dual hybrid attack takes MARGIN bits."""
    for _ in range(6):
        bits = dual(n, log2_modulus, guess, secret)
        if abs(bits - MARGIN) < 0.02:
            break
        # About five bits for a factor of two.
        guess += (MARGIN - bits) / 5.2
    guess = math.ceil(guess * 100) / 100
    return guess if dual(n, log2_modulus, guess, secret) >= MARGIN else guess + 0.01


def ring(n):
    """The key switch's: the largest power of two that divides n, at most 128."""
    return math.gcd(n, 128)


def lookup_set(n, block, deviation, big, key_switch):
    key = {"kind": "uniform binary"} if block == 1 else {"kind": "block-binary", "block": block}
    return {
        "n": n, "k": 1, "N": 2048, "small_key": key,
        "log2_lwe_deviation": deviation, "log2_glwe_deviation": big,
        "bootstrap": {"base_log": 23, "levels": 1},
        "key_switch": {"base_log": key_switch[0], "levels": key_switch[1]},
    }  # fmt: skip


def room(s):
    """How many times the noisiest addition's noise a lookup allows, its limit, and that addition's failure."""
    steps = noise.steps(s)
    share = steps["common"] / steps["rotation"]
    addition = (1 - share) * ADDITION[0] + share * ADDITION[1]
    limit = noise.largest_factor(steps, PROMISE)
    return limit / addition, limit, noise.log2_failure(steps, addition, 1 / 64)


def lookups(big):
    print(f"big key, 2^{big}: dual {dual(2048, 64, big, attacks.keys.UNIFORM_BINARY):.1f}")
    print("block    n ring  error    dual   meet    may  transforms  key MB  key switch: room limit addition")
    for block in (1, 2, 3, 4, 5, 6, 8):
        secret = attacks.keys.blocks_of(block) if block > 1 else attacks.keys.UNIFORM_BINARY
        for n in (832, 864, 880, 896, 912, 928, 960, 1024):
            if n % block or ring(n) < 16:
                continue
            deviation = least_deviation(n, 64, secret, -18.2 + (896 - n) * 0.0255)
            problem = attacks.keys.Problem(n, 64, deviation, secret)
            meet = attacks.meet.search(problem).bits
            may = attacks.meet.search(problem, attacks.meet.VARIANTS["meet_may"]).bits
            bits = dual(n, 64, deviation, secret)
            line = f"{block:5} {n:4} {ring(n):4} {deviation:6.2f} {bits:7.1f} {meet:6.1f} {may:6.1f}"
            line += f" {n // block * 4:11} {n * 65536 / 1e6:7.1f}  "
            enough = False
            for key_switch in ((2, 8), (1, 15), (1, 16)):
                times, limit, failure = room(lookup_set(n, block, deviation, big, key_switch))
                enough |= times >= ROOM
                line += f" 2^{key_switch[0]}x{key_switch[1]}: {times:.2f} {limit:.0f} {failure:.0f}"
            print(line + ("" if enough and meet >= MARGIN else "  no"), flush=True)


def gates():
    secret = attacks.keys.UNIFORM_BINARY
    print(f"big key, 2^-22.8: dual {dual(1024, 64, -22.8, secret):.1f}")
    for n in range(656, 705, 8):
        deviation = least_deviation(n, 32, secret, -13.44 - (n - 664) * 0.0245)
        line = f"{n:4} {deviation:.2f} {8 * n:5} transforms "
        for base, levels in ((2, 6), (2, 7), (1, 12)):
            s = {
                "n": n, "k": 1, "N": 1024, "log2_lwe_deviation": deviation, "log2_glwe_deviation": -22.8,
                "bootstrap": {"base_log": 5, "levels": 3}, "key_switch": {"base_log": base, "levels": levels},
            }  # fmt: skip
            failures = noise.gate_failures(s, noise.gate_steps(s))
            line += f" 2^{base}x{levels}: worst {failures['worst-allowed']:.1f}"
        print(line, flush=True)


def grid():
    blocks = attacks.keys.blocks_of(4)
    for n, deviation, secret in ((896, -17.9, blocks), (2048, -49.0, attacks.keys.UNIFORM_BINARY)):
        problem = attacks.keys.Problem(n, 64, deviation, secret)
        found = attacks.dual.search(problem)
        least = math.inf, None
        for p in (2, 3, 4):
            for m in range(n // 2, n + n // 8, n // 64):
                for guess in range(0, 121, 8):
                    for fft in range(0, 121, 8):
                        for beta in range(found.parameters["beta"] - 20, found.parameters["beta"] + 21, 4):
                            bits, sieve = attacks.dual.Partly(problem, m, beta, guess, fft, p).best()
                            least = min(least, (bits, (m, beta, sieve, guess, fft, p)))
        print(f"{n}, 2^{deviation}: search {found.bits:.2f} {found.parameters}, grid {least[0]:.2f} {least[1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--big", type=float, default=-49.0, help="log2 of the big key's error")
    parser.add_argument("--gates", action="store_true")
    parser.add_argument("--grid", action="store_true")
    arguments = parser.parse_args()
    if arguments.grid:
        grid()
    elif arguments.gates:
        gates()
    else:
        lookups(arguments.big)


if __name__ == "__main__":
    main()
