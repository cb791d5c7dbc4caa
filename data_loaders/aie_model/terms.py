"""Terms of a prediction, from the values that the models of the field write."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Prediction:
    """A predicted term in cycles, and the name of the value that it is."""

    term: str
    cycles: float
    source: str


def make_terms(
    step: float | None, overlap: float | None, total: float | None, active: float | None = None
) -> list[Prediction]:
    """List the known terms: the step of an iteration is the period, and the computation if no
    contributor's latency is known.
    """
    found = []
    if active is not None:
        found.append(Prediction("compute", active, "compute_contributors"))
    elif step is not None:
        found.append(Prediction("compute", step, "iter_step"))
    # The key as published: the model's own sources call the value by another name.
    if overlap is not None:
        found.append(Prediction("wait", overlap, "overlap"))
    if step is not None:
        found.append(Prediction("period", step, "iter_step"))
    if total is not None:
        found.append(Prediction("total", total, "total_latency"))
    return found


def parse_cycles(value: object) -> float | None:
    """Return a number of cycles from JSON, None if it is not a number from 0 to below 2^62."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**62:
        return None
    return float(value)
