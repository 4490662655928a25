"""Programs, plans and answers, against plain Python."""

from __future__ import annotations

import pickle
import random
import re

import numpy as np
import pytest
from conftest import ADD, EXAMPLES, ROOT

import blindcore as bc


def test_the_lines_of_the_readme_do_what_it_says(in_examples, capsys) -> None:
    text = (ROOT / "crates/python/README.md").read_text()
    lines = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    scope: dict[str, object] = {}
    exec(lines[0], scope)
    assert capsys.readouterr().out.splitlines()[-1] == "13250 4416"
    lines[1] = lines[1].replace('inputs.save("salaries.inputs")', "bytes(inputs)")
    exec(lines[1], scope)
    assert scope["values"].total == 13250
    exec(lines[2], scope)
    assert capsys.readouterr().out.split()[-1] == "7385"


def test_answers_are_those_of_python(key, add) -> None:
    seed = random.Random(1)
    for _ in range(5):
        a, b = seed.randrange(1 << 16), seed.randrange(1 << 16)
        expected = (a + b) % (1 << 16)
        assert add(key, a=a, b=b).a == expected
        assert add.simulate(a=a, b=b).a == expected


def test_scalars_and_arrays_have_the_programs_types(key, salaries) -> None:
    answer = salaries(key, {"salary": np.array([5200, 4100, 3950])}, count=3)
    assert type(answer.total) is np.uint32 and answer.total == 13250
    assert (answer.highest, answer.mean) == (5200, 4416)
    assert list(answer) == sorted(answer, key=list(answer).index)
    with pytest.raises(AttributeError, match="no output 'totl'; there are"):
        answer.totl
    with pytest.raises(KeyError):
        answer["totl"]


SIGNS = """
#include <stdint.h>
int8_t a[2][3]; uint64_t big; float ratio; char name[8]; _Bool flag; struct { short x, y; } point;
int16_t out[2][3]; uint64_t doubled; float half; char copy[8]; _Bool inverse; struct { short x, y; } moved;
int main(void) {
    for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) out[i][j] = a[i][j] * 2;
    doubled = big + big; half = ratio; inverse = !flag; moved.x = point.x + 1; moved.y = point.y;
    for (int i = 0; i < 8; i++) copy[i] = name[i];
    return 0;
}
"""


def test_every_type_comes_back(key) -> None:
    secret = ["a", "big", "ratio", "name", "flag", "point"]
    program = bc.compile(SIGNS, secret=["a", "big", "ratio", "name", "flag", "point.x", "point.y"])
    rows = np.array([[1, -2, 3], [-128, 127, 0]], dtype=np.int8)
    given = {
        "a": rows,
        "big": 2**63 + 5,
        "ratio": np.float32(0.3),
        "name": "añ",
        "flag": True,
        "point": {"x": -7, "y": 300},
    }
    assert set(given) == set(secret)
    answer = program.simulate(given)
    assert answer.out.dtype == np.int16 and (answer.out == rows.astype(np.int16) * 2).all()
    assert answer.doubled == (2 * (2**63 + 5)) % 2**64 and answer.doubled.dtype == np.uint64
    assert answer.half == np.float32(0.3) and type(answer.half) is np.float32
    assert answer.copy == "añ".encode()
    assert type(answer.inverse) is np.bool_ and not answer.inverse
    assert answer.moved.x == -6 and answer["moved.y"] == 300
    answer.out[0, 0] = 5  # arrays can be written to
    assert program.variables["a"].shape == (2, 3) and program.variables["a"].type == "i8[2][3]"
    assert np.dtype(program.variables["ratio"].dtype) == np.float32


def test_plans_say_what_a_run_costs(salaries, gcd) -> None:
    plan = salaries.plan(threads=2)
    assert plan.runnable and plan.leaks == [] and plan.findings == [] and plan.threads == 2
    assert 0 < plan.depth <= plan.bootstraps and plan.seconds > 0 and plan.memory > 50_000_000
    assert plan.outputs["total"].type == "u32" and plan.log2_failure <= -100
    assert str(plan.bootstraps) in str(plan) and str(plan.bootstraps) in repr(plan)
    assert "<table" in plan._repr_html_() and "bootstraps" in plan._repr_html_()
    refused = gcd.plan()
    assert not refused.runnable and refused.findings[0].kind == "branch"
    assert refused.findings[0].file == "gcd.c" and refused.findings[0].line > 0
    asked = gcd.plan(branches="ask")
    assert asked.findings[-1].kind == "question" and len(asked.leaks) == 1


