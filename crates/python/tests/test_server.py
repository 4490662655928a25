"""A server: what is sent, what is refused, and what a lost connection does.

The first part talks to the real one, where the command has been built; the second to one that
misbehaves.
"""

from __future__ import annotations

import asyncio
import hashlib
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import blindcore as bc
from blindcore._native import blake3

from conftest import EXAMPLES, ROOT

TOKEN = "a-token-of-the-tests-that-nobody-else-has-0123456789"


def _command() -> str | None:
    """The command line that was named, or that the workspace has built last."""
    if given := os.environ.get("BLINDCORE"):
        return given
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [target / profile / "blindcore" for profile in ("release", "debug")]
    there = sorted((path.stat().st_mtime, str(path)) for path in built if path.exists())
    return there[-1][1] if there else None


class Running:
    """A server of ``blindcore serve --web`` with its folder."""

    def __init__(self, command: str, folder: Path) -> None:
        self._command = command
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        config = folder / "config.toml"
        config.write_text(
            f'[token.tester]\nsha256 = "{hashlib.sha256(TOKEN.encode()).hexdigest()}"\n'
            f'[token.other]\nsha256 = "{hashlib.sha256(b"other" * 8).hexdigest()}"\n'
        )
        programs = folder / "programs"
        programs.mkdir()
        shutil.copy(EXAMPLES / "salaries" / "salaries.elf", programs / "salaries.elf")
        keys = [command, "tls", "init", str(folder / "tls")]
        subprocess.run(keys, check=True, stdout=subprocess.DEVNULL)
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        folder = self._folder
        arguments = [self._command, "serve", "--dir", str(folder / "jobs"), "--no-metrics"]
        arguments += ["--tls", str(folder / "tls" / "server"), "--listen", "127.0.0.1:0"]
        arguments += ["--web", f"127.0.0.1:{self.port}", "--config", str(folder / "config.toml")]
        arguments += ["--web-programs", str(folder / "programs"), "--drain", "1"]
        self.process = subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        lines = iter(self.process.stdout.readline, "")
        ready = next((line for line in lines if line.startswith("web on ")), None)
        assert ready, f"{self._command}: it does not serve: is it an older build?"

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()

    def client(self, token: str = TOKEN) -> bc.Server:
        return bc.Server(f"http://127.0.0.1:{self.port}", token=token)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    command = _command()
    if command is None:
        pytest.skip("the command blindcore is not built")
    server = Running(command, tmp_path_factory.mktemp("server"))
    server.start()
    yield server
    server.stop()


def test_a_job_from_values_to_the_answer(running: Running, key: bc.Keys) -> None:
    server = running.client()
    assert server.about()["client"] == "tester"
    assert server.programs() == ["salaries.elf"]
    program = server.program("salaries.elf", secret=["salary", "count"])
    inputs = key.secret.encrypt(program, salary=[5200, 4100, 3950], count=3)
    seen: list[bc.Progress] = []
    job = server.submit(program, inputs, key.server, threads=2)
    answer = key.secret.decrypt(job.result(progress=seen.append))
    assert (answer.total, answer.mean) == (13250, 4416)
    assert seen and all(0 <= progress.fraction <= 1 for progress in seen)
    status = job.status()
    assert (status.state, status.ended, status.message) == ("done", True, "")
    assert [own.id for own in server.jobs()] == [job.id]
    # Whoever knows its id finds it again, and nobody else does.
    assert key.secret.decrypt(server.job(job.id).result()).total == 13250
    with pytest.raises(bc.ServerRefused) as refused:
        running.client("other" * 8).job(job.id).status()
    assert (refused.value.status, refused.value.code) == (404, 14)
    job.forget()
    with pytest.raises(bc.ServerRefused):
        job.status()


def test_waiting_with_await(running: Running, key: bc.Keys, add: bc.Program) -> None:
    server = running.client()

    async def both() -> list[int]:
        jobs = [
            server.submit(add, key.secret.encrypt(add, a=a, b=1), key.server) for a in (1, 2)
        ]
        return [int(key.secret.decrypt(await job)["a"]) for job in jobs]

    assert asyncio.run(both()) == [2, 3]


def test_what_was_said_of_a_program_goes_along(running: Running, key: bc.Keys) -> None:
    program = bc.Program(EXAMPLES / "salaries" / "salaries.elf", secret=["salary"])
    program = program.replace(public={"count": 2}, outputs=["total"])
    inputs = key.secret.encrypt(program, salary=[7, 8, 9])
    answer = key.secret.decrypt(running.client().submit(program, inputs, key.server).result())
    assert dict(answer) == {"total": 15}


