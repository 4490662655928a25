"""For engineers: circuits drawn by hand, and what every unit of the library costs, in every
architecture.

>>> from blindcore import circuits, U8
>>> builder = circuits.Builder()
>>> a, b = builder.input("a", U8), builder.input("b", U8)
>>> builder.output("larger", a > b)
>>> circuit = builder.finish()
>>> circuit.cost()["bootstraps"] > 0, bool(circuit.simulate(a=7, b=5).larger)
(True, True)

>>> from blindcore import circuits
>>> best = min((unit for unit in circuits.units(8) if unit.family == "addition"),
...            key=lambda unit: unit.bootstraps)
>>> best.bootstraps < best.ands
True
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from ._errors import UsageError
from ._graph import Graph
from ._native import Circuit, Recorder, unit_costs
from ._words import Word, constant, kind, word

__all__ = ["Builder", "Circuit", "Graph", "Unit", "units"]

W = TypeVar("W", bound=Word)


class Builder:
    """A circuit in the making: words go in, operators draw, words go out.

    What operators mean is what they mean in a function that ``blindcore.program`` decorates. The
    only thing of the package that changes.

    Args:
        selectors: Whether it is for server keys of two parts, as ``keygen`` makes them.
    """

    def __init__(self, *, selectors: bool = True) -> None:
        self._recorder = Recorder(selectors)
        self._inputs: set[str] = set()
        self._outputs: dict[str, Word] = {}

    def __repr__(self) -> str:
        return f"<builder ({', '.join(self._inputs)}) -> ({', '.join(self._outputs)})>"

    def input(self, name: str, type: type[W]) -> W:
        """One more word that the circuit takes. Raises ``UsageError`` for a name that is taken."""
        if name in self._inputs:
            raise UsageError(f"{name}: two inputs have this name")
        if type.width == 0:
            raise UsageError(f"{name}: the types are U8 to I64, F32, F64 and Bool")
        wires = self._recorder.input(name, type.width, kind(type))
        self._inputs.add(name)
        return word(type, self._recorder, wires)

    def constant(self, type: type[W], value: float) -> W:
        """A number that everybody knows. Operators take numbers, too; this gives one a type."""
        return constant(type, self._recorder, value)

    def output(self, name: str, value: Word) -> None:
        """One more word that the circuit leaves. Raises ``UsageError`` for a name that is taken."""
        if name in self._outputs:
            raise UsageError(f"{name}: two outputs have this name")
        self._outputs[name] = value

    def finish(self, name: str = "circuit") -> Circuit:
        """The circuit. Nothing is drawn afterwards."""
        if not self._outputs:
            raise UsageError(f"{name}: it leaves nothing")
        outputs = self._outputs.items()
        named = [(own, value._wires, kind(value.__class__)) for own, value in outputs]
        return self._recorder.finish(name, named)


class Unit(NamedTuple):
    """A unit of the library in one architecture, and what it costs."""

    #: Operation and architecture.
    name: str
    #: The kind of operation.
    family: str
    #: ANDs, where there are only gates.
    ands: int
    #: ANDs that wait for each other.
    and_depth: int
    #: Bootstraps, where lookups are native, as in TFHE.
    bootstraps: int
    #: Bootstraps that wait for each other.
    depth: int


def units(bits: int = 32) -> list[Unit]:
    """Every unit in every architecture, of words of so many bits (1 to 64).

    Raises ``UsageError`` for other widths.
    """
    return [Unit(**unit) for unit in unit_costs(bits)]
