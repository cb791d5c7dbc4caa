"""Resolve the runs of a comparison: ids, names of baselines and rules become lists of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.views.comparison.state import CompareState
from services.baselines.baselines import find_baseline_name, previous_run
from services.comparison.compare import CompareError, check_sides, exclude_compared_runs
from services.comparison.data import MAX_SIDE_BY_SIDE, CompareData, CompareDataCache, Question
from services.gate.gate import named_base
from storage.repository import Repository

_WITHIN_S = 5.0
"""Seconds after which no further comparison of older runs begins, if a rule needs them to find its
base.
"""


def resolve_state(repository: Repository, state: CompareState) -> CompareState:
    """Return the state with full run ids, and with the base that `against` names.

    Raises RunNotFound if an id matches no run, CompareError if there is no such base or a side has
    too many runs.
    """
    check_sides(state.base, state.new)
    base, new = (
        tuple(dict.fromkeys(repository.resolve(run) for run in side))
        for side in (state.base, state.new)
    )
    state = replace(state, base=base, new=new)
    return (
        replace(state, **_find_base(repository, state.against, new[0]), against="")
        if state.against and new
        else state
    )


def _find_base(repository: Repository, against: str, run: str) -> dict[str, Any]:
    """Return the fields `baseline` and `base` of the state for the base of a run: the name of its
    baseline if `against` is "baseline", else the id of the previous run.

    Raises CompareError if there is no such base.
    """
    if against == "baseline":
        name = find_baseline_name(repository, run)
        if name is None:
            raise CompareError(
                "no baseline has the key of this run: set a baseline in the list of runs"
            )
        return {"baseline": name, "base": ()}
    previous = previous_run(repository, run)
    if previous is None:
        raise CompareError("there is no older run of the same hardware, size and tags")
    return {"baseline": "", "base": (previous,)}


def question(repository: Repository, state: CompareState) -> tuple[Question, list[str]]:
    """Return (the comparison to make, notes about its baseline and ignored parts as sentences).

    Raises CompareError (a sentence) if there are no runs to compare, BaselineNotFound and
    BaselineError.
    """
    notes = [f"Ignored (not valid): {', '.join(state.refused)}."] if state.refused else []
    base = state.base
    if state.baseline:
        runs, deleted = named_base(repository, state.baseline, state.new, within_s=_WITHIN_S)
        base = tuple(runs)
        if deleted:
            notes.append(
                f"Deleted runs of baseline {state.baseline} were ignored: {', '.join(deleted)}."
            )
    if not base or not state.new:
        raise CompareError(
            "a comparison needs a base and a new run: select runs in the list and press Compare"
        )
    if state.each and len(state.new) >= MAX_SIDE_BY_SIDE:
        raise CompareError(
            f"at most {MAX_SIDE_BY_SIDE} runs can be shown side by side: compare more runs as a group"
        )
    # With different settings, comparing a run with itself is meaningful.
    if state.settings[0] == state.settings[1]:
        kept, own = exclude_compared_runs(base, state.new)
        base = tuple(kept)
        if own:
            notes.append(f"{_own_words(own, alone=kept == own)}: {', '.join(own)}.")
    return replace(state.question, base=base), notes


def _own_words(own: Sequence[str], *, alone: bool) -> str:
    """Describe the treatment of the runs `own`, which are on both sides; `alone` is true if the
    base has no other runs.
    """
    if alone:
        return "A run is compared with itself"
    why = "it is a new run" if len(own) == 1 else "they are new runs"
    return f"Removed from the base, because {why}"


def open_comparison(
    repository: Repository, comparisons: CompareDataCache, state: CompareState
) -> tuple[CompareData, list[str]]:
    """Return (the comparison that a state describes, notes about its baseline as sentences).

    Raises as `question` and `CompareDataCache.get` do.
    """
    compared, notes = question(repository, state)
    return comparisons.get(compared, [state.focus] if state.each else []), notes
