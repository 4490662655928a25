#!/usr/bin/env python3
"""What is wrong, sent to a server: every time it must be refused with its reason, and leave nothing.

    cargo build --release
    scripts/soak/refusals.py --rounds 200 --seed 1

A real server with real keys on loopback. Each round sends every attack below once, in random order,
from two clients: broken messages and uploads, oversized ones, ones cut in the middle, keys and inputs
of other parameters, tasks that cannot be, other clients' blobs and jobs, wrong certificates, garbage.
After each round nothing of it may be stored or on its way; every few rounds a good job must give its
right answer. The server's memory is sampled and may not grow.

Standard library only; `openssl` makes the certificate that has expired. Exit code 1 if anything is
not as it should be.
"""

import argparse
import collections
import json
import os
import random
import re
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

import calls
from calls import Call, framed, message

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = f"{ROOT}/examples/credit/credit.elf"
ASKING = f"{ROOT}/examples/gcd/gcd.elf"
FIXTURES = f"{ROOT}/crates/wire/tests/fixtures"
# gRPC's own numbers.
INVALID, NOT_FOUND, EXISTS, LATE, EXHAUSTED, PRECONDITION, RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE = 3, 5, 6, 4, 8, 9, 11, 12, 13, 14
ELF, INPUTS, KEY, OUTPUTS = 1, 2, 3, 4
CHUNK = 1 << 20
#: Seconds of deadlines that are a minute or so by default.
SHORT = 5
#: Megabytes by which an attack may make the server grow, and what of them may stay.
GROWTH, REST = 64, 8
HEADER = 100
ATTACKS = []


class Wrong(Exception):
    """The server did something else than refuse."""


