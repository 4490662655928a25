#!/usr/bin/env python3
"""A disk that fails, at every write of a server: no job may be lost, failed or answered wrongly.

    cargo build --release
    scripts/soak/faults.py                    # each write of a job's life in turn, full and failing
    scripts/soak/faults.py --rounds 30 --seed 7

A real server on loopback, with a library before the system's that lets chosen writes, renames and
synchronisations of its directory fail (faults.c, compiled here). What a job writes from submission to its
end is counted; then one job is run for each of these writes, which fails: by itself, with the four after it,
or for a second, with ENOSPC or EIO. Every job must end with its answer, the server must say that it is
ready again, and the directory must be sound when all is over.

Standard library only, and a C compiler. Exit code 1 if anything is not as it should be.
"""

import argparse
import errno
import json
import mmap
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# One that branches on nothing, and one that asks its owner.
JOBS = {
    "credit": [],
    "gcd": ["--branches", "ask", "--answer-with", "alice.secret", "--allow", "main:10000", "--max-bits", "20000"],
}
NEVER = (1 << 64) - 1


class Wrong(Exception):
    """Something else than what should be."""


class Faults:
    """What the preloaded library shares with us."""

    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.write(struct.pack("<4Qq", 0, NEVER, 0, errno.ENOSPC, 0))
        with open(path, "r+b") as file:
            self.shared = mmap.mmap(file.fileno(), 40)

    def done(self):
        return struct.unpack_from("<Q", self.shared)[0]

    def set(self, begin, end, error):
        # The end first, so that nothing fails between the two.
        struct.pack_into("<Q", self.shared, 16, 0)
        struct.pack_into("<Q", self.shared, 24, error)
        struct.pack_into("<Q", self.shared, 8, begin)
        struct.pack_into("<Q", self.shared, 16, end)

    def clear(self):
        self.set(NEVER, 0, errno.ENOSPC)

    def jump(self, seconds):
        """The server's clock is so far ahead of the system's."""
        struct.pack_into("<q", self.shared, 32, seconds)


class Server:
    def __init__(self, options, place):
        self.blindcore, self.place = options.blindcore, place
        library = f"{place}/faults.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, f"{HERE}/faults.c", "-ldl"], check=True)
        self.faults = Faults(f"{place}/control")
        self.ports = []
        for _ in range(2):
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self.ports.append(free.getsockname()[1])
        self.must("tls", "init", "tls", "--client", "alice")
        self.must("keygen", "--out", "alice")
        self.answers = {}
        for name in JOBS:
            with open(f"{ROOT}/examples/{name}/cases.json") as file:
                case = json.load(file)["cases"][0]
            self.answers[name] = case["outputs"]
            with open(f"{place}/{name}.json", "w") as file:
                json.dump(case["inputs"], file)
        environment = dict(os.environ, LD_PRELOAD=library, FAULTS_CONTROL=self.faults.path,
                           FAULTS_ROOT=f"{place}/data")
        self.log = open(f"{place}/server.log", "w")
        self.process = subprocess.Popen(
            [self.blindcore, "serve", "--dir", f"{place}/data", "--tls", "tls/server", "--metrics",
             f"127.0.0.1:{self.ports[1]}", "--listen", f"127.0.0.1:{self.ports[0]}", "--spare-disk", "0"],
            cwd=place, stdout=subprocess.DEVNULL, stderr=self.log, env=environment)
        deadline = time.monotonic() + 60
        while not self.is_ready():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise Wrong("the server does not start")
            time.sleep(0.05)

    def run(self, *arguments):
        return subprocess.run([self.blindcore, *arguments], cwd=self.place, capture_output=True, text=True, timeout=300)

    def must(self, *arguments):
        ended = self.run(*arguments)
        if ended.returncode:
            raise Wrong(f"{' '.join(arguments)}: exit code {ended.returncode}: {ended.stderr.strip()}")
        return ended.stdout

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[1]}/readyz", timeout=5) as reply:
                return reply.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def job(self, name):
        """A job with an upload, from its first call to its answer."""
        program, inputs, out = f"{ROOT}/examples/{name}/{name}.elf", f"{self.place}/inputs", f"{self.place}/out"
        for file in (inputs, out):
            if os.path.exists(file):
                os.remove(file)
        self.must("encrypt", "--key", "alice.secret", program, f"@{name}.json", "--out", inputs)
        self.must("submit", "--server", f"127.0.0.1:{self.ports[0]}", "--tls", "tls/alice", "--patience", "60", "--quiet",
                  "--key", "alice.server", "--out", out, *JOBS[name], program, inputs)
        found = json.loads(self.must("decrypt", "--key", "alice.secret", out, "--json"))
        if any(found.get(key) != value for key, value in self.answers[name].items()):
            raise Wrong(f"{found} instead of {self.answers[name]}")

    def settles(self):
        deadline = time.monotonic() + 30
        while not self.is_ready():
            if time.monotonic() > deadline:
                raise Wrong("the server does not say that it is ready again")
            time.sleep(0.05)


