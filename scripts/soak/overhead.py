#!/usr/bin/env python3
"""What the service costs: one job by `blindcore run`, and the same job through a server on loopback.

    cargo build --release
    scripts/soak/overhead.py --seconds 60 --rounds 5
    scripts/soak/overhead.py --seconds 60 --rounds 5 --record bench/record/DATE-service.csv

The job divides and adds secret words of 32 bits in a loop, as often as takes `--seconds`, which one
short run finds out first. Rounds alternate: run, service, service, run. Each submission goes to a
server on an empty directory, so that its time holds everything that a first job pays: the handshake,
the upload of program, inputs and key (29 MB), their checks, the expansion of the key, the queue,
checkpoints, the download. Starting the server is not counted (but for its few milliseconds of
processor time). Every answer is checked. The processors' time is printed beside the clock's: it says
something on a machine that is busy with other work, too.

Standard library only. Exit code 1 if an answer is wrong; the ratio is for people to judge.
"""

import argparse
import csv
import datetime
import json
import os
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIRST, DIVISOR, ADDED = 4_000_000_007, 3, 2_900_000_001
#: Divisions of the run that finds out how many a second are.
TRIAL = 2


def program(length):
    return f"""; {length} divisions and additions, one after the other.
    MOV  R3, {length}
again:
    DIV  R0, R0, R1
    ADD  R0, R0, R2
    SUBS R3, R3, 1
    B_NE again
"""


def answer(length):
    value = FIRST
    for _ in range(length):
        value = (value // DIVISOR + ADDED) % (1 << 32)
    return value


class Bench:
    def __init__(self, options, place):
        self.options, self.place = options, place
        self.must("tls", "init", "tls")
        self.must("keygen", "--out", "alice")

    def must(self, *arguments):
        ended = subprocess.run([self.options.blindcore, *arguments], cwd=self.place, capture_output=True, text=True)
        if ended.returncode:
            sys.exit(f"{' '.join(arguments)}: {ended.stderr.strip()}")
        return ended.stdout

    def prepare(self, length):
        self.length = length
        with open(f"{self.place}/loop.hea", "w") as file:
            file.write(program(length))
        if os.path.exists(f"{self.place}/inputs"):
            os.remove(f"{self.place}/inputs")
        self.must("encrypt", "--key", "alice.secret", "loop.hea",
                  f"R0={FIRST}", f"R1={DIVISOR}", f"R2={ADDED}", "--out", "inputs")

    def timed(self, *arguments):
        begin, spent = time.monotonic(), processor()
        self.must(*arguments, "--quiet", "--threads", str(self.options.threads), "--key", "alice.server",
                  "--output", "R0", "--out", "out", "loop.hea", "inputs")
        took, spent = time.monotonic() - begin, processor() - spent
        found = json.loads(self.must("decrypt", "--key", "alice.secret", "out", "--json"))
        if found != {"R0": answer(self.length)}:
            sys.exit(f"{found} instead of R0 = {answer(self.length)}")
        os.remove(f"{self.place}/out")
        return took, spent

    def run(self):
        return self.timed("run")

    def service(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen(
            [self.options.blindcore, "serve", "--dir", "data", "--tls", "tls/server", "--no-metrics",
             "--listen", f"127.0.0.1:{port}", "--threads", str(self.options.threads)],
            cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            if not server.stdout.readline().startswith("listening"):
                sys.exit("the server does not start")
            took, spent = self.timed("submit", "--server", f"127.0.0.1:{port}", "--tls", "tls/client")
        finally:
            before = processor()
            server.terminate()
            server.wait()
            server.stdout.close()
            shutil.rmtree(f"{self.place}/data", ignore_errors=True)
        return took, spent + processor() - before


def processor():
    """Seconds of processor time of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def machine():
    with open("/proc/cpuinfo") as file:
        lines = dict((part.strip() for part in line.split(":", 1)) for line in file if ":" in line)
    vectors = "avx512f" if "avx512f" in lines.get("flags", "") else "avx2" if "avx2" in lines.get("flags", "") else "no AVX"
    return f"{lines.get('model name', 'unknown')}; {os.cpu_count()} cores; {vectors}"


def commit():
    said = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude", "*"], cwd=ROOT, capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def spread(times):
    return f"{statistics.median(times):8.3f} s ({min(times):.3f} to {max(times):.3f})"


def record(path, options, length, columns):
    row = {
        "date": datetime.date.today().isoformat(), "commit": commit(), "machine": machine(),
        "command": f"scripts/soak/overhead.py --length {length} --rounds {options.rounds} --threads {options.threads}",
        "divisions": length, "threads": options.threads, "rounds": options.rounds,
    }
    for name, values in columns.items():
        row |= {f"{name}_median": statistics.median(values), f"{name}_least": min(values), f"{name}_most": max(values)}
    old = os.path.exists(path)
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, row, lineterminator="\n")
        if not old:
            writer.writeheader()
        writer.writerow({key: round(value, 6) if isinstance(value, float) else value for key, value in row.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blindcore", default=f"{ROOT}/target/release/blindcore", help="the program")
    parser.add_argument("--seconds", type=float, default=60, help="how long the job takes by `run`, about")
    parser.add_argument("--length", type=int, help="divisions, instead of --seconds")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--record", metavar="FILE", help="add a row to this file")
    options = parser.parse_args()
    options.blindcore = os.path.abspath(options.blindcore)
    # So that what stands below under `finally` is done then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(options, place)
        length = options.length
        if length is None:
            bench.prepare(TRIAL)
            bench.run()
            length = max(1, round(TRIAL * options.seconds / bench.run()[0]))
        bench.prepare(length)
        figures = {"run": [], "service": []}
        for number in range(options.rounds):
            for kind in list(figures)[::-1 if number % 2 else 1]:
                took, spent = bench.run() if kind == "run" else bench.service()
                figures[kind].append((took, spent))
                print(f"round {number + 1}: {kind:8} {took:8.3f} s, {spent:8.3f} s of processors", flush=True)
    print(f"{length} divisions and additions of 32 bits on {options.threads} threads, {options.rounds} rounds")
    columns = {}
    for place, what in enumerate(("time", "processor")):
        run, service = ([figure[place] for figure in figures[kind]] for kind in ("run", "service"))
        ratios = [there / here for here, there in zip(run, service)]
        columns |= {f"run_{what}": run, f"service_{what}": service, f"ratio_{what}": ratios}
        print(f"{what}:")
        print(f"  run     {spread(run)}")
        print(f"  service {spread(service)}")
        print(f"  ratio   {statistics.median(ratios):8.4f}   ({min(ratios):.4f} to {max(ratios):.4f}), "
              f"of the medians {statistics.median(service) / statistics.median(run):.4f}")
    if options.record:
        record(options.record, options, length, columns)
    return 0


if __name__ == "__main__":
    sys.exit(main())
