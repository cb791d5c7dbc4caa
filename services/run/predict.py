"""Predicted and measured terms of runs as JSON types, and the regret over runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.aie.model.errors import run_terms
from analysis.aie.model.regret import PricedRun, Regret, find_regrets
from analysis.aie.model.terms import Term, main_kernels
from services.run.data import RunData

_PROBLEM = ("M", "K", "N", "rows", "cols")
_TILE = ("m", "k", "n")


def predict_mapping(runs: Sequence[RunData]) -> dict[str, Any]:
    """Convert predictions of runs to JSON types: `runs` with their terms, and `regret`.

    Raises ValueError if none of the runs has a prediction.
    """
    if not any("predictions" in run.known for run in runs):
        names = ", ".join(run.run_id for run in runs[:3])
        raise ValueError(
            f"nothing was predicted for {names}: no slot_latency_breakdown.yaml or estimate.json lies beside the trace"
        )
    terms = [_terms(run) for run in runs]
    candidates = [
        candidate
        for run, own in zip(runs, terms, strict=True)
        if (candidate := _candidate(run, own)) is not None
    ]
    return {
        "runs": [_run_mapping(run, own) for run, own in zip(runs, terms, strict=True)],
        "regret": [_regret_mapping(regret) for regret in find_regrets(candidates)],
    }


def run_prediction(run: RunData) -> dict[str, Any]:
    """Convert the prediction of a run to JSON types: run_id, kernels, clock_hz, plan and terms."""
    return _run_mapping(run, _terms(run))


def _terms(run: RunData) -> list[Term]:
    names = ("run", "predictions", "kernels", "tracks", "events")
    return run_terms({name: run.frame(name) for name in names})


def _run_mapping(run: RunData, terms: Sequence[Term]) -> dict[str, Any]:
    clock = run.run["clock_hz"].iloc[0]
    return {
        "run_id": run.run_id,
        "kernels": len(main_kernels(run.kernels)),
        "clock_hz": None if pd.isna(clock) else float(clock),
        "plan": _plan(run, terms),
        "terms": [_term_mapping(term) for term in terms],
    }


def _plan(run: RunData, terms: Sequence[Term]) -> dict[str, Any] | None:
    """Count resources and events of the planned schedule; `None` without one."""
    planned = run.frame("planned_events")
    if planned.empty:
        return None
    period = next(term for term in terms if term.name == "period")
    return {
        "resources": int(planned["resource"].nunique()),
        "events": len(planned),
        "iter_step": period.predicted,
    }


def _term_mapping(term: Term) -> dict[str, Any]:
    return {
        "term": term.name,
        "predicted": term.predicted,
        "predicted_from": term.predicted_from,
        "measured": term.measured.cycles,
        "measured_from": term.measured.source,
        "residual": term.residual,
        "reason": term.reason,
    }


def _candidate(run: RunData, terms: Sequence[Term]) -> PricedRun | None:
    """Return the run as a candidate of its problem; `None` if sizes or totals are not known."""
    row: Mapping[str, Any] = run.run.iloc[0].to_dict()
    total = next(term for term in terms if term.name == "total")
    values = [row[name] for name in (*_PROBLEM, *_TILE)]
    if any(pd.isna(value) for value in values):
        return None
    if total.predicted is None or not total.measured.cycles:
        return None
    sizes = [int(value) for value in values]
    tile = (sizes[5], sizes[6], sizes[7])
    return PricedRun(run.run_id, tuple(sizes[:5]), tile, total.predicted, total.measured.cycles)


def _regret_mapping(regret: Regret) -> dict[str, Any]:
    return {
        "chosen": {"tile": list(regret.chosen.tile), "run_id": regret.chosen.run_id},
        "fastest": {"tile": list(regret.fastest.tile), "run_id": regret.fastest.run_id},
        "regret": regret.regret,
        "runs": regret.runs,
    }
