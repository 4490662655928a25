"""For engineers: what every unit of the library costs, in every architecture.

>>> from blindcore import circuits
>>> best = min((unit for unit in circuits.units(8) if unit.family == "addition"),
...            key=lambda unit: unit.bootstraps)
>>> best.bootstraps < best.ands
True
"""

from __future__ import annotations

from typing import NamedTuple

from ._native import Circuit, unit_costs

__all__ = ["Circuit", "Unit", "units"]


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
