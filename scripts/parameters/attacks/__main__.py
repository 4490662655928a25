"""Prints every attack on one key; see the package."""

import sys

from . import estimate, keys

if len(sys.argv) != 5:
    sys.exit("usage: python3 -m attacks N LOG2_Q LOG2_DEVIATION (binary | ternary | blocks-of-D)")
n, log2_modulus, log2_deviation, name = sys.argv[1:]
for attack, found in estimate(int(n), float(log2_modulus), float(log2_deviation), keys.named(name)).items():
    print(f"{attack:20} {found.bits:6.2f}  {found.parameters}")
