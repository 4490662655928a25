"""Workers in this process, and on a Ray cluster of three machines that are processes here."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest

import blindcore as bc

TEXT = """.bits 16
.data x[8]
.data y[8]
.data sum
 MOV R0, 0
 MOV R4, 0
next: LOAD R1, x[R0]
 LOAD R2, y[R0]
 MUL R1, R1, R2
 ADD R4, R4, R1
 ADD R0, R0, 1
 CMP R0, 8
 B_LO next
 STORE R4, sum
"""
X, Y = [3, 50, 700, 9, 11, 13, 1500, 17], [19, 21, 23, 2500, 27, 29, 31, 33]
SUM = sum(x * y for x, y in zip(X, Y)) % 65536


@pytest.fixture(scope="module")
def run_of(key):
    program = bc.Program.assembly(TEXT, secret=["x", "y"], outputs=["sum"])
    return program, key.secret.encrypt(program, x=X, y=Y)


def test_a_run_on_workers(key, run_of):
    program, inputs = run_of
    workers = [bc.Worker(threads=1) for _ in range(2)]
    try:
        seen = []
        outputs = program.run(
            inputs, key.server, threads=1, workers=[worker.address for worker in workers], progress=seen.append
        )
        assert key.secret.decrypt(outputs).sum == SUM
        # The same circuits on one machine give the very same ciphertexts.
        alone = program.run(inputs, key.server, threads=2)
        assert key.secret.decrypt(alone).sum == SUM
    finally:
        for worker in workers:
            worker.stop()


def test_a_worker_that_is_not_there(key, run_of):
    program, inputs = run_of
    with pytest.raises(bc.Error, match="127.0.0.1:9"):
        program.run(inputs, key.server, workers=["127.0.0.1:9"])
    with pytest.raises(bc.UsageError):
        program.run(inputs, key.server, workers=[])
    with pytest.raises(TypeError, match="workers"):
        program.run(inputs, key.server, workers=3)


def test_addresses():
    addresses = bc.Addresses(["a:1", "b:2"])
    addresses[0] = "c:3"
    assert (len(addresses), list(addresses)) == (2, ["c:3", "b:2"])
    addresses.append("e:5")
    assert list(addresses)[2:] == ["e:5"]
    with pytest.raises(IndexError):
        addresses[3] = "d:4"


def test_three_machines_of_ray(key, run_of, tmp_path):
    """Started, used, and one of them killed in the midst of a run."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    import blindcore.ray

    program, inputs = run_of
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    try:
        ray.init(address=cluster.address, log_to_driver=False)
        outputs = blindcore.ray.run(program, inputs, key.server)
        assert key.secret.decrypt(outputs).sum == SUM

        # A machine is lost as soon as something is done.
        begun = threading.Event()

        def kill():
            begun.wait(60)
            cluster.remove_node(nodes[1], allow_graceful=False)

        killer = threading.Thread(target=kill)
        killer.start()
        again = blindcore.ray.run(program, inputs, key.server, progress=lambda _: begun.set())
        begun.set()
        killer.join()
        assert key.secret.decrypt(again).sum == SUM
        assert bytes(again) == bytes(outputs)

        # A machine that joins gets a worker, too.
        with blindcore.ray.workers_on(key.server, workers=1, grow=True) as (addresses, each):
            assert (len(addresses), each) == (1, 1)
            cluster.add_node(num_cpus=1)
            deadline = time.monotonic() + 60
            while len(addresses) < 2 and time.monotonic() < deadline:
                time.sleep(0.1)
            assert len(addresses) == 2
            grown = program.run(inputs, key.server, threads=1, workers=addresses)
            assert key.secret.decrypt(grown).sum == SUM

        # What `blindcore run --cluster` starts: it says where two workers are, and ends with its input.
        (tmp_path / "server").write_bytes(bytes(key.server))
        line = [sys.executable, "-m", "blindcore._ray_workers", "--cluster", cluster.address, "--workers", "2"]
        placed = subprocess.Popen([*line, "--key", str(tmp_path / "server")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            found = json.loads(placed.stdout.readline())
            assert (len(found["addresses"]), found["threads"]) == (2, 1)
            third = program.run(inputs, key.server, threads=1, workers=found["addresses"])
            assert key.secret.decrypt(third).sum == SUM
            placed.stdin.close()
            assert placed.wait(60) == 0
        finally:
            placed.kill()

        # The command line itself, where it has been built.
        if binary := os.environ.get("BLINDCORE"):
            (tmp_path / "sum.hea").write_text(TEXT)
            (tmp_path / "inputs").write_bytes(bytes(inputs))
            line = [binary, "run", "sum.hea", "inputs", "--key", "server", "--out", "out", "--quiet", "--output", "sum"]
            there = ["--cluster", cluster.address, "--machines", "2", "--plain"]
            environment = dict(os.environ, BLINDCORE_PYTHON=sys.executable)
            subprocess.run([*line, *there], cwd=tmp_path, env=environment, check=True, timeout=120)
            assert key.secret.decrypt(bc.Outputs.from_bytes((tmp_path / "out").read_bytes())).sum == SUM
    finally:
        ray.shutdown()
        cluster.shutdown()
