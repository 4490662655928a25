#!/usr/bin/env python3
"""Fills in, or checks, what the examples should answer.

    examples/expected.py             recompute the outputs in every cases.json
    examples/expected.py --check     compare instead, and fail on a difference

The answers come from the host's own compiler (`cc`, or $CC): the example's C source
is included as it stands into a driver that sets the inputs, calls its main and
prints the outputs. No code of this project takes part, which is what makes the
answers worth comparing with.

`cases.json` is written by hand, but for the values under `outputs`. A number or an
array of numbers stands for a variable of that shape, a string for an array of
`char`. An output not yet known is written `null`, or `[null, null]` for an array.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def assignments(inputs):
    for name, value in inputs.items():
        if isinstance(value, str):
            value = list(value.encode())
        if isinstance(value, list):
            yield f"    memset({name}, 0, sizeof {name});"
            yield f"    _Static_assert({len(value)} <= sizeof {name} / sizeof {name}[0], \"\");"
            for index, element in enumerate(value):
                yield f"    {name}[{index}] = {element};"
        else:
            yield f"    {name} = {value};"


def prints(outputs):
    for name, shape in outputs.items():
        places = [f"{name}[{i}]" for i in range(len(shape))] if isinstance(shape, list) else [name]
        for place in places:
            yield f'    printf("%lld\\n", (long long){place});'


def answers(source, case):
    """The outputs of one case. A process each, so that no case sees another's globals."""
    driver = "\n".join([
        "#include <stdio.h>",
        "#include <string.h>",
        "#define main program",
        f'#include "{source}"',
        "#undef main",
        "int main(void)",
        "{",
        *assignments(case["inputs"]),
        "    program();",
        *prints(case["outputs"]),
        "    return 0;",
        "}",
        "",
    ])
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "driver")
        program.with_suffix(".c").write_text(driver)
        # char is unsigned on ARM; the sanitizers reject what C leaves undefined.
        subprocess.run(
            [os.environ.get("CC", "cc"), "-O1", "-funsigned-char", "-fsanitize=undefined",
             "-fno-sanitize-recover", program.with_suffix(".c"), "-o", program],
            check=True)
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    numbers = iter(int(line) for line in printed.split())
    return {
        name: [next(numbers) for _ in shape] if isinstance(shape, list) else next(numbers)
        for name, shape in case["outputs"].items()
    }


def render(cases):
    """One case a line: a table to read."""
    lines = ",\n".join("    " + json.dumps(case) for case in cases)
    return '{\n  "cases": [\n' + lines + "\n  ]\n}\n"


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    wrong = []
    for path in sorted(HERE.glob("*/cases.json")):
        source = path.parent / f"{path.parent.name}.c"
        cases = json.loads(path.read_text())["cases"]
        computed = [{**case, "outputs": answers(source, case)} for case in cases]
        if not check:
            path.write_text(render(computed))
        elif computed != cases:
            wrong.append(path.parent.name)
        print(f"{path.parent.name}: {len(cases)} cases")
    if wrong:
        sys.exit(f"not what the host's compiler answers: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
