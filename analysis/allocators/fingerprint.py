"""Fingerprint of a problem: saved placements apply to a run as long as its problem has the same
fingerprint.
"""

from __future__ import annotations

import hashlib
from dataclasses import fields

import numpy as np

from analysis.allocators.problem import Problem


def fingerprint(problem: Problem) -> str:
    """Compute a SHA-256 hash (64 hex digits) of all block numbers, sizes, lifetimes, alignments and
    fixed addresses of a problem; names, capacity and bank pairs are not part of it.
    """
    arrays = {field.name: getattr(problem.demand, field.name) for field in fields(problem.demand)}
    digest = hashlib.sha256()
    for name, values in sorted((arrays | {"block": problem.block, "fixed": problem.fixed}).items()):
        digest.update(f"{name} {len(values)} ".encode())
        # A fixed byte order makes the hash equal on every machine.
        digest.update(np.ascontiguousarray(values, dtype="<i8").tobytes())
    return digest.hexdigest()
