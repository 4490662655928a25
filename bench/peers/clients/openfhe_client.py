"""The distance of two secret bytes, in OpenFHE's gates: whoever has no compiler writes the circuit."""

import json
import time

begun = time.perf_counter()
import openfhe as of

imported = time.perf_counter()
cc = of.BinFHEContext()
cc.GenerateBinFHEContext(of.STD128, of.GINX)
secret = cc.KeyGen()
cc.BTKeyGen(secret)
keyed = time.perf_counter()


def bits(value):
    return [cc.Encrypt(secret, value >> at & 1) for at in range(8)]


def gate(kind, a, b):
    return cc.EvalBinGate(kind, a, b)


def subtract(x, y):
    """x - y, and whether it borrows."""
    result, borrow = [], None
    for a, b in zip(x, y):
        differ = gate(of.XOR, a, b)
        own = gate(of.AND, cc.EvalNOT(a), b)
        if borrow is None:
            result.append(differ)
            borrow = own
        else:
            result.append(gate(of.XOR, differ, borrow))
            borrow = gate(of.OR, own, gate(of.AND, cc.EvalNOT(differ), borrow))
    return result, borrow


def distance(x, y):
    one, borrows = subtract(x, y)
    other, _ = subtract(y, x)
    return [
        gate(of.OR, gate(of.AND, borrows, b), gate(of.AND, cc.EvalNOT(borrows), a))
        for a, b in zip(one, other)
    ]


def decrypted(word):
    return sum(cc.Decrypt(secret, bit) << at for at, bit in enumerate(word))


x, y = bits(200), bits(77)
encrypted = time.perf_counter()
outputs = distance(x, y)
ran = time.perf_counter()
answer = decrypted(outputs)
ended = time.perf_counter()
pairs = [(0, 255), (77, 200)]
begin = time.perf_counter()
right = answer == 123 and all(decrypted(distance(bits(a), bits(b))) == abs(a - b) for a, b in pairs)
print(
    json.dumps(
        {
            "library": "openfhe-python",
            "import": imported - begun,
            "keys": keyed - imported,
            "compile": 0.0,
            "encrypt": encrypted - keyed,
            "run": ran - encrypted,
            "decrypt": ended - ran,
            "first_answer": ended - begun,
            "later_answer": (time.perf_counter() - begin) / len(pairs),
            # Its Python writes no ciphertexts of gates.
            "input_bytes": None,
            "output_bytes": None,
            "key_bytes": None,
            "right": right,
        }
    )
)
