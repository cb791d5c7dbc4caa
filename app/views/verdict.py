"""What an answer of the lab is worth, in a word or two: on its own page, and beside the run that it is kept with."""

from __future__ import annotations

from components.numbers import integer
from services.run.placements import LabPlacement

_PROVED, _FOUND, _FITS, _IMPOSSIBLE, _NOT_FOUND = "proved least", "least found", "fits", "cannot fit", "not found"

TOO_HIGH = "above the capacity"
"""What is said of a placement that ends above the capacity asked for."""


def verdict(answer: LabPlacement, *, fits: bool | None) -> str:
    """Return what an answer is worth in a word or two; `fits` is None where no capacity was asked for."""
    if answer.status == "infeasible":
        return _IMPOSSIBLE
    if answer.status == "not_found":
        return f"{_NOT_FOUND} in {integer(answer.effort)} placements"
    if fits is False:
        return TOO_HIGH
    if fits and answer.extent != answer.bound:
        return _FITS
    return _PROVED if answer.status == "optimal" else _FOUND
