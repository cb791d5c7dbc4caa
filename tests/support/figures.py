"""Figures as plain values, for comparison."""

import base64
import json
import math

import numpy as np


def plain(figure):
    """Convert a figure to JSON values without empty parts, with all numbers as lists in single
    precision.

    A style that is the same for every point is a single value.
    """
    return _plain(json.loads(figure.to_json()))


def _style(name, value):
    once = name in {"opacity", "width", "shape", "solidity"} and isinstance(value, list)
    return value[0] if once and all(part == value[0] for part in value) else value


def _plain(value):
    if isinstance(value, dict) and "bdata" in value:
        numbers = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"])
        return _plain(
            numbers.reshape(
                [int(n) for n in value.get("shape", str(len(numbers))).split(",")]
            ).tolist()
        )
    if isinstance(value, dict):
        return {
            name: _style(name, _plain(part)) for name, part in value.items() if part not in ({}, [])
        }
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return None if math.isnan(value) else float(np.float32(value))