def test_symbols(salaries) -> None:
    assert salaries.variables["salary"].shape == (8,)
    assert salaries.variables["salary"].dtype == "<u4"
    assert repr(salaries.variables["count"]) == "<count: u32>"
    assert "main" in salaries.functions
    calls = bc.Program(ROOT / "crates/processor/tests/programs/calls.elf")
    score = calls.functions["score"]
    assert len(score.parameters) == 2 and score.result


def test_calls(key) -> None:
    calls = bc.Program(
        ROOT / "crates/processor/tests/programs/calls.elf", call="score(income, 25)"
    )
    assert calls.simulate(income=-17).score == calls(key, income=-17).score


def test_public_values_and_replacement(key, salaries) -> None:
    known = salaries.replace(secret=["salary"], public={"count": 3})
    assert known.plan().bootstraps < salaries.plan().bootstraps
    assert known(key, salary=(5200, 4100, 3950)).total == 13250
    with pytest.raises(TypeError, match="a program has no colour"):
        salaries.replace(colour=1)


def test_both_paths(gcd) -> None:
    text = """
    .bits 16
    .data a
    main: LOAD R0, a
        CMP R0, 100
        B_LO end
        MOV R0, 100
        STORE R0, a
    end: HALT
    """
    clamp = bc.Program.assembly(text, secret=["a"], outputs=["a"], branches="both")
    assert clamp.simulate(a=7).a == 7 and clamp.simulate(a=700).a == 100


def test_compiling(tmp_path) -> None:
    source = "unsigned a, b; int main(void) { b = a * FACTOR; return 0; }"
    assert bc.compile(source, flags=["-DFACTOR=3"], secret="a").simulate(a=5).b == 15
    path = tmp_path / "own.c"
    path.write_text(source)
    assert bc.compile(path, flags=["-DFACTOR=4"]).simulate(a=5).b == 20
    with pytest.raises(bc.ProgramError, match="FACTOR"):
        bc.compile(source)
    with pytest.raises(bc.AccessError, match="nowhere.c"):
        bc.compile("nowhere.c")
    with pytest.raises(bc.UsageError):
        bc.compile(source, compiler="no-such-compiler")
    with pytest.raises(bc.UsageError, match="flags"):
        bc.compile(source, flags="-DFACTOR=3")


def test_pickles(add, salaries) -> None:
    for program, values in ((add, {"a": 1, "b": 2}), (salaries, {"salary": [1], "count": 1})):
        again = pickle.loads(pickle.dumps(program))
        assert again.simulate(values) == program.simulate(values)
    answer = add.simulate(a=1, b=2)
    assert pickle.loads(pickle.dumps(answer)) == answer


def test_wrong_words(add) -> None:
    for words in ("never", "ask,both", "both,both", ""):
        if words:
            with pytest.raises(bc.UsageError, match="branches"):
                add.plan(branches=words)
    with pytest.raises(bc.InputError, match="nothing_of_that"):
        add.replace(secret=["nothing_of_that"])
    with pytest.raises(TypeError):
        add.replace(secret=7)
    with pytest.raises(bc.ProgramError):
        bc.Program.from_bytes("x.elf", b"\x7fELF but not really")
    with pytest.raises(bc.ProgramError, match="line"):
        bc.Program.assembly("NOT AN INSTRUCTION")
    with pytest.raises(bc.AccessError):
        bc.Program("nowhere.elf")
    with pytest.raises(bc.LimitExceeded):
        add.replace(limit=1).plan()
    assert bc.Program.assembly(ADD).replace(secret="a", missing_are_zero=True).simulate(a=4).a == 4


def test_credit_on_all_rows_of_its_table() -> None:
    import csv

    program = bc.Program(EXAMPLES / "credit" / "credit.elf")
    with open(EXAMPLES / "credit" / "people.csv") as file:
        rows = [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]
    answers = [program.simulate(row) for row in rows[:3]]
    assert all(len(answer) > 0 for answer in answers)
