"""The distance of two secret bytes, in Blindcore."""

import json
import time

begun = time.perf_counter()
import blindcore as bc

imported = time.perf_counter()
key = bc.keygen()
keyed = time.perf_counter()


@bc.program
def distance(x: bc.U8, y: bc.U8) -> bc.U8:
    return bc.where(x > y, x - y, y - x)


distance.circuit()
compiled = time.perf_counter()
inputs = distance.encrypt(key.secret, 200, 77)
encrypted = time.perf_counter()
outputs = distance.run(inputs, key.server)
ran = time.perf_counter()
answer = int(distance.decrypt(key.secret, outputs))
ended = time.perf_counter()
pairs = [(0, 0), (0, 255), (255, 0), (77, 200), (128, 127), (1, 2), (254, 255), (9, 9)]
begin = time.perf_counter()
right = answer == 123 and all(distance(key, x, y) == abs(x - y) for x, y in pairs)
print(
    json.dumps(
        {
            "library": "blindcore",
            "import": imported - begun,
            "keys": keyed - imported,
            "compile": compiled - keyed,
            "encrypt": encrypted - compiled,
            "run": ran - encrypted,
            "decrypt": ended - ran,
            "first_answer": ended - begun,
            "later_answer": (time.perf_counter() - begin) / len(pairs),
            "input_bytes": len(bytes(inputs)),
            "output_bytes": len(bytes(outputs)),
            "key_bytes": len(bytes(key.server)) + len(key.server.selectors or b""),
            "right": bool(right),
        }
    )
)