def attack(function):
    ATTACKS.append(function)
    return function


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Server:
    """A server, its directory, two clients of it, and a job that alice has done there."""

    def __init__(self, options, place):
        self.blindcore, self.place = options.blindcore, place
        self.random = random.Random(options.seed)
        self.done = 0
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.prepare()
        with open(f"{place}/server.toml", "w") as config:
            config.write("[client.mallory]\nrefused = true\n[client.poor]\nbytes = 1000\n"
                         f"[connections]\nrequest_seconds = {SHORT}\nbody_seconds = {SHORT}\n")
        log = open(f"{place}/server.log", "w")
        self.process = subprocess.Popen(
            [self.blindcore, "serve", "--dir", "data", "--tls", "tls/server", "--no-metrics", "--config",
             "server.toml", "--listen", f"127.0.0.1:{self.port}"],
            cwd=place, stdout=subprocess.DEVNULL, stderr=log)

    # --- commands ---

    def command(self, *arguments):
        return subprocess.run([self.blindcore, *arguments], cwd=self.place, capture_output=True, text=True,
                              timeout=600)

    def must(self, *arguments):
        ended = self.command(*arguments)
        if ended.returncode:
            raise Wrong(f"{' '.join(arguments)}: {ended.stderr.strip()}")
        return ended.stdout

    def prepare(self):
        self.must("tls", "init", "tls", *"--client alice --client bob --client mallory --client poor --client old".split())
        self.must("tls", "init", "strangers", "--client", "alice")
        for name in ("alice", "bob"):
            self.must("keygen", "--out", name)
        with open(f"{ROOT}/examples/credit/cases.json") as file:
            case = json.load(file)["cases"][0]
        self.answer = case["outputs"]
        with open(f"{self.place}/inputs.json", "w") as file:
            json.dump(case["inputs"], file)
        self.must("encrypt", "--key", "alice.secret", PROGRAM, "@inputs.json", "--out", "inputs")
        self.must("encrypt", "--key", "alice.secret", ASKING, "a=4", "b=6", "--out", "two")
        self.program, self.key, self.inputs = read(PROGRAM), read(f"{self.place}/alice.server"), read(f"{self.place}/inputs")
        self.secret = read(f"{self.place}/alice.secret")
        for name, content in (("short.server", self.key[:100000]), ("noise", os.urandom(3000))):
            with open(f"{self.place}/{name}", "wb") as file:
                file.write(content)
        # One that was good until yesterday.
        self.expired = None
        request = ["openssl", "req", "-new", "-key", "tls/old/key.pem", "-subj", "/CN=old", "-out", "old.csr"]
        sign = ["openssl", "x509", "-req", "-in", "old.csr", "-CA", "tls/ca.pem", "-CAkey", "tls/ca.key",
                "-days", "-1", "-extfile", "old.ext", "-out", "tls/old/cert.pem"]
        with open(f"{self.place}/old.ext", "w") as file:
            file.write("extendedKeyUsage=clientAuth\n")
        try:
            for line in (request, sign):
                subprocess.run(line, cwd=self.place, check=True, capture_output=True)
            self.expired = self.own("old")
        except (OSError, subprocess.CalledProcessError):
            print("no expired certificate: that takes openssl")

    def remote(self, client="alice", tls=None):
        return ["--server", f"127.0.0.1:{self.port}", "--tls", tls or f"tls/{client}", "--patience", "20"]

    def submit(self, *arguments):
        return self.command("submit", *self.remote(), "--quiet", "--out", f"out-{self.random.getrandbits(64):x}", *arguments)

    def fails(self, code, part, *arguments):
        ended = self.submit(*arguments)
        if ended.returncode != code or part not in ended.stderr:
            raise Wrong(f"exit code {ended.returncode} and {ended.stderr.strip()!r} instead of {code} and {part!r}")

    def good(self):
        """A job that must go through whatever happened before."""
        out = f"good-{self.done}"
        self.must("submit", *self.remote(), "--quiet", "--key", "alice.server", "--out", out, PROGRAM, "inputs")
        found = json.loads(self.must("decrypt", "--key", "alice.secret", out, "--json"))
        if any(found.get(name) != value for name, value in self.answer.items()):
            raise Wrong(f"{found} instead of {self.answer}")
        self.done += 1
        os.remove(f"{self.place}/{out}")

    def jobs(self):
        return json.loads(self.must("jobs", *self.remote(), "--json", "--limit", "1000"))

    def learn(self):
        """What the attacks refer to: hashes of alice's blobs, the id of a job of hers."""
        self.job = self.jobs()[0]["job"]
        self.blobs = {}
        for folder, _, names in os.walk(f"{self.place}/data/blobs"):
            for name in names:
                length = os.path.getsize(f"{folder}/{name}")
                self.blobs[length] = bytes.fromhex(name)
        self.hashes = [self.blobs[len(content)] for content in (self.program, self.inputs, self.key)]

    # --- calls ---

    def own(self, client, place="tls"):
        return [f"{self.place}/{place}/{client}/{file}.pem" for file in ("cert", "key")]

    def connect(self, client="alice", own=None, protocol="h2"):
        return calls.connect(self.port, f"{self.place}/tls/ca.pem", own or (client and self.own(client)), protocol)

    def call(self, method, client="alice", headers=()):
        return Call(self.connect(client), method, headers)

    def ask(self, method, content, client="alice"):
        return self.call(method, client).send(framed(content), last=True).finish()

    def upload(self, chunks, client="alice"):
        return self.call("Upload", client).send(b"".join(map(framed, chunks)), last=True).finish()

    def hashed(self, kind, content):
        """An upload under its right hash: which the server says when it gets a wrong one."""
        reply = self.upload([start(kind, len(content)), data(content)])
        said = re.search("the content's hash is ([0-9a-f]{64})", reply.text)
        if not said:
            return reply
        return self.upload([start(kind, len(content), bytes.fromhex(said[1])), data(content)])

    def spec(self, task=b"", **changed):
        fields = {"request": self.random.randbytes(16), "name": "job", "program": self.hashes[0],
                  "inputs": self.hashes[1], "key": self.hashes[2]}
        fields.update(changed)
        return message(*enumerate(fields.values(), 1), (6, task))

    def stored(self):
        """Files on their way, and blobs."""
        temporary = os.listdir(f"{self.place}/data/temporary")
        blobs = sorted(name for _, _, names in os.walk(f"{self.place}/data/blobs") for name in names)
        return temporary, blobs

    def resident(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            lines = dict(line.split(":", 1) for line in status)
        return int(lines["VmRSS"].split()[0]) // 1024


REFUSED = collections.Counter()


def refused(reply, code, part):
    REFUSED[code] += 1
    if reply.code != code or part not in reply.text:
        raise Wrong(f"status {reply.code} {reply.text!r} ({reply}) instead of {code} and {part!r}")


def start(kind, length, blake3=bytes(32)):
    return message((1, message((1, kind), (2, blake3), (3, length))))


def data(content):
    return message((2, content))


def changed(content, at, value):
    return content[:at] + value + content[at + len(value):]


# --- uploads ---

@attack
def uploads_without_shape(server):
    program = server.program
    first = start(ELF, len(program))
    for chunks, part in (
            ([data(program)], "begins with a header"),
            ([], "begins with a header"),
            ([b""], "an empty message"),
            ([first, first], "a second header"),
            ([first, b"", data(program)], "an empty message"),
            ([first, data(b"")], "a chunk of 0 bytes"),
            ([first, data(program), data(b"x")], "more than the"),
            ([first, data(program[:1000])], "ended after 1000 of"),
            ([first], "ended after 0 of"),
            ([first, data(program)], "the content's hash is"),
            ([start(ELF, 0)], "length is 0"),
            ([start(ELF, 1 << 40)], "length is 1099511627776"),
            ([start(KEY, (1 << 64) - 1)], "length is 18446744073709551615"),
            ([start(OUTPUTS, 100)], "nothing else"),
            ([start(0, 100)], "nothing else"),
            ([start(99, 100)], "nothing else"),
            ([start(ELF, 100, bytes(7))], "32 bytes, not 7"),
            ([start(ELF, 100, b"")], "32 bytes, not 0")):
        refused(server.upload(chunks), INVALID, part)


@attack
def uploads_under_another_kind(server):
    reply = server.upload([start(ELF, len(server.key), server.hashes[2])])
    refused(reply, EXISTS, "another kind")


@attack
def chunks_too_large(server):
    reply = server.upload([start(KEY, len(server.key)), data(bytes(CHUNK + 1))])
    refused(reply, INVALID, f"a chunk of {CHUNK + 1} bytes")


@attack
def messages_too_large(server):
    # The length alone is enough: nothing of the kind is received.
    for method in ("Upload", "Submit", "Missing"):
        reply = server.call(method).send(framed(b"\x0a", length=0x7FFFFFFF)).finish()
        refused(reply, RANGE, "too large")


@attack
def files_that_are_not_what_they_say(server):
    key, inputs = server.key, server.inputs
    for kind, content, part in (
            (KEY, changed(key, 0, b"\0"), "not a Blindcore file"),
            (KEY, changed(key, 8, b"\xff"), "format"),
            (KEY, changed(key, 12, b"unknown parameters"), "made with parameters that this Blindcore does not know"),
            (KEY, changed(key, 60, struct.pack("<Q", 1 << 60)), "declares"),
            (KEY, key[:200000], "the file's own header says"),
            (KEY, key[:60], "truncated"),
            (KEY, inputs, "an inputs file"),
            (KEY, server.secret, "a secret key"),
            (INPUTS, changed(inputs, 20, b"foreign"), "made with parameters that this Blindcore does not know"),
            (INPUTS, changed(inputs, len(inputs) - 9, bytes([inputs[-9] ^ 1])), "corrupted"),
            (INPUTS, key, "a server key"),
            (INPUTS, os.urandom(500), "not a Blindcore file"),
            (INPUTS, b"x", "not a Blindcore file"),
            (ELF, os.urandom(500), "the program: "),
            (ELF, server.program[:700], "the program: "),
            (ELF, changed(server.program, 18, b"\x3e\0"), "the program: "),
            (ELF, b"MOV R0 R99 1\n", "the program: "),
            (ELF, inputs + b"x", "the program: ")):
        refused(server.hashed(kind, content[:400000]) if content[:HEADER] != key[:HEADER] else
                server.upload([start(kind, len(content)), data(content[:400000])]), INVALID, part)


@attack
def uploads_that_break_off(server):
    key = server.key
    begun = framed(start(KEY, len(key))) + framed(data(key[:CHUNK])) + framed(data(key[CHUNK:2 * CHUNK]))
    for _ in range(4):
        cut = server.random.randrange(len(begun))
        call = server.call("Upload").send(begun[:cut])
        match server.random.randrange(3):
            case 0:
                call.abort()
            case 1:
                call.frame(calls.RST_STREAM, 0, 1, struct.pack(">I", 8))
                call.stream.close()
            case _:
                call.stream.close()


@attack
def uploads_beyond_the_quota(server):
    reply = server.upload([start(ELF, len(server.program))], "poor")
    refused(reply, EXHAUSTED, "quota of 1000")


# --- messages ---

@attack
def messages_that_are_none(server):
    for method in ("Submit", "Upload", "Missing", "Status", "Fetch", "Forget", "Attend", "Cancel", "Watch"):
        for content in (b"\xff" * 40, b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x05ab", message((1, b"\xff\xfe"), (1, 7))):
            reply = server.ask(method, content)
            if reply.code not in (INTERNAL, INVALID, NOT_FOUND):
                raise Wrong(f"{method} of {content}: {reply}")
    refused(server.ask("Submit", server.spec(name=b"\xff\xfe")), INTERNAL, "UTF-8")
    # A compressed message of no known kind; one that ends in the middle.
    refused(server.call("Submit").send(framed(b"abc", flag=1), last=True).finish(), INTERNAL, "compressed")
    reply = server.call("Submit").send(framed(b"abc", length=50), last=True).finish()
    if reply.code not in (INTERNAL, INVALID):
        raise Wrong(f"half a message: {reply}")


@attack
def methods_that_are_none(server):
    refused(server.ask("Decrypt", b""), UNIMPLEMENTED, "")
    refused(server.call("About", headers={":path": "/../../etc/passwd"}).send(framed(b""), last=True).finish(),
            UNIMPLEMENTED, "")


# --- submissions ---

@attack
def submissions_without_shape(server):
    variable = message((1, "age"), (2, 0x20000), (3, "u32"))
    # A task as it should be: the five numbers of two bytes, each in its place.
    places = [(2, message((1, message((1, f"number {n}"), (2, 0x20000 + 2 * n), (3, "u16"))), (2, message((2, n))))) for n in range(5)]
    task, endless = message(*places), message(*places, (4, message((1, 2_000_000_000))))
    twice = message(*places, places[0])
    wide = message((2, message((1, variable), (2, message((2, 0))))), *places[1:])
    for spec, code, part in (
            (b"", INVALID, "request_id has 0 bytes"),
            (server.spec(request=bytes(17)), INVALID, "request_id has 17 bytes"),
            (server.spec(name="\x1b[2J"), INVALID, "control characters"),
            (server.spec(name="x" * 257), INVALID, "256 bytes"),
            (server.spec(key=bytes(31)), INVALID, "32 bytes, not 31"),
            (server.spec(task, program=bytes(32)), PRECONDITION, "upload it first"),
            (server.spec(task, program=server.hashes[2]), PRECONDITION, "another kind"),
            (server.spec(endless), EXHAUSTED, "may execute 2000000000"),
            (server.spec(inputs=bytes(32)), PRECONDITION, "upload it first"),
            (server.spec(key=bytes(32)), PRECONDITION, "upload it first"),
            (server.spec(key=server.hashes[1]), INVALID, "an inputs file"),
            (server.spec(inputs=server.hashes[2]), INVALID, "a server key"),
            (server.spec(), INVALID, "is not used by the task"),
            (server.spec(message(*places[:4])), INVALID, "is not used by the task"),
            (server.spec(twice), INVALID, "task: "),
            (server.spec(wide), INVALID, "bits are wanted"),
            (server.spec(message((2, message((1, variable))))), INVALID, "content is missing"),
            (server.spec(message((2, message((1, variable), (2, message((2, 4_000_000_000))))))), INVALID, "task: "),
            (server.spec(message((2, b""))), INVALID, "variable is missing"),
            (server.spec(message((3, message((1, "r"), (3, "u33"))))), INVALID, "r: "),
            (server.spec(message((3, message((1, "r"), (3, "u32[99999][99999][99999]"))))), INVALID, "r: "),
            (server.spec(message((3, message((1, ""), (3, "u32"))))), INVALID, "name"),
            (server.spec(message((4, message((3, 1))))), INVALID, "limits.window is 1"),
            (server.spec(message((5, message((1, 1), (2, 1 << 50))))), INVALID, "merge_limit"),
            (server.spec(message(*[(6, b"")] * 65537)), INVALID, "65537 objects"),
            (server.spec(message((1, message((3, "\n"))))), INVALID, "the entry")):
        refused(server.ask("Submit", spec), code, part)


@attack
def keys_and_inputs_of_other_parameters(server):
    foreign = read(f"{FIXTURES}/v1.inputs")
    reply = server.hashed(INPUTS, foreign)
    if reply.code != 0:
        raise Wrong(f"inputs of another set: {reply}")
    header = next(reply.messages())
    blake3 = header[header.index(b"\x12\x20") + 2:][:32]
    refused(server.ask("Submit", server.spec(inputs=blake3)), INVALID, "parameter set TOY_BLOCK")
    if server.ask("Forget", message((2, blake3))).code != 0:
        raise Wrong("a blob that no job needs is not forgotten")
    refused(server.ask("Forget", message((2, blake3))), NOT_FOUND, "no blob")


@attack
def commands_with_wrong_files(server):
    good = ["--key", "alice.server", PROGRAM, "inputs"]
    for code, part, arguments in (
            (4, "truncated", ["--key", "short.server", *good[2:]]),
            (5, "use the key pair", ["--key", "bob.server", *good[2:]]),
            (4, "", ["--key", "alice.secret", *good[2:]]),
            (6, "noise", [*good[:2], "noise", "inputs"]),
            (4, "noise", [*good[:3], "noise"]),
            (3, "nowhere", ["--entry", "nowhere", *good]),
            (8, "", ["--max-instructions", "5", *good]),
            (9, "", [*good[:2], ASKING, "two"])):
        server.fails(code, part, *arguments)


# --- other people's things ---

@attack
def blobs_of_somebody_else(server):
    refused(server.ask("Submit", server.spec(), "bob"), PRECONDITION, "upload it first")
    missing = server.ask("Missing", message(*((1, blake3) for blake3 in server.hashes)), "bob")
    if list(missing.messages()) != [message(*((1, blake3) for blake3 in server.hashes))]:
        raise Wrong(f"bob learns what alice has: {missing}")
    refused(server.ask("Forget", message((2, server.hashes[0])), "bob"), NOT_FOUND, "no blob")
    refused(server.ask("Missing", message(*[(1, bytes(32))] * 1025)), INVALID, "1025 hashes")
    refused(server.ask("Missing", message((1, bytes(31)))), INVALID, "32 bytes, not 31")


@attack
def jobs_of_somebody_else(server):
    names = [server.job, "0" * 32, "", "../../jobs.redb", "\x1b[2J", "x" * 5000]
    for client in ("bob", "alice"):
        for name in names[1 if client == "alice" else 0:]:
            for method in ("Status", "Watch", "Cancel", "Fetch", "Forget"):
                refused(server.ask(method, message((1, name)), client), NOT_FOUND, "no job")
            refused(server.ask("Attend", message((1, message((1, name)))), client), NOT_FOUND, "no job")


@attack
def answers_that_nobody_asked_for(server):
    first = framed(message((1, message((1, server.job)))))
    answer = message((2, message((1, server.job), (2, 5), (3, bytes(32)), (4, 1))))
    for content, code, part in ((framed(answer), INVALID, "begins with"), (first + framed(b""), INVALID, "goes on with answers"),
                                (first + framed(answer), None, "")):
        reply = server.call("Attend").send(content).finish()
        if code is None and reply.code in (NOT_FOUND, PRECONDITION, INVALID):
            continue
        refused(reply, code, part)


# --- connections ---

def shut(server, own, *parts):
    """A handshake that must fail: with TLS 1.3 the client learns it when it reads."""
    try:
        with server.connect(None, own) as stream:
            said = f"{len(stream.recv(1000))} bytes"
    except (ssl.SSLError, ConnectionError) as error:
        said = str(error).lower()
    if not any(part in said for part in parts):
        raise Wrong(f"{own}: {said} instead of one of {parts}")


@attack
def certificates_that_are_wrong(server):
    shut(server, None, "certificate required")
    shut(server, server.own("alice", "strangers"), "unknown ca", "decrypt error", "bad certificate")
    shut(server, server.own("server"), "unsupported certificate", "bad certificate", "certificate unknown")
    if server.expired:
        shut(server, server.expired, "certificate expired")
    shut(server, server.own("mallory"), "access denied")
    for tls in ("strangers/alice", "tls/server", "tls/mallory"):
        ended = server.command("jobs", *server.remote(tls=tls))
        if ended.returncode != 13:
            raise Wrong(f"with {tls}: exit code {ended.returncode}, {ended.stderr.strip()}")


@attack
def garbage_on_the_port(server):
    for content in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", os.urandom(5000), b"\x16\x03\x01\xff\xff" + os.urandom(20000),
                    calls.PREFACE, b"\0" * 100000):
        with socket.create_connection(("127.0.0.1", server.port), calls.PATIENCE) as stream:
            try:
                stream.sendall(content)
                while stream.recv(65536):
                    pass
            except ConnectionError:
                pass
    # Half a handshake, left alone.
    socket.create_connection(("127.0.0.1", server.port)).close()


@attack
def garbage_within_tls(server):
    frame = struct.pack(">I", 1 << 23)[1:] + struct.pack(">BBI", calls.DATA, 0, 1)
    for content in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", os.urandom(3000), calls.PREFACE + os.urandom(3000),
                    calls.PREFACE + frame + bytes(20000)):
        stream = server.connect()
        try:
            stream.sendall(content)
            while stream.recv(65536):
                pass
        except (ConnectionError, ssl.SSLError):
            pass
        finally:
            stream.close()
    # Headers without end.
    call = server.call("About")
    for number in range(1000):
        call.frame(calls.CONTINUATION if number else calls.HEADERS, 0, 3, b"\0" + Call.literal("a") + Call.literal("b" * 1024))
    reply = call.finish()
    if not reply.reset or reply.code is not None:
        raise Wrong(f"headers without end: {reply}")


