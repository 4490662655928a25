#!/usr/bin/env python3
"""An hour of everything at once: honest clients beside attackers, kills, full disks, clocks that jump.

    cargo build --release
    scripts/soak/hour.py                                 # the hour, as it is recorded
    scripts/soak/hour.py --seconds 120 --quiet 30 --clients 4 --attackers 3 --kills 3 --fillings 2 --jumps 2

First and last only honest clients are there, and their latency is taken. Between, attackers come: those of
refusals.py, in random order, and clients who may use the server and take what they can get, by hundreds of
millions of clear instructions, by circuits of many minutes, by large inputs. Meanwhile the server is killed and started
again, its disk is filled to the last byte, and its clock is set ahead and back by days. Every honest job must
end once and right; none is submitted again unless its client broke off.

The server's directory is a file system of its own, in memory, so that it can be filled (that takes root;
otherwise faults.c lets writes fail). Its clock is set by faults.c, preloaded. Attackers run at the lowest
priority: what they compute themselves is not the server's doing.

Standard library and a C compiler. Exit code 1 if anything is not as it should be.
"""

import argparse
import collections
import contextlib
import errno
import hashlib
import json
import math
import os
import random
import shutil
import signal
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import faults
import refusals
from faults import HERE, ROOT

#: Most seconds of a job of seconds, the server being away or full now and then.
PATIENCE = 600
#: Bytes of memory of one job, and of what a server has besides: keys, messages, itself.
JOB_MEMORY = 600_000_000
KEY_MEMORY = 180_000_000
OTHER_MEMORY = 400_000_000
#: Runs that may have memory at once: two that compute, and four that rest.
RUNS = 6
#: Bytes of the directory's file system.
DISK = 4 << 30
#: How often slower an honest job may be, and how much more memory may stay.
SLOWER, MORE = 2.0, 1.1
DAY = 86_400
JOBS = {
    "credit": [],
    "gcd": ["--branches", "ask", "--answer-with", "alice.secret", "--allow", "main:10000", "--max-bits", "20000"],
    "premium": ["--branches", "both"],
}
#: Clients who may use the server: a program, its inputs, and how long they want to have of it.
GREEDY = {
    "clear": ".data x\n MOV R0 400000000\nnext: SUBS R0 R0 1\n B_NE next\n LOAD R1 x\n ADD R1 R1 R1\n STORE R1 x\n",
    "chain": ".data x\n MOV R0 3000\nnext: LOAD R1 x\n MUL R1 R1 R1\n ADD R1 R1 7\n STORE R1 x\n SUBS R0 R0 1\n B_NE next\n",
    "large": ".data x[8000]\n MOV R0 8000\nnext: SUBS R0 R0 1\n LOAD R1 x[R0]\n XOR R2 R2 R1\n CMP R0 0\n"
             " B_NE next\n STORE R2 x\n",
}


