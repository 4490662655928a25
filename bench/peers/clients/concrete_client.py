"""The distance of two secret bytes, in Concrete."""

import json
import time

begun = time.perf_counter()
import numpy as np
from concrete import fhe

imported = time.perf_counter()


@fhe.compiler({"x": "encrypted", "y": "encrypted"})
def distance(x, y):
    return np.where(x > y, x - y, y - x)


inputset = [(0, 255), (255, 0)] + [(int(a), int(b)) for a, b in np.random.randint(0, 256, (100, 2))]
circuit = distance.compile(inputset)
compiled = time.perf_counter()
circuit.keygen()
keyed = time.perf_counter()
inputs = circuit.encrypt(200, 77)
encrypted = time.perf_counter()
outputs = circuit.run(*inputs)
ran = time.perf_counter()
answer = int(circuit.decrypt(outputs))
ended = time.perf_counter()
pairs = [(0, 0), (0, 255), (255, 0), (77, 200), (128, 127), (1, 2), (254, 255), (9, 9)]
begin = time.perf_counter()
right = answer == 123 and all(circuit.encrypt_run_decrypt(x, y) == abs(x - y) for x, y in pairs)
print(
    json.dumps(
        {
            "library": "concrete-python",
            "import": imported - begun,
            "keys": keyed - compiled,
            "compile": compiled - imported,
            "encrypt": encrypted - keyed,
            "run": ran - encrypted,
            "decrypt": ended - ran,
            "first_answer": ended - begun,
            "later_answer": (time.perf_counter() - begin) / len(pairs),
            "input_bytes": sum(len(own.serialize()) for own in inputs),
            "output_bytes": len(outputs.serialize()),
            "key_bytes": len(circuit.client.evaluation_keys.serialize()),
            "right": bool(right),
        }
    )
)
