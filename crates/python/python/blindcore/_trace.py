"""Python functions as circuits: recorded by calling them once."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy

from ._answer import Answer
from ._errors import InputError, UsageError
from ._native import Circuit, CircuitPlan, Inputs, Keys, Outputs, Recorder, SecretKey, ServerKey
from ._progress import Progress
from ._words import F64, Bool, Word, _extend, constant, kind, word

_REMEDY = "annotate it with U8 to U64, I8 to I64, F32, F64 or Bool, or with Annotated[list[U8], 16]"


@dataclasses.dataclass(frozen=True)
class _Parameter:
    """A parameter: a word, or a list of so many."""

    type: type[Word]
    length: int | None


def _parameter(name: str, annotation: Any) -> _Parameter:
    if typing.get_origin(annotation) is typing.Annotated:
        whole, length, *_ = typing.get_args(annotation)
        element = typing.get_args(whole)[:1]
        listed = typing.get_origin(whole) in (list, Sequence, tuple)
        if listed and element and _is_type(element[0]) and isinstance(length, int) and length > 0:
            return _Parameter(element[0], length)
    elif _is_type(annotation):
        return _Parameter(annotation, None)
    raise UsageError(f"{name}: its type is not known: {_REMEDY}")


def _is_type(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Word) and annotation.width > 0


class Traced:
    """A Python function as a circuit over encrypted words: what ``blindcore.program`` makes.

    It is recorded when something is first asked of it, once for each kind of server key. ``function(keys, …)`` encrypts, runs
    and decrypts on this machine, and returns what the function returns, in numbers. Its outputs are
    called by the function's name, ``name[0]`` and so on for a tuple or a list, and by the keys or
    fields of a mapping or dataclass.
    """

    def __init__(
        self, function: Callable[..., Any], names: Mapping[str, Any] | None = None
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._signature = inspect.signature(function)
        self._recorded: dict[bool, tuple[Circuit, Any]] = {}
        try:
            hints = typing.get_type_hints(function, localns=dict(names or {}), include_extras=True)
        except NameError as error:
            raise UsageError(f"{function.__name__}: an annotation is not known: {error}") from None
        self._result = hints.pop("return", None)
        self._parameters: dict[str, _Parameter] = {}
        for name, own in self._signature.parameters.items():
            if own.kind in (own.VAR_POSITIONAL, own.VAR_KEYWORD):
                raise UsageError(f"{name}: a circuit has a known number of inputs")
            self._parameters[name] = _parameter(name, hints.get(name))

    @property
    def name(self) -> str:
        """What it is called."""
        return self._function.__name__

    def circuit(self, *, selectors: bool = True) -> Circuit:
        """What the function became, for server keys of two parts or of one."""
        return self._trace(selectors)[0]

    def plan(self, *, threads: int | None = None) -> CircuitPlan:
        """What evaluating it takes on this machine: ``.bootstraps``, ``.seconds``, ``.memory``."""
        return self.circuit().plan(threads=threads)

    def simulate(self, *values: Any, **named_values: Any) -> Any:
        """Evaluates the circuit on clear values; returns what the function returns."""
        spread = self._spread(self._bound(values, named_values))
        return self._shaped(self.circuit().simulate(spread))

    def encrypt(self, key: SecretKey, *values: Any, **named_values: Any) -> Inputs:
        """Encrypts its arguments. ``key.encrypt(function, …)`` takes them by name."""
        return key.encrypt(self.circuit(), self._spread(self._bound(values, named_values)))

    def run(
        self,
        inputs: Inputs,
        server_key: ServerKey,
        /,
        *,
        threads: int | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> Outputs:
        """Evaluates the circuit on ciphertexts, as ``Program.run`` does. It takes no secret key."""
        circuit = self.circuit(selectors=server_key._has_selectors)
        return circuit.run(inputs, server_key, threads=threads, progress=progress)

    def decrypt(self, key: SecretKey, outputs: Outputs) -> Any:
        """Decrypts what a run left, and returns what the function returns, in numbers."""
        return self._shaped(key.decrypt(outputs))

    def __call__(self, keys: Keys, /, *values: Any, **named_values: Any) -> Any:
        inputs = self.encrypt(keys.secret, *values, **named_values)
        return self.decrypt(keys.secret, self.run(inputs, keys.server))

    def __repr__(self) -> str:
        return f"<program {self.name}{self._signature}>"

    def _trace(self, selectors: bool = True) -> tuple[Circuit, Any]:
        if selectors not in self._recorded:
            recorder = Recorder(selectors)
            arguments: dict[str, Any] = {}
            for name, own in self._parameters.items():

                def one(name: str, own: _Parameter = own) -> Word:
                    wires = recorder.input(name, own.type.width, kind(own.type))
                    return word(own.type, recorder, wires)

                if own.length is None:
                    arguments[name] = one(name)
                else:
                    arguments[name] = [one(f"{name}[{at}]") for at in range(own.length)]
            call = self._signature.bind(**arguments)
            result = self._function(*call.args, **call.kwargs)
            outputs: list[tuple[str, Word]] = []
            shape = _shape(self.name, result, self._result, recorder, outputs)
            if not outputs:
                raise UsageError(f"{self.name}: it returns nothing")
            named = [(name, own._wires, kind(type(own))) for name, own in outputs]
            self._recorded[selectors] = recorder.finish(self.name, named), shape
        return self._recorded[selectors]

    def _bound(self, values: tuple[Any, ...], named_values: dict[str, Any]) -> dict[str, Any]:
        return dict(self._signature.bind(*values, **named_values).arguments)

    def _spread(
        self, values: Mapping[str, Any] | None = None, /, **named_values: Any
    ) -> dict[str, Any]:
        """Values by the names of the circuit's words."""
        spread: dict[str, Any] = {}
        for name, value in {**(values or {}), **named_values}.items():
            own = self._parameters.get(name)
            if own is None or own.length is None:
                spread[name] = value
                continue
            elements = list(value)
            if len(elements) != own.length:
                raise InputError(f"{name}: {len(elements)} values for {own.length}")
            spread.update({f"{name}[{at}]": element for at, element in enumerate(elements)})
        return spread

    def _shaped(self, answer: Answer) -> Any:
        return _filled(self._trace()[1], answer)