class Server:
    """A server that is killed and started, on a disk and with a clock that we have in hand."""

    def __init__(self, options, place):
        self.options, self.place = options, place
        library = f"{place}/faults.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, f"{HERE}/faults.c", "-ldl"], check=True)
        self.faults = faults.Faults(f"{place}/control")
        os.mkdir(f"{place}/disk")
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "soak", f"{place}/disk"]
        self.is_mounted = subprocess.run(mount, capture_output=True).returncode == 0
        self.ports = []
        for _ in range(2):
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self.ports.append(free.getsockname()[1])
        self.environment = dict(os.environ, LD_PRELOAD=library, FAULTS_CONTROL=self.faults.path,
                                FAULTS_ROOT=f"{place}/disk")
        #: Times at which somebody cannot be served: from, until.
        self.away = []
        self.process = None

    def start(self):
        log = open(f"{self.place}/server.log", "a")
        self.process = subprocess.Popen(
            [self.options.blindcore, "serve", "--dir", f"{self.place}/disk/data", "--tls", "tls/server", "--metrics",
             f"127.0.0.1:{self.ports[1]}", "--listen", f"127.0.0.1:{self.ports[0]}", "--spare-disk", "20000000",
             "--jobs", "2", "--keys", str(self.options.clients), "--keep", "1", "--memory", str(JOB_MEMORY), "--config", "server.toml"],
            cwd=self.place, stdout=subprocess.DEVNULL, stderr=log, env=self.environment)

    def is_open(self):
        try:
            socket.create_connection(("127.0.0.1", self.ports[0]), 5).close()
            return True
        except OSError:
            return False

    def wait(self):
        deadline = time.monotonic() + 120
        while not self.is_open():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError("the server does not start: --log FILE keeps what it says")
            time.sleep(0.05)

    @contextlib.contextmanager
    def is_away(self):
        self.away.append((time.monotonic(), float("inf")))
        try:
            yield
        finally:
            begin, _ = self.away.pop()
            self.away.append((begin, time.monotonic() + 1))

    def kill(self):
        with self.is_away():
            self.process.kill()
            self.process.wait()
            self.start()
            self.wait()

    def fill(self, seconds):
        with self.is_away():
            self.fill_disk(seconds)

    def fill_disk(self, seconds):
        if self.is_mounted:
            room = os.statvfs(f"{self.place}/disk")
            with open(f"{self.place}/disk/filler", "wb") as filler:
                # What comes meanwhile may take the last of it.
                size = room.f_bavail * room.f_frsize
                while size > 0:
                    try:
                        os.posix_fallocate(filler.fileno(), os.fstat(filler.fileno()).st_size, size)
                        size = 1 << 16
                    except OSError as error:
                        if error.errno != errno.ENOSPC:
                            raise
                        size >>= 1
            if (left := os.statvfs(f"{self.place}/disk").f_bavail * room.f_frsize) > 1 << 20:
                raise RuntimeError(f"the disk was to be full, and has {left} bytes left")
            time.sleep(seconds)
            os.remove(f"{self.place}/disk/filler")
        else:
            self.faults.set(0, faults.NEVER, errno.ENOSPC)
            time.sleep(seconds)
            self.faults.clear()

    def was_away(self, begin, end):
        return any(begin < until and since < end for since, until in list(self.away))

    def resident(self):
        try:
            with open(f"/proc/{self.process.pid}/status") as status:
                lines = dict(line.split(":", 1) for line in status)
            return int(lines["VmRSS"].split()[0]) * 1024
        except (OSError, KeyError):
            return 0

    def end(self):
        self.process.kill()
        self.process.wait()
        if self.is_mounted:
            subprocess.run(["umount", "--lazy", f"{self.place}/disk"])


class Target(refusals.Server):
    """What refusals.py attacks: this server, by clients that an attacker has for itself."""

    def __init__(self, soak, number):
        self.blindcore, self.place, self.port = soak.options.blindcore, soak.place, soak.server.ports[0]
        self.number, self.soak, self.rest = number, soak, 0
        self.random = random.Random(soak.options.seed * 100 + number)
        self.expired, self.job = None, None
        # Its files are beside those of other attackers.
        self.done = number * 1_000_000
        self.answer, self.program = soak.credit, refusals.read(refusals.PROGRAM)
        self.key, self.secret = (refusals.read(f"{self.place}/alice.{half}") for half in ("server", "secret"))
        self.inputs = refusals.read(f"{self.place}/inputs")

    def own(self, client, place="tls"):
        return super().own(f"{client}{self.number}" if place == "tls" and client != "server" else client, place)

    def remote(self, client="alice", tls=None):
        kind, _, name = (tls or f"tls/{client}").rpartition("/")
        tls = f"tls/{name}{self.number}" if kind == "tls" and name != "server" else tls
        return ["--server", f"127.0.0.1:{self.port}", "--tls", tls, "--patience", "120"]

    def stored(self):
        return [], []

    def resident(self):
        """It is watched as a whole: honest jobs take memory, too."""
        return 0

    def learn(self):
        certificate = ssl.PEM_cert_to_DER_cert(refusals.read(self.own("alice")[0]).decode())
        folder = f"{self.place}/disk/data/blobs/{hashlib.sha256(certificate).hexdigest()}"
        lengths = {os.path.getsize(f"{folder}/{name}"): bytes.fromhex(name) for name in os.listdir(folder)}
        self.hashes = [lengths[len(content)] for content in (self.program, self.inputs, self.key)]
        self.job = self.jobs()[0]["job"]


