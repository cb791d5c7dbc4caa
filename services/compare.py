"""Runs against each other: loads what is compared, and puts the answer together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from analysis.aie.iteration_parts import STALLS, iteration_parts
from analysis.comparison.attribution import causes
from analysis.comparison.capture import Capture
from analysis.comparison.captures import Thresholds, capture_rows, tiles
from analysis.comparison.cause import Cause
from analysis.comparison.outcome import outcome
from analysis.comparison.plans import Plan, block_causes, block_rows, nearest, plan_rows
from analysis.comparison.profile import Profile
from analysis.comparison.profiles import kernel_pairs, profile_causes, profile_rows
from analysis.comparison.rows import Row
from analysis.comparison.setup import setup
from analysis.comparison.verdict import Verdict
from analysis.derive import derivable, derive
from analysis.memory.headline import memory_headline
from analysis.timeline.lanes import LaneIndex
from schema.frames import empty
from services.stored_frames import StoredFrames
from storage.repository import Repository, frame_names
from storage.stored_run import StoredRun


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
    repository: Repository, base: Sequence[str], new: Sequence[str], thresholds: Thresholds | None = None
) -> Comparison:
    """Return the comparison of runs by their ids.

    Raises RunNotFound, and CompareError (one sentence) for runs of several sources.
    """
    sides = [[repository.stored(run_id) for run_id in side] for side in (base, new)]
    source = _source(sides)
    found = _answer(sides[0][0])(repository, sides, thresholds or {})
    verdict, reasons = outcome(found.rows)
    records = [[stored.record() for stored in side] for side in sides]
    names = [[{"run_id": stored.run_id, "name": str(stored.run["name"])} for stored in side] for side in sides]
    return Comparison(
        source=source,
        base=names[0],
        new=names[1],
        setup=setup(records[0], records[1]),
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


def _source(sides: Sequence[Sequence[StoredRun]]) -> str:
    """Return the one source of all runs."""
    sources = list(dict.fromkeys(str(stored.run["source"]) for side in sides for stored in side))
    if len(sources) > 1:
        raise CompareError(f"runs of different sources cannot be compared: {' and '.join(sources)}")
    return sources[0]


def _answer(stored: StoredRun) -> Callable[[Repository, Sequence[Sequence[StoredRun]], Thresholds], _Found]:
    """Return what compares runs that have the frames of this one."""
    names = frame_names(stored)
    if "iterations" in derivable(str(stored.run["source"]), names):
        return _captures
    return _profiles if "kernels" in names else _plans


def _captures(repository: Repository, sides: Sequence[Sequence[StoredRun]], thresholds: Thresholds) -> _Found:
    base, new = ([_capture(repository, stored) for stored in side] for side in sides)
    rows = capture_rows(base, new, thresholds)
    both, only_base, only_new = tiles(base, new)
    moved = any(row.metric.name == "gmacs_mean" and row.judged.verdict in ("improved", "regressed") for row in rows)
    pairs = {"tiles": {"matched": both, "only_base": only_base, "only_new": only_new}}
    return _Found(rows, causes(base, new) if moved else [], pairs)


def _plans(repository: Repository, sides: Sequence[Sequence[StoredRun]], thresholds: Thresholds) -> _Found:
    base, new = nearest(*([_plan(repository, stored) for stored in side] for side in sides))
    rows = plan_rows(base, new, thresholds)
    moved = any(row.judged.verdict in ("improved", "regressed") for row in rows)
    return _Found(rows, block_causes(base, new) if moved else [], {"blocks": {"rows": block_rows(base, new)}})


def _plan(repository: Repository, stored: StoredRun) -> Plan:
    made = derive(StoredFrames(repository, stored.run_id), "robust", {})
    return Plan(stored.run_id, memory_headline(made["attempts"]), made["attempts"], made["allocations"])


def _profiles(repository: Repository, sides: Sequence[Sequence[StoredRun]], thresholds: Thresholds) -> _Found:
    base, new = ([_profile(repository, stored) for stored in side] for side in sides)
    pairs = kernel_pairs(base, new)
    rows = profile_rows(base, new, pairs, thresholds)
    moved = any(row.metric.name == "kernel_time" and row.judged.verdict in ("improved", "regressed") for row in rows)
    causes_found = profile_causes(base[0], new[0], pairs, rows) if moved else []
    return _Found(rows, causes_found, {"kernels": pairs.record()})


def _profile(repository: Repository, stored: StoredRun) -> Profile:
    frames = StoredFrames(repository, stored.run_id)
    made = derive(frames, "robust", {})
    known = {name: frames.get(name, empty(name)) for name in ("markers", "programs")}
    return Profile(
        stored.run_id, frames["kernels"], known["markers"], known["programs"], made.get("attempts", empty("attempts"))
    )


def _capture(repository: Repository, stored: StoredRun) -> Capture:
    frames = StoredFrames(repository, stored.run_id)
    made = derive(frames, "robust", {})
    tracks, events = frames["tracks"], frames["events"]
    stalls = LaneIndex.of_events(events[events["name"].isin(list(STALLS.values()))])
    parts = iteration_parts(made["iterations"], made["kernels"], stalls)
    columns = tracks.loc[tracks["col"].notna(), ["track", "col"]]
    of_column = dict(zip(columns["track"].astype("str"), columns["col"].astype(int), strict=True))
    record = made["run"].iloc[0].to_dict()
    return Capture(stored.run_id, record, made["iterations"], made["kernels"], parts, of_column)
