"""Long work: progress, exceptions, Ctrl-C, threads, forks, checkpoints."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import EXAMPLES

import blindcore as bc


@pytest.fixture(scope="module")
def aes(key: bc.Keys) -> tuple[bc.Program, bc.Inputs]:
    """A run of many seconds."""
    program = bc.Program(EXAMPLES / "aes" / "aes.elf", missing_are_zero=True)
    return program, key.secret.encrypt(program, key=range(16), plain=range(16))


def interrupt_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_progress_is_told_on_the_callers_thread(key, salaries) -> None:
    seen: list[bc.Progress] = []
    threads = set()

    def watch(progress: bc.Progress) -> None:
        seen.append(progress)
        threads.add(threading.get_ident())

    inputs = key.secret.encrypt(salaries, salary=[1, 2], count=2)
    salaries.run(inputs, key.server, progress=watch)
    assert seen and threads == {threading.get_ident()}
    done = [progress.done for progress in seen]
    assert done == sorted(done) and seen[-1].done == seen[-1].total
    assert seen[-1].stage == "run" and seen[-1].fraction == 1.0


def test_an_exception_in_progress_ends_the_run(key, aes) -> None:
    class Enough(Exception):
        pass

    def watch(progress: bc.Progress) -> None:
        raise Enough

    program, inputs = aes
    with pytest.raises(Enough):
        program.run(inputs, key.server, progress=watch)
    with pytest.raises(bc.UsageError, match="progress"):
        program.run(inputs, key.server, progress=7)


@pytest.mark.parametrize("what", ["run", "call", "plan", "simulate", "keygen"])
def test_ctrl_c(key, aes, what) -> None:
    program, inputs = aes

    def until_interrupted() -> None:
        while True:
            if what == "run":
                program.run(inputs, key.server)
            elif what == "call":
                program(key)
            elif what == "plan":
                program.plan()
            elif what == "simulate":
                program.simulate()
            else:
                bc.keygen()

    timer = interrupt_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        until_interrupted()
    timer.join()


def test_threads(key, add) -> None:
    inputs = key.secret.encrypt(add, a=1, b=2)
    for wrong in (0, -1, 10**6, 2**80):
        with pytest.raises((bc.UsageError, OverflowError), match="threads|too large"):
            add.run(inputs, key.server, threads=wrong)
        with pytest.raises((bc.UsageError, OverflowError), match="threads|too large"):
            add.plan(threads=wrong)
    for threads in (1, 2, 64):
        assert key.secret.decrypt(add.run(inputs, key.server, threads=threads)).a == 3
    # The key alone has as much: that is refused. With a little more it works in the program's order.
    with pytest.raises(bc.LimitExceeded, match="of memory at least"):
        add.run(inputs, key.server, memory=100_000_000)
    assert key.secret.decrypt(add.run(inputs, key.server, memory=140_000_000)).a == 3


def test_one_key_in_several_threads(key, add) -> None:
    answers: dict[int, int] = {}

    def work(number: int) -> None:
        answers[number] = int(add(key, a=number, b=number).a)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: 2 * number for number in range(4)}


def test_other_threads_go_on(key, salaries) -> None:
    turns = 0
    ended = threading.Event()

    def turn() -> None:
        nonlocal turns
        while not ended.is_set():
            turns += 1
            time.sleep(0.001)

    other = threading.Thread(target=turn)
    inputs = key.secret.encrypt(salaries, salary=[1, 2], count=2)
    other.start()
    salaries.run(inputs, key.server, threads=1)
    ended.set()
    other.join()
    # Were the lock held, there would be a turn or two.
    assert turns > 20


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_works(key, add) -> None:
    assert add(key, a=1, b=2).a == 3
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(60)
            code = 0 if add(key, a=3, b=4).a == 7 and add.plan().bootstraps > 0 else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


CHECKPOINTED = """
import sys
import blindcore as bc
key = bc.Keys.load(sys.argv[1])
program = bc.Program(sys.argv[2], missing_are_zero=True)
print("running", flush=True)
program.run(bc.Inputs.load(sys.argv[3]), key.server, checkpoint=sys.argv[4])
"""


def test_an_interrupted_run_goes_on_from_its_checkpoint(tmp_path, key, gcd) -> None:
    """Interrupted at its second question, and resumed."""
    inputs = key.secret.encrypt(gcd, a=12, b=18)
    checkpoint = tmp_path / "gcd.checkpoint"
    questions: list[bc.Question] = []

    def two(question: bc.Question) -> bool:
        questions.append(question)
        if len(questions) == 3:
            raise KeyboardInterrupt
        return True

    def run(allow: object, **more: object) -> bc.Outputs:
        return gcd.run(
            inputs,
            key.server,
            branches="ask",
            answer_with=key.secret,
            allow=allow,
            checkpoint=checkpoint,
            **more,
        )

    with pytest.raises(KeyboardInterrupt):
        run(two)
    assert checkpoint.exists()
    rest: list[bc.Question] = []
    outputs = run(lambda question: not rest.append(question))
    assert key.secret.decrypt(outputs).divisor == 6
    assert not checkpoint.exists()
    assert rest[0].site == questions[2].site

    # Another run's checkpoint is refused, and one that is not gone on from is removed.
    questions.clear()
    with pytest.raises(KeyboardInterrupt):
        run(two)
    other = key.secret.encrypt(gcd, a=12, b=18)
    with pytest.raises(bc.Error):
        gcd.run(
            other,
            key.server,
            branches="ask",
            answer_with=key.secret,
            allow=lambda question: True,
            checkpoint=checkpoint,
        )
    assert key.secret.decrypt(run(lambda question: True, resume=False)).divisor == 6


def test_questions(tmp_path, key, gcd) -> None:
    inputs = key.secret.encrypt(gcd, a=12, b=18)
    with pytest.raises(bc.SecretBranch) as raised:
        gcd.run(inputs, key.server)
    assert raised.value.code == 9 and raised.value.source_line[0] == "gcd.c"
    assert "gcd.c" in str(raised.value)

    asked: list[bc.Question] = []

    def allow(question: bc.Question) -> bool:
        asked.append(question)
        return True

    run = {"branches": "ask", "answer_with": key.secret}
    outputs = gcd.run(inputs, key.server, allow=allow, ledger=tmp_path / "ledger", **run)
    assert key.secret.decrypt(outputs).divisor == 6
    assert (tmp_path / "ledger").exists()
    question = asked[0]
    assert (question.asks, question.bits, question.symbol) == ("condition", 2, "main")
    assert question.file == "gcd.c" and question.line > 0 and "gcd.c" in repr(question)
    for sites in (["main"], 'max_bits = 64\n[[allow]]\nsite = "main"'):
        outputs = gcd.run(inputs, key.server, allow=sites, **run)
        assert key.secret.decrypt(outputs).divisor == 6
    for refused in (None, lambda question: False, ["main:1"], []):
        with pytest.raises(bc.Refused) as no:
            gcd.run(inputs, key.server, allow=refused, **run)
        assert no.value.code == 15
    with pytest.raises(bc.Refused):
        gcd.run(inputs, key.server, allow=lambda question: True, max_bits=1, **run)
    for wrong in (["main:x"], "no = [rules"):
        with pytest.raises(bc.InputError):
            gcd.run(inputs, key.server, allow=wrong, **run)
    with pytest.raises(TypeError, match="allow"):
        gcd.run(inputs, key.server, allow=7, **run)
    with pytest.raises(bc.UsageError, match="answer_with"):
        gcd.run(inputs, key.server, allow=["main"])
    with pytest.raises(ZeroDivisionError):
        gcd.run(inputs, key.server, allow=lambda question: 1 // 0 == 0, **run)


def test_a_checkpoint_needs_a_folder(key, add) -> None:
    inputs = key.secret.encrypt(add, a=1, b=2)
    with pytest.raises(bc.AccessError, match="nowhere"):
        add.run(inputs, key.server, checkpoint="/nowhere/of/this/name")


def test_the_display_writes_over_its_line() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    bar = bc.ProgressBar(terminal, width=4)
    bar(bc.Progress("run", 1, 2))
    bar(bc.Progress("run", 2, 2))
    first, second = terminal.getvalue().split("\r")[1:]
    assert first.startswith("██·· run 50 %") and second.startswith("████") and second.endswith("\n")


def test_a_process_ends_in_the_middle_of_a_run(tmp_path, key, aes) -> None:
    """Nothing waits for threads, and nothing is written to the standard error but the exception."""
    program, inputs = aes
    key.save(tmp_path / "mine")
    inputs.save(tmp_path / "aes.inputs")
    path = EXAMPLES / "aes" / "aes.elf"
    words = [tmp_path / "mine", path, tmp_path / "aes.inputs", tmp_path / "aes.checkpoint"]
    child = subprocess.Popen(
        [sys.executable, "-c", CHECKPOINTED, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(2)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode in (-signal.SIGINT, 130, 1)
    assert errors.decode().strip().endswith("KeyboardInterrupt")
