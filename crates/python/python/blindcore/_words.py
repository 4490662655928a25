"""Encrypted words of a function that is being recorded: types, operators, functions.

A value is some wires of a circuit in the making. What an operator does is an operation of the
library, so that every comparison, product, division and table is the one that compiled programs
get.

Widths: sums, differences, products, quotients and shifts to the left are of 32 bits at least, as in
C, or as wide as the wider operand; everything else is as wide as the wider operand. Bits that are
known to be 0 cost nothing. Unsigned stays unsigned, and signed and unsigned meet only where every
unsigned value has its place in the result; otherwise one of them is to be converted: ``I32(x)``.
Beside a floating-point word everything becomes one, of 64 bits if either is, as in C; the number
``0.5`` beside an integer is of 64 bits, too.
"""

from __future__ import annotations

import operator
import struct
import sys
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, TypeVar

from ._errors import InputError, SecretBranch, UsageError
from ._native import Recorder, Wires

_NARROW = 32


def _place() -> tuple[str, int]:
    """File and line of the code that is being recorded: the first that is not this package's."""
    frame = sys._getframe(1)
    own = __name__.rpartition(".")[0]
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(own):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def _refused(what: str, remedy: str) -> SecretBranch:
    file, line = _place()
    error = SecretBranch(f"{file}:{line}: {what}; {remedy}")
    error.source_line = (file, line)
    return error


