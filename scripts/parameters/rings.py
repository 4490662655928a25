#!/usr/bin/env python3
"""How long a modulus may be for a ring of some degree: ring-LWE with a uniform ternary secret.

    scripts/parameters/rings.py --check          recomputes every row of rings.csv (half an hour)
    scripts/parameters/rings.py --record         writes rings.csv
    scripts/parameters/rings.py --search DEGREE  the longest moduli for a degree
    scripts/parameters/rings.py --own            writes our own column of rings.csv alone: half a minute

All but the last need LATTICE_ESTIMATOR and Sage, see security.py; check.py computes our own column
again. A test of the crate `bgv` compares the bounds
that parameter sets are checked against with rings.csv, without either.

A ring of degree n is estimated as LWE of dimension n: the secret's coefficients in the basis of
primitive roots of unity are uniform in -1, 0, 1, errors have deviation 3.2. (Errors are sampled
modulo x^m - 1 and reduced. To whoever knows the m - n coefficients that reduction takes off, what is
left are n independent ones of deviation 3.2 about a known centre: never less than is estimated.)
Asked are the attacks that are cheapest for such secrets, primal and dual hybrid, with the cost model
MATZOV and no bound on the number of samples; the dual hybrid also with all its parameters free
(attacks/dual.py), which decides for some.
"""

import argparse
import csv
import math
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import attacks
import security

RECORD = Path(__file__).resolve().parent / "rings.csv"
FIELDS = ["degree", "security", "log2_modulus", "usvp", "bdd", "dual_hybrid", "dual_hybrid_free"]
# Parameters that reach the last, as the record has them.
PARAMETERS = ["m", "beta", "sieve", "guess", "fft", "p"]
DEVIATION = 3.2

# Degree, longest modulus at 128 bits, at 80. All but the last two are on record in crates/bgv; other
# degrees are bounded in proportion to the next smaller one of these, which those two try.
BOUNDS = [
    (4096, 106, 169),
    (8190, 213, 341),
    (8192, 213, 341),
    (12000, 313, 500),
    (14112, 368, 589),
    (16384, 430, 691),
    (32768, 868, 1400),
    (65536, 1746, 2825),
    (7500, 194, 309),
    (18000, 472, 759),
]

# The estimator's own optimisation moves by a little between versions of Sage.
CLOSE = 0.3


def own(degree, log2_modulus):
    """The dual hybrid attack with all its parameters free."""
    deviation = math.log2(DEVIATION) - log2_modulus
    return attacks.dual.search(attacks.keys.Problem(degree, log2_modulus, deviation, attacks.keys.UNIFORM_TERNARY))


def row_of(degree, bits, log2_modulus, others):
    """A row of the record: the estimator's figures, and ours."""
    free = own(degree, log2_modulus)
    row = {"degree": degree, "security": bits, "log2_modulus": log2_modulus, **others}
    return row | {"dual_hybrid_free": security.down(free.bits)} | free.parameters


def recorded():
    with RECORD.open() as file:
        return list(csv.DictReader(file))


def check_own():
    """What is wrong with our column: figures that neither the recorded parameters nor a new search
    give, bounds that it breaks, rows that BOUNDS does not have."""
    wrong = []
    expected = [(degree, bits, q) for degree, *bounds in BOUNDS for bits, q in zip((128, 80), bounds)]
    rows = recorded()
    if [tuple(int(row[name]) for name in FIELDS[:3]) for row in rows] != expected:
        wrong.append("rings.csv has other rows than rings.py has bounds")
    for row in rows:
        degree, bits, modulus = (int(row[name]) for name in FIELDS[:3])
        said = float(row["dual_hybrid_free"])
        problem = attacks.keys.Problem(
            degree, modulus, math.log2(DEVIATION) - modulus, attacks.keys.UNIFORM_TERNARY
        )
        again = attacks.dual.cost(problem, **{name: int(row[name]) for name in PARAMETERS}).bits
        anew = own(degree, modulus).bits
        if security.down(again) != said or security.down(anew) < said - 0.1 - 1e-6 or said < bits:
            wrong.append(f"rings.csv, {degree}, {bits}: {said}, with its parameters {again:.2f}, anew {anew:.2f}")
    for message in wrong:
        print(f"  WRONG {message}")
    return wrong


def record_own():
    """Writes our column, the estimator's as they stand."""
    known = {tuple(row[name] for name in FIELDS[:3]): row for row in recorded()}
    written = []
    for degree, *bounds in BOUNDS:
        for bits, q in zip((128, 80), bounds):
            old = known.get((str(degree), str(bits), str(q)))
            if old is None:
                sys.exit(f"the estimator was not asked about {degree}, 2^{q}: use --record")
            written.append(row_of(degree, bits, q, {name: old[name] for name in FIELDS[3:6]}))
    write(written)


def write(rows):
    with RECORD.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS + PARAMETERS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(row)
            file.flush()


def asked(estimator, degree, log2_modulus):
    """log2 of the cost of each attack."""
    e = estimator.module
    problem = e.LWE.Parameters(
        n=degree, q=2**log2_modulus, Xs=e.ND.UniformMod(3), Xe=e.ND.DiscreteGaussian(DEVIATION)
    )
    cost = {"red_cost_model": e.RC.MATZOV}
    ask = {"usvp": e.LWE.primal_usvp, "bdd": e.LWE.primal_bdd, "dual_hybrid": e.LWE.dual_hybrid}
    return {name: round(math.log2(float(attack(problem, **cost)["rop"])), 1) for name, attack in ask.items()}


def rows(estimator):
    for degree, *bounds in BOUNDS:
        for bits, log2_modulus in zip((128, 80), bounds):
            row = row_of(degree, bits, log2_modulus, asked(estimator, degree, log2_modulus))
            print(*row.values(), flush=True)
            yield row


def check(estimator):
    """How many figures of the record are others, or break what is promised."""
    known = {(int(row["degree"]), int(row["security"])): row for row in recorded()}
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
            enough = middle < 10 or min(own(degree, middle).bits, *asked(estimator, degree, middle).values()) >= bits
            low, high = (middle, high) if enough else (low, middle)
        print(f"degree {degree}, {bits} bits: {low}, {asked(estimator, degree, low)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--check", action="store_true")
    choice.add_argument("--record", action="store_true")
    choice.add_argument("--own", action="store_true")
    choice.add_argument("--search", type=int, metavar="DEGREE")
    arguments = parser.parse_args()
    if arguments.own:
        record_own()
        return
    try:
        estimator = security.Estimator()
    except ImportError as missing:
        sys.exit(f"cannot estimate security: {missing}")
    if arguments.record:
        write(rows(estimator))
    elif arguments.check:
        wrong = check(estimator)
        if wrong:
            sys.exit(f"{wrong} rows are wrong")
        print("all rows are as recorded")
    else:
        search(estimator, arguments.search)


if __name__ == "__main__":
    main()
