#!/usr/bin/env python3
"""Clients of `serve --web` that keep to nothing, and a server that is killed: nothing is lost.

    cargo build --release
    scripts/soak/web.py --rounds 100 --kills 10 --seed 1

A real server with real keys, plain HTTP on loopback. Each round sends every attack below once, in
random order: heads that never end, bodies that break off or dawdle, mutilated requests and documents,
damaged ciphertexts, foreign tokens, paths out of the page's directory, streams that are opened and left,
answers that nobody takes, plans that nobody waits for. Between them jobs are submitted; at random
moments the server is killed with SIGKILL and started again. Every job must end once and right, others
must be served meanwhile, and nothing of an attack may be stored or on its way.

Standard library only. Exit code 1 if anything is not as it should be.
"""

import argparse
import collections
import http.client
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = f"{ROOT}/examples/credit/credit.elf"
#: Seconds after which the server counts as hanging.
PATIENCE = 120
ATTACKS = []


class Wrong(Exception):
    """The server did something else than it should."""


def attack(function):
    ATTACKS.append(function)
    return function


def read(path):
    with open(path, "rb") as file:
        return file.read()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Server:
    """A server, its directory, tokens, and jobs that have been submitted."""

    def __init__(self, options, place):
        self.blindcore, self.place = options.blindcore, place
        self.random = random.Random(options.seed)
        self.port, self.web = free_port(), free_port()
        self.jobs, self.done, self.killed = {}, 0, 0
        self.command("tls", "init", "tls")
        self.command("keygen", "--out", "alice", "--no-selectors")
        with open(f"{ROOT}/examples/credit/cases.json") as file:
            self.cases = json.load(file)["cases"][:3]
        for number, case in enumerate(self.cases):
            with open(f"{place}/{number}.json", "w") as file:
                json.dump(case["inputs"], file)
            self.command("encrypt", "--key", "alice.secret", PROGRAM, f"@{number}.json", "--out", f"{number}.in")
        self.tokens = {}
        with open(f"{place}/server.toml", "w") as config:
            config.write("[client.bob]\nbytes = 1000000\n")
            for name, more in (("alice", []), ("bob", []), ("root", ["--operator"])):
                made = self.command("token", name, *more)
                self.tokens[name] = made.stdout.strip()
                config.write(made.stderr)
        os.mkdir(f"{place}/page")
        with open(f"{place}/page/index.html", "w") as page:
            page.write("<p>page")
        self.start()
        self.key = self.kept("server_key", read(f"{place}/alice.server"))
        self.program = self.kept("program", read(PROGRAM))
        self.inputs = [self.kept("inputs", read(f"{place}/{number}.in")) for number in range(len(self.cases))]

    def command(self, *arguments):
        ended = subprocess.run([self.blindcore, *arguments], cwd=self.place, capture_output=True, text=True, timeout=600)
        if ended.returncode:
            raise Wrong(f"{' '.join(arguments)}: {ended.stderr.strip()}")
        return ended

    def start(self):
        with open(f"{self.place}/server.log", "a") as log:
            self.process = subprocess.Popen(
                [self.blindcore, "serve", "--dir", "data", "--tls", "tls/server", "--no-metrics", "--config", "server.toml",
                 "--listen", f"127.0.0.1:{self.port}", "--web", f"127.0.0.1:{self.web}", "--web-app", "page"],
                cwd=self.place, stdout=subprocess.PIPE, stderr=log, text=True)
        while "web on" not in self.process.stdout.readline():
            if self.process.poll() is not None:
                raise Wrong("the server does not start")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.killed += 1
        self.start()

    # --- calls ---

    def ask(self, method, path, body=None, token="alice", headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", self.web, timeout=PATIENCE)
        headers = dict(headers)
        if token:
            headers["Authorization"] = f"Bearer {self.tokens.get(token, token)}"
        if isinstance(body, (dict, list)):
            body, headers["Content-Type"] = json.dumps(body), "application/json"
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def must(self, method, path, body=None, token="alice"):
        status, answer = self.ask(method, path, body, token)
        if status not in (200, 201):
            raise Wrong(f"{method} {path}: {status} {answer[:300]}")
        return json.loads(answer)

    def hashed(self, kind, content):
        """An upload under its right hash: which the server says when it gets a wrong one."""
        status, answer = self.ask("PUT", f"/v1/blobs/{'0' * 64}?kind={kind}", content)
        said = re.search(b"the content's hash is ([0-9a-f]{64})", answer)
        if not said:
            return status, answer, None
        name = said[1].decode()
        return *self.ask("PUT", f"/v1/blobs/{name}?kind={kind}", content), name

    def kept(self, kind, content):
        status, answer, name = self.hashed(kind, content)
        if status != 200:
            raise Wrong(f"a good {kind}: {status} {answer[:300]}")
        return name

    def socket(self):
        return socket.create_connection(("127.0.0.1", self.web), timeout=PATIENCE)

    def head(self, method, path, *more):
        lines = [f"{method} {path} HTTP/1.1", "Host: x", f"Authorization: Bearer {self.tokens['alice']}", *more]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def answer_to(self, data, patience=5.0):
        """What comes back to raw bytes, until the end or a silence."""
        with self.socket() as connection:
            connection.settimeout(patience)
            answer = b""
            try:
                connection.sendall(data)
                while part := connection.recv(65536):
                    answer += part
            except OSError:
                pass
            return answer

    # --- jobs ---

    def body(self, number=0, **changed):
        body = {"program": self.program, "inputs": self.inputs[number], "key": self.key}
        return {**body, **changed}

    def submit(self):
        """Under one request id, again until the server answers, as clients do."""
        number = self.random.randrange(len(self.cases))
        body = self.body(number, request_id=self.random.randbytes(16).hex())
        self.jobs[self.must("POST", "/v1/jobs", body)["id"]] = number

    def settle(self):
        """Follows every job to its end, and decrypts."""
        for job, number in self.jobs.items():
            status, events = self.ask("GET", f"/v1/jobs/{job}/events")
            last = json.loads(events.decode().strip().split("data: ")[-1]) if status == 200 else events
            if status != 200 or last["state"] != "done":
                raise Wrong(f"job {job}: {status} {last}")
            status, outputs = self.ask("GET", f"/v1/jobs/{job}/outputs")
            with open(f"{self.place}/out", "wb") as file:
                file.write(outputs)
            found = json.loads(self.command("decrypt", "--key", "alice.secret", "out", "--json").stdout)
            expected = self.cases[number]["outputs"]
            if any(found.get(name) != value for name, value in expected.items()):
                raise Wrong(f"job {job}: {found} instead of {expected}")
            self.done += 1
        if self.jobs:
            self.must("POST", "/v1/forget", {"jobs": list(self.jobs)})
        self.jobs.clear()

    def stored(self):
        """Files on their way, and blobs."""
        temporary = os.listdir(f"{self.place}/data/temporary")
        return temporary, sorted(name for _, _, names in os.walk(f"{self.place}/data/blobs") for name in names)

    def resident(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            lines = dict(line.split(":", 1) for line in status)
        return int(lines["VmRSS"].split()[0]) // 1024


def refused(answer, *statuses):
    status, text = answer[0], answer[1]
    if status not in statuses:
        raise Wrong(f"{status} {text[:300]} instead of {statuses}")
    code = json.loads(text)["error"]["code"]
    if code == "INTERNAL":
        raise Wrong(f"{text[:300]}")


def refused_or_silent(answer):
    if answer and not re.match(rb"HTTP/1\.1 4\d\d |HTTP/1\.1 505", answer):
        raise Wrong(f"{answer[:200]}")


# --- attacks ---


@attack
def tokens_that_are_none(server):
    known = server.tokens["alice"]
    for token in ("x", known[:-1], known + "0", known.upper(), server.random.randbytes(40).hex(), "\u00e9" * 9):
        refused(server.ask("GET", "/v1/jobs", token=token.encode("latin-1").decode("latin-1")), 401)
    refused(server.ask("GET", f"/v1/jobs?token={known}", token=None), 401)


@attack
def heads_without_an_end(server):
    open_ones = [server.socket() for _ in range(40)]
    for connection in open_ones:
        connection.sendall(b"GET /v1/about HTTP/1.1\r\nX: ")
    server.must("GET", "/v1/about")
    for connection in open_ones:
        connection.close()


@attack
def heads_that_are_too_large(server):
    for data in (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000 + b"\r\n", b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\n\r\n",
                 b"GET / HTTP/1.1\r\nX: " + b"y" * 200_000 + b"\r\n\r\n"):
        refused_or_silent(server.answer_to(data))


@attack
def noise(server):
    for _ in range(10):
        refused_or_silent(server.answer_to(server.random.randbytes(server.random.randrange(1, 4000)), 0.5))


@attack
def mutilated_requests(server):
    """Good ones with some bytes changed: any answer will do but a defect, and none may hang."""
    text = json.dumps(server.body()).encode()
    for _ in range(30):
        data = bytearray(server.head("POST", "/v1/missing", "Content-Type: application/json", f"Content-Length: {len(text)}") + text)
        for _ in range(server.random.randrange(1, 6)):
            data[server.random.randrange(len(data))] = server.random.randrange(256)
        answer = server.answer_to(bytes(data), 0.3)
        if answer.startswith(b"HTTP/1.1 5") and not answer.startswith(b"HTTP/1.1 505"):
            raise Wrong(f"{answer[:300]} to {bytes(data)!r}")


@attack
def mutilated_documents(server):
    good = json.dumps(server.body(entry="main", outputs=["a"], threads=1, stack=4096)).encode()
    for _ in range(30):
        text = bytearray(good)
        for _ in range(server.random.randrange(1, 4)):
            at = server.random.randrange(len(text))
            text[at:at + server.random.randrange(3)] = server.random.randbytes(server.random.randrange(3))
        answer = server.ask("POST", "/v1/plan", bytes(text), headers={"Content-Type": "application/json"})
        if answer[0] != 200:
            refused(answer, 400, 409, 503)


@attack
def chunks_that_are_none(server):
    for body in (b"zz\r\n\r\n", b"fffffffffffffffff\r\n", b"5\r\nhel", b"-1\r\n\r\n", b"0\r\nX: y"):
        head = server.head("POST", "/v1/missing", "Content-Type: application/json", "Transfer-Encoding: chunked")
        refused_or_silent(server.answer_to(head + body, 0.3))


@attack
def bodies_that_break_off(server):
    content = read(f"{server.place}/alice.server")
    for kind in ("server_key", "inputs", "program"):
        name = server.random.randbytes(32).hex()
        head = server.head("PUT", f"/v1/blobs/{name}?kind={kind}", f"Content-Length: {len(content)}")
        with server.socket() as connection:
            try:
                connection.sendall(head + content[:server.random.randrange(len(content))])
            except OSError:
                pass  # Refused by its first bytes.


@attack
def bodies_that_dawdle(server):
    content = read(f"{server.place}/0.in")
    slow = []
    for _ in range(6):
        connection = server.socket()
        connection.sendall(server.head("PUT", f"/v1/blobs/{server.random.randbytes(32).hex()}?kind=inputs", f"Content-Length: {len(content)}"))
        slow.append(connection)
    for at in range(5):
        for connection in slow:
            connection.sendall(content[at:at + 1])
        server.must("GET", "/v1/about")
        time.sleep(0.1)
    for connection in slow:
        connection.close()


@attack
def damaged_files(server):
    for kind, path in (("server_key", "alice.server"), ("inputs", "0.in")):
        content = bytearray(read(f"{server.place}/{path}"))
        content[server.random.randrange(len(content))] ^= 1 << server.random.randrange(8)
        refused(server.hashed(kind, bytes(content)), 400)
    content = read(f"{server.place}/0.in")
    refused(server.hashed("inputs", content[:server.random.randrange(1, len(content))]), 400)
    refused(server.hashed("server_key", read(f"{server.place}/alice.secret")), 400)
    refused(server.hashed("program", server.random.randbytes(3000)), 400)


@attack
def more_than_the_quota(server):
    refused(server.ask("PUT", f"/v1/blobs/{'0' * 64}?kind=server_key", read(f"{server.place}/alice.server"), "bob"), 429)


@attack
def others_things(server):
    refused(server.ask("POST", "/v1/jobs", server.body(), "bob"), 409)
    refused(server.ask("GET", "/v1/operator/jobs", token="bob"), 403)
    refused(server.ask("POST", "/v1/forget", {"blobs": [server.key]}, "bob"), 404)
    for job in list(server.jobs)[:1]:
        for path in ("", "/events", "/outputs", "/written"):
            refused(server.ask("GET", f"/v1/jobs/{job}{path}", token="bob"), 404)
        refused(server.ask("POST", f"/v1/jobs/{job}/cancel", token="bob"), 404)


@attack
def paths_out_of_the_page(server):
    for path in ("/../server.toml", "/%2e%2e/server.toml", "/..%2fserver.toml", "//etc/passwd", "/./index.html", "/index.html%00",
                 "/%ff", "/page/../../server.toml", "\\..\\server.toml"):
        answer = server.answer_to(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        refused_or_silent(answer)
        if b"sha256" in answer or b"root:" in answer:
            raise Wrong(f"{path} gives a file")


@attack
def streams_that_are_left(server):
    server.submit()
    job = list(server.jobs)[-1]
    streams = [server.socket() for _ in range(60)]
    for connection in streams:
        connection.sendall(server.head("GET", f"/v1/jobs/{job}/events"))
    server.must("GET", "/v1/about")
    for connection in streams:
        connection.close()


@attack
def answers_that_nobody_takes(server):
    greedy = []
    for _ in range(20):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        connection.connect(("127.0.0.1", server.web))
        connection.sendall(server.head("GET", "/v1/jobs") * 20)
        greedy.append(connection)
    server.must("GET", "/v1/about")
    for connection in greedy:
        connection.close()


@attack
def plans_that_nobody_waits_for(server):
    text = json.dumps(server.body())
    for _ in range(5):
        with server.socket() as connection:
            connection.sendall(server.head("POST", "/v1/plan", "Content-Type: application/json", f"Content-Length: {len(text)}") + text.encode())
    server.must("GET", "/v1/about")


def soak(options, server):
    wrong, counts, memory = [], collections.Counter(), []
    kills = {server.random.randrange(options.rounds * len(ATTACKS)) for _ in range(options.kills)}
    before, step = server.stored(), 0
    for number in range(options.rounds):
        for function in server.random.sample(ATTACKS, len(ATTACKS)):
            step += 1
            try:
                if server.random.random() < 0.3:
                    server.submit()
                function(server)
                counts[function.__name__] += 1
            except (Wrong, OSError, ValueError, KeyError, http.client.HTTPException) as error:
                wrong.append(f"round {number}, {function.__name__}: {type(error).__name__}: {error}")
            if server.process.poll() is not None:
                wrong.append(f"round {number}, {function.__name__}: the server ended with {server.process.returncode}")
                return wrong, counts, memory
            if step in kills:
                server.kill()
        try:
            server.settle()
        except (Wrong, OSError, ValueError, http.client.HTTPException) as error:
            wrong.append(f"round {number}: {error}")
        deadline = time.monotonic() + 15
        while server.stored() != before and time.monotonic() < deadline:
            time.sleep(0.1)
        if server.stored() != before:
            wrong.append(f"round {number}: {server.stored()} are stored, not {before}")
        memory.append(server.resident())
    everybodys = server.must("GET", "/v1/operator/jobs", token="root")["jobs"]
    if everybodys:
        wrong.append(f"{len(everybodys)} jobs are left")
    server.process.terminate()
    if server.process.wait(60):
        wrong.append(f"the server ended with {server.process.returncode} after SIGTERM")
    log = read(f"{server.place}/server.log").decode()
    wrong += [f"in the log: {line}" for line in log.splitlines() if "defect" in line or "panicked" in line][:5]
    if any(token in log for token in server.tokens.values()):
        wrong.append("a token is in the log")
    return wrong, counts, memory


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blindcore", default=f"{ROOT}/target/release/blindcore", help="the program")
    parser.add_argument("--rounds", type=int, default=100, help="how often each attack is sent")
    parser.add_argument("--kills", type=int, default=10, help="how often the server is killed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="only attacks whose name contains this")
    options = parser.parse_args()
    options.blindcore = os.path.abspath(options.blindcore)
    ATTACKS[:] = [function for function in ATTACKS if (options.only or "") in function.__name__]
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        server = Server(options, place)
        try:
            wrong, counts, memory = soak(options, server)
        finally:
            server.process.kill()
            server.process.wait()
    for name, count in sorted(counts.items()):
        print(f"{count:6} times: {name.replace('_', ' ')}")
    half = len(memory) // 2
    early, late = max(memory[:half], default=0), max(memory[half:], default=0)
    print(f"{options.rounds} rounds of {len(ATTACKS)} attacks in {time.monotonic() - begin:.0f} s, seed {options.seed}, "
          f"{server.killed} kills: {server.done} good jobs, {len(wrong)} wrong; memory {early} MB at most in the first half, "
          f"{late} MB in the second")
    # The first rounds fill caches, once.
    if half and late > 1.25 * early + 16:
        wrong.append("the server's memory grows")
    for line in wrong[:50]:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