def test_a_function_is_called_there(running: Running, key: bc.Keys) -> None:
    source = "unsigned mix(unsigned a, unsigned b) { return 3 * a + b; }\n"
    program = bc.compile(source, call="mix(a, 25)")
    inputs = key.secret.encrypt(program, a=14)
    answer = key.secret.decrypt(running.client().submit(program, inputs, key.server).result())
    assert dict(answer) == {"mix": 3 * 14 + 25}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"public": {"count": "@/etc/passwd"}}, "count"),
        ({"public": {"count": None}}, "null"),
        ({"public": {"count": 1 << 40}}, "count"),
        ({"public": {"nobody": 1}}, "nobody"),
        ({"public": {"salary": [1]}}, "salary"),
        ({"call": "nobody(1)"}, "nobody"),
        ({"call": "main("}, "main"),
        ({"branches": "ask"}, "ask"),
    ],
)
def test_what_a_job_may_not_say(
    running: Running, key: bc.Keys, wrong: dict[str, Any], words: str
) -> None:
    """The server never reads a file of its own for a client, whatever the text."""
    program = bc.Program(EXAMPLES / "salaries" / "salaries.elf", secret=["salary"])
    parts = {
        "program": ("program", bytes(program)),
        "inputs": ("inputs", bytes(key.secret.encrypt(program, salary=[1]))),
        "key": ("server_key", bytes(key.server)),
    }
    connection = running.client()._connection
    job: dict[str, Any] = {**wrong}
    for field, (kind, data) in parts.items():
        job[field] = blake3(data)
        connection.data("PUT", f"/v1/blobs/{job[field]}?kind={kind}", data)
    with pytest.raises(bc.ServerRefused, match=words) as refused:
        connection.text("POST", "/v1/jobs", job)
    assert refused.value.status in (400, 409)
    assert "root:" not in str(refused.value)


def test_a_job_that_fails_raises_what_a_run_raises(running: Running, key: bc.Keys) -> None:
    gcd = bc.Program(EXAMPLES / "gcd" / "gcd.elf", secret=["a", "b"])
    inputs = key.secret.encrypt(gcd, a=12, b=18)
    with pytest.raises((bc.SecretBranch, bc.ServerRefused), match="branch"):
        running.client().submit(gcd, inputs, key.server).result()


def test_a_job_can_be_cancelled(running: Running, key: bc.Keys, salaries: bc.Program) -> None:
    server = running.client()
    inputs = key.secret.encrypt(salaries, salary=[1], count=1)
    jobs = [server.submit(salaries, inputs, key.server) for _ in range(2)]
    assert len({job.id for job in jobs}) == 2
    for job in reversed(jobs):
        job.cancel()
    with pytest.raises(bc.JobCancelled) as cancelled:
        jobs[1].result()
    assert cancelled.value.code == 16


def test_a_server_that_comes_back_is_waited_for(
    running: Running, key: bc.Keys, salaries: bc.Program
) -> None:
    server = running.client()
    inputs = key.secret.encrypt(salaries, salary=[5, 6], count=2)
    job = server.submit(salaries, inputs, key.server)
    running.stop()
    threading.Timer(1.0, running.start).start()
    assert key.secret.decrypt(job.result()).total == 11


def test_the_wrong_token_is_refused(running: Running) -> None:
    with pytest.raises(bc.ServerRefused) as refused:
        running.client("nobody's").about()
    assert refused.value.status == 401
    assert TOKEN not in repr(running.client())


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://example.org", "in the clear"),
        ("ftp://example.org", "https://host"),
        ("http://127.0.0.1/path", "https://host"),
        ("http://me@127.0.0.1", "https://host"),
        ("http://127.0.0.1:port", "port"),
        ("", "https://host"),
    ],
)
def test_addresses_that_are_none(address: str, words: str) -> None:
    with pytest.raises(bc.UsageError, match=words):
        bc.Server(address, token="x")


def test_words_that_cannot_travel(tmp_path: Path) -> None:
    with pytest.raises(bc.UsageError, match="token"):
        bc.Server("http://127.0.0.1", token="a\nb")
    with pytest.raises(bc.UsageError, match="tls"):
        bc.Server("http://127.0.0.1", tls=tmp_path)
    with pytest.raises(bc.CertificateError, match="blindcore tls") as refused:
        bc.Server("https://127.0.0.1", tls=tmp_path)
    assert refused.value.code == 13
    # Without a scheme other machines are reached by TLS, and this one in the clear.
    assert "https://example.org:443" in repr(bc.Server("example.org", token="x"))
    assert "http://127.0.0.1:80" in repr(bc.Server("127.0.0.1", token="x"))
    assert "http://[::1]:7411" in repr(bc.Server("http://[::1]:7411", token="x"))


Reply = tuple[int, bytes, int]
"""A status, a body, and how many bytes of it are promised."""


