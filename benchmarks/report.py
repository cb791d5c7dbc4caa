"""Lines of measured numbers beside their targets."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median


def spread(values: Sequence[float], unit: str, digits: int = 2) -> str:
    """Return the median and the range of repeated measurements."""
    low, middle, high = (f"{value:.{digits}f}" for value in (min(values), median(values), max(values)))
    return f"{middle} {unit} ({low} to {high}, {len(values)} runs)"


def note(text: str) -> None:
    """Print a line without a target."""
    print(f"      {text}", flush=True)


def check(what: str, value: float, limit: float, unit: str) -> None:
    """Print a number beside the most that it should be."""
    print(
        f"{'ok   ' if value <= limit else 'MISS '} {what}: {value:.3g} {unit} (target: at most {limit:g})", flush=True
    )