def greedy(server, client):
    """16 connections of 64 calls, each of which announces 4 MiB and sends nothing of it."""
    held = []
    for _ in range(16):
        call = Call(server.connect(client), "Submit")
        for number in range(64):
            if number:
                call.begin(2 * number + 1, "Submit")
            call.frame(calls.DATA, 0, 2 * number + 1, framed(b"x" * 10, length=4 << 20))
        held.append(call)
    return held


def within(server, before, what):
    """The server's memory while an attack lasts, and again after it."""
    most, deadline = 0, time.monotonic() + SHORT / 2
    while time.monotonic() < deadline:
        most = max(most, server.resident())
        at_once(server)
        time.sleep(0.1)
    if most > before + GROWTH:
        raise Wrong(f"{what}: from {before} MB to {most} MB")


def settled(server, before, what):
    """What an attack took comes back: to what it was, or to what a server at rest had at the beginning and some.

    Threads keep a little of what they gave back for themselves, each its own, and give it away when they next have
    something to do: after one attack that may be a third of a small server, after a hundred it is no more.
    """
    most, deadline = max(1.1 * before + REST, server.rest + GROWTH), time.monotonic() + 30
    while server.resident() > most:
        if time.monotonic() > deadline:
            raise Wrong(f"{what}: {before} MB before, {server.resident()} MB half a minute after, "
                        f"{server.rest} MB at the beginning")
        time.sleep(0.2)


