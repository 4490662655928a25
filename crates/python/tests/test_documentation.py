"""Every docstring is a doctest, and every public name has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import blindcore as bc

# All of the package that is Python.
MODULES = [
    importlib.import_module(f"blindcore.{own.name}") for own in pkgutil.iter_modules(bc.__path__)
]


def documented() -> Iterator[tuple[str, object]]:
    yield "blindcore", bc
    for module in MODULES:
        yield module.__name__, module
    for name in bc.__all__:
        own = getattr(bc, name)
        yield name, own
        if inspect.isclass(own):
            for member, value in vars(own).items():
                if not member.startswith("_"):
                    yield f"{name}.{member}", value


def test_examples_in_docstrings() -> None:
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for name, own in documented():
        text = inspect.getdoc(own) or ""
        public = {own: getattr(bc, own) for own in bc.__all__}
        scope = {"bc": bc, **public}
        runner.run(parser.get_doctest(text, scope, name, None, 0))
    assert runner.failures == 0 and runner.tries > 10


def test_every_public_name_has_a_docstring() -> None:
    errors = {name for name in bc.__all__ if inspect.isclass(getattr(bc, name))}
    for name, own in documented():
        inherited = name.split(".")[0] in errors and isinstance(own, (int, str, float))
        fields = isinstance(own, (type(bc.Progress.done),))
        if not inherited and not fields:
            assert inspect.getdoc(own), name
