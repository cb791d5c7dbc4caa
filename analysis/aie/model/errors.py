"""Errors of a performance model as metrics of a run: residuals of its predicted terms."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from analysis.aie.model.terms import Term, compare_terms
from schema.frames import Frames

METRIC_OF_TERM: Mapping[str, str] = MappingProxyType(
    {"compute": "model_compute", "wait": "model_wait", "total": "model_total"}
)
"""Term of a prediction -> metric with its residual. The period follows from compute and wait."""


def run_terms(frames: Frames) -> list[Term]:
    """Compare all terms of a capture's prediction, from its stored frames and its kernels."""
    return compare_terms(
        frames["predictions"],
        frames["run"].iloc[0].to_dict(),
        frames["kernels"],
        frames["tracks"],
        frames["events"],
    )


def model_errors(frames: Frames) -> dict[str, float | None]:
    """Compute the residual of each metric of METRIC_OF_TERM, (predicted - measured) / measured.

    `None` if a term was not predicted or not measured; {} for a capture without a prediction.
    """
    if "predictions" not in frames:
        return {}
    terms = {term.name: term.residual for term in run_terms(frames)}
    return {metric: terms[term] for term, metric in METRIC_OF_TERM.items()}


def predicted_cycles(frames: Frames, term: str) -> float | None:
    """Return the predicted cycles of a term; `None` without such a prediction."""
    if "predictions" not in frames:
        return None
    rows = frames["predictions"]
    cycles = rows.loc[rows["term"].astype(str) == term, "predicted"]
    return float(cycles.iloc[0]) if len(cycles) else None
