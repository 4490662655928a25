"""A server that runs programs for others, and the jobs there."""

from __future__ import annotations

import asyncio
import os
import secrets
import time
import urllib.parse
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

import numpy

from ._errors import (
    Error,
    InputError,
    JobCancelled,
    LimitExceeded,
    ProgramError,
    ProgramFault,
    Refused,
    SecretBranch,
    ServerRefused,
    UsageError,
)
from ._http import Connection
from ._native import Inputs, Outputs, Program, ServerKey, blake3
from ._progress import Progress

# How long a job's status is not asked for when its events have ended early, in seconds.
_PAUSE = 0.5

# What a job failed for.
_FAILURES: dict[str, type[Error]] = {
    "INPUT": InputError,
    "PROGRAM": ProgramError,
    "FAULT": ProgramFault,
    "LIMIT": LimitExceeded,
    "SECRET": SecretBranch,
    "REFUSED": Refused,
}

# What of a program's own words a job has a field for, and that field.
_FIELDS = {
    "entry": "entry",
    "call": "call",
    "public": "public",
    "outputs": "outputs",
    "limit": "instructions",
    "branches": "branches",
    "missing_are_zero": "default_zero",
}


class JobStatus(NamedTuple):
    """How a job does."""

    #: ``"queued"``, ``"running"``, ``"waiting"``, ``"done"``, ``"failed"`` or ``"cancelled"``.
    state: str
    #: Operations of its circuits that are done, and how many there are, as far as that is known.
    done: int
    total: int
    #: How many jobs are before it.
    ahead: int
    #: An estimate of the seconds that are left; ``None`` where nothing is known.
    seconds_left: float | None
    #: Seconds that it has run.
    run_seconds: float
    #: Why it failed; empty if it did not.
    message: str

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen.

        >>> JobStatus("done", 7, 7, 0, None, 0.5, "").ended
        True
        """
        return self.state in ("done", "failed", "cancelled")


def _error(reply: dict[str, Any]) -> dict[str, str]:
    """Why a job failed: a code, and words; both empty if it did not."""
    error: dict[str, Any] = reply.get("error") or {}
    return {part: str(error.get(part) or "") for part in ("code", "message")}


def _status(reply: dict[str, Any]) -> JobStatus:
    return JobStatus(
        state=str(reply["state"]),
        done=int(reply.get("nodes") or 0),
        total=int(reply.get("nodes_planned") or 0),
        ahead=int(reply.get("ahead") or 0),
        seconds_left=reply.get("seconds_left"),
        run_seconds=float(reply.get("run_seconds") or 0.0),
        message=_error(reply)["message"],
    )


class Job:
    """A program that runs on a server. ``await job`` and ``job.result()`` give its outputs.

    It goes on whether somebody waits for it or not: ``server.job(id)`` finds it again.
    """

    def __init__(self, connection: Connection, identity: str) -> None:
        self._connection = connection
        #: What the server calls it.
        self.id = identity

    def __repr__(self) -> str:
        return f"<job {self.id} on {self._connection!r}>"

    def _path(self, rest: str = "") -> str:
        return f"/v1/jobs/{urllib.parse.quote(self.id, safe='')}{rest}"

    def status(self) -> JobStatus:
        """How it does at this moment."""
        return _status(self._connection.text("GET", self._path()))

    def wait(
        self,
        *,
        progress: Callable[[Progress], object] | None = None,
        timeout: float | None = None,
    ) -> JobStatus:
        """Waits until it ends, also over lost connections, and returns how it ended.

        Args:
            progress: Called with a ``Progress`` about once a second: ``blindcore.progress_bar``.
            timeout: How many seconds to wait at most; after them ``TimeoutError`` is raised, and
                the job goes on. It is looked at when the server says something, at least every
                few seconds.

        Ctrl-C ends the waiting and not the job.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            for event in self._connection.events(self._path("/events")):
                status = _status(event)
                if progress is not None and status.total:
                    progress(Progress("run", min(status.done, status.total), status.total))
                if status.ended:
                    return status
                if end is not None and time.monotonic() >= end:
                    raise TimeoutError(f"{self!r} has not ended")
            status = self.status()
            if status.ended:
                return status
            if end is not None and time.monotonic() >= end:
                raise TimeoutError(f"{self!r} has not ended")
            time.sleep(_PAUSE)

    def result(
        self,
        *,
        progress: Callable[[Progress], object] | None = None,
        timeout: float | None = None,
    ) -> Outputs:
        """Waits as ``wait`` does, and returns what the program left, encrypted.

        Raises the error that the job ended with: ``SecretBranch``, ``ProgramFault``,
        ``LimitExceeded`` and the like, ``JobCancelled`` where somebody cancelled it.
        """
        status = self.wait(progress=progress, timeout=timeout)
        if status.state == "cancelled":
            raise JobCancelled(f"{self!r} was cancelled")
        if status.state == "failed":
            reply = self._connection.text("GET", self._path())
            code = _error(reply)["code"]
            raise _FAILURES.get(code, ServerRefused)(status.message or f"{self!r} failed")
        return Outputs.from_bytes(self._connection.data("GET", self._path("/outputs")))

    def __await__(self) -> Generator[Any, None, Outputs]:
        return asyncio.to_thread(self.result).__await__()

    def cancel(self) -> JobStatus:
        """Ends it, if it has not ended."""
        return _status(self._connection.text("POST", self._path("/cancel"), {}))

    def forget(self) -> None:
        """Removes it from the server, with its outputs, once it has ended."""
        self._connection.text("POST", "/v1/forget", {"jobs": [self.id]})


