"""Runs against each other: loads what is compared, and puts the answer together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from analysis.comparison.attribution import causes
from analysis.comparison.captures import capture_rows, tiles
from analysis.comparison.cause import Cause
from analysis.comparison.outcome import outcome
from analysis.comparison.peak_buffers import peak_causes
from analysis.comparison.plans import block_causes, block_rows, changed_blocks, nearest, plan_rows
from analysis.comparison.profiles import kernel_pairs, profile_causes, profile_rows
from analysis.comparison.rows import Row, Thresholds
from analysis.comparison.setup import setup
from analysis.comparison.verdict import Verdict
from analysis.derive import derivable
from services.compared_runs import ComparedRun, compared_run
from storage.repository import Repository, frame_names
from storage.stored_run import StoredRun

Runs = Sequence[ComparedRun]
Settings = Mapping[str, str]
Load = Callable[[str, Settings], ComparedRun]


class CompareError(ValueError):
    """Runs cannot be set against each other at all; the message is one sentence for a person."""


@dataclass(frozen=True)
class Comparison:
    """The answer: what differs between two sides, and what is made of it.

    `pairs` has, by what is paired (tiles, kernels, blocks), what belongs together and what has no partner.
    """

    source: str
    base: list[dict[str, str]]
    new: list[dict[str, str]]
    setup: list[dict[str, object]]
    rows: list[Row]
    attribution: list[Cause]
    verdict: Verdict
    reasons: list[str]
    pairs: Mapping[str, object] = field(default_factory=dict)

    def record(self) -> dict[str, object]:
        """Return the answer as plain values by name."""
        return {
            "source": self.source,
            "base": self.base,
            "new": self.new,
            "setup": self.setup,
            "metrics": [row.record() for row in self.rows],
            **self.pairs,
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
    """Return the comparison of runs by their ids, each side computed with settings of its own.

    `load` returns a run where those that were loaded are kept. Raises RunNotFound, CompareError (one sentence) for runs
    of several sources, ValueError for a bad setting.
    """
    load = load or partial(compared_run, repository)
    check_sources([repository.stored(run_id) for run_id in (*base, *new)])
    sides = [[load(run_id, given) for run_id in side] for side, given in zip((base, new), settings, strict=True)]
    return compared(sides[0], sides[1], thresholds or {})


def apart(base: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the runs of a base to compare new ones with, and those of it that are new ones themselves.

    A run says nothing about itself, and is compared with itself only where there is nothing else.
    """
    own = [run_id for run_id in base if run_id in new]
    return [run_id for run_id in base if run_id not in own] or own, own


def compared(base: Runs, new: Runs, thresholds: Thresholds) -> Comparison:
    """Return the comparison of runs of one source."""
    found = _answer(base[0].stored)(base, new, thresholds)
    verdict, reasons = outcome(found.rows)
    return Comparison(
        source=str(base[0].stored.run["source"]),
        base=[run.named for run in base],
        new=[run.named for run in new],
        setup=setup([run.record for run in base], [run.record for run in new]),
        rows=found.rows,
        attribution=found.attribution,
        verdict=verdict,
        reasons=reasons,
        pairs=found.pairs,
    )


@dataclass(frozen=True)
class _Found:
    rows: list[Row]
    attribution: list[Cause]
    pairs: Mapping[str, object]


def check_sources(runs: Sequence[StoredRun]) -> None:
    """Raise CompareError where runs are of several sources."""
    sources = list(dict.fromkeys(str(stored.run["source"]) for stored in runs))
    if len(sources) > 1:
        raise CompareError(f"runs of different sources cannot be compared: {' and '.join(sources)}")


def _answer(stored: StoredRun) -> Callable[[Runs, Runs, Thresholds], _Found]:
    """Return what compares runs that have the frames of this one."""
    names = frame_names(stored)
    if "iterations" in derivable(str(stored.run["source"]), names):
        return _captures
    return _profiles if "kernels" in names else _plans


def _captures(base: Runs, new: Runs, thresholds: Thresholds) -> _Found:
    one, other = ([run.capture for run in side] for side in (base, new))
    rows = capture_rows(one, other, thresholds)
    both, only_base, only_new = tiles(one, other)
    pairs = {"tiles": {"matched": both, "only_base": only_base, "only_new": only_new}}
    return _Found(rows, causes(one, other) if _moved(rows, "gmacs_mean") else [], pairs)


def _plans(base: Runs, new: Runs, thresholds: Thresholds) -> _Found:
    one, other = nearest([run.plan for run in base], [run.plan for run in new])
    rows = plan_rows(one, other, thresholds)
    found = block_causes(one, other) if _moved(rows) else []
    return _Found(rows, found, {"blocks": {"rows": block_rows(changed_blocks(one, other))}})


def _profiles(base: Runs, new: Runs, thresholds: Thresholds) -> _Found:
    one, other = ([run.profile for run in side] for side in (base, new))
    pairs = kernel_pairs(one, other)
    rows = profile_rows(one, other, pairs, thresholds)
    found = profile_causes(one[0], other[0], pairs, rows) if _moved(rows, "kernel_time") else []
    if _moved(rows, "peak_memory"):
        found += peak_causes(one[0], other[0], [(base, new) for base, new, _ in pairs.matched])
    return _Found(rows, found, {"kernels": pairs.record()})


def _moved(rows: Sequence[Row], name: str = "") -> bool:
    """Return whether a number, or any, improved or regressed."""
    return any(name in ("", row.metric.name) and row.judged.verdict in ("improved", "regressed") for row in rows)
