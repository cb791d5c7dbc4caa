"""Files that carry a placement problem and its results between a server and the process that
searches.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import numpy as np

from analysis.allocators.bank_pairs import BankPairs
from analysis.allocators.demand import Demand
from analysis.allocators.problem import Problem
from analysis.memory.shared_banks import Banks

PROBLEM, TASK, PROGRESS, ANSWER, STOP = (
    "problem.npz",
    "task.json",
    "progress.json",
    "answer.json",
    "stop",
)
"""File names in the folder of a search."""
_DEMAND = [field.name for field in fields(Demand)]
"""Arrays of a `Demand`."""
_PAIRS = [field.name for field in fields(BankPairs) if field.name != "banks"]
"""Arrays of the `BankPairs`; the number and interleaving of banks are stored as one further array.
"""
_PLAIN = ("attempt", "label", "capacity", "static_bytes", "windows")
"""Attributes of a `Problem` that are stored as one JSON text in the archive."""


def write_problem(folder: Path, problem: Problem) -> None:
    """Write a problem into a folder as the NumPy archive PROBLEM, replacing it."""
    arrays = {name: getattr(problem.demand, name) for name in _DEMAND}
    if problem.pairs is not None:
        arrays |= {"banks": np.array(astuple(problem.pairs.banks))} | {
            name: getattr(problem.pairs, name) for name in _PAIRS
        }
    plain = json.dumps({name: getattr(problem, name) for name in _PLAIN})
    np.savez(
        folder / PROBLEM, block=problem.block, fixed=problem.fixed, plain=np.array(plain), **arrays
    )


def read_problem(folder: Path) -> Problem:
    """Read the problem of a folder.

    Raises OSError, KeyError or ValueError if the file is missing or damaged.
    """
    # an archive with pickled objects could run code
    with np.load(folder / PROBLEM, allow_pickle=False) as stored:
        demand = Demand(**{name: stored[name] for name in _DEMAND})
        pairs = None
        if "banks" in stored:
            pairs = BankPairs(
                Banks(*stored["banks"].tolist()), **{name: stored[name] for name in _PAIRS}
            )
        plain = json.loads(str(stored["plain"]))
        return Problem(
            demand=demand, block=stored["block"], fixed=stored["fixed"], pairs=pairs, **plain
        )


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON file atomically, replacing it: a reader never sees a part of it."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as part:
        own = Path(part.name)
        try:
            json.dump(value, part)
            part.flush()
            # a rename in the same folder is atomic
            own.replace(path)
        except BaseException:
            own.unlink(missing_ok=True)
            raise


def read_json(path: Path) -> dict[str, Any] | None:
    """Read a JSON object from a file; `None` if the file is missing, unreadable or not an
    object.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None