class Misbehaving:
    """A server that answers as it is told, and closes the connection where it is told nothing."""

    def __init__(self) -> None:
        outer = self
        self.replies: list[Reply | None] = []
        self.asked: list[str] = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self) -> None:
                outer.asked.append(f"{self.command} {self.path}")
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                reply = outer.replies.pop(0) if outer.replies else None
                self.close_connection = True
                if reply is None:
                    return
                status, body, length = reply
                self.send_response(status)
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def client(self, *replies: Reply | None) -> bc.Server:
        self.replies = list(replies)
        self.asked = []
        return bc.Server(f"http://127.0.0.1:{self._server.server_address[1]}", token="x")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def misbehaving(monkeypatch: pytest.MonkeyPatch) -> Iterator[Misbehaving]:
    monkeypatch.setattr("blindcore._http._PATIENCE", 1.0)
    server = Misbehaving()
    yield server
    server.close()


def _json(value: object, status: int = 200) -> Reply:
    body = json.dumps(value).encode()
    return status, body, len(body)


def test_lost_connections_are_tried_again(misbehaving: Misbehaving) -> None:
    about = _json({"client": "me"})
    busy = _json({"error": {"code": "UNAVAILABLE", "message": "stopping"}}, 503)
    truncated = (200, b'{"cl', 200)
    assert misbehaving.client(None, busy, truncated, about).about() == {"client": "me"}
    assert len(misbehaving.asked) == 4


def test_a_server_that_is_not_there(misbehaving: Misbehaving) -> None:
    begun = time.monotonic()
    with pytest.raises(bc.ServerUnreachable) as lost:
        misbehaving.client().about()
    assert isinstance(lost.value, ConnectionError)
    assert lost.value.code == 12
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    ("reply", "raised", "words"),
    [
        ((200, b"no JSON", 7), bc.FileError, "no JSON"),
        (_json({"error": {"code": "X", "message": "over quota"}}, 429), bc.ServerRefused, "quota"),
        ((500, b"<html>", 6), bc.ServerRefused, "500"),
        ((302, b"", 0), bc.ServerRefused, "302"),
        ((200, b"x" * 20, 1 << 40), bc.FileError, "1099511627776 bytes"),
    ],
)
def test_answers_that_are_none(
    misbehaving: Misbehaving, reply: Reply, raised: type[bc.Error], words: str
) -> None:
    with pytest.raises(raised, match=words):
        misbehaving.client(reply).about()


def test_a_stream_that_breaks_off_is_asked_for_again(misbehaving: Misbehaving) -> None:
    event = b'event: status\ndata: {"state": "running", "nodes": 1, "nodes_planned": 2}\n\n'
    broken = (200, event, len(event) + 100)
    running = _json({"state": "running"})
    done = _json({"state": "done", "nodes": 2})
    server = misbehaving.client(broken, running, None, done)
    seen: list[bc.Progress] = []
    status = server.job("7/../8").wait(progress=seen.append)
    assert (status.state, [progress.done for progress in seen]) == ("done", [1])
    assert misbehaving.asked[0] == "GET /v1/jobs/7%2F..%2F8/events"
    with pytest.raises(TimeoutError):
        misbehaving.client(broken, running, broken, running).job("7").wait(timeout=0.0)


def test_an_event_without_an_end_is_refused(misbehaving: Misbehaving) -> None:
    line = b"data: " + b"x" * 1000 + b"\n"
    endless = (200, line * 1100, 1 << 40)
    with pytest.raises(bc.FileError, match="an event of more than 1048576 bytes"):
        misbehaving.client(endless).job("7").wait()
    with pytest.raises(bc.FileError, match="1099511627776 bytes"):
        misbehaving.client((200, b"", 1 << 40)).program("large.elf")


def test_outputs_that_are_none_are_refused(misbehaving: Misbehaving) -> None:
    event = b'data: {"state": "done"}\n\n'
    whole = (200, event, len(event))
    with pytest.raises(bc.FileError):
        misbehaving.client(whole, (200, b"no ciphertext", 13)).job("7").result()
    refused = b'data: {"state": "failed", "error": {"code": "FAULT", "message": "at 0x8000"}}\n\n'
    failed = json.loads(refused[6:])
    with pytest.raises(bc.ProgramFault, match="0x8000"):
        misbehaving.client((200, refused, len(refused)), _json(failed)).job("7").result()


def test_ctrl_c_ends_the_waiting() -> None:
    """The server never says a word."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        code = (
            "import blindcore as bc, signal\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "print('ready', flush=True)\n"
            f"bc.Server('http://127.0.0.1:{silent.getsockname()[1]}', token='x').job('7').wait()\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        time.sleep(0.3)
        child.send_signal(2)
        _, words = child.communicate(timeout=10)
        assert b"KeyboardInterrupt" in words
