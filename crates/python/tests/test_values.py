"""What is a value, and what is refused: nothing wraps around, and nothing is guessed."""

from __future__ import annotations

import array
import collections
import enum

import numpy as np
import pytest

import blindcore as bc


class Colour(enum.IntEnum):
    RED = 3


@pytest.fixture(scope="module")
def echo() -> bc.Program:
    """Leaves its inputs as they are."""
    source = """
    #include <stdint.h>
    uint32_t list[4]; int16_t small; float real; char text[4]; uint8_t grid[2][2]; _Bool flag;
    uint32_t list_[4]; int16_t small_; float real_; char text_[4]; uint8_t grid_[2][2]; _Bool flag_;
    int main(void) {
        for (int i = 0; i < 4; i++) { list_[i] = list[i]; text_[i] = text[i]; }
        for (int i = 0; i < 4; i++) grid_[i / 2][i % 2] = grid[i / 2][i % 2];
        small_ = small; real_ = real; flag_ = flag;
        return 0;
    }
    """
    return bc.compile(source, missing_are_zero=True)


@pytest.mark.parametrize(
    "given",
    [
        [1, 2, 3, 4],
        (1, 2, 3, 4),
        range(1, 5),
        array.array("I", [1, 2, 3, 4]),
        collections.deque([1, 2, 3, 4]),
        np.array([1, 2, 3, 4]),
        np.array([1, 2, 3, 4], dtype=np.uint8),
        np.array([1, 2, 3, 4], dtype=">i4"),
        np.array([1, 2, 3, 4], dtype=">u8"),
        np.array([4, 3, 2, 1])[::-1],
        np.array([[1, 9], [2, 9], [3, 9], [4, 9]])[:, 0],
        np.array([1, 2, 3, 4], dtype=object),
        [np.int64(1), np.uint8(2), Colour.RED, 4],
        bytes([1, 2, 3, 4]),
        bytearray([1, 2, 3, 4]),
        memoryview(bytes([1, 2, 3, 4])),
    ],
    ids=lambda given: f"{type(given).__name__}",
)
def test_sequences(echo, given) -> None:
    assert echo.simulate(list=given).list_.tolist() == [1, 2, 3, 4]


def test_pandas(echo) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"amount": [1, 2, 3, 4]})
    assert echo.simulate(list=frame["amount"]).list_.tolist() == [1, 2, 3, 4]
    assert echo.simulate(list=frame["amount"].to_numpy()).list_.tolist() == [1, 2, 3, 4]
    nullable = pandas.Series([1, 2, 3, 4], dtype="Int64")
    assert echo.simulate(list=nullable).list_.tolist() == [1, 2, 3, 4]
    with pytest.raises((TypeError, ValueError), match="list"):
        echo.simulate(list=pandas.Series([1, None, 3, 4], dtype="Int64"))
    with pytest.raises(ValueError, match="list"):
        echo.simulate(list=pandas.Series([1, None, 3, 4]))


def test_scalars(echo) -> None:
    for given in (-5, np.int8(-5), np.int64(-5), np.array(-5), np.float64(-5.0).astype(np.int16)):
        assert echo.simulate(small=given).small_ == -5
    assert echo.simulate(small=True).small_ == 1
    assert echo.simulate(small=np.bool_(True)).small_ == 1
    assert echo.simulate(flag=np.bool_(True)).flag_
    assert echo.simulate(real=0.1).real_ == np.float32(0.1)
    assert echo.simulate(real=np.float32(0.1)).real_ == np.float32(0.1)
    assert np.isnan(echo.simulate(real=float("nan")).real_)
    assert np.isinf(echo.simulate(real=np.inf).real_)
    assert echo.simulate(real=3).real_ == 3


