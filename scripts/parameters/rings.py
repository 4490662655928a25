#!/usr/bin/env python3
"""How long a modulus may be for a ring of some degree: ring-LWE with a uniform ternary secret.

    scripts/parameters/rings.py --check          recomputes every row of rings.csv (half an hour)
    scripts/parameters/rings.py --record         writes rings.csv
    scripts/parameters/rings.py --search DEGREE  the longest moduli for a degree

All need LATTICE_ESTIMATOR and Sage, see security.py. A test of the crate `bgv` compares the bounds
that parameter sets are checked against with rings.csv, without either.

A ring of degree n is estimated as LWE of dimension n: the secret's coefficients in the basis of
primitive roots of unity are uniform in -1, 0, 1, errors have deviation 3.2. (Errors are sampled
modulo x^m - 1 and reduced. To whoever knows the m - n coefficients that reduction takes off, what is
left are n independent ones of deviation 3.2 about a known centre: never less than is estimated.)
Asked are the attacks that are cheapest for such secrets, primal and dual hybrid, with the cost model
MATZOV and no bound on the number of samples.
"""

import argparse
import csv
import math
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import security

RECORD = Path(__file__).resolve().parent / "rings.csv"
FIELDS = ["degree", "security", "log2_modulus", "usvp", "bdd", "dual_hybrid"]
DEVIATION = 3.2

# Degree, longest modulus at 128 bits, at 80. The first six are on record in crates/bgv; other degrees
# are bounded in proportion to the next smaller one of these, which the last four try.
BOUNDS = [
    (4096, 106, 169),
    (8190, 214, 342),
    (8192, 214, 342),
    (16384, 430, 691),
    (32768, 868, 1400),
    (65536, 1746, 2825),
    (7500, 194, 309),
    (12000, 313, 500),
    (14112, 368, 589),
    (18000, 472, 759),
]

# The estimator's own optimisation moves by a little between versions of Sage.
CLOSE = 0.3


def attacks(estimator, degree, log2_modulus):
    """log2 of the cost of each attack."""
    e = estimator.module
    problem = e.LWE.Parameters(
        n=degree, q=2**log2_modulus, Xs=e.ND.UniformMod(3), Xe=e.ND.DiscreteGaussian(DEVIATION)
    )
    cost = {"red_cost_model": e.RC.MATZOV}
    asked = {"usvp": e.LWE.primal_usvp, "bdd": e.LWE.primal_bdd, "dual_hybrid": e.LWE.dual_hybrid}
    return {name: round(math.log2(float(attack(problem, **cost)["rop"])), 1) for name, attack in asked.items()}


def rows(estimator):
    for degree, *bounds in BOUNDS:
        for bits, log2_modulus in zip((128, 80), bounds):
            found = attacks(estimator, degree, log2_modulus)
            row = {"degree": degree, "security": bits, "log2_modulus": log2_modulus, **found}
            print(*row.values(), flush=True)
            yield row


def record(estimator):
    with RECORD.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for row in rows(estimator):
            writer.writerow(row)
            file.flush()


def check(estimator):
    """How many figures of the record are others, or break what is promised."""
    with RECORD.open() as file:
        known = {(int(row["degree"]), int(row["security"])): row for row in csv.DictReader(file)}
    wrong = 0
    for row in rows(estimator):
        said = known.get((row["degree"], row["security"]))
        broken = min(row[name] for name in FIELDS[3:]) < row["security"]
        if said is None or broken or any(abs(float(said[name]) - row[name]) > CLOSE for name in FIELDS[2:]):
            print(f"  WRONG rings.csv says {said}")
            wrong += 1
    return wrong


def search(estimator, degree):
    for bits in (128, 80):
        low, high = 0, round(0.05 * degree)
        while high - low > 1:
            middle = (low + high) // 2
            enough = middle < 10 or min(attacks(estimator, degree, middle).values()) >= bits
            low, high = (middle, high) if enough else (low, middle)
        print(f"degree {degree}, {bits} bits: {low}, {attacks(estimator, degree, low)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--check", action="store_true")
    choice.add_argument("--record", action="store_true")
    choice.add_argument("--search", type=int, metavar="DEGREE")
    arguments = parser.parse_args()
    try:
        estimator = security.Estimator()
    except ImportError as missing:
        sys.exit(f"cannot estimate security: {missing}")
    if arguments.record:
        record(estimator)
    elif arguments.check:
        wrong = check(estimator)
        if wrong:
            sys.exit(f"{wrong} rows are wrong")
        print("all rows are as recorded")
    else:
        search(estimator, arguments.search)


if __name__ == "__main__":
    main()
