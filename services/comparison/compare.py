"""Comparison of runs: loads both sides and computes rows, causes and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from analysis.comparison.attribution import causes
from analysis.comparison.captures import capture_row, capture_rows, tiles
from analysis.comparison.cause import Cause
from analysis.comparison.outcome import outcome
from analysis.comparison.plan_causes import plan_causes
from analysis.comparison.plans import block_rows, changed_blocks, nearest, plan_rows
from analysis.comparison.profiles import profile_run_rows
from analysis.comparison.rows import ResultRow, Thresholds
from analysis.comparison.setup import setup
from analysis.comparison.step_parts import StepParts
from analysis.comparison.verdict import Verdict
from schema.comparison import CAPTURE, MAX_RUNS
from schema.result_metrics import PREFIX
from services.comparison.compared_parts import (
    ComparedParts,
    Runs,
    compare_profiles,
    has_moved,
)
from services.comparison.compared_results import add_results, missing_words, result_row
from services.comparison.compared_runs import ComparedRun, compared_run
from services.comparison.designs import designs_record
from services.comparison.incomplete_sides import incomplete_words
from services.comparison.peaks import peaks_record
from services.run.capabilities import Capability
from storage.read_once import reading_once
from storage.repository import Repository
from storage.stored_run import StoredRun

Settings = Mapping[str, str]
"""Settings of a run that the user changed, by name."""
Load = Callable[[str, Settings], ComparedRun]
"""Function that loads a run for comparisons with the user's settings."""


_KINDS = (Capability.ITERATIONS, Capability.NAMED_KERNELS, Capability.MEMORY)
"""Capabilities of the runs that have a comparer of their own."""
_COMPARABLE = (*_KINDS, Capability.RESULTS)
"""Capabilities of which a run needs one to be compared."""


class CompareError(ValueError):
    """Runs cannot be compared; the message is a sentence for the user."""


@dataclass(frozen=True)
class Comparison:
    """Result of a comparison of two sides: differences, verdict and causes.

    `setup` has the settings that differ, `rows` the numbers. `pairs` maps a kind of part (tiles,
    kernels, lanes, blocks) to the pairs and to the parts without a partner, and `designs` to the
    changes of the array's design.
    """

    source: str
    base: list[dict[str, str]]
    new: list[dict[str, str]]
    setup: list[dict[str, object]]
    rows: list[ResultRow]
    attribution: list[Cause]
    verdict: Verdict
    reasons: list[str]
    pairs: Mapping[str, object] = field(default_factory=dict)
    parts: StepParts | None = None
    """Parts of a profile's step on both sides; None if they are unknown."""
    incomplete: Sequence[str] = ()
    """Those of the reasons that say which runs lack data."""

    @property
    def lanes(self) -> tuple[list[str], list[str]] | None:
        """Tracks that only the base has, and tracks that only the new side has; `None` if the runs
        are not profiles.
        """
        lanes = self.pairs.get("lanes")
        return (lanes["only_base"], lanes["only_new"]) if isinstance(lanes, dict) else None

    def record(self) -> dict[str, object]:
        """Convert the comparison to JSON types: source, base, new, setup, metrics, attribution,
        verdict, reasons, and the members of `pairs` and `parts`.
        """
        return {
            "source": self.source,
            "base": self.base,
            "new": self.new,
            "setup": self.setup,
            "metrics": [row.record() for row in self.rows],
            **self.pairs,
            **({} if self.parts is None else self.parts.record()),
            "attribution": [cause.record() for cause in self.attribution],
            "verdict": self.verdict,
            "reasons": self.reasons,
        }


def compare(
    repository: Repository,
    base: Sequence[str],
    new: Sequence[str],
    thresholds: Thresholds | None = None,
    settings: tuple[Settings, Settings] = ({}, {}),
    *,
    load: Load | None = None,
) -> Comparison:
    """Compare two sides of runs by their ids; `settings` has the changed settings of the base and
    of the new side.

    `load` loads a run, for example from a cache. Raises RunNotFound, CompareError if runs have
    several sources or are too many (MAX_RUNS), and ValueError if a setting is invalid.
    """
    load = load or partial(compared_run, repository)
    return compare_loaded(*_load_sides(repository, (base, new), settings, load), thresholds or {})


def compare_number(
    repository: Repository, metric: str, base: Sequence[str], new: Sequence[str], load: Load
) -> ResultRow | None:
    """Return the row that `compare` has for a number of whole runs, without computing the rest;
    `None` if there is none.

    Raises as `compare` does.
    """
    sides = _load_sides(repository, (base, new), ({}, {}), load)
    if metric.startswith(PREFIX):
        return result_row(*sides, metric)
    rows = _run_rows(*sides, metric)
    return next((row for row in rows if (row.metric.name, row.level) == (metric, "run")), None)


def _load_sides(
    repository: Repository,
    sides: tuple[Sequence[str], Sequence[str]],
    settings: tuple[Settings, Settings],
    load: Load,
) -> tuple[Runs, Runs]:
    check_sides(*sides)
    with reading_once():
        # Before any run is loaded: this reads rows of the catalogue, loading reads frames.
        check_sources([repository.find_run(run_id) for side in sides for run_id in side])
        base, new = (
            [load(run_id, side_settings) for run_id in side]
            for side, side_settings in zip(sides, settings, strict=True)
        )
    return base, new


