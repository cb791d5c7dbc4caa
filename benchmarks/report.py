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
    shown = f"{value:.0f}" if value >= 1000 else f"{value:.3g}"
    verdict = "ok   " if value <= limit else "MISS "
    print(f"{verdict} {what}: {f'{shown} {unit}'.rstrip()} (target: at most {limit:g})", flush=True)
