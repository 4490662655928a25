#!/usr/bin/env python3
"""One run alone, on one worker and on several, in turn: what sharing costs, and what it brings.

    cargo build --release
    scripts/soak/speedup.py --rounds 5                        # AES, and a product of matrices
    scripts/soak/speedup.py --workers 4 --program matrix      # more workers than cores

Each worker has one thread. Workers live through all rounds, so that they have the key already, as `run` has not:
its own expansion of the key is measured and taken off. Every output must decrypt to the right answer, and be the
very ciphertexts of a run alone that is recorded for as many threads.

Times are of whole commands, which record the program twice before anything is evaluated: the driver plans it, and
then all workers record it at once. Times of the evaluation are from when all workers are ready to the end.

Prints medians with their spread, the ratios, and what `plan` foresees. Standard library only.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

#: A product of two 4 × 4 matrices of u16.
MATRIX = """.bits 16
.data a[16]
.data b[16]
.data c[16]
 MOV R0, 0
row: MOV R1, 0
column: MOV R4, 0
 MOV R2, 0
next: LLS R5, R0, 2
 ADD R5, R5, R2
 LOAD R6, a[R5]
 LLS R5, R2, 2
 ADD R5, R5, R1
 LOAD R7, b[R5]
 MUL R6, R6, R7
 ADD R4, R4, R6
 ADD R2, R2, 1
 CMP R2, 4
 B_LO next
 LLS R5, R0, 2
 ADD R5, R5, R1
 STORE R4, c[R5]
 ADD R1, R1, 1
 CMP R1, 4
 B_LO column
 ADD R0, R0, 1
 CMP R0, 4
 B_LO row
 HALT
"""


class Bench:
    def __init__(self, options, place):
        self.options, self.place, self.workers = options, place, []
        self.blindcore = os.path.abspath(options.blindcore)
        self.must("keygen", "--out", "alice", "--no-selectors")

    def must(self, *arguments):
        ended = subprocess.run([self.blindcore, *arguments], cwd=self.place, capture_output=True, text=True)
        if ended.returncode:
            sys.exit(f"{arguments}: {ended.stderr.strip()}")
        return ended.stdout

    def encrypt(self, program, out, *values):
        if os.path.exists(f"{self.place}/{out}"):
            os.remove(f"{self.place}/{out}")
        self.must("encrypt", program, "--key", "alice.secret", "--out", out, *values)

    def begin(self):
        for _ in range(self.options.workers):
            process = subprocess.Popen([self.blindcore, "worker", "--listen", "127.0.0.1:0", "--threads", "1", "--plain"],
                                       cwd=self.place, stdout=subprocess.PIPE, text=True)
            address = process.stdout.readline().split()[2].rstrip(",")
            self.workers.append((process, address))

    def end(self):
        for process, _ in self.workers:
            process.kill()

    def timed(self, program, out, *more):
        """Seconds of the command, and of the evaluation alone where there are workers."""
        begin = time.monotonic()
        said = self.must("run", program, "in", "--key", "alice.server", "--out", out, "--json", "--threads", *more)
        return time.monotonic() - begin, json.loads(said)["evaluation_seconds"]

    def on(self, count, program):
        # They leave the last run first.
        time.sleep(0.5)
        addresses = ",".join(address for _, address in self.workers[:count])
        return self.timed(program, f"out{count}", "1", "--workers", addresses, "--plain")

    def read(self, name):
        with open(f"{self.place}/{name}", "rb") as file:
            return file.read()

    def measure(self, name, program, values, expected):
        self.encrypt(program, "in", *values)
        plan = json.loads(self.must("plan", program, *(value.split("=")[0] for value in values), "--machines",
                                    str(self.options.workers), "--cores", "1", "--json"))
        counts = [1, self.options.workers]
        for count in counts:
            self.on(count, program)
        times = {"alone": [], **{count: [] for count in counts}}
        for _ in range(self.options.rounds):
            times["alone"].append(self.timed(program, "alone1", "1", "--no-selectors"))
            for count in counts:
                times[count].append(self.on(count, program))
        for count in counts:
            self.timed(program, f"alone{count}", str(count), "--no-selectors")
            same = "the same ciphertexts" if self.read(f"alone{count}") == self.read(f"out{count}") else "OTHER CIPHERTEXTS"
            found = json.loads(self.must("decrypt", f"out{count}", "--key", "alice.secret", "--json"))
            right = all(found[key] == value for key, value in expected.items())
            print(f"{name}: on {count}: {same} as alone, {'right' if right else 'WRONG'}")
        median = {key: statistics.median(whole for whole, _ in pairs) for key, pairs in times.items()}
        evaluation = {count: statistics.median(part for _, part in times[count]) for count in counts}
        for key, pairs in times.items():
            whole = [pair[0] for pair in pairs]
            of_it = f", evaluation {evaluation[key]:.2f} s" if key in evaluation else ""
            print(f"{name}: {key!s:>5}: {median[key]:.2f} s ({min(whole):.2f} to {max(whole):.2f}){of_it}")
        key = self.expansion()
        many = counts[-1]
        alone = median["alone"] - key
        print(f"{name}: the key takes {key:.2f} s; one worker takes {median[1] / alone:.3f} times what run takes without it; "
              f"{many} workers are {median[1] / median[many]:.2f} times as fast as one, "
              f"{evaluation[1] / evaluation[many]:.2f} in the evaluation, width {plan['machines']['width']:.0f}")
        for row in plan["machines"]["rows"]:
            if row["machines"] in counts:
                print(f"{name}: foreseen on {row['machines']}: {row['seconds']:.2f} s, {row['bytes_sent'] / 1e6:.1f} MB travel")

    def expansion(self):
        """How long a run takes that does nothing but expand its key."""
        with open(f"{self.place}/nothing.hea", "w") as file:
            file.write(".bits 16\n.data a\n LOAD R0, a\n ADD R0, R0, 1\n STORE R0, a\n")
        self.encrypt("nothing.hea", "nothing", "a=1")
        times = []
        for _ in range(3):
            begin = time.monotonic()
            self.must("run", "nothing.hea", "nothing", "--key", "alice.server", "--out", "no", "--quiet", "--threads", "1")
            times.append(time.monotonic() - begin)
        return min(times)


def cases(place, which):
    """Programs to measure: name, file, values, and what comes of them."""
    if which != "aes":
        with open(f"{place}/matrix.hea", "w") as file:
            file.write(MATRIX)
        a, b = list(range(101, 117)), list(range(2001, 2017))
        c = [sum(a[4 * i + k] * b[4 * k + j] for k in range(4)) % 65536 for i in range(4) for j in range(4)]
        yield "matrix", "matrix.hea", [f"a={','.join(map(str, a))}", f"b={','.join(map(str, b))}"], {"c": c}
    if which != "matrix":
        with open(f"{ROOT}/examples/aes/cases.json") as file:
            case = json.load(file)["cases"][0]
        values = [f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
                  for name, value in case["inputs"].items()]
        yield "aes", f"{ROOT}/examples/aes/aes.elf", values, case["outputs"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blindcore", default=f"{ROOT}/target/release/blindcore", help="the program")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--program", choices=["aes", "matrix", "both"], default="both")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(options, place)
        bench.begin()
        try:
            for case in cases(place, options.program):
                bench.measure(*case)
        finally:
            bench.end()


if __name__ == "__main__":
    main()