def at_once(server, client="alice"):
    """Somebody else is served, and soon."""
    began = time.monotonic()
    reply = server.ask("About", b"", client)
    if reply.code != 0 or time.monotonic() - began > 5:
        raise Wrong(f"{client} after {time.monotonic() - began:.1f} s: {reply}")


@attack
def calls_of_a_refused_client(server):
    before = server.resident()
    held = greedy(server, "mallory")
    within(server, before, "a refused client")
    for call in held:
        reply = call.finish()
        if reply.code is not None or not reply.reset:
            raise Wrong(f"a refused client hears {reply}")
    settled(server, before, "a refused client")


@attack
def calls_that_announce_and_stall(server):
    before = server.resident()
    held = greedy(server, "bob")
    within(server, before, "calls that stall")
    # So many calls of one client are too many in any case.
    replies = [call.finish() for call in held]
    # Which of them have a place is a matter of who comes first; what an earlier attack held may be let go meanwhile.
    if not any(reply.code == LATE for reply in replies):
        raise Wrong(f"none of {len(replies)} calls was ended for being late: {replies[0]}")
    for reply in replies:
        refused(reply, *((LATE, "did not come whole") if reply.code == LATE else (UNAVAILABLE, "calls of this client")))
    settled(server, before, "calls that stall")


