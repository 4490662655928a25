#!/usr/bin/env python3
"""Kills workers of a cluster at random moments, lets them hang and come again, kills the driver.

    cargo build --release
    scripts/soak/cluster.py                        # twenty faults, as they are recorded
    scripts/soak/cluster.py --faults 4 --workers 2 --threads 1

A program runs alone first, then again and again on workers of this machine, each a process of its own that talks
to the others over loopback. Every time something else happens at a random moment: a worker is killed; killed and
started again; told to end; stopped, so that it hangs; slowed down by another process; the driver is killed, and goes
on with --resume. The outputs must be the very ciphertexts of the run alone, and a worker that was lost well before
the end must be named. Faults that came when the run had ended are counted apart.

Standard library only. Exit code 1 if anything is not as it should be.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FAULTS = ["kill", "kill and restart", "end", "hang", "slow", "driver"]

#: Sums of products: wide, in several windows.
PROGRAM = """.bits 16
.data x[16]
.data y[16]
.data sums[8]
main:
    MOV R0, 0
row:
    MOV R4, 0
    MOV R1, 0
next:
    ADD R5, R0, R1
    AND R5, R5, 15
    LOAD R2, x[R5]
    LOAD R3, y[R1]
    MUL R2, R2, R3
    ADD R4, R4, R2
    ADD R1, R1, 1
    CMP R1, 8
    B_LO next
    STORE R4, sums[R0]
    ADD R0, R0, 1
    CMP R0, 8
    B_LO row
    HALT
"""


class Worker:
    def __init__(self, soak, number):
        self.soak, self.number, self.port = soak, number, 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.soak.blindcore, "worker", "--listen", f"127.0.0.1:{self.port}", "--threads", str(self.soak.threads),
             *self.soak.worker_tls],
            cwd=self.soak.place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        self.port = int(line.split()[2].rstrip(",").rsplit(":", 1)[1])

    def end(self):
        self.process.kill()
        self.process.wait()


class Soak:
    def __init__(self, options, place):
        self.options, self.place = options, place
        self.blindcore = os.path.abspath(options.blindcore)
        self.threads = options.threads
        self.random = random.Random(options.seed)
        self.problems, self.late = [], 0
        self.must("keygen", "--out", "alice", "--no-selectors")
        with open(f"{place}/product.hea", "w") as file:
            file.write(PROGRAM)
        values = [f"x={','.join(str(self.random.randrange(65536)) for _ in range(16))}",
                  f"y={','.join(str(self.random.randrange(65536)) for _ in range(16))}"]
        self.must("encrypt", "product.hea", "--key", "alice.secret", "--out", "inputs", *values)
        self.must("tls", "init", "tls", "--client", "alice")
        self.must("tls", "server", "tls", "worker", "--worker")
        self.worker_tls = ["--plain"] if options.plain else ["--tls", "tls/worker"]
        self.driver_tls = ["--plain"] if options.plain else ["--tls", "tls/alice"]

    def must(self, *arguments):
        ended = subprocess.run([self.blindcore, *arguments], cwd=self.place, capture_output=True, text=True)
        if ended.returncode:
            sys.exit(f"{arguments}: {ended.stderr.strip()}")

    def command(self, out, *more):
        return [self.blindcore, "run", "product.hea", "inputs", "--key", "alice.server", "--out", out, "--window",
                str(self.options.window), *more]

    def alone(self):
        """The same circuits: recorded for as many threads as all workers have."""
        begin = time.monotonic()
        self.must("run", "product.hea", "inputs", "--key", "alice.server", "--out", "alone", "--quiet", "--window",
                  str(self.options.window), "--no-selectors", "--threads", str(self.threads * self.options.workers))
        return time.monotonic() - begin

    def shared(self, fault, number):
        workers = [Worker(self, number) for number in range(self.options.workers)]
        try:
            return self.run(fault, workers, f"out-{number}")
        finally:
            for worker in workers:
                worker.end()

    def run(self, fault, workers, out):
        addresses = ",".join(f"127.0.0.1:{worker.port}" for worker in workers)
        command = self.command(out, "--workers", addresses, "--threads", str(self.threads), "--silent", "3",
                               *self.driver_tls)
        begin = time.monotonic()
        driver = subprocess.Popen(command, cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        victim, stopped, burner, said = self.random.choice(workers), None, None, ""
        if fault:
            time.sleep(self.random.uniform(0.5, self.usual))
            self.late += driver.poll() is not None
        at = time.monotonic()
        if fault in ("kill", "kill and restart"):
            victim.end()
            if fault == "kill and restart":
                time.sleep(1)
                victim.start()
        elif fault == "end":
            victim.process.terminate()
        elif fault == "hang":
            victim.process.send_signal(signal.SIGSTOP)
            stopped = victim
        elif fault == "slow":
            burner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        elif fault == "driver" and driver.poll() is None:
            driver.kill()
            driver.communicate()
            driver, said = self.resumed(command, out)
        if driver.returncode is None:
            _, said = driver.communicate(timeout=600)
        took = time.monotonic() - begin
        if stopped:
            stopped.process.send_signal(signal.SIGCONT)
        if burner:
            burner.kill()
            burner.wait()
        if driver.returncode:
            self.problems.append(f"{fault}: exit code {driver.returncode}: {said.strip()}")
        elif not self.same("alone", out):
            self.problems.append(f"{fault}: other ciphertexts than alone")
        if fault in ("kill", "end", "hang") and time.monotonic() - at > 1 and "is lost" not in said:
            self.problems.append(f"{fault}: nobody is said to be lost: {said.strip()}")
        return took, said

    def resumed(self, command, out):
        """The driver once more. Workers need a moment to notice that the one before is gone."""
        resume = ["--resume"] if os.path.exists(f"{self.place}/{out}.checkpoint") else []
        for _ in range(50):
            driver = subprocess.Popen([*command, *resume], cwd=self.place, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True)
            _, said = driver.communicate(timeout=600)
            if "somebody else" not in said:
                break
            time.sleep(0.1)
        return driver, said

    def same(self, one, other):
        with open(f"{self.place}/{one}", "rb") as a, open(f"{self.place}/{other}", "rb") as b:
            return a.read() == b.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blindcore", default=f"{ROOT}/target/release/blindcore", help="the program")
    parser.add_argument("--faults", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1, help="of each worker")
    parser.add_argument("--window", type=int, default=1500)
    parser.add_argument("--plain", action="store_true", help="without TLS")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        soak = Soak(options, place)
        alone = soak.alone()
        soak.usual = 10.0
        usual, _ = soak.shared(None, "usual")
        soak.usual = usual
        print(f"alone {alone:.1f} s on as many threads, on {options.workers} workers {usual:.1f} s", flush=True)
        for number in range(options.faults):
            fault = FAULTS[number % len(FAULTS)]
            took, said = soak.shared(fault, number)
            lost = [line for line in said.splitlines() if "is lost" in line or "is there again" in line]
            print(f"{fault:17} {took:5.1f} s  {'; '.join(lost)}", flush=True)
        print(f"{options.faults} faults, {options.workers} workers of {options.threads}, seed {options.seed}, "
              f"{soak.late} behind the end, {len(soak.problems)} wrong")
        for problem in soak.problems:
            print(problem)
        return 1 if soak.problems else 0


if __name__ == "__main__":
    sys.exit(main())
