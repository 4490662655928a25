"""Circuits for engineers: drawn by hand, as graphs, and beside compiled C."""

from __future__ import annotations

import itertools
import random
import xml.etree.ElementTree
from collections.abc import Callable
from typing import Annotated, Any

import numpy
import pytest

import blindcore as bc
from blindcore import circuits


def test_a_circuit_drawn_by_hand(key: bc.Keys) -> None:
    builder = circuits.Builder()
    a, b = builder.input("a", bc.U8), builder.input("b", bc.I16)
    builder.output("sum", bc.I16(a) + b)
    builder.output("same", a == builder.constant(bc.U8, 7))
    assert repr(builder) in ("<builder (a, b) -> (sum, same)>", "<builder (b, a) -> (sum, same)>")
    circuit = builder.finish("both")
    assert {name: str(own.type) for name, own in circuit.inputs.items()} == {"a": "u8", "b": "i16"}
    outputs = circuit.run(key.secret.encrypt(circuit, a=7, b=-9), key.server)
    answer = key.secret.decrypt(outputs)
    assert (answer["sum"], bool(answer.same)) == (-2, True)
    with pytest.raises(bc.UsageError, match="finished"):
        builder.input("c", bc.U8)


def test_what_a_builder_refuses() -> None:
    builder, other = circuits.Builder(), circuits.Builder()
    a = builder.input("a", bc.U8)
    with pytest.raises(bc.UsageError, match="two inputs"):
        builder.input("a", bc.U8)
    with pytest.raises(bc.UsageError, match="types are"):
        builder.input("b", bc.Word)
    with pytest.raises(bc.UsageError, match="leaves nothing"):
        builder.finish()
    builder.output("a", a)
    with pytest.raises(bc.UsageError, match="two outputs"):
        builder.output("a", a)
    with pytest.raises(bc.UsageError, match="another function"):
        _ = a + other.input("a", bc.U8)


def test_a_graph_says_what_the_circuit_is() -> None:
    @bc.program
    def product(a: bc.U8, b: bc.U8) -> bc.U8:
        return a * b

    circuit = product.circuit()
    graph = circuit.graph()
    cost = circuit.cost()
    assert int(graph.bootstraps.sum()) == cost["bootstraps"]
    assert int((graph.kinds == "input").sum()) == 16
    assert len(graph.outputs) == 8
    # In the order of evaluation, and a level above what is read.
    sources, readers = graph.edges.T
    assert (sources < readers).all()
    assert (graph.levels[sources] <= graph.levels[readers]).all()
    assert graph.kinds.dtype.kind == "U" and graph.levels.dtype == numpy.int32
    # As it was drawn there are as many inputs, and other operations.
    assert int((circuit.graph(drawn=True).kinds == "input").sum()) == 16


def test_what_a_program_became(salaries: bc.Program) -> None:
    circuit = salaries.circuit()
    plan = salaries.plan()
    assert circuit.cost()["bootstraps"] == int(circuit.graph().bootstraps.sum()) == plan.bootstraps
    assert len(circuit.inputs) == 9 * 32
    with pytest.raises(bc.UsageError, match="window 1: there are 1"):
        salaries.circuit(1)
    with pytest.raises(OverflowError):
        salaries.circuit(-1)


def test_what_bootstraps_are_for(salaries: bc.Program) -> None:
    profile, plan = salaries.profile(threads=2), salaries.plan(threads=2)
    assert profile.complete and profile.bootstraps == plan.bootstraps
    assert sum(row["own"] for row in profile.functions) == plan.bootstraps
    assert sum(row["bootstraps"] for row in profile.lines) == plan.bootstraps
    assert profile.lines[0]["file"].endswith("salaries.c") and profile.lines[0]["line"] > 1
    # The mean divides.
    assert any("bits" in row["advice"] for row in profile.hints)
    assert "hints" in str(profile) and "main" in profile.annotated()
    root = xml.etree.ElementTree.fromstring(profile.flame_graph)
    assert root.tag.endswith("svg") and "main" in profile.flame_graph
    assert profile._repr_html_().startswith("<svg")
    assert f"{plan.bootstraps} bootstraps" in repr(profile)


def test_small_circuits_are_drawn() -> None:
    half_adder = b"2 4\n2 1 1\n2 1 1\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n"
    circuit = bc.Circuit.from_bytes("half_adder.txt", half_adder)
    root = xml.etree.ElementTree.fromstring(circuit.graph(drawn=True).svg)
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}rect")) == len(root.findall(f"{space}text")) == 4
    assert len(root.findall(f"{space}path")) == 4
    page = circuit._repr_html_()
    assert "<svg" in page and "&lt;circuit" in page

    @bc.program
    def large(a: bc.U64, b: bc.U64) -> bc.U64:
        return a * b

    assert "<svg" not in large.circuit()._repr_html_()
    with pytest.raises(ValueError, match="nodes"):
        _ = large.circuit().graph().svg

    @bc.program
    def nothing(a: bc.U8) -> bc.U8:
        return bc.U8(a & 0)

    assert nothing.circuit().graph().outputs.tolist() == [-1] * 8
    assert "<svg" in nothing.circuit()._repr_html_()


