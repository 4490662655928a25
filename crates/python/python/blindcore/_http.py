"""The HTTP interface of a server, call by call."""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import ssl
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ._errors import (
    CertificateError,
    FileError,
    ServerRefused,
    ServerUnreachable,
    UsageError,
)

# How long a lost connection is tried again, in seconds.
_PATIENCE = 20.0
# The longest answer that is no ciphertext, and the longest one that is: a server does not decide how
# much memory its clients need.
_LONGEST_TEXT = 16 << 20
_LONGEST = 4 << 30
# The longest event of a stream.
_LONGEST_EVENT = 1 << 20
# Bytes that are read at once.
_PIECE = 1 << 20


class Connection:
    """Calls to one server. Each has a connection of its own, so that threads may share this."""

    def __init__(
        self, address: str, token: str | None, tls: str | os.PathLike[str] | None, timeout: float
    ) -> None:
        self.secure, self.host, self.port = _parts(address, tls is not None)
        self._token = token
        self._timeout = timeout
        self._context = _context(tls) if self.secure else None
        if not self.secure and tls is not None:
            raise UsageError(f"{address}: tls= is for https://")
        if not self.secure and not _on_this_machine(self.host):
            raise UsageError(
                f"{address}: a token would travel in the clear: write https://, or reach the "
                "server through a tunnel to this machine"
            )

    def __repr__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}"

    def text(self, method: str, path: str, body: object = None) -> Any:
        """A call that takes and returns JSON."""
        data = None if body is None else json.dumps(body).encode()
        return _read_text(self.data(method, path, data, "application/json", _LONGEST_TEXT))

    def data(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        kind: str = "application/octet-stream",
        most: int = _LONGEST,
    ) -> bytes:
        """A call that returns bytes. Each may be repeated, and is after a lost connection."""
        end = time.monotonic() + _PATIENCE
        pause = 0.1
        while True:
            try:
                return self._once(method, path, body, kind, most)
            except _Lost as lost:
                if time.monotonic() + pause > end:
                    raise ServerUnreachable(f"{self}: {lost}: is the server there?") from lost
            time.sleep(pause)
            pause = min(pause * 2, 2.0)

    def events(self, path: str) -> Iterator[Any]:
        """What a stream of events says, until it ends. A lost connection ends it, too."""
        try:
            connection, response = self._ask("GET", path, None, "")
            try:
                data = b""
                for line in _lines(response):
                    if line.startswith(b"data:"):
                        data += line[5:].strip() + b"\n"
                    elif not line and data:
                        yield _read_text(data)
                        data = b""
                    if len(data) > _LONGEST_EVENT:
                        raise FileError(f"{self}: an event of more than {_LONGEST_EVENT} bytes")
            finally:
                connection.close()
        except _Lost:
            return

    def _once(
        self, method: str, path: str, body: bytes | None, kind: str, most: int
    ) -> bytes:
        connection, response = self._ask(method, path, body, kind)
        try:
            length = response.length
            if length is not None and length > most:
                raise FileError(f"{self}: an answer of {length} bytes to {path}")
            pieces: list[bytes] = []
            read = 0
            while piece := response.read(_PIECE):
                pieces.append(piece)
                read += len(piece)
                if read > most:
                    raise FileError(f"{self}: an answer of more than {most} bytes to {path}")
            if length is not None and read != length:
                raise _Lost(f"{read} of {length} bytes came")
            return b"".join(pieces)
        except (OSError, http.client.HTTPException) as error:
            raise _Lost(str(error) or type(error).__name__) from error
        finally:
            connection.close()

    def _ask(
        self, method: str, path: str, body: bytes | None, kind: str
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Sends a call, and returns once it was not refused."""
        if self._context is None:
            connection = http.client.HTTPConnection(self.host, self.port, timeout=self._timeout)
        else:
            connection = http.client.HTTPSConnection(
                self.host, self.port, timeout=self._timeout, context=self._context
            )
        headers = {} if body is None else {"Content-Type": kind}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            try:
                connection.request(method, path, body, headers)
            except (BrokenPipeError, ConnectionResetError):
                # A server that refuses an upload says so before all of it has come.
                pass
            response = connection.getresponse()
            if response.status < 300:
                return connection, response
            words = response.read(_LONGEST_TEXT)
        except ssl.SSLCertVerificationError as error:
            connection.close()
            message = f"{self}: its certificate is not accepted: {error.verify_message}"
            raise CertificateError(f"{message}: give the authority's folder as tls=") from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise _Lost(str(error) or type(error).__name__) from error
        connection.close()
        if response.status == 503:
            raise _Lost(_message(words) or "the server takes nothing at the moment")
        raise ServerRefused(
            f"{self}: {_message(words) or f'{response.status} {response.reason}'}", response.status
        )


class _Lost(Exception):
    """The connection was lost, or there was none: another one may do better."""


def _parts(address: str, tls: bool) -> tuple[bool, str, int]:
    """Whether it is TLS, the host and the port of an address."""
    scheme, separator, rest = address.partition("://")
    if not separator:
        scheme, rest = "", address
    try:
        split = urllib.parse.urlsplit(f"//{rest}")
        host, port = split.hostname, split.port
    except ValueError as error:
        raise UsageError(f"{address}: {error}") from None
    wrong = split.path not in ("", "/") or split.query or split.username is not None
    if not host or wrong or scheme not in ("", "http", "https"):
        raise UsageError(f"{address}: an address is like https://host:7411")
    secure = scheme == "https" or (not scheme and (tls or not _on_this_machine(host)))
    return secure, host, port or (443 if secure else 80)


def _on_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _context(tls: str | os.PathLike[str] | None) -> ssl.SSLContext:
    """The system's authorities, or those and the client's certificate of a folder."""
    if tls is None:
        return ssl.create_default_context()
    folder = Path(tls)
    try:
        context = ssl.create_default_context(cafile=folder / "ca.pem")
        if (folder / "cert.pem").exists():
            context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        return context
    except (OSError, ssl.SSLError) as error:
        message = f"{folder}: no folder that `blindcore tls` made: {error}"
        raise CertificateError(message) from error


def _lines(response: http.client.HTTPResponse) -> Iterator[bytes]:
    while True:
        try:
            line = response.readline(_PIECE)
        except (OSError, http.client.HTTPException) as error:
            raise _Lost(str(error) or type(error).__name__) from error
        if not line:
            return
        yield line.rstrip(b"\r\n")


def _read_text(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise FileError(f"the server's answer is no JSON: {error}") from error


def _message(data: bytes) -> str:
    """What a refusal says; empty if it is none of ours."""
    try:
        return str(json.loads(data)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return ""
