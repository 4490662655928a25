"""Runs on a Ray cluster: ``pip install "blindcore[ray]"``.

Ray places workers, one on a machine, starts them, watches them and starts them again where they died; the
server key goes to them through its object store, once to each machine. Ciphertexts go from worker to worker
over connections of their own, since Ray takes milliseconds for what takes them a twentieth of one.

    import blindcore as bc
    import blindcore.ray

    outputs = blindcore.ray.run(program, inputs, key.server)

The workers see no value. Connections between them have no TLS unless ``tls`` names a directory that is on
every machine: Ray itself is for a network that nobody else is in.
"""

from __future__ import annotations

import threading
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

from ._errors import UsageError
from ._native import Addresses, Inputs, Outputs, Program, ServerKey, Worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._progress import Progress

__all__ = ["run"]

# Much of Ray says no types: it is taken as it comes.
ray: Any = import_module("ray")
_exceptions: Any = import_module("ray.exceptions")
_placing: Any = import_module("ray.util.placement_group")
_strategies: Any = import_module("ray.util.scheduling_strategies")

#: How often actors are asked where they are: one that was started again is elsewhere.
_WATCH = 1.0
#: How long a placement group may take to be ready: machines may have to come first.
_PLACING = 600.0


class _Actor:
    """A worker on a machine."""

    def __init__(self, key: bytes, threads: int, tls: str | None) -> None:
        self._worker = Worker(f"{ray.util.get_node_ip_address()}:0", threads=threads, tls=tls)
        self._worker.expect(ServerKey.from_bytes(key))

    def address(self) -> str:
        return self._worker.address


def run(
    program: Program,
    inputs: Inputs,
    server_key: ServerKey,
    /,
    *,
    cluster: str = "auto",
    workers: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    checkpoint: str | PathLike[str] | None = None,
    resume: bool = True,
    network: float | None = None,
    tls: str | PathLike[str] | None = None,
) -> Outputs:
    """Runs a program on workers of a Ray cluster.

    Args:
        program: The program.
        inputs: Its inputs.
        server_key: The key to compute with.
        cluster: Where Ray is, if this process is not connected yet: ``"auto"``, or ``"ray://HOST:PORT"``.
        workers: How many machines; by default all that are there.
        threads: Threads of each; by default all cores of the smallest of them.
        progress: Called with a ``Progress`` now and then.
        checkpoint: A file in which to keep how far the run is: whoever runs the same again goes on from it.
        resume: Whether to go on from the checkpoint if there is one.
        network: What each machine's link carries, in bits a second.
        tls: A directory of certificates, on every machine, that ``blindcore tls server --worker`` made.

    A worker that dies is started again where there is room, and takes part from the next checkpoint on; the
    others go on meanwhile. Raises what ``Program.run`` raises.
    """
    if not ray.is_initialized():
        ray.init(address=cluster, log_to_driver=False)
    cores = sorted(int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"])
    cores = [count for count in cores if count > 0]
    if not cores:
        raise UsageError("the Ray cluster has no machine with a core")
    count = len(cores) if workers is None else workers
    if count < 1:
        raise UsageError("workers: at least one is needed")
    each = threads if threads is not None else cores[-min(count, len(cores))]
    # One on a machine, where there are as many.
    strategy = "STRICT_SPREAD" if count <= len(cores) else "SPREAD"
    group = _placing.placement_group([{"CPU": each}] * count, strategy=strategy)
    try:
        ready, _ = ray.wait([group.ready()], timeout=_PLACING)
        if not ready:
            message = f"the Ray cluster has no room for {count} workers of {each} cores: ask for fewer, or for fewer threads"
            raise UsageError(message)
        return _run_in(group, count, each, program, inputs, server_key, progress, checkpoint, resume, network, tls)
    finally:
        _placing.remove_placement_group(group)


def _run_in(
    group: Any,
    count: int,
    threads: int,
    program: Program,
    inputs: Inputs,
    server_key: ServerKey,
    progress: Callable[[Progress], None] | None,
    checkpoint: str | PathLike[str] | None,
    resume: bool,
    network: float | None,
    tls: str | PathLike[str] | None,
) -> Outputs:
    # To the end of the run: an actor whose key is gone cannot be started again.
    key = ray.put(bytes(server_key))
    kind: Any = ray.remote(num_cpus=threads, max_restarts=-1, max_task_retries=-1)(_Actor)
    directory = None if tls is None else str(tls)
    actors = [
        kind.options(
            scheduling_strategy=_strategies.PlacementGroupSchedulingStrategy(
                group, placement_group_bundle_index=place
            )
        ).remote(key, threads, directory)
        for place in range(count)
    ]
    ended = threading.Event()
    watcher: threading.Thread | None = None
    try:
        addresses = Addresses(ray.get([actor.address.remote() for actor in actors]))
        watcher = threading.Thread(target=_watch, args=(actors, addresses, ended), daemon=True)
        watcher.start()
        return program.run(
            inputs,
            server_key,
            threads=threads,
            progress=progress,
            checkpoint=checkpoint,
            resume=resume,
            workers=addresses,
            tls=tls,
            network=network,
        )
    finally:
        ended.set()
        if watcher is not None:
            watcher.join()
        for actor in actors:
            ray.kill(actor)
        del key


def _watch(actors: list[Any], addresses: Addresses, ended: threading.Event) -> None:
    """Follows actors to where they are."""
    while not ended.wait(_WATCH):
        asked = {actor.address.remote(): place for place, actor in enumerate(actors)}
        # One that is being started again answers later: the others are not to wait for it.
        ready, _ = ray.wait(list(asked), num_returns=len(asked), timeout=_WATCH)
        for reference in ready:
            try:
                address: str = ray.get(reference)
            except _exceptions.RayError:
                # It died once more.
                continue
            if addresses[asked[reference]] != address:
                addresses[asked[reference]] = address
