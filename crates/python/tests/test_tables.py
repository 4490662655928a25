"""Tables: one run of a shallow program for all rows, with BGV."""

from __future__ import annotations

import numpy as np
import pytest

import blindcore as bc

MAY = """
.bits 16
.data age
.data rights
    LOAD  R0, age
    LOAD  R1, rights
    AND   R0, R0, R1
    STORE R0, age
"""


@pytest.fixture(scope="module")
def may() -> bc.Program:
    return bc.Program.assembly(MAY, secret=["age", "rights"])


@pytest.fixture(scope="module")
def keys(may: bc.Program) -> bc.Keys:
    return bc.keygen(scheme="bgv", program=may, rows=50)


def test_a_table_in_and_out(keys, may) -> None:
    seed = np.random.default_rng(5)
    age, rights = seed.integers(0, 1 << 16, size=(2, 50))
    inputs = keys.secret.encrypt_table(may, {"age": age, "rights": list(rights)})
    answer = keys.secret.decrypt(may.run(inputs, keys.server))
    assert answer.rows == 50 and answer.age.shape == (50,) and answer.age.dtype == np.uint16
    assert (answer.age == (age & rights)).all()
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": age, "rights": rights})
    inputs = keys.public.encrypt_table(may, frame)
    found = keys.secret.decrypt(may.run(inputs, keys.server)).to_pandas()
    assert (found["age"] == (frame["age"] & frame["rights"])).all()


def test_wrong_tables(key, keys, may) -> None:
    for wrong in (
        {"age": [1, 2], "rights": [1]},
        {"age": [], "rights": []},
        {"age": [1]},
        {"age": [1], "rights": [1], "more": [1]},
        {"age": [1 << 16], "rights": [1]},
        {"age": [1], "rights": 1},
    ):
        with pytest.raises(bc.InputError):
            keys.secret.encrypt_table(may, wrong)
    with pytest.raises(TypeError):
        keys.secret.encrypt_table(may, [1, 2])
    with pytest.raises(bc.InputError, match="one"):
        key.secret.encrypt_table(may, {"age": [1, 2], "rights": [1, 2]})
    with pytest.raises(bc.WrongKey):
        may.run(keys.secret.encrypt_table(may, {"age": [1], "rights": [1]}), key.server)
    with pytest.raises(bc.UsageError, match="checkpoints"):
        inputs = keys.secret.encrypt_table(may, {"age": [1], "rights": [1]})
        may.run(inputs, keys.server, checkpoint="never")


def test_one_row_is_a_table(keys, may) -> None:
    inputs = keys.secret.encrypt_table(may, {"age": [7], "rights": [3]})
    answer = keys.secret.decrypt(may.run(inputs, keys.server))
    assert answer.rows == 1 and answer.age.tolist() == [3]