def test_shorter_ones_end_in_zeros(echo) -> None:
    assert echo.simulate(list=[7]).list_.tolist() == [7, 0, 0, 0]
    assert echo.simulate(list=[]).list_.tolist() == [0, 0, 0, 0]
    assert echo.simulate(list=np.zeros(0, dtype=np.int64)).list_.tolist() == [0, 0, 0, 0]
    assert echo.simulate(text="ab").text_ == b"ab"
    assert echo.simulate(text=b"abcd").text_ == b"abcd"
    grid = np.array([[1, 2], [3, 4]], dtype=np.uint8)
    assert (echo.simulate(grid=grid.T).grid_ == grid.T).all()
    assert (echo.simulate(grid=np.asfortranarray(grid)).grid_ == grid).all()


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("small", 32768),
        ("small", -32769),
        ("small", 10**30),
        ("small", -(10**40)),
        ("small", np.uint64(2**64 - 1)),
        ("small", 1.5),
        ("small", float("nan")),
        ("small", float("inf")),
        ("small", [1, 2]),
        ("small", "seven"),
        ("list", [1, 2, 3, 4, 5]),
        ("list", [-1]),
        ("list", [2**32]),
        ("list", np.array([2**32])),
        ("list", np.array([-1], dtype=np.int8)),
        ("list", np.array([0.5])),
        ("list", [[1, 2], [3, 4]]),
        ("grid", [[1, 2, 3]]),
        ("grid", np.zeros((3, 2), dtype=np.uint8)),
        ("flag", 2),
        ("real", 1e39),
        ("text", "abcde"),
        ("text", "\ud800"),
        ("list", {"a": 1}),
    ],
)
def test_what_does_not_fit_is_a_value_error_that_names_the_variable(echo, name, given) -> None:
    with pytest.raises(ValueError, match=name) as raised:
        echo.simulate({name: given})
    assert isinstance(raised.value, bc.InputError) and raised.value.code == 3


def endless() -> list[object]:
    own: list[object] = []
    own.append(own)
    return own


@pytest.mark.parametrize(
    "given",
    [
        None,
        object(),
        {1, 2},
        1j,
        np.array([1j]),
        np.datetime64("2026-01-01"),
        np.array(["2026-01-01"], dtype="datetime64[D]"),
        np.ma.masked_array([1, 2], mask=[True, False]),
        [None],
        np.array([None, 1], dtype=object),
        np.array([(1, 2)], dtype=[("x", "i4"), ("y", "i4")]),
        (number for number in range(3)),
        print,
        int,
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_is_no_value_is_a_type_error(echo, given) -> None:
    with pytest.raises(TypeError, match="list"):
        echo.simulate(list=given)


def test_what_lies_in_itself_ends(echo) -> None:
    with pytest.raises(bc.InputError, match="nested too deeply"):
        echo.simulate(list=endless())


def test_names(echo, add) -> None:
    with pytest.raises(bc.InputError, match="lst"):
        echo.simulate(lst=1)
    with pytest.raises(bc.InputError, match="b: there is no value"):
        add.simulate(a=1)
    with pytest.raises(bc.InputError, match="given twice"):
        add.simulate({"a": 1, "b": 2}, a=3)
    for call in (lambda: add.simulate({"\ud800": 1}), lambda: add.simulate(**{"\ud800": 1})):
        with pytest.raises(bc.InputError, match="UTF-8"):
            call()
    with pytest.raises(TypeError, match="a name is a str"):
        add.simulate({1: 2})
    with pytest.raises(TypeError, match="mapping"):
        add.simulate([("a", 1)])


def test_an_object_that_fails_says_so_itself(echo) -> None:
    class Sly:
        def __array__(self, *_args: object, **_kwargs: object) -> object:
            raise RuntimeError("sly")

    class Index:
        def __index__(self) -> int:
            raise RuntimeError("index")

    for given, words in ((Sly(), "sly"), (Index(), "index")):
        with pytest.raises(RuntimeError, match=words):
            echo.simulate(small=given)


def test_random_arrays_of_every_dtype(echo) -> None:
    seed = np.random.default_rng(3)
    for dtype in ("u1", "u2", ">u2", "u4", ">u4", "i2", "i4", "i8", ">i8", "u8"):
        values = seed.integers(0, 100, size=(8, 3)).astype(dtype)[::2, 1]
        assert echo.simulate(list=values).list_.tolist() == values.tolist()