def soak(options, server):
    wrong = []
    choose = random.Random(options.seed)
    places = []
    for name in JOBS:
        server.job(name)
        before = server.faults.done()
        server.job(name)
        writes = server.faults.done() - before
        print(f"{name}: {writes} writes", flush=True)
        places += [(name, place, writes) for place in range(writes)]
    if options.rounds is not None:
        places = choose.choices(places, k=options.rounds)
    counts = {"one write": 0, "five writes": 0, "a second": 0}
    for name, place, writes in places:
        how = choose.choice(list(counts))
        error = choose.choice([errno.ENOSPC, errno.EIO])
        begin = server.faults.done() + place
        end = begin + {"one write": 1, "five writes": 5, "a second": NEVER >> 1}[how]
        server.faults.set(begin, end, error)
        child = None
        if how == "a second":
            # From the moment of the first failure.
            child = os.fork()
            if child == 0:
                deadline = time.monotonic() + 60
                while server.faults.done() <= begin and time.monotonic() < deadline:
                    time.sleep(0.01)
                time.sleep(1)
                server.faults.clear()
                os._exit(0)
        try:
            server.job(name)
            server.settles()
            counts[how] += 1
        except (Wrong, subprocess.TimeoutExpired, ValueError) as problem:
            wrong.append(f"{name}, write {place} of {writes}, {how}, {errno.errorcode[error]}: {problem}")
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        server.faults.clear()
        if server.process.poll() is not None:
            wrong.append(f"the server ended with {server.process.returncode}")
            return wrong, counts
    listed = server.must("jobs", "--server", f"127.0.0.1:{server.ports[0]}", "--tls", "tls/alice", "--json", "--limit", "1000")
    states = {job["state"] for job in json.loads(listed)}
    if states != {"done"}:
        wrong.append(f"jobs are {states}")
    server.process.terminate()
    if server.process.wait(60):
        wrong.append(f"the server ended with {server.process.returncode} after SIGTERM")
    looked = server.run("serve", "--dir", f"{server.place}/data", "--check")
    if looked.returncode:
        wrong.append(f"--check: {looked.stdout.strip()} {looked.stderr.strip()}")
    with open(f"{server.place}/server.log") as log:
        wrong += [f"in the log: {line.strip()}" for line in log if "defect" in line or "panicked" in line][:5]
    return wrong, counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blindcore", default=f"{ROOT}/target/release/blindcore", help="the program")
    parser.add_argument("--rounds", type=int, help="so many writes at random instead of each in turn")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.blindcore = os.path.abspath(options.blindcore)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        server = Server(options, place)
        try:
            wrong, counts = soak(options, server)
        finally:
            server.process.kill()
            server.process.wait()
        if wrong:
            with open(f"{place}/server.log") as log:
                sys.stderr.write("".join(log.readlines()[-60:]))
    told = ", ".join(f"{count} times {how}" for how, count in counts.items())
    print(f"jobs beside failing writes: {told}")
    print(f"{sum(counts.values())} jobs in {time.monotonic() - begin:.0f} s, seed {options.seed}, {len(wrong)} wrong")
    for line in wrong[:50]:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
