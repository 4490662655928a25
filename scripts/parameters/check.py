#!/usr/bin/env python3
"""Computes every parameter set's noise, failure probabilities, costs and security a second time,
and fails where Blindcore says something else.

    scripts/parameters/check.py                      builds and runs Blindcore with cargo
    scripts/parameters/check.py --blindcore PATH     runs this binary
    scripts/parameters/check.py --json FILE          reads the output of `blindcore params --json`
    scripts/parameters/check.py --security           recomputes security too (minutes): needs
                                                     LATTICE_ESTIMATOR and Sage, see security.py
    scripts/parameters/check.py --record-security    the same, and writes security.json

Of security, our own estimates (attacks/) are computed again each time, with the recorded parameters
and by a new search, those of BGV's rings (rings.csv) too; so are BGV's depths and failures
(bgv_noise.py). Without LATTICE_ESTIMATOR that estimator's
are compared with the record only. Each key of a set that claims some security must be on record, and
the claim must not exceed it.
"""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import attacks
import bgv_noise
import noise
import rings
import security

FOLDER = Path(__file__).resolve().parent
PROJECT = FOLDER.parent.parent
RECORD = PROJECT / "crates/session/src/parameters/security.json"

# Deviations (log2) and failures (log2) may differ by rounding only.
CLOSE = 1e-6
# A search may find a little less than the record, never more; it looks at tenths.
CLOSE_SEARCH = 0.1
CLOSE_CHARGED = 0.35
# Figures on record are rounded to tenths.
CLOSE_RECORD = 0.06
# The estimator's own optimisation moves by a little between versions of Sage.
CLOSE_ATTACK = 0.3

problems = []


def complain(message):
    problems.append(message)
    print(f"  WRONG {message}")


def compare(what, said, found, tolerance=CLOSE):
    scale = max(1.0, abs(found)) if found is not None else 1.0
    if said is None or found is None or abs(said - found) > tolerance * scale:
        complain(f"{what}: the program says {said}, the script finds {found}")


def described(arguments):
    """What `blindcore params --json` prints."""
    if arguments.json:
        return json.loads(Path(arguments.json).read_text())
    command = [arguments.blindcore] if arguments.blindcore else ["cargo", "run", "-q", "-p", "blindcore-cli", "--"]
    output = subprocess.run([*command, "params", "--json"], cwd=PROJECT, check=True, capture_output=True)
    return json.loads(output.stdout)


def check_lookups(s):
    steps = noise.steps(s)
    for name, said in s["log2_noise_deviation"].items():
        compare(f"{s['name']}, {name}", said, math.log2(steps[name]) / 2)
    promised = s["promise"]["log2_failure"]
    largest = noise.largest_factor(steps, promised)
    compare(f"{s['name']}, largest factor", s["largest_factor"], largest)
    for failing in s["failures"]:
        what = f"{s['name']}, {failing['name']}"
        if failing["name"] == "worst-allowed":
            factor = largest
        else:
            factor = noise.factor(failing, steps)
        compare(f"{what}, factor", failing["factor"], factor)
        found = noise.log2_failure(steps, factor, failing["half_window"])
        compare(what, failing["log2_failure"], found)
        if s["purpose"] == "use" and found > promised + 1e-6:
            complain(f"{what} breaks the promise of 2^{promised}: {found}")


def check_gates(s):
    steps = noise.gate_steps(s)
    for name, said in s["log2_noise_deviation"].items():
        compare(f"{s['name']}, {name}", said, math.log2(steps[name]) / 2)
    found = noise.gate_failures(s, steps)
    for failing in s["failures"]:
        compare(f"{s['name']}, {failing['name']}", failing["log2_failure"], found[failing["name"]])
    worst = found["worst-allowed"]
    if s["purpose"] != "test" and worst > s["promise"]["log2_failure"]:
        complain(f"{s['name']} breaks its promise: {worst}")


