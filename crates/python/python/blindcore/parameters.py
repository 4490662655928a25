"""Parameter sets of TFHE as data: security, noise, failures and costs, as ``blindcore params`` has them.

>>> from blindcore import parameters
>>> default = parameters.sets()["P16_BLOCK_128_PFAIL_2M100"]
>>> default["security"]["bits"] >= 128
True
"""

from __future__ import annotations

import json
from typing import Any

from ._native import parameter_sheets

__all__ = ["sets"]


def sets() -> dict[str, dict[str, Any]]:
    """Every set by its name; ``security`` is the least of the attacks, ``failures`` has the
    logarithm, to base 2, of how often each kind of lookup is wrong."""
    return {sheet["name"]: sheet for sheet in json.loads(parameter_sheets())}
