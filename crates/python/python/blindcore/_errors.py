"""What can go wrong, as a small tree of exceptions.

Every error is an :class:`Error` whose ``code`` is the exit code of the command line for it. What a
wrong argument causes is a ``ValueError`` as well, and what the operating system refuses an
``OSError``.
"""

from __future__ import annotations

import re

# What the library advises in the command line's words, in those of this package.
_ADVICE = (
    (
        "answer with --answer-with NAME.secret and --allow SITE, or let --branches both execute",
        'answer with answer_with=key.secret and allow=["SITE"], or let branches="both" execute',
    ),
    ("name the bytes that the access may reach with --object ADDRESS:SIZE", "correct the program"),
    ("give it more rounds with --bound", "bound it in the source"),
    ("give --passphrase-file FILE or set BLINDCORE_PASSPHRASE_FILE", "give passphrase=…"),
    ("choose another name, or replace it with --force", "choose another name"),
    ("--branches both", 'branches="both"'),
    ("--branches ask", 'branches="ask"'),
    ("--max-instructions", "limit="),
    ("allow them with --allow ", "allow them with allow=, site "),
    ("allow more with --max-bits-of-key, or", "allow more in a text of rules, or"),
    ("allow more with --max-bits", "allow more with max_bits="),
    ("--ledger", "ledger="),
    ("--call", "call="),
    ("--entry", "entry="),
    ("--output", "outputs="),
    ("--threads", "threads="),
)

_LINE = re.compile(r"([^\s(),:]+\.\w+):(\d+)")


class Error(Exception):
    """Something went wrong; the text says what, where, and what to do.

    >>> Error("what").code
    1
    """

    code: int = 1

    def __init__(self, message: str = "") -> None:
        for command, package in _ADVICE:
            message = message.replace(command, package)
        super().__init__(message)


class InternalError(Error):
    """A defect in Blindcore itself: please report it."""

    code = 1


class UsageError(Error, ValueError):
    """What is asked for does not exist or does not go together."""

    code = 2


class InputError(Error, ValueError):
    """A value does not fit its variable, a name is unknown, or nothing says where the program
    begins or what it leaves."""

    code = 3


class FileError(Error, ValueError):
    """Bytes are not Blindcore's, of the wrong kind, truncated, over-long or corrupted."""

    code = 4


class WrongKey(Error):
    """Keys and ciphertexts do not belong together."""

    code = 5


class ProgramError(Error, ValueError):
    """The program does not compile, or is none that can be loaded."""

    code = 6


class ProgramFault(Error):
    """The program did what no program may: bad memory access, unknown instruction."""

    code = 7


class LimitExceeded(Error):
    """The program exceeded its limit of instructions, or is too deep for the scheme."""

    code = 8


class SecretBranch(Error):
    """The program branches on a secret or addresses memory by one, where it must not.

    ``source_line`` is ``(file, line)`` of the place if the text names it, else ``None``.

    >>> SecretBranch("a.elf: 0x8010 (main+4, gcd.c:7) (bne 0x8000): branches").source_line
    ('gcd.c', 7)
    """

    code = 9

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        found = _LINE.search(message)
        self.source_line: tuple[str, int] | None = (
            (found.group(1), int(found.group(2))) if found else None
        )


class AccessError(Error, OSError):
    """The operating system refused to read or write a file, or to start a thread."""

    code = 10


class ServerUnreachable(Error, ConnectionError):
    """The server cannot be reached, or the connection did not come back."""

    code = 12


class CertificateError(Error):
    """A certificate is not accepted, or cannot be read."""

    code = 13


class ServerRefused(Error):
    """The server refuses or fails: a quota, a permission, a defect of its own.

    ``status`` is HTTP's, 0 if there is none.
    """

    code = 14

    def __init__(self, message: str = "", status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class Refused(Error):
    """A question of the program is not answered."""

    code = 15


class JobCancelled(Error):
    """The job was cancelled."""

    code = 16


class PassphraseError(Error, ValueError):
    """A secret key's passphrase is missing, wrong or unusable."""

    code = 17


class Interrupted(Error):
    """Somebody cancelled the work."""

    code = 130