@attack
def halves_of_large_messages(server):
    """What has come is counted: of one client no more than its share, and others are served."""
    before = server.resident()
    held = []
    try:
        for _ in range(16):
            call = Call(server.connect("bob"), "Submit").greet()
            for number in range(1, 8):
                call.begin(2 * number + 1, "Submit")
            # The window of a connection is 1 MiB.
            for number in range(8):
                content = framed(bytes(115_000), length=4 << 20)
                for at in range(0, len(content), calls.FRAME_BYTES):
                    call.frame(calls.DATA, 0, 2 * number + 1, content[at:at + calls.FRAME_BYTES])
            held.append(call)
        within(server, before, "halves of messages")
    finally:
        for call in held:
            call.stream.close()
    settled(server, before, "halves of messages")


@attack
def submissions_of_many_parts(server):
    """Two bytes each, which would take fifty times as much when they are decoded."""
    before = server.resident()
    for part in (b"\x12\x00", b"\x1a\x00", b"\x32\x00"):
        task = part * ((4 << 20) // len(part) - 200)
        refused(server.ask("Submit", server.spec(task)), INVALID, "more than 131072 parts")
    refused(server.ask("Submit", b"\x0b\x0c" + server.spec()), INVALID, "no submission")
    settled(server, before, "submissions of many parts")


@attack
def connections_that_say_nothing(server):
    for begin in (b"", calls.PREFACE):
        stream = server.connect()
        stream.settimeout(SHORT + 10)
        try:
            stream.sendall(begin)
            while stream.recv(65536):
                pass
        except TimeoutError:
            raise Wrong(f"a connection is kept for ever after {begin}")
        except (ConnectionError, ssl.SSLError):
            pass
        finally:
            stream.close()


@attack
def connections_of_one_client(server):
    """600 of them, on each of which a call runs: others get in, and their jobs run."""
    held = []
    try:
        for _ in range(600):
            held.append(Call(server.connect("bob"), "Attend"))
        at_once(server)
        refused(server.ask("About", b"", "bob"), UNAVAILABLE, "connections of this client")
        server.good()
    finally:
        for call in held:
            call.stream.close()


@attack
def connections_too_many(server):
    """Of strangers: they push each other out, and nobody else."""
    held = []
    try:
        for _ in range(700):
            stream = socket.create_connection(("127.0.0.1", server.port), calls.PATIENCE)
            stream.setblocking(False)
            held.append(stream)
        at_once(server)
        closed, deadline = 0, time.monotonic() + 8
        while closed < 500 and time.monotonic() < deadline:
            time.sleep(0.1)
            closed = sum(map(is_closed, held))
    finally:
        for stream in held:
            stream.close()
    if closed < 500:
        raise Wrong(f"700 connections, and {closed} of them closed")


def is_closed(stream):
    try:
        return stream.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def soak(options, server):
    wrong, memory = [], []
    counts = collections.Counter()
    deadline = time.monotonic() + 60
    while True:
        try:
            server.connect().close()
            break
        except OSError:
            if time.monotonic() > deadline or server.process.poll() is not None:
                sys.exit(f"the server does not start: {read(server.place + '/server.log').decode()}")
            time.sleep(0.05)
    server.good()
    server.learn()
    server.rest = server.resident()
    begin = time.monotonic()
    for number in range(options.rounds):
        order = server.random.sample(ATTACKS, len(ATTACKS))
        for function in order:
            began = time.monotonic()
            try:
                function(server)
                if options.times:
                    print(f"{time.monotonic() - began:8.2f} s: {function.__name__.replace('_', ' ')}")
                counts[function.__name__] += 1
            except Wrong as error:
                wrong.append(f"round {number}, {function.__name__}: {error}")
            except (OSError, ValueError, KeyError) as error:
                wrong.append(f"round {number}, {function.__name__}: {type(error).__name__}: {error}")
            if server.process.poll() is not None:
                wrong.append(f"round {number}, {function.__name__}: the server ended with {server.process.returncode}")
                return wrong, counts, memory, begin
        deadline = time.monotonic() + 10
        # A broken connection is noticed within moments. The program that is refused when it runs, and
        # its inputs, were uploaded once.
        if number == 0:
            before = ([], server.stored()[1])
            if len(before[1]) > 6:
                wrong.append(f"{len(before[1])} blobs are stored: four of a good job, two of one that fails")
        while server.stored() != before and time.monotonic() < deadline:
            time.sleep(0.1)
        if server.stored() != before:
            wrong.append(f"round {number}: {server.stored()} are stored, not {before}")
        memory.append(server.resident())
        if number % options.every == options.every - 1 or number == options.rounds - 1:
            try:
                server.good()
            except Wrong as error:
                wrong.append(f"round {number}, a good job: {error}")
    states = collections.Counter(job["state"] for job in server.jobs())
    if set(states) - {"done", "failed"} or (sum(states.values()) < 1000 and states["done"] != server.done):
        wrong.append(f"{server.done} jobs were good, the server has {dict(states)}")
    server.process.terminate()
    if server.process.wait(60):
        wrong.append(f"the server ended with {server.process.returncode} after SIGTERM")
    defects = [line for line in read(f"{server.place}/server.log").decode().splitlines() if "defect" in line or "panicked" in line]
    wrong += [f"in the log: {line}" for line in defects[:5]]
    return wrong, counts, memory, begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blindcore", default=f"{ROOT}/target/release/blindcore", help="the program")
    parser.add_argument("--rounds", type=int, default=200, help="how often each attack is sent")
    parser.add_argument("--every", type=int, default=10, help="a good job after this many rounds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="only attacks whose name contains this")
    parser.add_argument("--times", action="store_true", help="print how long each attack takes")
    options = parser.parse_args()
    options.blindcore = os.path.abspath(options.blindcore)
    ATTACKS[:] = [function for function in ATTACKS if (options.only or "") in function.__name__]
    # So that what stands below under `finally` is done then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    with tempfile.TemporaryDirectory() as place:
        server = Server(options, place)
        try:
            wrong, counts, memory, begin = soak(options, server)
        finally:
            server.process.kill()
            server.process.wait()
    for name, count in sorted(counts.items()):
        print(f"{count:6} times refused: {name.replace('_', ' ')}")
    # The first rounds fill caches, once.
    half = len(memory) // 2
    early, late = max(memory[:half], default=0), max(memory[half:], default=0)
    print(f"{sum(REFUSED.values())} calls refused with a status, and what is refused without one")
    print(f"{options.rounds} rounds of {len(ATTACKS)} attacks in {time.monotonic() - begin:.0f} s, seed {options.seed}: "
          f"{server.done} good jobs, {len(wrong)} wrong; memory {early} MB at most in the first half, {late} MB in the second")
    if half and late > 1.25 * early + 16:
        wrong.append("the server's memory grows")
    for line in wrong[:50]:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
