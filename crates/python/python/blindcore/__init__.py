"""Run ordinary programs on data that nobody but you can read.

A stock C compiler makes the program. You encrypt its inputs under a key that never leaves your
machine, hand program and ciphertexts to a computer that you do not trust, and decrypt the answer.

>>> import blindcore as bc
>>> source = '''
... unsigned salary[3], count, total, mean;
... int main(void) {
...     for (unsigned i = 0; i < 3; i++) total += (i < count) * salary[i];
...     mean = total / count;
...     return 0;
... }
... '''
>>> program = bc.compile(source, secret=["salary", "count"])
>>> plan = program.plan()
>>> plan.runnable, plan.leaks
(True, [])
>>> key = bc.keygen()
>>> answer = program(key, salary=[5200, 4100, 3950], count=3)
>>> print(answer.total, answer["mean"])
13250 4416

=====================  =========================  ===========================
who                    has                        does
=====================  =========================  ===========================
the owner              ``key.secret``             encrypts, decrypts
whoever gives data     ``key.public``             encrypts
the computer           ``key.server``, programs,  runs, reads nothing
that is not trusted    ciphertexts
=====================  =========================  ===========================

Keys have at least 128 bits of security. Ciphertexts and keys are the files of the command
``blindcore``, byte for byte.
"""

from . import circuits, parameters
from ._answer import Answer
from ._compile import compile
from ._errors import (
    AccessError,
    CertificateError,
    Error,
    FileError,
    InputError,
    InternalError,
    Interrupted,
    JobCancelled,
    LimitExceeded,
    PassphraseError,
    ProgramError,
    ProgramFault,
    Refused,
    SecretBranch,
    ServerRefused,
    ServerUnreachable,
    UsageError,
    WrongKey,
)
from ._native import (
    Addresses,
    Circuit,
    CircuitPlan,
    Finding,
    Function,
    Inputs,
    Keys,
    Outputs,
    Plan,
    Profile,
    Program,
    PublicKey,
    Question,
    SecretKey,
    ServerKey,
    TablePlan,
    Variable,
    Worker,
    keygen,
)
from ._progress import Progress, ProgressBar, progress_bar
from ._server import Job, JobStatus, Server
from ._trace import Traced, program
from ._words import (
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Bool,
    LookupTable,
    Word,
    maximum,
    minimum,
    quotient,
    remainder,
    sort,
    sqrt,
    where,
)

# Not among the names that `*` imports, since Python has its own.
min = minimum
max = maximum

__all__ = [
    "AccessError",
    "Addresses",
    "Answer",
    "Bool",
    "CertificateError",
    "Circuit",
    "CircuitPlan",
    "Error",
    "F32",
    "F64",
    "FileError",
    "Finding",
    "Function",
    "I16",
    "I32",
    "I64",
    "I8",
    "InputError",
    "Inputs",
    "InternalError",
    "Interrupted",
    "Job",
    "JobCancelled",
    "JobStatus",
    "Keys",
    "LimitExceeded",
    "LookupTable",
    "Outputs",
    "PassphraseError",
    "Plan",
    "Profile",
    "Program",
    "ProgramError",
    "ProgramFault",
    "Progress",
    "ProgressBar",
    "PublicKey",
    "Question",
    "Refused",
    "SecretBranch",
    "SecretKey",
    "Server",
    "ServerKey",
    "ServerRefused",
    "ServerUnreachable",
    "TablePlan",
    "Traced",
    "U16",
    "U32",
    "U64",
    "U8",
    "UsageError",
    "Variable",
    "Word",
    "Worker",
    "WrongKey",
    "circuits",
    "compile",
    "keygen",
    "maximum",
    "minimum",
    "parameters",
    "program",
    "progress_bar",
    "quotient",
    "remainder",
    "sort",
    "sqrt",
    "where",
]
