"""Decrypted values by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class Answer(Mapping[str, Any]):
    """Decrypted values by name: NumPy's scalars and arrays, of the program's types.

    ``answer["total"]`` and ``answer.total`` are the same. Fields of structures have the names that
    the program gives them, ``answer["point.x"]``; as attributes they are ``answer.point.x``. Of a
    table, each value is an array with an element for each row, and ``rows`` says how many there
    are.

    >>> answer = Answer({"total": 7, "point.x": 3, "point.y": 4})
    >>> answer.total, answer["point.x"], answer.point.y, len(answer)
    (7, 3, 4, 3)

    What a mapping has itself (``keys``, ``values``, ``items``, ``get``) and ``rows`` are no outputs
    as attributes: ``answer["values"]``.

    Its ``repr`` shows the values, which are no secret to whoever has decrypted them.
    """

    __slots__ = ("_rows", "_values")

    def __init__(self, values: Mapping[str, Any], rows: int | None = None) -> None:
        self._values = dict(values)
        self._rows = rows

    @property
    def rows(self) -> int | None:
        """Rows of a table; ``None`` for a single run."""
        return self._rows

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``: a row for each row of a table, or one. An array is one value.

        >>> Answer({"a": 1}).to_pandas().shape
        (1, 1)
        """
        import pandas

        if self._rows is None:
            return pandas.DataFrame([self._values])
        columns = {name: list(value) for name, value in self._values.items()}
        flat = {
            name: value if getattr(value, "ndim", 1) == 1 else columns[name]
            for name, value in self._values.items()
        }
        return pandas.DataFrame(flat, index=range(self._rows))

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._values:
            return self._values[name]
        fields = {
            key[len(name) + 1 :]: value
            for key, value in self._values.items()
            if key.startswith(name + ".")
        }
        if fields:
            return Answer(fields, self._rows)
        raise AttributeError(f"no output {name!r}; there are {', '.join(self._values) or 'none'}")

    def __dir__(self) -> list[str]:
        names = {name.split(".")[0] for name in self._values}
        return sorted({*super().__dir__(), *names})

    def __reduce__(self) -> tuple[type[Answer], tuple[dict[str, Any], int | None]]:
        return Answer, (self._values, self._rows)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self._values.items())
        return f"Answer({values})"
