"""Keys and ciphertexts: files, bytes, pickles, and what is refused."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import stat
from pathlib import Path

import pytest

import blindcore as bc


def test_three_steps_with_files_between_them(tmp_path, key, add) -> None:
    key.secret.encrypt(add, a=40, b=2).save(tmp_path / "a.inputs")
    key.server.save(tmp_path / "s")
    outputs = add.run(bc.Inputs.load(tmp_path / "a.inputs"), bc.ServerKey.load(str(tmp_path / "s")))
    outputs.save(tmp_path / "a.outputs")
    assert key.secret.decrypt(bc.Outputs.load(tmp_path / "a.outputs")).a == 42
    outputs.save(tmp_path / "a.outputs")
    with pytest.raises(bc.AccessError):
        outputs.save(tmp_path / "s")


def test_a_public_key_encrypts(tmp_path, key, add) -> None:
    key.public.save(tmp_path / "friend")
    for public in (
        key.public,
        bc.PublicKey.load(tmp_path / "friend"),
        bc.PublicKey.from_bytes(bytes(key.public)),
        pickle.loads(pickle.dumps(key.public)),
    ):
        outputs = add.run(public.encrypt(add, a=40, b=2), key.server)
        assert key.secret.decrypt(outputs).a == 42
    assert not hasattr(key.public, "decrypt")


def test_keys_are_saved_and_read(tmp_path, key, add) -> None:
    key.save(tmp_path / "mine", passphrase="correct horse")
    mode = stat.S_IMODE(os.stat(tmp_path / "mine.secret").st_mode)
    assert mode == 0o600
    again = bc.Keys.load(tmp_path / "mine", passphrase="correct horse")
    assert again.key_id == key.key_id and add(again, a=1, b=2).a == 3
    for wrong in (None, "battery staple", ""):
        with pytest.raises(bc.PassphraseError):
            bc.Keys.load(tmp_path / "mine", passphrase=wrong)
    with pytest.raises(bc.AccessError):
        key.save(tmp_path / "mine")
    with pytest.raises(bc.AccessError):
        bc.Keys.load(tmp_path / "yours")
    key.secret.save(tmp_path / "open.secret")
    assert bc.SecretKey.load(tmp_path / "open.secret").key_id == key.key_id
    with pytest.raises(bc.FileError):
        bc.ServerKey.load(tmp_path / "open.secret")


def test_files_of_two_pairs_are_no_pair(tmp_path, key, other_key) -> None:
    key.save(tmp_path / "mine")
    os.remove(tmp_path / "mine.server")
    # The second part is in the way, and nothing is half written.
    with pytest.raises(bc.AccessError, match="mine.selectors"):
        other_key.server.save(tmp_path / "mine.server")
    assert not (tmp_path / "mine.server").exists()
    os.remove(tmp_path / "mine.selectors")
    other_key.server.save(tmp_path / "mine.server")
    with pytest.raises(bc.WrongKey, match="different key pairs"):
        bc.Keys.load(tmp_path / "mine")


def test_other_keys_are_refused(key, other_key, add) -> None:
    inputs = key.secret.encrypt(add, a=1, b=2)
    with pytest.raises(bc.WrongKey) as raised:
        add.run(inputs, other_key.server)
    assert raised.value.code == 5
    outputs = add.run(inputs, key.server)
    with pytest.raises(bc.WrongKey):
        other_key.secret.decrypt(outputs)


def test_other_types_are_refused(key, add) -> None:
    inputs = key.secret.encrypt(add, a=1, b=2)
    wrong = [
        lambda: add.run(bytes(inputs), key.server),
        lambda: add.run(inputs, key.secret),
        lambda: add.run(inputs, key),
        lambda: key.secret.decrypt(inputs),
        lambda: key.secret.decrypt(None),
        lambda: key.secret.encrypt("a program", a=1),
        lambda: bc.Inputs.from_bytes("text"),
        lambda: bc.Inputs(),
        lambda: bc.SecretKey(),
        lambda: add(key.secret, a=1, b=2),
        lambda: bc.keygen("p16"),
    ]
    for call in wrong:
        with pytest.raises(TypeError):
            call()


def test_damaged_bytes_are_refused(key, add) -> None:
    inputs = bytes(key.secret.encrypt(add, a=1, b=2))
    outputs = bytes(add.run(bc.Inputs.from_bytes(inputs), key.server))
    for length in (0, 1, 8, 50, 99):
        with pytest.raises(bc.FileError):
            bc.Inputs.from_bytes(inputs[:length])
    with pytest.raises(bc.FileError):
        bc.Inputs.from_bytes(outputs)
    with pytest.raises(bc.FileError):
        bc.Outputs.from_bytes(bytes(key.public))
    for wrong in (inputs[:-1], inputs + b"\0", inputs[:200] + b"\xff" * 9 + inputs[209:]):
        broken = bc.Inputs.from_bytes(wrong)
        assert "damaged" in repr(broken)
        with pytest.raises(bc.FileError):
            add.run(broken, key.server)
        with pytest.raises(bc.FileError):
            broken.variables
    broken = bc.Outputs.from_bytes(outputs[:-1])
    with pytest.raises(bc.FileError):
        key.secret.decrypt(broken)
    server = bytes(key.server)
    for wrong in (server[:-1], b"", server[:1000], os.urandom(100)):
        with pytest.raises(bc.FileError):
            bc.ServerKey.from_bytes(wrong)


def test_ciphertexts_say_what_they_are(key, add) -> None:
    inputs = key.secret.encrypt(add, a=1, b=2)
    assert list(inputs.variables) == ["a", "b"] and inputs.variables["a"].type == "u16"
    assert inputs.key_id == key.key_id and len(inputs) == len(bytes(inputs)) and inputs
    assert key.key_id in repr(inputs) and "a: u16" in repr(inputs)
    assert pickle.loads(pickle.dumps(inputs)) == inputs == copy.deepcopy(inputs)
    assert hash(inputs) == hash(bc.Inputs.from_bytes(bytes(inputs)))
    assert inputs != key.secret.encrypt(add, a=1, b=2) and inputs != 3


def test_secrets_do_not_show(key) -> None:
    for secret in (key.secret, key):
        assert len(repr(secret)) < 60 and key.key_id in repr(secret)
        for refused in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="not pickled"):
                refused(secret)
        with pytest.raises(TypeError):
            bytes(secret)
    with pytest.raises(AttributeError):
        key.secret = None
    with pytest.raises(AttributeError):
        key.secret.more = None
    assert "secret" in key._repr_html_()


def test_a_key_outlives_its_pair(add) -> None:
    secret = bc.keygen().secret
    gc.collect()
    assert len(secret.encrypt(add, a=1, b=2)) > 0


def test_wrong_parameters() -> None:
    for wrong in (
        {"parameters": "p17"},
        {"scheme": "ckks"},
        {"scheme": "bgv"},
        {"rows": 3},
        {"scheme": "bgv", "rows": 0},
    ):
        with pytest.raises(bc.UsageError):
            bc.keygen(**wrong)


def test_the_second_part_of_a_server_key(
    key: bc.Keys, other_key: bc.Keys, tmp_path: Path, salaries: bc.Program
) -> None:
    selectors = key.server.selectors
    assert selectors is not None and len(selectors) > 50_000_000
    first = bc.ServerKey.from_bytes(bytes(key.server))
    assert first.selectors is None
    whole = bc.ServerKey.from_bytes(bytes(key.server), selectors)
    assert whole.selectors == selectors
    again = pickle.loads(pickle.dumps(whole))
    assert again.selectors == selectors
    # Every one of them gives the same answers.
    inputs = key.secret.encrypt(salaries, salary=[5200, 4100, 3950], count=3)
    for server in (first, again):
        answer = key.secret.decrypt(salaries.run(inputs, server))
        assert (answer.total, answer.mean) == (13250, 4416)
    # Beside the first part there is a file, which is found again, or missed.
    key.save(tmp_path / "mine")
    assert (tmp_path / "mine.selectors").read_bytes() == selectors
    assert bc.Keys.load(tmp_path / "mine").server.selectors == selectors
    (tmp_path / "mine.selectors").unlink()
    assert bc.ServerKey.load(tmp_path / "mine.server").selectors is None
    # One of another pair, and what is none at all.
    with pytest.raises(bc.WrongKey, match="another server key"):
        bc.ServerKey.from_bytes(bytes(other_key.server), selectors)
    with pytest.raises(bc.FileError):
        bc.ServerKey.from_bytes(bytes(key.server), bytes(key.server))
    with pytest.raises(bc.FileError):
        bc.ServerKey.from_bytes(bytes(key.server), selectors[:-1])


def test_keys_without_the_second_part() -> None:
    assert bc.keygen(selectors=False).server.selectors is None
