"""Data of the comparison page: compared runs and results, both cached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from analysis.aie.pace.streams import core_place
from analysis.comparison.compile_steps import CompileChanges
from analysis.comparison.kernel_changes import kernel_changes
from analysis.comparison.kernel_pairs import KernelPairs
from analysis.comparison.peak_buffers import peak_buffers
from analysis.comparison.plan import Plan
from analysis.comparison.plans import changed_blocks, nearest
from analysis.comparison.profiles import kernel_pairs
from analysis.comparison.rows import ResultRow
from analysis.comparison.setup import settings
from analysis.timeline.rows import TimelineData
from services.comparison.compare import (
    Comparison,
    Settings,
    check_sides,
    check_sources,
    compare_loaded,
)
from services.comparison.compared_runs import ComparedRun
from services.comparison.compile_steps import compile_changes
from services.comparison.program_sides import Graphs
from services.comparison.run_cache import ComparedRunCache
from services.run.capabilities import Capability
from services.run.data_cache import RunDataCache
from storage.byte_cache import ByteCache
from storage.repository import Repository

MAX_SIDE_BY_SIDE = 8
"""Maximum number of runs that are shown side by side."""
_ROW_BYTES = 1_000
"""Estimated bytes of a row of a result."""
_INDEX_BYTES = 100
"""Estimated bytes of an interval of a timeline."""

Given = tuple[tuple[str, str], ...]
"""Settings of a side that the user changed, sorted."""


@dataclass(frozen=True)
class Question:
    """A comparison to compute: run ids of both sides, settings of each that the user changed,
    thresholds. Sorted and hashable.
    """

    base: tuple[str, ...]
    new: tuple[str, ...]
    settings: tuple[Given, Given] = ((), ())
    thresholds: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class CompareData:
    """A comparison with both of its sides.

    If several new runs are shown side by side, `each` maps the id of each to its own comparison.
    `timeline_of` returns the timeline data of a run, `graphs_of` the graphs of a run by its id.
    """

    result: Comparison
    base: Sequence[ComparedRun]
    new: Sequence[ComparedRun]
    timeline_of: Callable[[ComparedRun], TimelineData]
    each: Mapping[str, Comparison]
    graphs_of: Callable[[str], Graphs]

    @property
    def label(self) -> str:
        """Name of the comparison in log lines: `comparison of BASE and NEW`, each the run ids of a
        side.
        """
        sides = (" ".join(run.stored.run_id for run in side) for side in (self.base, self.new))
        return "comparison of " + " and ".join(sides)

    @cached_property
    def capabilities(self) -> frozenset[Capability]:
        """Capabilities that all runs of the comparison have."""
        return frozenset.intersection(
            *(run.run_frames.capabilities for run in (*self.base, *self.new))
        )

    def can(self, *needs: Capability) -> bool:
        """Whether all runs of the comparison have all of these capabilities."""
        return self.capabilities.issuperset(needs)

    @cached_property
    def settings(self) -> list[dict[str, object]]:
        """Key, base value and new value of each setting that a side has, as dicts, also if they are
        equal; several values of a side are joined by commas.
        """
        return settings([run.record for run in self.base], [run.record for run in self.new])

    def row(self, metric: str, level: str = "run", key: str = "") -> ResultRow | None:
        """Return the row of the result with this metric, level (`run` for whole runs) and key of
        the part; `None` if there is none.
        """
        wanted = (metric, level, key)
        return next(
            (row for row in self.result.rows if (row.metric.name, row.level, row.key) == wanted),
            None,
        )

    @property
    def of_groups(self) -> str:
        """Sentence that names the runs whose details the page shows, for each side with several
        runs; "" if both sides have a single run.
        """
        sides = zip(("base", "new"), (self.base, self.new), self.detail_runs, strict=True)
        texts = [
            f"{run.stored.run_id[:6]} of {len(side)} in {name}"
            for name, side, run in sides
            if len(side) > 1
        ]
        return f"Shown: {', '.join(texts)}." if texts else ""

    def caused_tiles(self, where: str) -> list[str]:
        """Return the tracks of the cores that a cause names: a core, or all of `column 2` or `row
        1`; empty for any other text, such as all cores.
        """
        columns = self.new[0].capture.columns
        rows = {tile: place[0] for tile in columns if (place := core_place(tile)) is not None}
        return [
            tile
            for tile in columns
            if where in (tile, f"column {columns[tile]}", f"row {rows.get(tile)}")
        ]

    @cached_property
    def plans(self) -> tuple[Plan, Plan]:
        """The (base, new) memory maps that are compared: of several runs the two maps with the
        nearest peaks.
        """
        return nearest([run.plan for run in self.base], [run.plan for run in self.new])

    @cached_property
    def blocks(self) -> pd.DataFrame:
        """Frame of the blocks of the compared maps that changed, a row for each, see
        `changed_blocks`.
        """
        return changed_blocks(*self.plans)

    @cached_property
    def kernels(self) -> pd.DataFrame:
        """Frame of the kernels of both sides, a row for each pair or unpaired kernel, by the first
        run of each side, see `kernel_changes`.
        """
        base = self.base[0].profile
        new = self.new[0].profile
        return kernel_changes(base, new, self._pairs, self.result.rows)

    @cached_property
    def peak_buffers(self) -> pd.DataFrame:
        """Frame of the live buffers at the peaks, by the first run of each side, see the function
        `peak_buffers`.
        """
        renamed = [(base_name, new_name) for base_name, new_name, _ in self._pairs.matched]
        return peak_buffers(self.base[0].profile, self.new[0].profile, renamed)

    @cached_property
    def compile_changes(self) -> tuple[CompileChanges, tuple[str, str]] | None:
        """Compile times of a run of each side and the ids of both runs, see the function
        `compile_changes`; None if a side has no run with rewrites.
        """
        return compile_changes(self.base, self.new)

    @cached_property
    def _pairs(self) -> KernelPairs:
        return kernel_pairs([run.profile for run in self.base], [run.profile for run in self.new])

    @cached_property
    def timelines(self) -> tuple[TimelineData, TimelineData]:
        """(base, new) timelines of the two `detail_runs`."""
        base, new = map(self.timeline_of, self.detail_runs)
        return base, new

    @cached_property
    def detail_runs(self) -> tuple[ComparedRun, ComparedRun]:
        """The (base, new) runs whose timeline and maps are shown: those of the compared `plans`, or
        the first of each side if the runs have no addresses.
        """
        if not self.can(Capability.ADDRESSES):
            return self.base[0], self.new[0]
        sides = zip((self.base, self.new), self.plans, strict=True)
        base, new = (
            next(run for run in side if run.stored.run_id == plan.run_id) for side, plan in sides
        )
        return base, new


class CompareDataCache:
    """Cache of the runs and comparisons used last, bounded by the cache of the repository."""

    def __init__(
        self,
        repository: Repository,
        pages: RunDataCache,
        graphs_of: Callable[[str], Graphs] | None = None,
    ) -> None:
        self._repository = repository
        self._graphs_of = graphs_of or _no_graphs
        self._pages = pages
        self._runs = ComparedRunCache(repository)
        self._comparisons = ByteCache[Comparison](
            repository.cache, lambda result: _ROW_BYTES * (1 + len(result.rows))
        )
        self._timelines = ByteCache[TimelineData](repository.cache, _timeline_bytes)

    def version(self, question: Question) -> str:
        """Return a token that changes whenever the stored content of a run of the comparison does,
        or the facts of its capture, such as its commit.

        Raises RunNotFound.
        """
        stored = map(self._repository.find_run, (*question.base, *question.new))
        return " ".join(f"{run.prefix} {run.capture_facts}" for run in stored)

    def get(self, question: Question, shown: Sequence[str] = ()) -> CompareData:
        """Return a comparison, from the cache if it has it.

        With `shown`, the comparison itself is of these new runs only, and `each` has a comparison
        with the base for every new run of the question; else `each` is empty. Raises RunNotFound,
        CompareError if runs have several sources or are too many, and ValueError if a setting is
        invalid.
        """
        check_sides(question.base, question.new)
        check_sources(
            [self._repository.find_run(run_id) for run_id in (*question.base, *question.new)]
        )
        base = [self.load(run_id, dict(question.settings[0])) for run_id in question.base]
        new = {run_id: self.load(run_id, dict(question.settings[1])) for run_id in question.new}
        each = (
            {run_id: self._comparison(question, base, [run]) for run_id, run in new.items()}
            if shown
            else {}
        )
        chosen = [new[run_id] for run_id in shown or question.new]
        result = self._comparison(question, base, chosen)
        return CompareData(result, base, chosen, self._timeline, each, self._graphs_of)

    def load(self, run_id: str, settings: Settings) -> ComparedRun:
        """Return a run for comparisons, from the cache if it has it.

        Raises RunNotFound, and ValueError if a setting is invalid.
        """
        return self._runs.load(run_id, settings)

    def _timeline(self, run: ComparedRun) -> TimelineData:
        version = self._repository.version(run.stored.run_id)
        index = self._pages.index(version, run.run_frames)
        return self._timelines.get(
            (version, *run.settings.items()), lambda: run.run_frames.timeline(index)
        )

    def _comparison(
        self, question: Question, base: list[ComparedRun], new: list[ComparedRun]
    ) -> Comparison:
        # The prefix identifies the content. The facts of a capture are among the settings that are
        # compared, and another capture of the same content changes them, but not the prefix.
        sides = tuple(
            tuple(
                (run.stored.prefix, run.stored.capture_facts, *run.settings.items()) for run in side
            )
            for side in (base, new)
        )
        key = (sides, question.thresholds)
        return self._comparisons.get(
            key, lambda: compare_loaded(base, new, dict(question.thresholds))
        )


def _no_graphs(run_id: str) -> Graphs:
    raise ValueError(f"graphs of run {run_id} are not read here")


def _timeline_bytes(data: TimelineData) -> int:
    """Estimate the bytes of a timeline by its number of intervals, without the index of its events,
    which is cached separately.
    """
    return _INDEX_BYTES * (
        1 + len(data.kept) + len(data.left_out) + (len(data.events) if data.named else 0)
    )
