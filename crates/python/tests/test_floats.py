"""Floating-point words, against NumPy's numbers bit by bit."""

import math
from typing import Annotated, Any

import numpy
import pytest

import blindcore as bc

SPECIAL = [0.0, -0.0, 1.0, -1.5, 0.1, 3e38, -3e38, 1e-45, -1e-40, math.inf, -math.inf, math.nan]


def numbers(kind: Any, count: int) -> list[Any]:
    """Numbers of every size, by their bits; among them what carries fear."""
    random = numpy.random.default_rng(7)
    width = numpy.dtype(kind).itemsize
    anything = numpy.frombuffer(random.bytes(width * count), dtype=kind)
    ordinary = (random.normal(size=count) * 10.0 ** random.integers(-3, 4, count)).astype(kind)
    return [*map(kind, SPECIAL), *anything, *ordinary]


def same(found: Any, expected: Any) -> bool:
    """Bit for bit; one number that is none is like another."""
    if numpy.isnan(expected):
        return bool(numpy.isnan(found))
    return found.dtype == expected.dtype and found.tobytes() == expected.tobytes()


@bc.program
def operations(a: bc.F32, b: bc.F32) -> dict[str, Any]:
    return {
        "sum": a + b,
        "difference": a - b,
        "product": a * b,
        "quotient": a / b,
        "negative": -a,
        "size": abs(a),
        "root": bc.sqrt(a),
        "less": a < b,
        "at_most": a <= b,
        "at_least": a >= b,
        "equal": a == b,
        "other": a != b,
        "wide": bc.F64(a) * b,
        "chosen": bc.where(a > b, a, b),
        "halved": a * 0.5,
        "from_one": 1 - a,
    }


@numpy.errstate(all="ignore")
def test_every_operation_is_ieees() -> None:
    random = numpy.random.default_rng(3)
    values = numbers(numpy.float32, 40)
    half, one = numpy.float32(0.5), numpy.float32(1)
    for a in values:
        b = values[random.integers(len(values))]
        found = operations.simulate(a, b)
        expected = {
            "sum": a + b,
            "difference": a - b,
            "product": a * b,
            "quotient": a / b,
            "negative": -a,
            "size": abs(a),
            "root": numpy.sqrt(a),
            "wide": numpy.float64(a) * numpy.float64(b),
            "chosen": a if a > b else b,
            "halved": a * half,
            "from_one": one - a,
        }
        for name, value in expected.items():
            assert same(found[name], value), (name, a, b, found[name], value)
        truths = {
            "less": a < b,
            "at_most": a <= b,
            "at_least": a >= b,
            "equal": a == b,
            "other": a != b,
        }
        for name, truth in truths.items():
            assert found[name] == truth, (name, a, b)


@bc.program
def conversions(a: bc.F64, n: bc.I32, u: bc.U16) -> dict[str, Any]:
    return {
        "down": bc.I32(a),
        "byte": bc.U8(a),
        "single": bc.F32(a),
        "of_n": bc.F32(n),
        "of_u": bc.F64(u),
        "scaled": u * 0.25,
        "truth": bc.Bool(a),
        "least": bc.minimum(a, n, 2.5),
        "tabled": bc.LookupTable([0.5, -1.5, 2.0])[bc.U8(u)],
    }


@numpy.errstate(all="ignore")
def test_conversions_are_those_of_c() -> None:
    random = numpy.random.default_rng(5)
    for a in numbers(numpy.float64, 20):
        n, u = int(random.integers(-(2**31), 2**31)), int(random.integers(0, 4))
        found = conversions.simulate(a, n, u)

        def nearest(low: int, high: int, value: Any = a) -> int:
            return 0 if math.isnan(value) else int(max(low, min(high, numpy.trunc(value))))

        assert found["down"] == nearest(-(2**31), 2**31 - 1)
        assert found["byte"] == nearest(0, 255)
        assert same(found["single"], numpy.float32(a))
        assert same(found["of_n"], numpy.float32(n)) and same(found["of_u"], numpy.float64(u))
        assert found["scaled"] == u / 4 and found["truth"] == (a != 0)
        lesser = float(n) if math.isnan(a) else min(float(a), float(n))
        assert found["least"] == min(lesser, 2.5)
        assert found["tabled"] == [0.5, -1.5, 2.0, 0.0][u]


def test_ciphertexts_and_files(key: bc.Keys) -> None:
    @bc.program
    def mean(values: Annotated[list[bc.F32], 3]) -> bc.F32:
        return sum(values[1:], values[0]) / 3

    inputs = mean.encrypt(key.secret, [1.5, 2.25, -0.125])
    assert inputs.variables["values[0]"].type == "f32"
    outputs = mean.run(inputs, key.server)
    single = numpy.float32
    expected = (single(1.5) + single(2.25) + single(-0.125)) / single(3)
    assert same(mean.decrypt(key.secret, outputs), expected)
    # Without the function, by what the file says.
    assert same(key.secret.decrypt(outputs)["mean"], expected)
    assert outputs.variables["mean"].type == "f32"


def test_compiled_c_costs_the_same() -> None:
    @bc.program
    def traced(a: bc.F32, b: bc.F32) -> bc.F32:
        return a * b + a

    text = "float a, b, traced; int main(void) { traced = a * b + a; return 0; }"
    compiled = bc.compile(text, secret=["a", "b"], flags=["-ffp-contract=off"])
    found = traced.circuit().cost()["bootstraps"]
    assert found <= compiled.plan(threads=1).bootstraps
    a, b = numpy.float32(1.1), numpy.float32(-2.7)
    assert same(traced.simulate(a, b), compiled.simulate(a=a, b=b)["traced"])


def test_what_is_refused() -> None:
    def refused(function: Any, error: type[Exception], match: str) -> None:
        with pytest.raises(error, match=match):
            bc.program(function).plan()

    def bits(a: bc.F32) -> bc.F32:
        return a & 1

    def shifted(a: bc.F32) -> bc.F32:
        return a << 1

    def floored(a: bc.F32, b: bc.F32) -> bc.F32:
        return a // b

    def whole(a: bc.U32, b: bc.U32) -> bc.U32:
        return a / b

    def index(a: bc.F32) -> bc.U8:
        return bc.LookupTable([1, 2])[a]

    def root(a: bc.U32) -> bc.U32:
        return bc.sqrt(a)

    def large(a: bc.F32) -> bc.F32:
        return a + 1e300

    for function in (bits, shifted, floored):
        refused(function, TypeError, "convert it, such as I32")
    refused(whole, TypeError, "quotient")
    refused(index, TypeError, "index")
    refused(root, TypeError, "F32")
    refused(large, bc.InputError, "is no F32")

    def larger(a: bc.F64) -> bc.F64:
        return a + 10**400

    def complex_(a: bc.F64) -> Any:
        return a * 1j

    refused(larger, bc.InputError, "is no F64")
    refused(complex_, TypeError, "words and numbers go together")


def test_numbers_of_numpy() -> None:
    half = numpy.float32(0.5)

    @bc.program
    def scaled(a: bc.F32, n: bc.U8) -> tuple[bc.F32, bc.F64, bc.F64, bc.F64]:
        table = bc.LookupTable([half, 2])
        return a * half, n * half, table[n], bc.where(a > half, half, 3)

    assert scaled.simulate(numpy.float32(3), 1) == (1.5, 0.5, 2.0, 0.5)
    assert scaled.simulate(numpy.float32(0), 0) == (0.0, 0.0, 0.5, 3.0)
