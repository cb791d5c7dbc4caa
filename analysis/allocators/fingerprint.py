"""What names a problem: answers that are kept still fit a run where its problem has the same name."""

from __future__ import annotations

import hashlib
from dataclasses import fields

import numpy as np

from analysis.allocators.problem import Problem


def fingerprint(problem: Problem) -> str:
    """Return what names a problem: another one where any block, size, life, alignment or fixed address is."""
    arrays = {one.name: getattr(problem.demand, one.name) for one in fields(problem.demand)}
    found = hashlib.sha256()
    for name, values in sorted((arrays | {"block": problem.block, "fixed": problem.fixed}).items()):
        found.update(f"{name} {len(values)} ".encode())
        found.update(np.ascontiguousarray(values, dtype="<i8").tobytes())
    return found.hexdigest()
