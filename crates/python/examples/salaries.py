"""Who earns how much is nobody's business: the whole way of a value, step by step."""

from pathlib import Path

import numpy as np

import blindcore as bc

SOURCE = Path(__file__).parents[3] / "examples" / "salaries" / "salaries.c"


def main() -> None:
    program = bc.compile(SOURCE, secret=["salary", "count"])
    plan = program.plan(threads=2)
    print(plan)
    assert plan.runnable and not plan.leaks

    # The owner of the data,
    keys = bc.keygen()
    salaries = np.array([5200, 4100, 3950])
    inputs = keys.secret.encrypt(program, salary=salaries, count=len(salaries))

    # a computer that nobody has to trust,
    outputs = program.run(inputs, keys.server, progress=bc.progress_bar)

    # and the owner again.
    answer = keys.secret.decrypt(outputs)
    print(answer.total, answer["mean"])
    assert answer.total == salaries.sum()


if __name__ == "__main__":
    main()
