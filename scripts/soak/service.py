#!/usr/bin/env python3
"""Jobs on a server that is killed, by clients that break off: every one must end once and right.

    cargo build --release
    scripts/soak/service.py --jobs 200 --clients 8 --kills 20 --seed 1

Real processes, real keys, TLS on loopback. Clients submit examples whose answers are known: one
that branches on nothing, one that asks its owner (gcd), one of which both paths are executed
(premium). Some clients are killed and submit again under the same request id, as
`blindcore submit --request` is for. The server is killed with SIGKILL at random moments of the first
half, and started again on its directory. At the end every client asks for its jobs: as many as it
submitted, all done. Memory of the server that lives through the second half is sampled, and judged
where that server ran enough jobs: the first ones fill its caches of keys.

Standard library only. Exit code 1 if anything is not as it should be.
"""

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

#: Seconds after which a job counts as hanging.
PATIENCE = 900
#: Jobs of one server from which its memory is judged.
LONG_LIFE = 60
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KINDS = {
    "credit": [],
    "gcd": ["--branches", "ask", "--answer-with", "alice.secret", "--allow", "main:10000", "--max-bits", "20000"],
    "premium": ["--branches", "both"],
}


class Soak:
    def __init__(self, options, place):
        self.options, self.place = options, place
        self.random = random.Random(options.seed)
        self.lock = threading.Lock()
        self.done = self.broken_off = self.killed = self.done_before = 0
        self.wrong, self.memory = [], []
        self.processes = set()
        self.submitted = [0] * options.clients
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def blindcore(self, *arguments):
        return subprocess.run([self.options.blindcore, *arguments], cwd=self.place, capture_output=True, text=True)

    def must(self, *arguments):
        ended = self.blindcore(*arguments)
        if ended.returncode:
            sys.exit(f"{arguments}: {ended.stderr.strip()}")
        return ended.stdout

    def program(self, kind):
        return f"{ROOT}/examples/{kind}/{kind}.elf"

    def prepare(self):
        clients = [word for n in range(self.options.clients) for word in ("--client", f"c{n}")]
        self.must("tls", "init", "tls", *clients)
        self.must("keygen", "--out", "alice")
        self.cases = []
        for kind in KINDS:
            with open(f"{ROOT}/examples/{kind}/cases.json") as file:
                cases = json.load(file)["cases"][:3]
            for number, case in enumerate(cases):
                name = f"{kind}-{number}"
                with open(f"{self.place}/{name}.json", "w") as file:
                    json.dump(case["inputs"], file)
                self.must("encrypt", "--key", "alice.secret", self.program(kind), f"@{name}.json", "--out", f"{name}.in")
                self.cases.append((kind, name, case["outputs"]))

    def start(self):
        log = open(f"{self.place}/server.log", "a")
        self.server = subprocess.Popen(
            [self.options.blindcore, "serve", "--dir", "data", "--tls", "tls/server", "--no-metrics",
             "--listen", f"127.0.0.1:{self.port}", "--jobs", "2"],
            cwd=self.place, stdout=subprocess.DEVNULL, stderr=log)

    def resident(self):
        with open(f"/proc/{self.server.pid}/status") as status:
            lines = dict(line.split(":", 1) for line in status)
        return int(lines["VmRSS"].split()[0]) // 1024

    def remote(self, client):
        return ["--server", f"127.0.0.1:{self.port}", "--tls", f"tls/c{client}"]

    def job(self, client, number, generator):
        kind, name, expected = generator.choice(self.cases)
        out = f"out-{client}-{number}"
        command = [self.options.blindcore, "submit", *self.remote(client), "--key", "alice.server", "--quiet",
                   "--request", f"{generator.getrandbits(128):032x}", *KINDS[kind], "--out", out,
                   self.program(kind), f"{name}.in"]
        problem = said = None
        while True:
            process = subprocess.Popen(command, cwd=self.place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            with self.lock:
                self.processes.add(process)
            broken = generator.random() < 0.4
            try:
                _, said = process.communicate(timeout=generator.uniform(0.2, 4) if broken else PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            with self.lock:
                self.processes.discard(process)
                self.broken_off += said is None and broken
            if said is None and not broken:
                problem = f"it has not ended after {PATIENCE} s"
            if said is not None or problem:
                break
        if problem:
            pass
        elif process.returncode:
            problem = f"exit code {process.returncode}: {said.strip()}"
        else:
            ended = self.blindcore("decrypt", "--key", "alice.secret", out, "--json")
            found = json.loads(ended.stdout) if ended.returncode == 0 else ended.stderr
            if ended.returncode or any(found.get(key) != value for key, value in expected.items()):
                problem = f"{found} instead of {expected}"
        with self.lock:
            self.done += 1
            if problem:
                self.wrong.append(f"client {client}, job {number}, {name}: {problem}")

    def client(self, client):
        generator = random.Random(self.options.seed * 1000 + client)
        for number in range(client, self.options.jobs, self.options.clients):
            self.submitted[client] += 1
            self.job(client, number, generator)

    def run(self):
        self.start()
        threads = [threading.Thread(target=self.client, args=(n,), daemon=True) for n in range(self.options.clients)]
        for thread in threads:
            thread.start()
        begin = time.monotonic()
        next_kill = begin + self.random.uniform(0.5, 3)
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.1)
            now = time.monotonic()
            if self.killed < self.options.kills and now >= next_kill:
                self.server.send_signal(signal.SIGKILL)
                self.server.wait()
                self.killed += 1
                self.done_before = self.done
                self.start()
                # So that the kills are spread over the first half of the jobs.
                pace = (now - begin) / max(1, self.done)
                mean = pace * self.options.jobs / 2 / self.options.kills if self.done else 2
                next_kill = now + self.random.uniform(0.2, 2) * min(mean, 60)
            if self.server.poll() is not None:
                sys.exit(f"the server ended by itself: see {self.place}/server.log")
            if self.killed == self.options.kills:
                self.memory.append(self.resident())
        if self.done != self.options.jobs:
            self.wrong.append(f"{self.done} of {self.options.jobs} jobs came to an end")
        for client, submitted in enumerate(self.submitted):
            jobs = json.loads(self.must("jobs", *self.remote(client), "--json", "--limit", "1000"))
            states = sorted(str(job["state"]) for job in jobs)
            if states != ["done"] * submitted:
                self.wrong.append(f"client {client} submitted {submitted} jobs, the server has {states}")
        self.server.terminate()
        code = self.server.wait()
        if code:
            self.wrong.append(f"the server ended with {code} after SIGTERM")
        print(f"{self.done} jobs of {self.options.clients} clients in {time.monotonic() - begin:.0f} s, seed {self.options.seed}: "
              f"{self.broken_off} clients broke off, {self.killed} kills of the server, {len(self.wrong)} wrong")
        third = max(1, len(self.memory) // 3)
        early, late = max(self.memory[:2 * third], default=0), max(self.memory[2 * third:], default=0)
        print(f"memory after the last kill: {early} MB at most in the first two thirds, {late} MB in the last")
        if late > 1.25 * early + 32 and self.done - self.done_before >= LONG_LIFE:
            self.wrong.append("the server's memory grows")
        for line in self.wrong:
            print(line)
        return 1 if self.wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blindcore", default=f"{ROOT}/target/release/blindcore", help="the program")
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.blindcore = os.path.abspath(options.blindcore)
    # So that what stands below under `finally` is done then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    with tempfile.TemporaryDirectory() as place:
        soak = Soak(options, place)
        soak.prepare()
        try:
            return soak.run()
        finally:
            soak.server.kill()
            with soak.lock:
                for process in soak.processes:
                    process.kill()


if __name__ == "__main__":
    sys.exit(main())