def program(function: Callable[..., Any]) -> Traced:
    """Makes a program of a Python function over encrypted words.

    Parameters are annotated with ``U8`` to ``U64``, ``I8`` to ``I64``, ``F32``, ``F64`` and ``Bool``,
    or with ``Annotated[list[U8], 16]``; a return annotation narrows the result. Loops go over public
    ranges;
    ``where`` replaces ``if``, which raises ``SecretBranch`` with file and line where it is asked of
    a secret.

    >>> import blindcore as bc
    >>> @bc.program
    ... def premium(income: bc.U32, children: bc.U8) -> bc.U32:
    ...     base = bc.where(income > 50_000, income >> 3, income >> 4)
    ...     return base - bc.minimum(children, 4) * 120
    >>> int(premium.simulate(61_000, 2))
    7385
    >>> premium.plan().bootstraps > 0
    True
    >>> key = bc.keygen()
    >>> int(premium(key, 61_000, children=2))
    7385
    """
    # Annotations may name what is local to whoever defines the function.
    return Traced(function, sys._getframe(1).f_locals)


@dataclasses.dataclass(frozen=True)
class _Shape:
    """How what the function returned is put together: by `make` of named or listed parts."""

    make: Callable[[Any], Any]
    parts: list[tuple[Any, Any]]


def _class(value: object) -> Any:
    """Its type, of which nothing is known beforehand."""
    return type(value)


def _shape(
    name: str, result: Any, annotation: Any, recorder: Recorder, outputs: list[tuple[str, Word]]
) -> Any:
    """What a result is made of; its words go to the outputs."""
    if isinstance(result, numpy.ndarray):
        result = result.tolist()
    if isinstance(result, Word):
        if _is_type(annotation) and annotation is not type(result):
            result = _extend(result, annotation) if annotation is not Bool else result != 0
        if any(name == other for other, _ in outputs):
            raise UsageError(f"{name}: two outputs have this name")
        outputs.append((name, result))
        return (name, isinstance(result, Bool))
    if isinstance(result, (bool, int, float)):
        plain: dict[type, type[Word]] = {bool: Bool, float: F64}
        cls = annotation if _is_type(annotation) else plain.get(type(result))
        if cls is None:
            raise UsageError(f"{name}: a number without a type: annotate what is returned")
        return _shape(name, constant(cls, recorder, result), cls, recorder, outputs)

    def several(parts: list[tuple[Any, str, Any, Any]], make: Callable[[Any], Any]) -> _Shape:
        return _Shape(
            make,
            [
                (key, _shape(own, value, hint, recorder, outputs))
                for key, own, value, hint in parts
            ],
        )

    made: Any = _class(result)
    make: Callable[..., Any] = made
    if dataclasses.is_dataclass(made):
        hints = typing.get_type_hints(made)
        fields = [
            (own.name, own.name, getattr(result, own.name), hints.get(own.name))
            for own in dataclasses.fields(result)
        ]
        return several(fields, lambda parts: make(**dict(parts)))
    # Asked of the type, so that the elements' types stay open.
    if issubclass(made, Mapping):
        named: Mapping[Any, Any] = result
        return several([(key, str(key), value, None) for key, value in named.items()], dict)
    if issubclass(made, (tuple, list)):
        values: Sequence[Any] = result
        types = typing.get_args(annotation)
        known = len(types) == len(values)
        listed = [
            (at, f"{name}[{at}]", value, types[at] if known else None)
            for at, value in enumerate(values)
        ]
        listed_again = issubclass(made, list)

        def joined(parts: list[tuple[int, Any]]) -> Any:
            own = [value for _, value in parts]
            return own if listed_again else tuple(own)

        return several(listed, joined)
    kind_of = made.__name__
    raise UsageError(f"{name}: a function returns words, or tuples and mappings of them: {kind_of}")


def _filled(shape: Any, answer: Answer) -> Any:
    if isinstance(shape, _Shape):
        return shape.make([(key, _filled(part, answer)) for key, part in shape.parts])
    name, truth = shape
    return numpy.bool_(answer[name]) if truth else answer[name]