def exclude_compared_runs(base: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the runs of a base into (runs to compare the new runs with, runs that are new runs
    themselves), in their order.

    A run is compared with itself only if the base has no other run: both lists then have it.
    """
    own = [run_id for run_id in base if run_id in new]
    return [run_id for run_id in base if run_id not in own] or own, own


def compare_loaded(base: Runs, new: Runs, thresholds: Thresholds) -> Comparison:
    """Compare loaded runs, all of the same source.

    Raises CompareError if a run has no numbers to compare.
    """
    for run in (*base, *new):
        _check_contents(run)
    parts = _compared_parts(base, new, thresholds)
    verdict, reasons = outcome(parts.rows)
    incomplete = incomplete_words(base, new)
    return Comparison(
        source=str(base[0].stored.run["source"]),
        base=[run.id_and_name for run in base],
        new=[run.id_and_name for run in new],
        setup=setup([run.record for run in base], [run.record for run in new]),
        rows=parts.rows,
        attribution=parts.attribution,
        verdict=verdict,
        reasons=[*reasons[:1], *incomplete, *reasons[1:], *missing_words(base, new)],
        pairs={**parts.pairs, **designs_record(base, new), **peaks_record(base, new)},
        parts=parts.step_parts,
        incomplete=incomplete,
    )


def _compared_parts(base: Runs, new: Runs, thresholds: Thresholds) -> ComparedParts:
    """Compare the runs by the comparer of their kind, and the named numbers of runs that have any."""
    is_kind = all(
        any(run.run_frames.contents.can(kind) for kind in _KINDS) for run in (*base, *new)
    )
    parts = _comparer(base[0])(base, new, thresholds) if is_kind else ComparedParts([], [], {})
    return add_results(parts, base, new, thresholds)


def check_sides(*sides: Sequence[str]) -> None:
    """Raise CompareError if a side has more than MAX_RUNS runs."""
    if any(len(side) > MAX_RUNS for side in sides):
        raise CompareError(f"a side of a comparison has at most {MAX_RUNS} runs")


def _check_contents(run: ComparedRun) -> None:
    """Raise CompareError if a run has nothing to compare, such as a log that only has tiles."""
    if not any(run.run_frames.contents.can(capability) for capability in _COMPARABLE):
        raise CompareError(
            f"run {run.stored.run_id[:12]} has neither iterations nor kernels nor memory maps nor named numbers "
            "to compare"
        )


def check_sources(runs: Sequence[StoredRun]) -> None:
    """Raise CompareError if the runs have several sources."""
    sources = list(dict.fromkeys(str(stored.run["source"]) for stored in runs))
    if len(sources) > 1:
        raise CompareError(f"runs of different sources cannot be compared: {' and '.join(sources)}")


def _comparer(run: ComparedRun) -> Callable[[Runs, Runs, Thresholds], ComparedParts]:
    """Return the comparer for this kind of run: captures if it has iterations, profiles if it has
    named kernels, else plans.
    """
    if run.run_frames.contents.can(Capability.ITERATIONS):
        return _captures
    return compare_profiles if run.run_frames.contents.can(Capability.NAMED_KERNELS) else _plans


def _run_rows(base: Runs, new: Runs, metric: str) -> Sequence[ResultRow]:
    """Return rows of whole runs by the rules of `compare`; they include the row of the metric if
    there is one.
    """
    comparer = _comparer(base[0])
    if comparer is _captures:
        base_captures, new_captures = ([run.capture for run in side] for side in (base, new))
        row = (
            capture_row(base_captures, new_captures, CAPTURE[metric], {})
            if metric in CAPTURE
            else None
        )
        return [row] if row else []
    if comparer is compare_profiles:
        return profile_run_rows([run.profile for run in base], [run.profile for run in new], {})
    return plan_rows(*nearest([run.plan for run in base], [run.plan for run in new]), {})


def _captures(base: Runs, new: Runs, thresholds: Thresholds) -> ComparedParts:
    base_captures, new_captures = ([run.capture for run in side] for side in (base, new))
    rows = capture_rows(base_captures, new_captures, thresholds)
    both, only_base, only_new = tiles(base_captures, new_captures)
    pairs = {"tiles": {"matched": both, "only_base": only_base, "only_new": only_new}}
    return ComparedParts(
        rows, causes(base_captures, new_captures) if has_moved(rows, "gmacs_mean") else [], pairs
    )


def _plans(base: Runs, new: Runs, thresholds: Thresholds) -> ComparedParts:
    base_plan, new_plan = nearest([run.plan for run in base], [run.plan for run in new])
    rows = plan_rows(base_plan, new_plan, thresholds)
    block_cause_list = plan_causes(base_plan, new_plan) if has_moved(rows) else []
    pairs = {"blocks": {"rows": block_rows(changed_blocks(base_plan, new_plan))}}
    return ComparedParts(rows, block_cause_list, pairs)
