"""Security of LWE keys: our own estimates (attacks/), and those of the lattice estimator.

Ours need nothing but Python and take a second for each key. The lattice estimator needs Sage and a checkout of https://github.com/malb/lattice-estimator, named by the environment
variable LATTICE_ESTIMATOR:

    python3 -m venv sage && sage/bin/pip install passagemath-standard
    LATTICE_ESTIMATOR=~/lattice-estimator sage/bin/python scripts/parameters/check.py ...

Every attack that the estimator knows for such keys is asked, with the cost model MATZOV for
lattice reduction and no bound on the number of samples:

    usvp             primal, unique shortest vector
    bdd              primal, bounded distance decoding
    bdd_hybrid       the same after guessing a part of the secret
    bdd_mitm_hybrid  the same with a meet in the middle for the guess
    dual             dual
    dual_hybrid      dual after guessing, with a Fourier transform as the distinguisher

It is told that a block-binary key (blocks of d bits, at most one of them set) is a sparse binary
secret of the weight it has on average, n/(d + 1), since it has no such distribution: what blocks
give away is counted in attacks/. Rings and modules are estimated as plain LWE of the same dimension.
"""

import math
import os
import subprocess
import sys
import time

import attacks

COST_MODEL = "MATZOV"
# Sets promise bits in tenths; what is recorded is rounded down.
TENTHS = 10


def problem(key):
    """A key as attacks/ knows it."""
    return attacks.keys.Problem(
        key["dimension"], key["log2_modulus"], key["log2_deviation"], attacks.keys.described(key["secret"])
    )


def down(bits):
    """Rounded down to tenths."""
    return math.floor(bits * TENTHS + 1e-9) / TENTHS


def own(key):
    """Our own estimates of a key: figures by attack, the parameters that reach them, and variants of
    the meet in the middle that are told but not counted."""
    p = problem(key)
    found = {name: search(p) for name, search in attacks.COUNTED.items()}
    return {
        "attacks": {name: down(attack.bits) for name, attack in found.items()},
        "parameters": {name: attack.parameters for name, attack in found.items()},
        "told": {name: down(attacks.meet.search(p, way).bits) for name, way in attacks.meet.VARIANTS.items()},
    }


def model(secret, dimension):
    """What a key's distribution is estimated as, in words."""
    if secret["kind"] == "uniform binary":
        return "uniform binary"
    return f"sparse binary of weight {weight(secret, dimension)}"


def weight(secret, dimension):
    return round(dimension / (secret["block"] + 1))


def same_key(a, b):
    """Whether two descriptions are of the same problem."""
    return (
        a["dimension"] == b["dimension"]
        and a["secret"] == b["secret"]
        and a["log2_modulus"] == b["log2_modulus"]
        and abs(a["log2_deviation"] - b["log2_deviation"]) < 5e-4
    )


class Estimator:
    """The estimator of a checkout. Raises ImportError where it or Sage is missing."""

    def __init__(self):
        self.path = os.environ.get("LATTICE_ESTIMATOR")
        if not self.path:
            raise ImportError("LATTICE_ESTIMATOR names no checkout")
        sys.path.insert(0, self.path)
        import estimator

        self.module = estimator

    def provenance(self):
        """Where figures come from: goes into security.json."""

        def git(*arguments):
            command = ["git", "-C", self.path, *arguments]
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

        from importlib.metadata import PackageNotFoundError, version

        try:
            sage = f"passagemath-standard {version('passagemath-standard')}"
        except PackageNotFoundError:
            import sage.version

            sage = f"Sage {sage.version.version}"
        return {
            "repository": "https://github.com/malb/lattice-estimator",
            "commit": git("rev-parse", "HEAD"),
            "commit_date": git("show", "-s", "--format=%cs", "HEAD"),
            "date": time.strftime("%F", time.gmtime()),
            "cost_model": COST_MODEL,
            "sage": sage,
        }

    def attacks(self, key):
        """log2 of the cost of each attack on a key, by name."""
        e = self.module
        n, modulus = key["dimension"], key["log2_modulus"]
        if key["secret"]["kind"] == "uniform binary":
            secret = e.ND.Binary
        else:
            secret = e.ND.SparseBinary(weight(key["secret"], n))
        error = e.ND.DiscreteGaussian(2.0 ** (modulus + key["log2_deviation"]))
        problem = e.LWE.Parameters(n=n, q=2**modulus, Xs=secret, Xe=error)
        cost = {"red_cost_model": e.RC.MATZOV}
        asked = {
            "usvp": lambda: e.LWE.primal_usvp(problem, **cost),
            "bdd": lambda: e.LWE.primal_bdd(problem, **cost),
            "bdd_hybrid": lambda: e.LWE.primal_hybrid(problem, mitm=False, babai=False, **cost),
            "bdd_mitm_hybrid": lambda: e.LWE.primal_hybrid(problem, mitm=True, babai=True, **cost),
            "dual": lambda: e.LWE.dual(problem, **cost),
            "dual_hybrid": lambda: e.LWE.dual_hybrid(problem, **cost),
        }
        return {name: round(math.log2(float(attack()["rop"])), 1) for name, attack in asked.items()}

    def estimate(self, key):
        """A row of security.json."""
        row = {name: key[name] for name in ("dimension", "secret", "log2_modulus", "log2_deviation")}
        row["modelled_as"] = model(key["secret"], key["dimension"])
        ours = own(key)
        row["attacks"] = ours["attacks"] | self.attacks(key)
        row["parameters"], row["told"] = ours["parameters"], ours["told"]
        return row
