"""What tests share: the repository's examples, and keys, which take a moment to make."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

import blindcore as bc

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"

# A program of sixteen bits that is one circuit, and quick.
ADD = """
.bits 16
.data a
.data b
    LOAD  R0, a
    LOAD  R1, b
    ADD   R0, R0, R1
    STORE R0, a
"""


@pytest.fixture(scope="session", autouse=True)
def interrupts() -> None:
    """What a shell starts in the background ignores Ctrl-C, and so would Python."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def key() -> bc.Keys:
    return bc.keygen()


@pytest.fixture(scope="session")
def other_key() -> bc.Keys:
    return bc.keygen()


@pytest.fixture(scope="session")
def add() -> bc.Program:
    return bc.Program.assembly(ADD, secret=["a", "b"], outputs=["a"])


@pytest.fixture(scope="session")
def salaries() -> bc.Program:
    return bc.Program(EXAMPLES / "salaries" / "salaries.elf", secret=["salary", "count"])


@pytest.fixture(scope="session")
def gcd() -> bc.Program:
    return bc.Program(EXAMPLES / "gcd" / "gcd.elf", secret=["a", "b"])


@pytest.fixture
def in_examples(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(EXAMPLES / "salaries")
    return EXAMPLES / "salaries"


sys.dont_write_bytecode = True
