"""From C to a program."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ._errors import UsageError
from ._native import Program


def compile(
    source: str | os.PathLike[str],
    *,
    flags: Iterable[str] = (),
    compiler: str | None = None,
    secret: str | Iterable[str] | None = None,
    public: Mapping[str, Any] | None = None,
    outputs: str | Iterable[str] | None = None,
    call: str | None = None,
    entry: str | None = None,
    branches: str | None = None,
    limit: int | None = None,
    missing_are_zero: bool = False,
) -> Program:
    """Compiles C, or takes what the same source was compiled to before.

    Args:
        source: The path of a C file, or C itself: a text with a line break or a brace is no path.
        flags: What else the compiler is told: ``-I``, ``-D`` and the like.
        compiler: A path, a name, or several words (``"python3 -m ziglang"``); by default
            ``$BLINDCORE_CC``, else the first that is there of ``arm-none-eabi-gcc``, ``clang`` with
            ``ld.lld``, ``zig``, and the package ``ziglang`` (``pip install "blindcore[compiler]"``).
        secret, public, outputs, call, entry, branches, limit, missing_are_zero: As in ``Program``.

    Raises:
        AccessError: if the file cannot be read.
        ProgramError: with what the compiler says; and if there is no compiler.
        UsageError: if ``compiler`` is none.

    >>> program = compile("int a, b; int main(void) { b = a + 1; return 0; }", secret="a")
    >>> int(program.simulate(a=41).b)
    42
    """
    if isinstance(flags, str):
        raise UsageError("flags: it takes texts, in a list")
    said = {
        "secret": secret,
        "public": public,
        "outputs": outputs,
        "call": call,
        "entry": entry,
        "branches": branches,
        "limit": limit,
        "missing_are_zero": missing_are_zero,
    }
    words = list(flags)
    chosen = compiler or os.environ.get("BLINDCORE_CC") or _beside()
    if not isinstance(source, str) or not ("\n" in source or "{" in source):
        return Program._compile(Path(source), words, chosen, None, **said)
    path = _kept(source)
    # Messages name the text, and not where it is kept.
    words.append(f"-ffile-prefix-map={path.parent}{os.sep}=")
    return Program._compile(path, words, chosen, path.name, **said)


def _beside() -> str | None:
    """The interpreter's own package ``ziglang``, where no other compiler is found."""
    if any(shutil.which(name) for name in ("arm-none-eabi-gcc", "clang", "zig")):
        return None
    if importlib.util.find_spec("ziglang") is None:
        return None
    return f"{sys.executable} -m ziglang"


def _kept(text: str) -> Path:
    """A file with this text, in a place of its own: what it is compiled to is kept by its path."""
    data = text.encode()
    name = hashlib.sha256(data).hexdigest()[:32]
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = Path(caches) / "blindcore" / "sources" / name / "program.c"
    try:
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, data)
    except OSError:
        path = Path(tempfile.mkdtemp(prefix="blindcore-")) / "program.c"
        path.write_bytes(data)
    return path


def _write(path: Path, data: bytes) -> None:
    """Writes a file that others see whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(temporary, path)


def restore(data: bytes, name: str, said: Mapping[str, Any]) -> Program:
    """A program out of a pickle. What came from C is the ELF file that it was compiled to."""
    return Program.from_bytes(name, data, **said)
