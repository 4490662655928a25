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
from contextlib import contextmanager
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

from ._errors import UsageError
from ._native import Addresses, Inputs, Outputs, Program, ServerKey, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from ._progress import Progress

__all__ = ["run", "workers_on"]

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

    def __init__(self, key: bytes | None, threads: int, tls: str | None) -> None:
        self._worker = Worker(f"{ray.util.get_node_ip_address()}:0", threads=threads, tls=tls)
        if key is not None:
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
    grow: bool = False,
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
        grow: Whether machines that join the cluster later get a worker, too, and take part.

    A worker that dies is started again where there is room, and takes part from the next checkpoint on; the
    others go on meanwhile. Raises what ``Program.run`` raises.
    """
    placed = workers_on(server_key, cluster=cluster, workers=workers, threads=threads, tls=tls, grow=grow)
    with placed as (addresses, each):
        return program.run(
            inputs,
            server_key,
            threads=each,
            progress=progress,
            checkpoint=checkpoint,
            resume=resume,
            workers=addresses,
            tls=tls,
            network=network,
        )


@contextmanager
def workers_on(
    server_key: ServerKey | None,
    /,
    *,
    cluster: str = "auto",
    workers: int | None = None,
    threads: int | None = None,
    tls: str | PathLike[str] | None = None,
    grow: bool = False,
) -> Generator[tuple[Addresses, int]]:
    """Workers on a Ray cluster as long as the block lasts: their addresses, and the threads that each has.

    They have the server key from the start, if there is one; whoever drives them gives them others. The addresses
    change when Ray starts a worker again elsewhere, and with ``grow`` there are more of them when machines join the
    cluster. The arguments are those of ``run``.
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
        actors = _Actors(server_key, each, None if tls is None else str(tls))
        try:
            yield actors.start(group, count, grow), each
        finally:
            actors.end()
    finally:
        _placing.remove_placement_group(group)


class _Actors:
    """Workers that are actors, and a thread that knows where they are."""

    def __init__(self, server_key: ServerKey | None, threads: int, tls: str | None) -> None:
        # To the end of the run: an actor whose key is gone cannot be started again.
        self._key = ray.put(None if server_key is None else bytes(server_key))
        self._threads, self._tls = threads, tls
        self._kind: Any = ray.remote(num_cpus=threads, max_restarts=-1, max_task_retries=-1)(_Actor)
        # In the order of the addresses; of one that has none yet, with the machine that it is for.
        self._actors: list[Any] = []
        self._coming: dict[str, tuple[Any, Any]] = {}
        self._ended = threading.Event()
        self._watcher: threading.Thread | None = None

    def _actor(self, strategy: Any) -> Any:
        return self._kind.options(scheduling_strategy=strategy).remote(self._key, self._threads, self._tls)

    def start(self, group: Any, count: int, grow: bool) -> Addresses:
        for place in range(count):
            strategy = _strategies.PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=place)
            self._actors.append(self._actor(strategy))
        addresses = Addresses(ray.get([actor.address.remote() for actor in self._actors]))
        known = {node["NodeID"] for node in ray.nodes()}
        self._watcher = threading.Thread(target=self._watch, args=(addresses, known if grow else None), daemon=True)
        self._watcher.start()
        return addresses

    def end(self) -> None:
        self._ended.set()
        if self._watcher is not None:
            self._watcher.join()
        for actor in [*self._actors, *(actor for actor, _ in self._coming.values())]:
            ray.kill(actor)

    def _watch(self, addresses: Addresses, known: set[str] | None) -> None:
        while not self._ended.wait(_WATCH):
            self._follow(addresses)
            if known is not None:
                self._take_in(addresses, known)

    def _follow(self, addresses: Addresses) -> None:
        """Follows actors to where they are."""
        asked = {actor.address.remote(): place for place, actor in enumerate(self._actors)}
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

    def _take_in(self, addresses: Addresses, known: set[str]) -> None:
        """Starts a worker on each machine that is new and has room for one."""
        for node in ray.nodes():
            name = node["NodeID"]
            if node["Alive"] and name not in known and node["Resources"].get("CPU", 0) >= self._threads:
                known.add(name)
                actor = self._actor(_strategies.NodeAffinitySchedulingStrategy(node_id=name, soft=False))
                self._coming[name] = (actor, actor.address.remote())
        for name, (actor, reference) in list(self._coming.items()):
            ready, _ = ray.wait([reference], timeout=0)
            if not ready:
                continue
            del self._coming[name]
            try:
                address: str = ray.get(reference)
            except _exceptions.RayError:
                # The machine is gone already.
                continue
            self._actors.append(actor)
            addresses.append(address)
