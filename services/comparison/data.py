"""What the page of a comparison draws from: runs as they are compared, the answer, and the runs as their own pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from analysis.aie.pace.streams import core_place
from analysis.comparison.kernel_changes import kernel_changes
from analysis.comparison.kernel_pairs import KernelPairs
from analysis.comparison.peak_buffers import peak_buffers
from analysis.comparison.plan import Plan
from analysis.comparison.plans import changed_blocks, nearest
from analysis.comparison.profiles import kernel_pairs
from analysis.comparison.rows import ResultRow
from analysis.comparison.setup import settings
from analysis.timeline.rows import TimelineData
from services.comparison.compare import Comparison, Settings, check_sides, check_sources, compare_loaded
from services.comparison.compared_runs import ComparedRun, compared_run
from services.comparison.program_sides import Graphs
from services.run.capabilities import Capability
from services.run.data import RunDataCache
from storage.byte_cache import ByteCache
from storage.repository import Repository

MOST_BESIDE = 8
"""Runs of a comparison that are shown side by side."""
_ROW_BYTES = 1_000
_INDEX_BYTES = 100
"""About what a row of an answer takes, and an interval of a timeline."""

Given = tuple[tuple[str, str], ...]
"""Settings of a side that a user gave, sorted."""


@dataclass(frozen=True)
class Question:
    """What is compared: run ids of both sides, settings of each that a user gave, thresholds; sorted, so hashable."""

    base: tuple[str, ...]
    new: tuple[str, ...]
    settings: tuple[Given, Given] = ((), ())
    thresholds: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class CompareData:
    """Runs against each other: the answer, and both sides.

    `each` has the answers about every new run alone where several are shown side by side, by its id. `timeline_of`
    returns what a timeline is drawn from, `graphs_of` the graphs of a run by its id.
    """

    answer: Comparison
    base: Sequence[ComparedRun]
    new: Sequence[ComparedRun]
    timeline_of: Callable[[ComparedRun], TimelineData]
    each: Mapping[str, Comparison]
    graphs_of: Callable[[str], Graphs]

    @property
    def label(self) -> str:
        """Return what the log calls it."""
        sides = (" ".join(run.stored.run_id for run in side) for side in (self.base, self.new))
        return "comparison of " + " and ".join(sides)

    @cached_property
    def capabilities(self) -> frozenset[Capability]:
        """Return what all of the runs can show."""
        return frozenset.intersection(*(run.run_frames.capabilities for run in (*self.base, *self.new)))

    def can(self, *needs: Capability) -> bool:
        """Return whether all of the runs have all of these capabilities."""
        return self.capabilities.issuperset(needs)

    @cached_property
    def settings(self) -> list[dict[str, object]]:
        """Return key, base and new of each setting."""
        return settings([run.record for run in self.base], [run.record for run in self.new])

    def row(self, metric: str, level: str = "run", key: str = "") -> ResultRow | None:
        """Return the row of a number."""
        wanted = (metric, level, key)
        return next((row for row in self.answer.rows if (row.metric.name, row.level, row.key) == wanted), None)

    @property
    def of_groups(self) -> str:
        """Return which runs of groups the details are of, in words; empty where either side is one run."""
        sides = zip(("base", "new"), (self.base, self.new), self.detail_runs, strict=True)
        told = [f"{run.stored.run_id[:6]} of {len(side)} in {name}" for name, side, run in sides if len(side) > 1]
        return f"Shown: {', '.join(told)}." if told else ""

    def tiles_at(self, where: str) -> list[str]:
        """Return the tiles that a cause names: a tile, or those of a column or row; none for all cores."""
        columns = self.new[0].capture.columns
        rows = {tile: place[0] for tile in columns if (place := core_place(tile)) is not None}
        return [tile for tile in columns if where in (tile, f"column {columns[tile]}", f"row {rows.get(tile)}")]

    @cached_property
    def plans(self) -> tuple[Plan, Plan]:
        """Return the memory maps that are set against each other: of groups those whose peaks are nearest."""
        return nearest([run.plan for run in self.base], [run.plan for run in self.new])

    @cached_property
    def blocks(self) -> pd.DataFrame:
        """Return the blocks that changed, see `changed_blocks`."""
        return changed_blocks(*self.plans)

    @cached_property
    def kernels(self) -> pd.DataFrame:
        """Return the kernels of both sides, by the first run of each, see `kernel_changes`."""
        base, new = self.base[0].profile, self.new[0].profile
        return kernel_changes(base, new, self._pairs, self.answer.rows)

    @cached_property
    def peak_buffers(self) -> pd.DataFrame:
        """Return what is alive at the peaks, by the first run of each side, see `peak_buffers`."""
        renamed = [(one, other) for one, other, _ in self._pairs.matched]
        return peak_buffers(self.base[0].profile, self.new[0].profile, renamed)

    @cached_property
    def _pairs(self) -> KernelPairs:
        return kernel_pairs([run.profile for run in self.base], [run.profile for run in self.new])

    @property
    def timelines(self) -> tuple[TimelineData, TimelineData]:
        """Return what the timelines of the detailed runs are drawn from."""
        base, new = map(self.timeline_of, self.detail_runs)
        return base, new

    @cached_property
    def detail_runs(self) -> tuple[ComparedRun, ComparedRun]:
        """Return the run of either side whose timeline and maps are shown: the first, of memory maps the nearest."""
        if not self.can(Capability.ADDRESSES):
            return self.base[0], self.new[0]
        sides = zip((self.base, self.new), self.plans, strict=True)
        base, new = (next(run for run in side if run.stored.run_id == plan.run_id) for side, plan in sides)
        return base, new


class CompareDataCache:
    """The runs and answers that were asked for last, bounded like the repository's frames."""

    def __init__(
        self, repository: Repository, pages: RunDataCache, graphs_of: Callable[[str], Graphs] | None = None
    ) -> None:
        self._repository = repository
        self._graphs_of = graphs_of or _no_graphs
        self._pages = pages
        self._runs = ByteCache[ComparedRun](repository.cache, lambda run: run.bytes)
        self._answers = ByteCache[Comparison](repository.cache, lambda answer: _ROW_BYTES * (1 + len(answer.rows)))
        self._timelines = ByteCache[TimelineData](repository.cache, _timeline_bytes)

    def version(self, question: Question) -> str:
        """Return what changes whenever a run's stored content does; raises RunNotFound."""
        return " ".join(self._repository.version(run_id) for run_id in (*question.base, *question.new))

    def get(self, question: Question, shown: Sequence[str] = ()) -> CompareData:
        """Return the comparison; with `shown`, some of the new runs, of these alone, and an answer about each.

        Raises RunNotFound, CompareError (one sentence) for runs of several sources or too many, ValueError for a bad
        setting.
        """
        check_sides(question.base, question.new)
        check_sources([self._repository.find_run(run_id) for run_id in (*question.base, *question.new)])
        base = [self.load(run_id, dict(question.settings[0])) for run_id in question.base]
        new = {run_id: self.load(run_id, dict(question.settings[1])) for run_id in question.new}
        each = {run_id: self._answer(question, base, [run]) for run_id, run in new.items()} if shown else {}
        chosen = [new[run_id] for run_id in shown or question.new]
        return CompareData(self._answer(question, base, chosen), base, chosen, self._timeline, each, self._graphs_of)

    def load(self, run_id: str, settings: Settings) -> ComparedRun:
        """Return a run as it is compared; raises RunNotFound, ValueError (one sentence) for a bad setting."""
        stored = self._repository.find_run(run_id)
        key = (stored.prefix, stored.capture_facts, *sorted(settings.items()))
        return self._runs.get(key, lambda: compared_run(self._repository, run_id, settings))

    def _timeline(self, run: ComparedRun) -> TimelineData:
        version = self._repository.version(run.stored.run_id)
        index = self._pages.index(version, run.run_frames)
        return self._timelines.get((version, *run.settings.items()), lambda: run.run_frames.timeline(index))

    def _answer(self, question: Question, base: list[ComparedRun], new: list[ComparedRun]) -> Comparison:
        sides = tuple(tuple((run.stored.prefix, *run.settings.items()) for run in side) for side in (base, new))
        key = (sides, question.thresholds)
        return self._answers.get(key, lambda: compare_loaded(base, new, dict(question.thresholds)))


def _no_graphs(run_id: str) -> Graphs:
    raise ValueError(f"graphs of run {run_id} are not read here")


def _timeline_bytes(data: TimelineData) -> int:
    """Return about what a timeline takes beside the index of its events, which is kept by itself."""
    return _INDEX_BYTES * (1 + len(data.kept) + len(data.left_out) + (len(data.events) if data.named else 0))
