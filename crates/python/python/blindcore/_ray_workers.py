"""Workers on a Ray cluster for ``blindcore run`` and ``serve --cluster``: ``python -m blindcore._ray_workers``.

Says where they are, as a line of JSON, and again whenever that changes. They are there until standard input ends, so
that they end with whoever started this.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading

from ._errors import Error
from ._native import ServerKey

#: How often it looks whether a worker is elsewhere.
_WATCH = 0.5


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m blindcore._ray_workers")
    parser.add_argument("--key", help="a server key's file that they have from the start")
    parser.add_argument("--cluster", default="auto", help="where Ray is: auto, or ray://HOST:PORT")
    parser.add_argument("--workers", type=int, help="how many machines")
    parser.add_argument("--threads", type=int, help="threads of each")
    parser.add_argument("--tls", help="a directory of certificates on every machine")
    options = parser.parse_args()
    # Ray and its processes print on standard output, too: from here on that goes where errors go.
    said = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        from .ray import workers_on
    except ImportError as error:
        print(f'{error}: pip install "blindcore[ray]"', file=sys.stderr)
        return 1
    ended = threading.Event()
    threading.Thread(target=_until_end, args=(ended,), daemon=True).start()
    try:
        key = None
        if options.key:
            with open(options.key, "rb") as file:
                key = ServerKey.from_bytes(file.read())
        placed = workers_on(
            key, cluster=options.cluster, workers=options.workers, threads=options.threads, tls=options.tls
        )
        with placed as (addresses, threads):
            # Whoever stops all processes of a service stops the server, which lets jobs come to a checkpoint.
            for ending in (signal.SIGTERM, signal.SIGINT):
                signal.signal(ending, signal.SIG_IGN)
            told: list[str] = []
            while not ended.is_set():
                now = [addresses[place] for place in range(len(addresses))]
                if now != told:
                    print(json.dumps({"addresses": now, "threads": threads}), file=said, flush=True)
                    told = now
                ended.wait(_WATCH)
    except (Error, ConnectionError, OSError, RuntimeError) as error:
        print(str(error).strip().splitlines()[-1] if str(error).strip() else repr(error), file=sys.stderr)
        return 1
    return 0


def _until_end(ended: threading.Event) -> None:
    """Standard input ends with whoever started this."""
    # Not `sys.stdin`: Python ends with a fatal error where a thread is still in there, and hides the reason.
    while os.read(0, 4096):
        pass
    ended.set()


if __name__ == "__main__":
    sys.exit(main())