def check_cost(s):
    n, k, size = s["n"], s["k"], s["N"]
    levels, levels_k = s["bootstrap"]["levels"], s["key_switch"]["levels"]
    block = noise.secret_of(s["small_key"])[2]
    cost = s["cost"]
    bootstrap_rows = n * (k + 1) * levels
    spectra = 8 * bootstrap_rows * (k + 1) * size
    expected = {
        "transforms": n // block * (k + 1) * (levels + 1),
        "streamed_bytes": spectra,
    }
    if s["engine"] == "lookup":
        ring = s["key_switch_ring"]
        rows = k * size // ring * levels_k
        expected["key_switch_transforms"] = rows + n // ring + 1
        expected["expanded_bytes"] = spectra + 8 * rows * (n // ring + 1) * ring
        expected["seeded_bytes"] = 8 * bootstrap_rows * size + 8 * rows * ring + 32
        expected["bit_bytes"] = 8 * (k * size + 1)
    else:
        rows = k * size * levels_k
        expected["expanded_bytes"] = spectra + 4 * rows * (n + 1)
        expected["seeded_bytes"] = 8 * bootstrap_rows * size + 4 * rows + 32
        expected["bit_bytes"] = 4 * (n + 1)
    for name, found in expected.items():
        compare(f"{s['name']}, {name}", cost[name], found)


def recorded(record, key):
    return next((row for row in record["keys"] if security.same_key(row, key)), None)


def check_security(s, record):
    """Against the record: figures as the program repeats them, and the promise."""
    promised = s["promise"]["security_bits"]
    least = math.inf
    for key in s["keys"]:
        row = recorded(record, key)
        if row is None:
            if promised > 0:
                complain(f"{s['name']}, {key['role']}: security.json has no such key")
            continue
        if row["attacks"] != key["attacks"]:
            complain(f"{s['name']}, {key['role']}: the program does not repeat security.json")
        least = min(least, *row["attacks"].values())
    if promised > least:
        complain(f"{s['name']} promises {promised} bits, the record says {least}")


def check_own(record):
    """Our own estimates of every recorded key: with the recorded parameters, and searched anew; and
    charged as the lattice estimator charges, which must give what it gave."""
    for row in record["keys"]:
        what = f"security.json, dimension {row['dimension']}, deviation 2^{row['log2_deviation']}"
        problem = security.problem(row)
        for name, parameters in row["parameters"].items():
            said = row["attacks"][name]
            found = security.down(attacks.again(name, problem, parameters))
            if found != said:
                complain(f"{what}, {name}: recorded {said}, with the recorded parameters {found}")
        anew = security.own(row)
        for name, said in (row["attacks"] | row["told"]).items():
            found = (anew["attacks"] | anew["told"]).get(name)
            if found is not None and abs(found - said) > CLOSE_SEARCH + CLOSE:
                complain(f"{what}, {name}: recorded {said}, a new search finds {found}")
        charged = attacks.dual.as_estimator(problem)
        # The estimator goes along a grid until figures grow, and stops early by up to 0.32 on our keys.
        if not -CLOSE_CHARGED <= charged - row["attacks"]["dual_hybrid"] <= CLOSE_RECORD:
            complain(f"{what}: charged as the estimator {charged:.2f}, it says {row['attacks']['dual_hybrid']}")


def estimate(sets, record, write):
    """Asks the estimator about every key that carries a promise."""
    try:
        estimator = security.Estimator()
    except ImportError as missing:
        print(f"cannot estimate security: {missing}", file=sys.stderr)
        sys.exit(2)
    rows = []
    for s in sets:
        if s["promise"]["security_bits"] == 0:
            continue
        for key in s["keys"]:
            if any(security.same_key(row, key) for row in rows):
                continue
            row = estimator.estimate(key)
            rows.append(row)
            print(f"  {s['name']}, {key['role']}: {row['attacks']}", flush=True)
            known = recorded(record, key) if record else None
            if known is None and not write:
                complain(f"{s['name']}, {key['role']}: not in security.json")
            elif known is not None and not write:
                for attack, bits in row["attacks"].items():
                    if abs(bits - known["attacks"].get(attack, math.inf)) > CLOSE_ATTACK:
                        complain(f"{s['name']}, {key['role']}, {attack}: {bits}, recorded {known['attacks']}")
    if write:
        document = {"estimator": estimator.provenance(), "keys": rows}
        RECORD.write_text(json.dumps(document, indent=1) + "\n")
        print(f"wrote {RECORD}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--blindcore", help="the binary to ask")
    parser.add_argument("--json", help="output of `blindcore params --json`")
    parser.add_argument("--security", action="store_true", help="ask the lattice estimator")
    parser.add_argument("--record-security", action="store_true", help="ask, and write security.json")
    arguments = parser.parse_args()
    sets = described(arguments)["sets"]
    record = json.loads(RECORD.read_text()) if RECORD.exists() else None
    if arguments.security or arguments.record_security:
        estimate(sets, record, arguments.record_security)
        record = json.loads(RECORD.read_text())
    for s in sets:
        (check_lookups if s["engine"] == "lookup" else check_gates)(s)
        check_cost(s)
        check_security(s, record)
    check_own(record)
    problems.extend(rings.check_own())
    problems.extend(bgv_noise.check())
    if problems:
        sys.exit(f"{len(problems)} figures of {len(sets)} parameter sets are wrong")
    print(f"{len(sets)} parameter sets: noise, failures, costs and security are what they should be")


if __name__ == "__main__":
    main()
