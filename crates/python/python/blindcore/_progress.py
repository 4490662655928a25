"""How far some work is, and a display of it for terminals and notebooks."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any, NamedTuple, TextIO


class Progress(NamedTuple):
    """How far some work is.

    >>> Progress("run", 5, 20).fraction
    0.25
    """

    #: ``"keys"``, ``"check"``, ``"encryption"``, ``"circuit"`` or ``"run"``.
    stage: str
    #: Steps that are done; of a run these are operations of its circuits.
    done: int
    #: Steps that there are, as far as that is known.
    total: int
    #: Of a run on a table: which batch of rows, from 0.
    batch: int = 0
    #: Of a run: which window, from 0.
    window: int = 0
    #: Of a run: how many windows there are.
    windows: int = 1
    #: Of a run: instructions that are evaluated.
    instructions: int = 0

    @property
    def fraction(self) -> float:
        """Between 0 and 1."""
        return min(self.done / self.total, 1.0) if self.total else 0.0


class _State(threading.local):
    """What one thread shows: two of them may work at once."""

    begun: float = 0.0
    written: float = 0.0
    last: int = 0
    handle: Any = None


class ProgressBar:
    """A line that says how far some work is: ``progress=blindcore.progress_bar``.

    In a terminal the line is written over; in a notebook it is an output that changes; elsewhere a
    line is written every ten seconds.

    >>> import io
    >>> out = io.StringIO()
    >>> bar = ProgressBar(out)
    >>> bar(Progress("run", 20, 20))
    >>> out.getvalue()
    'run 100 %, 0 s\\n'
    """

    def __init__(self, file: TextIO | None = None, *, width: int = 30) -> None:
        self._file = file
        self._width = width
        self._state = _State()

    def __call__(self, progress: Progress) -> None:
        """Shows it."""
        state, now = self._state, time.monotonic()
        if not state.begun or progress.done < state.last:
            state.begun, state.written, state.handle = now, 0.0, None
        state.last = progress.done
        ended = progress.total > 0 and progress.done >= progress.total
        self._show(progress, now - state.begun, ended)
        if ended:
            state.begun, state.last, state.handle = 0.0, 0, None

    def _show(self, progress: Progress, seconds: float, ended: bool) -> None:
        state = self._state
        file = sys.stderr if self._file is None else self._file
        text = self._text(progress, seconds)
        if file.isatty():
            filled = round(progress.fraction * self._width)
            bar = "█" * filled + "·" * (self._width - filled)
            file.write(f"\r{bar} {text}\x1b[K" + ("\n" if ended else ""))
        elif self._file is None and _in_notebook():
            self._display(f"{progress.fraction:.0%} · {text}")
            return
        elif ended or time.monotonic() - state.written >= 10.0:
            state.written = time.monotonic()
            file.write(text + "\n")
        file.flush()

    def _text(self, progress: Progress, seconds: float) -> str:
        text = f"{progress.stage} {100 * progress.fraction:.0f} %, {seconds:.0f} s"
        if progress.fraction > 0.05 and progress.fraction < 1.0 and seconds > 1.0:
            left = seconds * (1 / progress.fraction - 1)
            text += f", about {left:.0f} s left"
        return text

    def _display(self, text: str) -> None:
        import importlib

        module: Any = importlib.import_module("IPython.display")
        shown = {"text/plain": text}
        if self._state.handle is None:
            self._state.handle = module.display(shown, raw=True, display_id=True)
        else:
            self._state.handle.update(shown, raw=True)

    def __repr__(self) -> str:
        return "blindcore.progress_bar" if self is progress_bar else "<progress bar>"


def _in_notebook() -> bool:
    """Whether a notebook's kernel runs this process; nothing is imported to find out."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


progress_bar = ProgressBar()