class Soak:
    def __init__(self, options, place):
        self.options, self.place = options, place
        self.server = Server(options, place)
        self.random = random.Random(options.seed)
        self.lock = threading.Lock()
        self.wrong, self.processes = [], set()
        self.submitted = collections.Counter()
        #: (begin, end) of honest jobs whose clients stayed.
        self.latencies = []
        self.attacks, self.surprises = collections.Counter(), collections.Counter()
        self.memory, self.broken_off = 0, 0
        self.phase, self.deadline = "quiet", 0.0

    def blindcore(self, *arguments, timeout=PATIENCE):
        return subprocess.run([self.options.blindcore, *arguments], cwd=self.place, capture_output=True, text=True,
                              timeout=timeout)

    def must(self, *arguments):
        ended = self.blindcore(*arguments)
        if ended.returncode:
            sys.exit(f"{arguments}: {ended.stderr.strip()}")
        return ended.stdout

    def remote(self, client):
        return ["--server", f"127.0.0.1:{self.server.ports[0]}", "--tls", f"tls/{client}", "--patience", str(PATIENCE)]

    def prepare(self):
        attackers = range(self.options.attackers)
        names = [f"c{number}" for number in range(self.options.clients)]
        names += [f"{name}{number}" for name in ("alice", "bob", "mallory", "poor", "greedy") for number in attackers]
        self.must("tls", "init", "tls", *(word for name in names for word in ("--client", name)))
        self.must("tls", "init", "strangers", "--client", "alice")
        with open(f"{self.place}/server.toml", "w") as config:
            for number in attackers:
                config.write(f"[client.mallory{number}]\nrefused = true\n[client.poor{number}]\nbytes = 1000\n")
            config.write(f"[connections]\nrequest_seconds = {refusals.SHORT}\nbody_seconds = {refusals.SHORT}\n")
        for name in ("alice", "bob"):
            self.must("keygen", "--out", name)
        self.cases = []
        for kind in JOBS:
            with open(f"{ROOT}/examples/{kind}/cases.json") as file:
                cases = json.load(file)["cases"][:3]
            for number, case in enumerate(cases):
                name = f"{kind}-{number}"
                self.encrypt(f"{ROOT}/examples/{kind}/{kind}.elf", case["inputs"], f"{name}.in")
                self.cases.append((kind, name, case["outputs"]))
        # What the attacks of refusals.py refer to.
        self.credit = self.cases[0][2]
        os.link(f"{self.place}/credit-0.in", f"{self.place}/inputs")
        self.encrypt(refusals.ASKING, {"a": 4, "b": 6}, "two")
        for name, content in (("short.server", refusals.read(f"{self.place}/alice.server")[:100000]), ("noise", os.urandom(3000))):
            with open(f"{self.place}/{name}", "wb") as file:
                file.write(content)
        for name, text in GREEDY.items():
            with open(f"{self.place}/{name}.hea", "w") as file:
                file.write(text)
            values = list(range(8000)) if name == "large" else 3
            self.encrypt(f"{self.place}/{name}.hea", {"x": values}, f"{name}.in")

    def encrypt(self, program, inputs, out):
        with open(f"{self.place}/inputs.json", "w") as file:
            json.dump(inputs, file)
        self.must("encrypt", "--key", "alice.secret", program, "@inputs.json", "--out", out)

    def problem(self, text):
        with self.lock:
            self.wrong.append(text)
        print(f"{self.elapsed():6.0f} s: {text}", flush=True)

    def elapsed(self):
        return time.monotonic() - self.begun

    def run(self, command, stop=None, nice=False):
        """A command, ended after `stop` seconds: its exit code and what it said, or none."""
        command = (["nice", "-n", "19"] if nice else []) + [self.options.blindcore, *command]
        process = subprocess.Popen(command, cwd=self.place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        with self.lock:
            self.processes.add(process)
        try:
            _, said = process.communicate(timeout=stop or 2 * PATIENCE)
            return process.returncode, said
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None
        finally:
            with self.lock:
                self.processes.discard(process)

    # --- honest clients ---

    def honest(self, number):
        generator = random.Random(f"{self.options.seed} {self.phase} {number}")
        # Spread over the first moments; then a job now and then.
        time.sleep(generator.uniform(0, self.options.pause))
        while time.monotonic() < self.deadline:
            self.job(f"c{number}", generator)
            pause = time.monotonic() + generator.expovariate(1 / self.options.pause)
            while time.monotonic() < min(pause, self.deadline):
                time.sleep(0.2)

    def job(self, client, generator):
        kind, name, expected = generator.choice(self.cases)
        out = f"out-{client}"
        command = ["submit", *self.remote(client), "--key", "alice.server", "--quiet", "--request",
                   f"{generator.getrandbits(128):032x}", *JOBS[kind], "--out", out,
                   f"{ROOT}/examples/{kind}/{kind}.elf", f"{name}.in"]
        if os.path.exists(f"{self.place}/{out}"):
            os.remove(f"{self.place}/{out}")
        self.submitted[client] += 1
        stays = self.phase != "attacked" or generator.random() > 0.15
        if not stays:
            self.broken_off += self.run(command, stop=generator.uniform(0.1, 3)) is None
        begin = time.monotonic()
        ended = self.run(command)
        end = time.monotonic()
        if ended is None or ended[0]:
            return self.problem(f"{client}, {name}: {ended or 'it hangs'}")
        shown = self.blindcore("decrypt", "--key", "alice.secret", out, "--json")
        found = json.loads(shown.stdout) if shown.returncode == 0 else shown.stderr
        if shown.returncode or any(found.get(key) != value for key, value in expected.items()):
            return self.problem(f"{client}, {name}: {found} instead of {expected}")
        if stays:
            with self.lock:
                self.latencies.append((self.phase, kind, begin, end))

    # --- attackers ---

    def attacker(self, number):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        target = Target(self, number)
        # Of eight, three have certificates that are good and use them for what they are worth.
        greedy = {2: "clear", 5: "chain", 7: "large"}.get(number % 8)
        while time.monotonic() < self.deadline:
            try:
                begin, function = time.monotonic(), self.take
                if greedy:
                    self.take(greedy, f"greedy{number}", target.random)
                    continue
                if not target.job:
                    target.good()
                    target.learn()
                function = target.random.choice(refusals.ATTACKS)
                function(target)
                self.attacks[function.__name__] += 1
            except refusals.Wrong as wrong:
                if not self.server.was_away(begin, time.monotonic() + 2):
                    self.surprise(function.__name__, str(wrong))
            except (OSError, ValueError, KeyError, IndexError, subprocess.TimeoutExpired) as error:
                if not self.server.was_away(begin, time.monotonic() + 2):
                    self.surprise(function.__name__, f"{type(error).__name__}: {error}")
                time.sleep(0.5)

    def surprise(self, name, text):
        with self.lock:
            self.surprises[f"{name.replace('_', ' ')}: {text[:160]}"] += 1
        if text.startswith(("status 0 ", "exit code 0 ", "{", "a connection is kept")):
            self.problem(f"{name} was not refused: {text}")

    def take(self, name, client, generator):
        """Starts a job that takes long, and gives it up after a while."""
        own = [*self.remote(client), "--key", "alice.server", "--quiet", "--out", f"out-{client}"]
        ended = self.run(["submit", *own, "--max-instructions", "1000000000", "--window", "40000", f"{name}.hea", f"{name}.in"],
                         stop=generator.uniform(5, 60), nice=True)
        # It is to be given up while it runs: one that ends by itself was no attack.
        if ended is None:
            self.attacks[f"greedy: {name}"] += 1
        else:
            self.surprise(name, f"ended by itself: {ended}")
        listed = self.blindcore("jobs", *self.remote(client), "--json", "--limit", "20")
        if listed.returncode:
            return
        for job in json.loads(listed.stdout):
            if job["state"] not in ("done", "failed", "cancelled"):
                self.blindcore("cancel", *self.remote(client), job["job"])

    # --- events ---

    def events(self):
        """What happens, and when: kills, fillings, jumps of the clock, all in random order."""
        length = self.deadline - time.monotonic()
        kinds = ["kill"] * self.options.kills + ["fill"] * self.options.fillings + ["jump"] * self.options.jumps
        # The last tenth is left alone, so that memory can be judged.
        moments = sorted(self.random.uniform(0.02, 0.9) * length for _ in kinds)
        self.random.shuffle(kinds)
        jumps = [2 * DAY, 90 * DAY, -3600, 300 * DAY, 0]
        begin = time.monotonic()
        for moment, kind in zip(moments, kinds):
            while time.monotonic() < begin + moment:
                time.sleep(0.05)
            if self.server.process.poll() is not None:
                return self.problem(f"the server ended with {self.server.process.returncode}")
            if kind == "kill":
                self.server.kill()
            elif kind == "fill":
                self.server.fill(self.random.uniform(2, 12))
            else:
                jumps.append(jumps.pop(0))
                self.server.faults.jump(jumps[-1])
            print(f"{self.elapsed():6.0f} s: {kind}, {self.server.resident() >> 20} MB", flush=True)

    def watch(self, until):
        """The server's memory all the time, and whether it lives."""
        while until():
            self.memory = max(self.memory, self.server.resident())
            if self.server.process.poll() is not None and not self.server.was_away(time.monotonic() - 5, time.monotonic()):
                time.sleep(2)
                if self.server.process.poll() is not None:
                    return self.problem(f"the server ended with {self.server.process.returncode}")
            time.sleep(0.1)

    def settled(self, seconds):
        """Its memory when nothing has run for a while."""
        time.sleep(seconds)
        return statistics.median(self.server.resident() for _ in range(5) if not time.sleep(0.2))

    def phase_of(self, name, seconds, attackers):
        self.phase, self.deadline = name, time.monotonic() + seconds
        threads = [threading.Thread(target=self.honest, args=(number,)) for number in range(self.options.clients)]
        threads += [threading.Thread(target=self.attacker, args=(number,)) for number in range(attackers)]
        if attackers:
            threads.append(threading.Thread(target=self.events))
        for thread in threads:
            thread.daemon = True
            thread.start()
        self.watch(lambda: any(thread.is_alive() for thread in threads))
        return self.settled(3 if self.options.no_times else 30)

    def soak(self):
        self.begun = time.monotonic()
        self.server.start()
        self.server.wait()
        before = self.phase_of("quiet", self.options.quiet, 0)
        print(f"{self.elapsed():6.0f} s: quiet, {before >> 20} MB", flush=True)
        self.phase_of("attacked", self.options.seconds, self.options.attackers)
        self.phase_of("quiet again", self.options.quiet, 0)
        after = self.settled(5)
        if after > MORE * before and not self.options.no_times:
            # One that lives on may give back later what it holds.
            after = self.settled(90)
        self.judge(before, after)

    def judge(self, before, after):
        for client, submitted in self.submitted.items():
            jobs = json.loads(self.must("jobs", *self.remote(client), "--json", "--limit", "1000"))
            states = collections.Counter(job["state"] for job in jobs)
            if states != {"done": submitted}:
                self.problem(f"{client} submitted {submitted} jobs, the server has {dict(states)}")
        for phase in ("quiet", "quiet again", "attacked"):
            if not self.times(phase, lambda *_: True):
                self.problem(f"no job of the phase {phase!r} came to its end: there is nothing to judge")
        if self.options.attackers and not self.attacks:
            self.problem("nobody attacked")
        bound = RUNS * JOB_MEMORY + self.options.clients * KEY_MEMORY + OTHER_MEMORY
        if self.memory > bound:
            self.problem(f"the server took {self.memory >> 20} MB, and may take {bound >> 20}")
        if after > MORE * before and not self.options.no_times:
            self.problem(f"{before >> 20} MB before the attack, {after >> 20} MB after it")
        self.latency("quiet", lambda *_: True)
        self.latency("quiet again", lambda *_: True)
        self.latency("attacked", lambda begin, end: not self.server.was_away(begin, end))
        self.compare()
        self.server.process.terminate()
        code = self.server.process.wait(120)
        if code:
            self.problem(f"the server ended with {code} after SIGTERM")
        looked = self.blindcore("serve", "--dir", f"{self.place}/disk/data", "--check")
        if looked.returncode:
            self.problem(f"--check: {looked.stdout.strip()} {looked.stderr.strip()}")
        with open(f"{self.place}/server.log") as log:
            for line in log:
                if "defect" in line or "panicked" in line:
                    self.problem(f"in the log: {line.strip()}")
        print(f"memory: {before >> 20} MB before, {self.memory >> 20} MB at most of {bound >> 20} MB, {after >> 20} MB after")

    def compare(self):
        """How many times the quiet latency of its kind a job takes, kills and full disks included.

        Kinds differ fivefold and are drawn at random, so each is compared with its own. The quiet phases count
        together; beside it stands what comes of the better of the two and of all kinds at once.
        """
        quiet = {kind: statistics.median([end - begin for phase, of, begin, end in self.latencies
                                          if of == kind and phase != "attacked"] or [math.inf]) for kind in JOBS}
        slower = {kind: [(end - begin) / quiet[kind] for phase, of, begin, end in self.latencies
                         if of == kind and phase == "attacked"] for kind in JOBS}
        if not all(slower.values()) or math.inf in quiet.values():
            return
        for kind, times in slower.items():
            print(f"{kind}: {quiet[kind]:.2f} s when quiet, {statistics.median(times):.2f} times that when attacked")
        median = statistics.median(ratio for ratios in slower.values() for ratio in ratios)
        better, all_of_them = (min(self.median(phase, lambda *_: True) for phase in phases)
                               for phases in (("quiet", "quiet again"), ("attacked",)))
        print(f"median of all, kills and full disks included: {median:.2f} times the quiet one of its kind, "
              f"{all_of_them / better:.2f} times the median of the better quiet phase")
        if median > SLOWER and not self.options.no_times:
            self.problem(f"honest jobs take {median:.2f} times the quiet latency")

    def times(self, phase, which):
        return sorted(end - begin for of, _, begin, end in self.latencies if of == phase and which(begin, end))

    def median(self, phase, which):
        return statistics.median(self.times(phase, which) or [math.inf])

    def latency(self, phase, which):
        times = self.times(phase, which)
        tenths = statistics.quantiles(times, n=10) if len(times) > 1 else times * 9
        if not times:
            return
        print(f"{phase}: {len(times)} jobs that met neither kill nor full disk, median {tenths[4]:.2f} s, "
              f"nine tenths below {tenths[8]:.2f} s, longest {times[-1]:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blindcore", default=f"{ROOT}/target/release/blindcore", help="the program")
    parser.add_argument("--seconds", type=float, default=3600, help="how long attackers are there")
    parser.add_argument("--quiet", type=float, default=300, help="how long they are not, before that")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--attackers", type=int, default=8)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--fillings", type=int, default=10)
    parser.add_argument("--jumps", type=int, default=5)
    parser.add_argument("--pause", type=float, default=60, help="seconds between jobs of one client, in the mean")
    parser.add_argument("--no-times", action="store_true", help="judge neither latency nor the memory that stays")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", help="keep the server's log here")
    options = parser.parse_args()
    options.blindcore = os.path.abspath(options.blindcore)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    with tempfile.TemporaryDirectory() as place:
        soak = Soak(options, place)
        # A thread that ends for a reason that nobody thought of must not end unnoticed.
        threading.excepthook = lambda end: soak.problem(f"{end.thread.name}: {end.exc_type.__name__}: {end.exc_value}")
        try:
            soak.prepare()
            soak.soak()
        finally:
            with soak.lock:
                for process in soak.processes:
                    process.kill()
            if soak.server.process:
                soak.server.end()
            if options.log and os.path.exists(f"{place}/server.log"):
                shutil.copy(f"{place}/server.log", options.log)
    print(f"{sum(soak.attacks.values())} attacks: " + ", ".join(f"{count} × {name.replace('_', ' ')}" for name, count in soak.attacks.most_common()))
    for text, count in soak.surprises.most_common(20):
        print(f"{count:4} × answered otherwise: {text}")
    events = f"{options.kills} kills, {options.fillings} full disks, {options.jumps} jumps of the clock"
    print(f"{sum(soak.submitted.values())} jobs of {options.clients} clients beside {options.attackers} attackers, {events}, "
          f"{soak.broken_off} broken off, {options.seconds:.0f} s, seed {options.seed}, {len(soak.wrong)} wrong")
    return 1 if soak.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
