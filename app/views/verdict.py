"""The result of a lab search in a word or two, for the lab and for saved placements."""

from __future__ import annotations

from components.numbers import count_text
from services.run.placements import LabPlacement

_PROVED, _FOUND, _FITS, _IMPOSSIBLE, _NOT_FOUND = (
    "proved least",
    "found",
    "fits",
    "cannot fit",
    "not found",
)

TOO_HIGH = "above the capacity"
"""Verdict of a placement that ends above the requested capacity."""


def verdict(placement: LabPlacement, *, fits: bool | None) -> str:
    """Return the result of a search in a few words, such as `proved least` or `not found in 20,000
    placements`; `fits` is whether the placement ends within the requested capacity, None if none
    was requested.
    """
    if placement.status == "infeasible":
        return _IMPOSSIBLE
    if placement.status == "not_found":
        return f"{_NOT_FOUND} in {count_text(placement.effort, 'placement')}"
    if fits is False:
        return TOO_HIGH
    if fits and placement.extent != placement.bound:
        return _FITS
    return _PROVED if placement.status == "optimal" else _FOUND