class Word:
    """An encrypted number, or an expression over such; its classes are ``U8`` to ``I64``, ``F32``,
    ``F64`` and ``Bool``. Values are made by calling a function that ``blindcore.program`` decorates; a class is
    called to convert: ``U64(x)``.
    """

    width: ClassVar[int] = 0
    signed: ClassVar[bool] = False
    floating: ClassVar[bool] = False

    __slots__ = ("_recorder", "_wires")
    __hash__ = None  # type: ignore[assignment]

    _recorder: Recorder
    _wires: Wires

    def __new__(cls, value: Word | float) -> Any:
        """The value as this type: wider with its own sign, or its lowest bits, as in C. From
        floating point towards zero, and what does not fit becomes the nearest that does, or 0 of
        what is no number."""
        if not isinstance(value, Word):
            raise UsageError(f"{cls.__name__}: a number is converted where it meets a word")
        if cls.width == 0:
            raise UsageError("Word: the types are U8 to I64, F32, F64 and Bool")
        if cls is Bool:
            return value != 0
        return _extend(value, cls)

    def __bool__(self) -> bool:
        raise _refused(
            "a secret decides where the function goes on (if, while, and, or, not, in, assert)",
            "choose between values instead: blindcore.where(condition, a, b), and & | ~ for "
            "and, or, not",
        )

    def __index__(self) -> int:
        raise _refused(
            "a secret is the index of a list or the end of a range",
            "blindcore.LookupTable(values)[index] takes a secret, and ranges end at public numbers",
        )

    __int__ = __float__ = __index__

    def __iter__(self) -> Any:
        raise TypeError("a word has no elements")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, encrypted>"

    def __add__(self, other: Word | float) -> Word:
        return _arithmetic("add", self, other)

    def __radd__(self, other: float) -> Word:
        return _arithmetic("add", other, self)

    def __sub__(self, other: Word | float) -> Word:
        return _arithmetic("subtract", self, other)

    def __rsub__(self, other: float) -> Word:
        return _arithmetic("subtract", other, self)

    def __mul__(self, other: Word | float) -> Word:
        return _arithmetic("multiply", self, other)

    def __rmul__(self, other: float) -> Word:
        return _arithmetic("multiply", other, self)

    def __floordiv__(self, other: Word | int) -> Word:
        return _floored("quotient", self, other)

    def __rfloordiv__(self, other: int) -> Word:
        return _floored("quotient", other, self)

    def __mod__(self, other: Word | int) -> Word:
        return _floored("remainder", self, other)

    def __rmod__(self, other: int) -> Word:
        return _floored("remainder", other, self)

    def __truediv__(self, other: Word | float) -> Word:
        return _divided(self, other)

    def __rtruediv__(self, other: float) -> Word:
        return _divided(other, self)

    def __neg__(self) -> Word:
        if self.floating:
            return _made(type(self), self._recorder, "float_negate", [self])
        return _arithmetic("subtract", 0, self)

    def __pos__(self) -> Word:
        return self

    def __abs__(self) -> Word:
        if self.floating:
            return _made(type(self), self._recorder, "float_absolute", [self])
        return where(self < 0, -self, self) if self.signed else self

    def __and__(self, other: Word | int) -> Any:
        return _bitwise("and", self, other)

    def __or__(self, other: Word | int) -> Any:
        return _bitwise("or", self, other)

    def __xor__(self, other: Word | int) -> Any:
        return _bitwise("xor", self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Any:
        _whole(self)
        return _made(type(self), self._recorder, "not", [self])

    def __lshift__(self, places: Word | int) -> Word:
        _whole(self)
        wide = _extend(self, _type(max(self.width, _NARROW), self.signed))
        return _shift("shift_left", wide, places)

    def __rshift__(self, places: Word | int) -> Word:
        _whole(self)
        return _shift("shift_right", self, places)

    def __lt__(self, other: Word | float) -> Bool:
        return _compared("less", self, other)

    def __gt__(self, other: Word | float) -> Bool:
        return _compared("less", other, self)

    def __le__(self, other: Word | float) -> Bool:
        return _at_most(self, other)

    def __ge__(self, other: Word | float) -> Bool:
        return _at_most(other, self)

    def __eq__(self, other: object) -> Bool:  # type: ignore[override]
        return _compared("equal", self, _comparable(other))

    def __ne__(self, other: object) -> Bool:  # type: ignore[override]
        return _not(_compared("equal", self, _comparable(other)))


class U8(Word):
    """An encrypted integer of 8 bits without sign."""

    width = 8
    __slots__ = ()


class U16(Word):
    """An encrypted integer of 16 bits without sign."""

    width = 16
    __slots__ = ()


class U32(Word):
    """An encrypted integer of 32 bits without sign."""

    width = 32
    __slots__ = ()


class U64(Word):
    """An encrypted integer of 64 bits without sign."""

    width = 64
    __slots__ = ()


class I8(Word):
    """An encrypted integer of 8 bits with a sign."""

    width, signed = 8, True
    __slots__ = ()


class I16(Word):
    """An encrypted integer of 16 bits with a sign."""

    width, signed = 16, True
    __slots__ = ()


class I32(Word):
    """An encrypted integer of 32 bits with a sign."""

    width, signed = 32, True
    __slots__ = ()


class I64(Word):
    """An encrypted integer of 64 bits with a sign."""

    width, signed = 64, True
    __slots__ = ()


class F32(Word):
    """An encrypted floating-point number of 32 bits, IEEE 754's binary32: C's ``float``."""

    width, signed, floating = 32, True, True
    __slots__ = ()


class F64(Word):
    """An encrypted floating-point number of 64 bits, IEEE 754's binary64: C's ``double``."""

    width, signed, floating = 64, True, True
    __slots__ = ()


class Bool(Word):
    """An encrypted truth value; in arithmetic 0 or 1."""

    width = 1
    __slots__ = ()


TYPES: tuple[type[Word], ...] = (U8, U16, U32, U64, I8, I16, I32, I64, F32, F64, Bool)

W = TypeVar("W", bound=Word)


def _type(width: int, signed: bool) -> type[Word]:
    found = [own for own in TYPES if (own.width, own.signed, own.floating) == (width, signed, False)]
    return found[0]


def word(cls: type[W], recorder: Recorder, wires: Wires) -> W:
    """A word of these wires."""
    made = object.__new__(cls)
    made._recorder, made._wires = recorder, wires
    return made


def _made(
    cls: type[W],
    recorder: Recorder,
    operation: str,
    operands: Sequence[Word],
    *,
    signed: bool = False,
    amount: int = 0,
) -> W:
    _of_one(operands)
    wires = [operand._wires for operand in operands]
    return word(cls, recorder, recorder.apply(operation, wires, signed=signed, amount=amount))


def _of_one(operands: Sequence[Word]) -> None:
    """Refuses words of two recordings, such as one that an earlier call has kept."""
    if any(operand._recorder is not operands[0]._recorder for operand in operands):
        raise UsageError("a word of another function: each recording has its own")


def kind(cls: type[Word]) -> str:
    """What the bits of a type mean."""
    return "float" if cls.floating else "signed" if cls.signed else "unsigned"


def _extend(value: Word, cls: type[W]) -> W:
    if type(value) is cls:
        return value
    own = type(value)
    operation, signed = "extend", value.signed
    if own.floating and cls.floating:
        operation = "float_of_float"
    elif cls.floating:
        operation = "float_of_integer"
    elif own.floating:
        operation, signed = "integer_of_float", cls.signed
    return _made(cls, value._recorder, operation, [value], signed=signed, amount=cls.width)


def constant(cls: type[W], recorder: Recorder, value: float) -> W:
    """A number that everybody knows. Raises ``InputError`` if the type has no such number."""
    return word(cls, recorder, recorder.constant(_bits(cls, value), cls.width))


def _bits(cls: type[Word], value: float) -> int:
    """A number of the type by its bits."""
    if cls.floating:
        try:
            packed = struct.pack("<f" if cls is F32 else "<d", float(value))
        except OverflowError:
            raise InputError(f"a number that is too large is no {cls.__name__}") from None
        return int.from_bytes(packed, "little")
    value = _number(value)
    low = -(1 << cls.width - 1) if cls.signed else 0
    if not low <= value < low + (1 << cls.width):
        raise InputError(f"{value} is no {cls.__name__}")
    return value


def _number(value: object) -> int:
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        kind = type(value).__name__
        message = f"a word meets a value of type {kind}: words and numbers go together"
        raise TypeError(message) from None


def _public(value: object) -> float:
    """A number that everybody knows: whole, or one of Python's or NumPy's floats."""
    if isinstance(value, Real) and not isinstance(value, Integral):
        return float(value)
    return _number(value)


def _comparable(value: object) -> Word | float:
    return value if isinstance(value, Word) else _public(value)


def _whole(*values: object) -> None:
    """Refuses floating-point numbers where only whole ones have an answer."""
    for value in values:
        floating = value.floating if isinstance(value, Word) else type(_public(value)) is float
        if floating:
            raise TypeError("only of whole numbers: convert it, such as I32(x)")


def _widened(value: float, like: type[Word]) -> type[Word]:
    """The type of a number beside a word: the word's, or a wider one of the same kind."""
    if like.floating:
        return like
    if isinstance(value, float):
        return F64
    value = _number(value)
    if value < 0 and not like.signed:
        raise TypeError(
            f"{value} beside a {like.__name__}: signed and unsigned do not mix; convert the word, "
            f"such as I64(x)"
        )
    least = 8 if like is Bool else like.width
    for width in (8, 16, 32, 64):
        low = -(1 << width - 1) if like.signed else 0
        if width >= least and low <= value < low + (1 << width):
            return _type(width, like.signed)
    raise InputError(f"{value} has more than 64 bits")


def _both(a: Word | float, b: Word | float, least: int) -> tuple[Word, Word, type[Word]]:
    """Two operands as one type."""
    if not isinstance(a, Word) and not isinstance(b, Word):
        raise TypeError("one of two operands is a word")
    if not isinstance(a, Word):
        assert isinstance(b, Word)
        number = _public(a)
        a = constant(_widened(number, type(b)), b._recorder, number)
    elif not isinstance(b, Word):
        number = _public(b)
        b = constant(_widened(number, type(a)), a._recorder, number)
    _of_one([a, b])
    if a.floating or b.floating:
        floating: type[Word] = F64 if F64 in (type(a), type(b)) else F32
        return _extend(a, floating), _extend(b, floating), floating
    signed = a.signed or b.signed
    width = max(a.width, b.width, least)
    for one in (a, b):
        # Every unsigned value has its place in a signed type that is wider.
        if signed and not one.signed and one.width >= width:
            raise TypeError(
                f"{type(a).__name__} and {type(b).__name__}: signed and unsigned do not mix; "
                f"convert one of them, such as I64(x)"
            )
    cls = _type(width, signed)
    return _extend(a, cls), _extend(b, cls), cls


def _named(operation: str, cls: type[Word]) -> str:
    return f"float_{operation}" if cls.floating else operation


def _arithmetic(operation: str, a: Word | float, b: Word | float) -> Word:
    x, y, cls = _both(a, b, _NARROW)
    return _made(cls, x._recorder, _named(operation, cls), [x, y], signed=cls.signed)


def _divided(a: Word | float, b: Word | float) -> Word:
    x, y, cls = _both(a, b, _NARROW)
    if not cls.floating:
        raise TypeError(
            "/ of whole numbers: say a // b or blindcore.quotient(a, b), or convert one of them, "
            "such as F32(a) / b"
        )
    return _made(cls, x._recorder, "float_divide", [x, y])


def _floored(operation: str, a: Word | int, b: Word | int) -> Word:
    _whole(a, b)
    if any(isinstance(one, Word) and one.signed for one in (a, b)):
        raise TypeError(
            "// and % of numbers with a sign round down in Python and towards zero in circuits: "
            "say blindcore.quotient(a, b) or blindcore.remainder(a, b), which are those of C"
        )
    return _arithmetic(operation, a, b)


def _bitwise(operation: str, a: Word | int, b: Word | int) -> Any:
    _whole(a, b)
    if isinstance(a, Bool) and isinstance(b, (Bool, bool)):
        other = b if isinstance(b, Bool) else constant(Bool, a._recorder, int(b))
        return _made(Bool, a._recorder, operation, [a, other])
    x, y, cls = _both(a, b, 8)
    return _made(cls, x._recorder, operation, [x, y])


def _shift(operation: str, value: Word, places: Word | int) -> Word:
    cls = type(value)
    _whole(places)
    if isinstance(places, Word):
        if places.signed:
            raise TypeError("a number of places has no sign: convert it, such as U8(n)")
        return _made(cls, value._recorder, operation, [value, places], signed=cls.signed)
    amount = _number(places)
    if amount < 0:
        raise InputError("a shift by less than 0 places")
    amount = min(amount, 64)
    return _made(cls, value._recorder, operation, [value], signed=cls.signed, amount=amount)


def _compared(operation: str, a: Word | float, b: Word | float) -> Bool:
    if operation == "equal" and isinstance(a, Bool) and isinstance(b, (Bool, bool)):
        return _not(_bitwise("xor", a, b))
    x, y, cls = _both(a, b, 8)
    return _made(Bool, x._recorder, _named(operation, cls), [x, y], signed=cls.signed)


def _at_most(a: Word | float, b: Word | float) -> Bool:
    x, y, cls = _both(a, b, 8)
    # What is no number is neither less nor equal.
    return _compared("at_most", x, y) if cls.floating else _not(_compared("less", y, x))


def _not(value: Bool) -> Bool:
    return _made(Bool, value._recorder, "not", [value])


def where(condition: Bool | bool, then: Word | float, otherwise: Word | float) -> Any:
    """One value where the condition holds, and the other where not: what replaces ``if``.

    A condition that is no secret chooses at once.
    """
    if not isinstance(condition, Bool):
        if isinstance(condition, Word):
            raise TypeError("a condition is a Bool: compare the word, such as x != 0")
        return then if condition else otherwise
    recorder = condition._recorder
    if isinstance(then, Bool) and isinstance(otherwise, Bool):
        return _made(Bool, recorder, "select", [condition, then, otherwise])
    if not isinstance(then, Word) and not isinstance(otherwise, Word):
        then, otherwise = _public(then), _public(otherwise)
        like: type[Word] = I32 if min(then, otherwise) < 0 else U32
        if float in (type(then), type(otherwise)):
            like = F64
        then = constant(_widened(then, like), recorder, then)
    x, y, cls = _both(then, otherwise, 8)
    return _made(cls, recorder, "select", [condition, x, y])


def _extreme(operation: str, first: Any, rest: tuple[Any, ...]) -> Any:
    values = list(first) if not rest and not isinstance(first, Word) else [first, *rest]
    if not values:
        raise UsageError(f"{operation}: of nothing")
    best = values[0]
    for value in values[1:]:
        if isinstance(best, Word) or isinstance(value, Word):
            x, y, cls = _both(best, value, 8)
            name = _named(operation, cls)
            best = _made(cls, x._recorder, name, [x, y], signed=cls.signed)
        else:
            best = (min if operation == "minimum" else max)(best, value)
    return best


def minimum(first: Any, *rest: Any) -> Any:
    """The smallest of some words and numbers, or of a list of them."""
    return _extreme("minimum", first, rest)


def maximum(first: Any, *rest: Any) -> Any:
    """The largest of some words and numbers, or of a list of them."""
    return _extreme("maximum", first, rest)


def sort(values: Sequence[Word | int]) -> list[Any]:
    """The words and numbers of a list, the smallest first.

    Batcher's odd-even merge sort ("Sorting networks and their applications", 1968): which pairs are
    compared does not depend on what they are. It takes 5 comparisons for 4 words, 19 for 8, 63 for
    16.
    """
    own = list(values)
    count = len(own)
    run = 1
    while run < count:
        step = run
        while step >= 1:
            for begin in range(step % run, count - step, 2 * step):
                for low in range(begin, begin + min(step, count - begin - step)):
                    high = low + step
                    if low // (2 * run) == high // (2 * run):
                        pair = own[low], own[high]
                        own[low], own[high] = minimum(*pair), maximum(*pair)
            step //= 2
        run *= 2
    return own


def sqrt(x: Word) -> Word:
    """The square root of a floating-point word, rounded to the nearest; no number of what is
    negative."""
    if not isinstance(x, Word) or not x.floating:
        raise TypeError("sqrt: of a floating-point word: convert it, such as F32(x)")
    return _made(type(x), x._recorder, "float_square_root", [x])


def quotient(a: Word | int, b: Word | int) -> Word:
    """The quotient as C has it, rounded towards zero; 0 where the divisor is 0."""
    _whole(a, b)
    return _arithmetic("quotient", a, b)


def remainder(a: Word | int, b: Word | int) -> Word:
    """The remainder as C has it, with the sign of ``a``; ``a`` where the divisor is 0."""
    _whole(a, b)
    return _arithmetic("remainder", a, b)


class LookupTable:
    """Numbers, or words, that a secret index chooses from: ``LookupTable([3, 1, 4])[x]``.

    Beyond the last one it is 0. Public indexes are those of a list.
    """

    __slots__ = ("_type", "_values")

    def __init__(self, values: Sequence[Word | float], type: type[Word] | None = None) -> None:
        self._values = list(values)
        self._type = type
        if not self._values:
            raise UsageError("a table of nothing")

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Word | int) -> Any:
        if not isinstance(index, Word):
            return self._values[index]
        if index.signed:
            raise TypeError("an index has no sign: convert it, such as U8(x)")
        recorder = index._recorder
        words = [value for value in self._values if isinstance(value, Word)]
        if not words:
            values = [_public(value) for value in self._values]
            cls = self._type or _least(values)
            numbers = [_bits(cls, value) for value in values]
            return word(cls, recorder, recorder.table(index._wires, cls.width, numbers))
        cls = self._type or type(max(words, key=lambda own: (own.floating, own.width, own.signed)))
        entries = [
            _extend(value, cls) if isinstance(value, Word) else constant(cls, recorder, value)
            for value in self._values
        ]
        wires = recorder.select_from(index._wires, [entry._wires for entry in entries])
        return word(cls, recorder, wires)


def _least(numbers: Sequence[float]) -> type[Word]:
    """The narrowest type that has all of these."""
    if any(isinstance(number, float) for number in numbers):
        return F64
    signed = min(numbers) < 0
    like = [_widened(number, I8 if signed else U8) for number in numbers]
    return max(like, key=lambda cls: cls.width)