def _plain(word: str, value: Any) -> Any:
    """What was said of a program, as JSON has it."""
    if word == "outputs":
        return [value] if isinstance(value, str) else list(value)
    if word == "public":
        return {name: numpy.asarray(own).tolist() for name, own in dict(value).items()}
    return value


class Server:
    """A computer that runs programs for others: ``blindcore serve --web``.

    It gets programs, ciphertexts and server keys, and reads nothing of what is encrypted.

    Args:
        address: ``https://host:7411``, or ``http://127.0.0.1:7411`` for one on this machine or
            behind a tunnel.
        token: What the server knows this client by; else the variable ``BLINDCORE_TOKEN``.
        tls: A folder that ``blindcore tls`` made, with the server's authority in ``ca.pem`` and, if
            there are any, the client's certificate and key: then no token is needed.
        timeout: Seconds that a call may take without a byte.

    A lost connection is tried again for 20 seconds; a job that was accepted stays one job.
    """

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        tls: str | os.PathLike[str] | None = None,
        timeout: float = 30.0,
    ) -> None:
        token = token or os.environ.get("BLINDCORE_TOKEN") or None
        if token is not None and not (token.isascii() and token.isprintable()):
            raise UsageError("token: it has letters that no token has")
        self._connection = Connection(address, token, tls, timeout)

    def __repr__(self) -> str:
        return f"<server {self._connection!r}>"

    def about(self) -> dict[str, Any]:
        """Its version, whom it takes the caller for, what the caller may use and has used."""
        reply: dict[str, Any] = self._connection.text("GET", "/v1/about")
        return reply

    def programs(self) -> list[str]:
        """Names of the programs that it offers."""
        reply = self._connection.text("GET", "/v1/programs")
        return [str(program["name"]) for program in reply["programs"]]

    def program(self, name: str, **said: Any) -> Program:
        """A program that it offers, with what ``Program`` takes: ``secret=[…]`` and so on."""
        path = f"/v1/programs/{urllib.parse.quote(name, safe='')}"
        return Program.from_bytes(name, self._connection.data("GET", path), **said)

    def submit(
        self,
        program: Program,
        inputs: Inputs,
        server_key: ServerKey,
        /,
        *,
        name: str | None = None,
        threads: int = 0,
    ) -> Job:
        """Sends what the server has not, and accepts a job.

        Args:
            program: The program, with its own ``outputs``, ``call``, ``branches`` and so on.
            inputs: What ``encrypt`` made.
            server_key: The key that computes.
            name: What people call the job.
            threads: Threads to wish for; the server may give fewer.
        """
        if not isinstance(program, Program):
            raise UsageError("a server runs programs; a traced function runs on this machine")
        job: dict[str, Any] = {
            "request_id": secrets.token_hex(16),
            "name": name if name is not None else program.name,
            "threads": threads,
        }
        for word, value in program._said.items():
            field = _FIELDS.get(word)
            if field is not None and value is not None and value is not False:
                job[field] = _plain(word, value)
        parts = [
            ("program", "program", bytes(program)),
            ("inputs", "inputs", bytes(inputs)),
            ("key", "server_key", bytes(server_key)),
        ]
        if (selectors := server_key.selectors) is not None:
            parts.append(("selectors", "selector_key", selectors))
        hashes = {field: blake3(data) for field, _, data in parts}
        lacking = self._connection.text("POST", "/v1/missing", {"blake3": list(hashes.values())})
        for field, kind, data in parts:
            if hashes[field] in lacking["blake3"]:
                self._connection.data("PUT", f"/v1/blobs/{hashes[field]}?kind={kind}", data)
        reply = self._connection.text("POST", "/v1/jobs", {**job, **hashes})
        return Job(self._connection, str(reply["id"]))

    def job(self, identity: str, /) -> Job:
        """A job that was accepted before, by its id."""
        return Job(self._connection, identity)

    def jobs(self, *, unfinished: bool = False) -> list[Job]:
        """This client's jobs, the newest first."""
        reply = self._connection.text("GET", f"/v1/jobs?unfinished={str(unfinished).lower()}")
        return [Job(self._connection, str(job["id"])) for job in reply["jobs"]]
