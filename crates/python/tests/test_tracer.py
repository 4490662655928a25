"""Python functions as circuits, against themselves on plain numbers."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import pytest

import blindcore as bc


@bc.program
def premium(income: bc.U32, children: bc.U8) -> bc.U32:
    base = bc.where(income > 50_000, income >> 3, income >> 4)
    return base - bc.minimum(children, 4) * 120


def plain_premium(income: int, children: int) -> int:
    base = income >> 3 if income > 50_000 else income >> 4
    return (base - min(children, 4) * 120) % (1 << 32)


def test_a_function_runs(key) -> None:
    assert premium(key, 61_000, 2) == plain_premium(61_000, 2)
    assert type(premium.simulate(61_000, children=2)) is np.uint32
    seed = random.Random(2)
    for _ in range(20):
        values = (seed.randrange(1 << 17), seed.randrange(256))
        assert premium.simulate(*values) == plain_premium(*values)
    assert premium.plan().bootstraps > 0 and "premium" in repr(premium)
    inputs = key.secret.encrypt(premium, income=61_000, children=9)
    outputs = premium.run(inputs, key.server, threads=1)
    assert key.secret.decrypt(outputs).premium == plain_premium(61_000, 9)
    public = key.public.encrypt(premium, {"income": 5, "children": 0})
    assert premium.decrypt(key.secret, premium.run(public, key.server)) == 0


OPERATIONS: list[tuple[Callable[..., Any], Callable[[int, int], int]]] = [
    (lambda a, b: a + b, lambda a, b: a + b),
    (lambda a, b: a - b, lambda a, b: a - b),
    (lambda a, b: a * b, lambda a, b: a * b),
    (lambda a, b: -a, lambda a, b: -a),
    (lambda a, b: 7 - a, lambda a, b: 7 - a),
    (lambda a, b: a & b, lambda a, b: a & b),
    (lambda a, b: a | 5, lambda a, b: a | 5),
    (lambda a, b: a ^ b, lambda a, b: a ^ b),
    (lambda a, b: ~a, lambda a, b: ~a),
    (lambda a, b: a << 3, lambda a, b: a << 3),
    (lambda a, b: a >> 2, lambda a, b: a >> 2),
    (lambda a, b: a < b, lambda a, b: a < b),
    (lambda a, b: a <= b, lambda a, b: a <= b),
    (lambda a, b: a > b, lambda a, b: a > b),
    (lambda a, b: a >= 3, lambda a, b: a >= 3),
    (lambda a, b: a == b, lambda a, b: a == b),
    (lambda a, b: a != 3, lambda a, b: a != 3),
    (lambda a, b: bc.minimum(a, b), min),
    (lambda a, b: bc.maximum([a, b, 3]), lambda a, b: max(a, b, 3)),
    (lambda a, b: bc.where(a > b, a, b), max),
    (lambda a, b: bc.where((a > b) & ~(a > 9), 1, 0), lambda a, b: int(b < a <= 9)),
    (lambda a, b: (a > b) * 5 + (a == b), lambda a, b: (a > b) * 5 + (a == b)),
    (lambda a, b: abs(a), lambda a, b: abs(a)),
    (lambda a, b: sum([a, b, a]), lambda a, b: a + b + a),
    (lambda a, b: bc.quotient(a, 7), lambda a, b: int(a / 7)),
    (lambda a, b: bc.remainder(a, 7), lambda a, b: a - 7 * int(a / 7)),
]

TYPES = {bc.U8: (0, 255), bc.U16: (0, 65535), bc.I8: (-128, 127), bc.I32: (-(2**31), 2**31 - 1)}


@pytest.mark.parametrize("own", list(TYPES), ids=lambda own: own.__name__)
@pytest.mark.parametrize("number", range(len(OPERATIONS)))
def test_operators_are_pythons(own, number) -> None:
    drawn, plain = OPERATIONS[number]

    def function(a, b):
        return drawn(a, b)

    function.__annotations__ = {"a": own, "b": own}
    traced = bc.program(function)
    low, high = TYPES[own]
    seed = random.Random(number)
    pairs = [(low, high), (high, low), (low, low), (0, 0), (3, 3)]
    pairs += [(seed.randint(low, high), seed.randint(low, high)) for _ in range(6)]
    for a, b in pairs:
        found = traced.simulate(a, b)
        bits = np.dtype(type(found)).itemsize * 8
        assert (int(found) - plain(a, b)) % (1 << bits) == 0, (a, b)


def test_unsigned_division_rounds_down() -> None:
    @bc.program
    def divided(a: bc.U16, b: bc.U16) -> tuple[bc.U16, bc.U16]:
        return a // b, a % b

    for a, b in ((1000, 7), (7, 1000), (65535, 1), (0, 5)):
        assert divided.simulate(a, b) == divmod(a, b)

    @bc.program
    def signed(a: bc.I16) -> bc.I16:
        return a // 2

    with pytest.raises(TypeError, match="quotient"):
        signed.plan()


def test_shifts_by_secrets() -> None:
    @bc.program
    def shifted(a: bc.U32, n: bc.U8) -> tuple[bc.U32, bc.U32]:
        return a << n, a >> n

    for n in (0, 1, 5, 31, 32, 40, 255):
        left, right = shifted.simulate(0x80000101, n)
        assert left == (0x80000101 << n) % (1 << 32) and right == 0x80000101 >> n


def test_lists_tables_and_loops(key) -> None:
    squares = [number * number for number in range(256)]

    @bc.program
    def distance(a: Annotated[list[bc.U8], 3], b: Annotated[list[bc.U8], 3], at: bc.U8) -> Any:
        table = bc.LookupTable(squares)
        total = 0
        for x, y in zip(a, b):
            total = total + table[bc.maximum(x, y) - bc.minimum(x, y)]
        return {"total": total, "chosen": bc.LookupTable(a)[at], "none": table[at & 3]}

    answer = distance.simulate([1, 200, 3], b=np.array([4, 5, 6]), at=1)
    assert answer == {"total": 9 + 195**2 + 9, "chosen": 200, "none": 1}
    assert distance.simulate([1, 2, 3], [1, 2, 3], 7)["chosen"] == 0
    answer = distance(key, [1, 200, 3], [4, 5, 6], at=2)
    assert answer["total"] == 9 + 195**2 + 9 and answer["chosen"] == 3
    with pytest.raises(bc.InputError, match="a: 2 values for 3"):
        distance.simulate([1, 2], [1, 2, 3], 0)


def test_arrays_of_words() -> None:
    @bc.program
    def doubled(a: Annotated[list[bc.U8], 4]) -> Any:
        words = np.array(a, dtype=object)
        return {"doubled": words * 2, "sum": words.sum()}

    answer = doubled.simulate(range(4))
    assert answer == {"doubled": [0, 2, 4, 6], "sum": 6}


def test_what_a_function_returns_comes_back() -> None:
    @dataclasses.dataclass
    class Pair:
        larger: bc.U8
        equal: bc.Bool

    @bc.program
    def pair(a: bc.U8, b: bc.U8) -> Pair:
        return Pair(bc.maximum(a, b), a == b)

    answer = pair.simulate(3, 9)
    assert isinstance(answer, Pair) and answer.larger == 9
    assert type(answer.equal) is np.bool_ and not answer.equal

    @bc.program
    def truth(flag: bc.Bool, x: bc.U8) -> bc.Bool:
        return flag & (x > 3) | ~flag

    assert truth.simulate(False, 0) and truth.simulate(True, 4) and not truth.simulate(True, 3)
    with pytest.raises(bc.InputError, match="flag"):
        truth.simulate(2, 0)


def secret_if(x: bc.U8) -> bc.U8:
    if x > 3:
        return x
    return x + 1


def secret_and(x: bc.U8) -> bc.Bool:
    return x > 3 and x < 9


def secret_index(x: bc.U8) -> bc.U8:
    return [x, x][x]


def secret_range(x: bc.U8) -> bc.U8:
    return sum(x for _ in range(x))


def secret_in(x: bc.U8) -> bc.Bool:
    return x in [1, 2]


@pytest.mark.parametrize("function", [secret_if, secret_and, secret_index, secret_range, secret_in])
def test_a_secret_that_decides_is_named_with_its_line(function) -> None:
    with pytest.raises(bc.SecretBranch) as raised:
        bc.program(function).plan()
    first = function.__code__.co_firstlineno
    file, line = raised.value.source_line
    assert file == __file__ and first < line <= first + 2
    assert "blindcore." in str(raised.value) and f":{line}:" in str(raised.value)


def test_what_does_not_go_together() -> None:
    def mixed(a: bc.U32, b: bc.I32) -> bc.I32:
        return a + b

    def negative(a: bc.U8) -> bc.U8:
        return a + -1

    def text(a: bc.U8) -> bc.U8:
        return a + "1"

    def divided(a: bc.U8) -> bc.U8:
        return a / 2

    for wrong in (mixed, negative, text, divided):
        with pytest.raises(TypeError):
            bc.program(wrong).plan()

    def untyped(a):  # type: ignore[no-untyped-def]
        return a

    def many(*a: bc.U8) -> bc.U8:
        return a[0]

    for wrong in (untyped, many):
        with pytest.raises(bc.UsageError):
            bc.program(wrong)

    def nothing(a: bc.U8) -> None:
        return None

    def number(a: bc.U8) -> Any:
        return 3

    for wrong in (nothing, number):
        with pytest.raises(bc.UsageError):
            bc.program(wrong).plan()

    kept: list[bc.U8] = []

    def keeps(a: bc.U8) -> bc.U8:
        kept.append(a)
        return kept[0] + a

    bc.program(keeps).plan()
    with pytest.raises(bc.UsageError, match="another function"):
        bc.program(keeps).plan()

    def converted(a: bc.U32, b: bc.I32) -> bc.I64:
        return bc.I64(a) + b

    assert bc.program(converted).simulate(2**32 - 1, -1) == 2**32 - 2


def test_values_and_keys_are_checked(key, other_key) -> None:
    for wrong in ({"income": -1, "children": 2}, {"income": 1, "children": 256}):
        with pytest.raises(bc.InputError):
            premium.simulate(**wrong)
    for call in (lambda: premium.simulate(1), lambda: premium.simulate(1, 2, 3)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(bc.InputError, match="children"):
        key.secret.encrypt(premium, income=1)
    inputs = key.secret.encrypt(premium, income=1, children=2)
    with pytest.raises(bc.WrongKey):
        premium.run(inputs, other_key.server)
    assert premium.circuit().outputs["premium"].type == "u32"


def test_circuits_of_files(key, tmp_path) -> None:
    text = premium.circuit().to_bristol()
    (tmp_path / "premium.txt").write_text(text)
    again = bc.Circuit.load(tmp_path / "premium.txt")
    names = list(again.inputs)
    values = dict(zip(names, (61_000, 2)))
    assert list(again.simulate(values).values()) == [plain_premium(61_000, 2)]
    outputs = again.run(key.secret.encrypt(again, values), key.server)
    assert list(key.secret.decrypt(outputs).values()) == [plain_premium(61_000, 2)]
    assert ".model" in premium.circuit().to_blif()
    again = bc.Circuit.from_bytes("premium.json", premium.circuit().to_yosys().encode())
    assert again.simulate(income=61_000, children=2).premium == 7385
    plan = premium.plan(threads=2)
    assert plan.threads == 2 and plan.seconds > 0 and plan.memory > 50_000_000
    assert 0 < plan.depth <= plan.bootstraps and plan.log2_failure <= -100
    assert f"{plan.bootstraps} bootstraps" in repr(plan) and "memory" in str(plan)
    assert "<th>time</th>" in plan._repr_html_()
    for wrong in (b"", b"\x00", b"1 1\n", b"2 4\n2 1 1\n2 1 1\n\n2 1 0 1 9 XOR\n"):
        with pytest.raises(bc.FileError):
            bc.Circuit.from_bytes("x.txt", wrong)
    with pytest.raises(bc.AccessError):
        bc.Circuit.load(tmp_path / "nowhere.txt")


def test_units_and_parameters() -> None:
    units = bc.circuits.units(8)
    assert len(units) > 20 and {unit.name for unit in units} >= {"add"}
    with pytest.raises(bc.UsageError):
        bc.circuits.units(0)
    sets = bc.parameters.sets()
    assert all(own["name"] == name for name, own in sets.items())