@pytest.mark.parametrize("count", range(1, 9))
def test_sorting_sorts_all_zeros_and_ones(count: int) -> None:
    """Knuth: a network that sorts these sorts everything."""

    @bc.program
    def ordered(bits: Annotated[list[bc.U8], count]) -> dict[str, bc.U8]:
        return {f"at{at}": own for at, own in enumerate(bc.sort(bits))}

    every = list(itertools.product((0, 1), repeat=count))
    chosen = every if count <= 5 else random.Random(count).sample(every, 40)
    for bits in chosen:
        assert [int(own) for own in ordered.simulate(bits).values()] == sorted(bits)


def test_sorting_takes_numbers_and_words_of_several_types() -> None:
    @bc.program
    def ordered(a: bc.I8, b: bc.I32, c: bc.U8) -> tuple[bc.I32, bc.I32, bc.I32, bc.I32]:
        return tuple(bc.sort([a, b, 5, c]))  # type: ignore[return-value]

    assert [int(own) for own in ordered.simulate(-3, -100_000, 200)] == [-100_000, -3, 5, 200]
    assert bc.sort([3, 1, 2]) == [1, 2, 3]
    assert bc.sort([]) == []


# The same arithmetic as C and as a function of Python: what a bootstrap is spent on is the same. (A
# comparison for its own sake takes one bootstrap more in C: the compiler asks for a carry flag.)
PAIRS: list[tuple[str, dict[str, str], str, Callable[..., Any]]] = [
    ("sum", {"a": "U32", "b": "U32"}, "a + b", lambda a, b: a + b),
    ("difference", {"a": "U32", "b": "U32"}, "a - b", lambda a, b: a - b),
    ("product", {"a": "U32", "b": "U32"}, "a * b", lambda a, b: a * b),
    ("xor", {"a": "U32", "b": "U32"}, "a ^ b", lambda a, b: a ^ b),
    ("and", {"a": "U32", "b": "U32"}, "a & b", lambda a, b: a & b),
    ("or", {"a": "U32", "b": "U32"}, "a | b", lambda a, b: a | b),
    ("shift", {"a": "U32"}, "(a << 3) ^ (a >> 5)", lambda a: (a << 3) ^ (a >> 5)),
    ("negative", {"a": "I32"}, "-a", lambda a: -a),
    ("square", {"a": "U32"}, "a * a", lambda a: a * a),
    ("times", {"a": "U32"}, "a * 100", lambda a: a * 100),
    ("quotient", {"a": "U32", "b": "U32"}, "a / b", lambda a, b: a // b),
    ("narrow", {"a": "U8", "b": "U8"}, "a + b", lambda a, b: a + b),
    ("equal", {"a": "U32", "b": "U32"}, "a == b", lambda a, b: a == b),
    ("larger", {"a": "I32", "b": "I32"}, "a > b ? a : b", lambda a, b: bc.maximum(a, b)),
]
TYPES = {"U8": "uint8_t", "U32": "uint32_t", "I32": "int32_t"}


@pytest.mark.parametrize(("name", "words", "text", "function"), PAIRS, ids=lambda own: str(own)[:9])
def test_c_and_python_cost_the_same(
    name: str, words: dict[str, str], text: str, function: Callable[..., Any]
) -> None:
    result = "I32" if "I32" in words.values() else "U32"
    declared = " ".join(f"{TYPES[type]} {own};" for own, type in words.items())
    source = (
        f"#include <stdint.h>\n{declared} {TYPES[result]} z;\n"
        f"int main(void) {{ z = {text}; return 0; }}\n"
    )
    compiled = bc.compile(source, secret=list(words), outputs=["z"])
    types = {own: getattr(bc, type) for own, type in words.items()}
    parameters = ", ".join(words)
    space: dict[str, Any] = {"function": function}
    exec(f"def traced({parameters}): return function({parameters})", space)
    traced_function = space["traced"]
    traced_function.__annotations__ = {**types, "return": getattr(bc, result)}
    traced = bc.program(traced_function)
    assert traced.circuit().cost()["bootstraps"] == compiled.plan(threads=1).bootstraps, name
    chance = random.Random(name)
    for _ in range(3):
        values = {
            own: chance.randrange(-(1 << type.width - 1), 1 << type.width - 1)
            if type.signed
            else chance.randrange(1, 1 << type.width)
            for own, type in types.items()
        }
        assert int(traced.simulate(**values)) == int(compiled.simulate(**values).z)
