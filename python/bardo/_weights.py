"""Reads fitted weights that are part of the package."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any


@cache
def read_weights(package: str, name: str) -> Mapping[str, Any]:
    """Reads a JSON file of weights; a list named `vector` becomes a float64 array of shape (dims,).

    Args:
        package: Package of the file.
        name: Name of the file.
    """
    from importlib import resources

    import numpy as np

    weights: dict[str, Any] = json.loads(resources.files(package).joinpath(name).read_text(encoding="utf-8"))
    if "vector" in weights:
        weights["vector"] = np.asarray(weights["vector"], dtype=np.float64)
    return weights
