"""Circuits as graphs: arrays of NumPy, and a drawing of small ones."""

from __future__ import annotations

import html
from typing import NamedTuple

import numpy
from numpy.typing import NDArray

# A drawing of more nodes is a wall of lines.
_MOST_DRAWN = 300
# Points between columns and rows, and the size of a node.
_COLUMN, _ROW, _WIDE, _HIGH = 110, 26, 66, 18


class Graph(NamedTuple):
    """A circuit as a graph, in the order in which its nodes can be evaluated."""

    #: What each node is: ``"input"``, ``"and"``, ``"xor"``, ``"lookup"``, …
    kinds: NDArray[numpy.str_]
    #: How many operations are on the longest path to each node, itself included.
    levels: NDArray[numpy.int32]
    #: Whether each node takes a bootstrap.
    bootstraps: NDArray[numpy.bool_]
    #: The edges, a row each: the node that is read, and the node that reads it.
    edges: NDArray[numpy.int32]
    #: The node that each bit of the outputs comes from; -1 for a constant.
    outputs: NDArray[numpy.int32]

    @property
    def svg(self) -> str:
        """A drawing: inputs on the left, a column for each level. For at most 300 nodes.

        Raises ``ValueError`` for more.
        """
        if len(self.kinds) > _MOST_DRAWN:
            raise ValueError(f"{len(self.kinds)} nodes: drawings have at most {_MOST_DRAWN}")
        return _drawn(self)


def graph(names: list[str], rows: list[bytearray]) -> Graph:
    """A graph of what the library gives."""
    kinds, levels, starts, operands, outputs, bootstraps = (
        numpy.frombuffer(row, dtype=numpy.int32) for row in rows
    )
    readers = numpy.repeat(numpy.arange(len(kinds), dtype=numpy.int32), numpy.diff(starts))
    return Graph(
        kinds=numpy.array(names or ["input"], dtype=numpy.str_)[kinds],
        levels=levels,
        bootstraps=bootstraps.astype(numpy.bool_),
        edges=numpy.stack([operands, readers], axis=1),
        outputs=outputs,
    )


def _drawn(own: Graph) -> str:
    """Nodes of a level below one another, each near the middle of what it reads."""
    places: dict[int, tuple[float, float]] = {}
    sources: dict[int, list[int]] = {}
    for source, reader in own.edges.tolist():
        sources.setdefault(reader, []).append(source)
    for level in range(int(own.levels.max(initial=0)) + 1):
        nodes = numpy.flatnonzero(own.levels == level).tolist()
        wanted = {
            node: sum(places[source][1] for source in sources[node]) / len(sources[node])
            if sources.get(node) and all(source in places for source in sources[node])
            else float(node)
            for node in nodes
        }
        for row, node in enumerate(sorted(nodes, key=lambda node: wanted[node])):
            places[node] = (10 + level * _COLUMN, 10 + row * _ROW)
    width = max((x for x, _ in places.values()), default=0) + _WIDE + 10
    height = max((y for _, y in places.values()), default=0) + _HIGH + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" font-family="sans-serif" font-size="11" '
        'role="img" aria-label="a circuit">'
    ]
    for source, reader in own.edges.tolist():
        (x, y), (to_x, to_y) = places[source], places[reader]
        x, y, to_y = x + _WIDE, y + _HIGH / 2, to_y + _HIGH / 2
        bend = max((to_x - x) / 2, 12)
        parts.append(
            f'<path d="M{x:g},{y:g}C{x + bend:g},{y:g} {to_x - bend:g},{to_y:g} {to_x:g},{to_y:g}" '
            'fill="none" stroke="#8a8a8a"/>'
        )
    leaves = set(own.outputs.tolist())
    for node, (x, y) in places.items():
        fill = "#ffd8a8" if own.bootstraps[node] else "#d0ebff"
        border = 2 if node in leaves else 1
        parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{_WIDE}" height="{_HIGH}" rx="4" fill="{fill}" '
            f'stroke="#555" stroke-width="{border}"/><text x="{x + _WIDE / 2:g}" '
            f'y="{y + _HIGH - 5:g}" text-anchor="middle" fill="#222">'
            f"{html.escape(str(own.kinds[node]))}</text>"
        )
    return "".join([*parts, "</svg>"])
