"""Read `slot_latency_breakdown.yaml` of KU Leuven's stream: block YAML with flat scalars.

Only mappings, lists and scalars in block style are read; the file has no other syntax.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from data_loaders.aie_model.terms import Prediction, make_terms, parse_cycles

_LINE = re.compile(r"( {0,200})(?:(-) {1,9})?([A-Za-z_]\w{0,100}):(?: {1,99}(\S.{0,400}))?\s*")
_MAX_DEPTH = 50


def read_slots(text: str) -> list[Prediction]:
    """Read the terms that the model predicted; empty if the text has none of its values.

    `compute` is the largest `active_latency` of a compute contributor, else the step.
    """
    totals: dict[str, float] = {}
    largest: float | None = None
    for path, value in _scalars(text):
        if path[:-1] == ("totals",):
            totals[path[-1]] = value
        elif path[-1] == "active_latency" and "compute_contributors" in path[:-1]:
            largest = value if largest is None else max(largest, value)
    return make_terms(
        totals.get("iter_step"), totals.get("overlap"), totals.get("total_latency"), largest
    )


def _scalars(text: str) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the path of keys and the value of each number; lines of other forms are passed over."""
    keys: list[tuple[int, str]] = []
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        # An item of a list is one level deeper than its dash.
        indent = len(match[1]) + (2 if match[2] else 0)
        while keys and keys[-1][0] >= indent:
            keys.pop()
        keys = [*keys[-_MAX_DEPTH:], (indent, match[3])]
        value = _parse_number(match[4] or "")
        if value is not None:
            yield tuple(key for _, key in keys), value


def _parse_number(text: str) -> float | None:
    # `float` also reads nan and inf, which `parse_cycles` refuses.
    try:
        return parse_cycles(float(text))
    except ValueError:
        return None
