"""Data of a run's page: its frames and the results of the analysis, cached per process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from analysis.aie.efficiency import SizeSweep
from analysis.aie.iteration_parts import PARTS
from analysis.aie.pace.pace import Pace
from analysis.headline import Headline
from analysis.kernels.ranks import Ranks
from analysis.tiling.advice import Advice
from analysis.tiling.deeploy.network_summary import Network
from analysis.timeline.rows import TimelineData
from schema.frames import Frames, empty
from schema.time_units import NANOSECONDS, NANOSECONDS_PER_S
from services.run.capabilities import Capability
from services.run.capture_results import CaptureResults
from services.run.design_results import DesignResults
from services.run.memory import MemoryData
from services.run.network import summarize_network
from services.run.profile import ProfileData
from services.run.tiling import TilingData
from storage.frame_bytes import OBJECT_BYTES, frame_bytes

_PART_BYTES = 8 * (len(PARTS) + 4) + 48
"""Most that a row of `iteration_parts` takes: its numbers, its index and the name of its track."""
_PART_OBJECTS_BYTES = OBJECT_BYTES * (len(PARTS) + 8)
"""Most that the columns of `iteration_parts` take beyond their rows."""
_COUPLING_BYTES = 14 * 8
"""Bytes of a kernel in `Coupling`: its times, lags, paces and cause."""


@dataclass(frozen=True)
class RunData:
    """A run, analysed with one method and one set of overrides.

    `frames` names the stored and derived frames of the run, `capabilities` what its data can show;
    a frame that the run lacks is empty. `diagnostics` has the findings of the loader and of the
    analysis, `stalls` the lock stalls among the events, `reference` the iterations by the reference
    method, `known` the frames by name. `design` has the results of the design of the run's array,
    `None` if it has none.

    Only the data of a page have `find_advice`, which computes the advice on the tile size of the
    run's GEMM, `find_sweep`, which computes its sweep over M, K or N if several sizes were
    measured, and `find_ranks`, which computes the ranks of the run's job if it has a rank.
    `results` holds the results computed when first used. A page's data are made for each request
    and share `results` with the cached data. `version` is that of the tiles of its timeline.
    `other_runs` is a token that changes whenever the other runs do that the page shows.
    """

    run_id: str
    run: pd.DataFrame
    frames: tuple[str, ...]
    capabilities: frozenset[Capability]
    tracks: pd.DataFrame
    kernels: pd.DataFrame
    iterations: pd.DataFrame
    activity: pd.DataFrame
    diagnostics: pd.DataFrame
    headline: Headline
    timeline: TimelineData
    stalls: pd.DataFrame
    reference: pd.DataFrame
    memory: MemoryData
    profile: ProfileData
    tiling: TilingData
    known: Frames
    results: CaptureResults
    design: DesignResults | None = None
    find_advice: Callable[[], Advice | None] | None = None
    find_sweep: Callable[[str], SizeSweep | None] | None = None
    find_ranks: Callable[[], Ranks] | None = None
    version: str = ""
    other_runs: str = ""

    @cached_property
    def advice(self) -> Advice | None:
        """Advice on the tile size of the run's GEMM; None if it has none, or not for its page."""
        return None if self.find_advice is None else self.find_advice()

    @property
    def label(self) -> str:
        """Name of the run in log lines: `run` and its id."""
        return f"run {self.run_id}"

    def frame(self, name: str) -> pd.DataFrame:
        """Return a frame of the schema by its name, stored or derived; if the run does not have it,
        an empty frame with its columns.
        """
        return self.known[name] if name in self.known else empty(name)

    @property
    def clock_hz(self) -> float:
        """Ticks per second: the clock in Hz (NaN if unknown), or 1e9 if times are nanoseconds."""
        return (
            NANOSECONDS_PER_S if self.unit == NANOSECONDS else float(self.run["clock_hz"].iloc[0])
        )

    @property
    def unit(self) -> str:
        """Unit of the run's times, of `schema.time_units`, such as cycles or ns."""
        return str(self.run["time_unit"].iloc[0])

    def can(self, *needs: Capability) -> bool:
        """Whether the run has all of these capabilities."""
        return self.capabilities.issuperset(needs)

    @property
    def shape(self) -> tuple[int, int] | None:
        """(rows, columns) of the array of cores that share the work; `None` if either is unknown."""
        rows = self.run["rows"].iloc[0]
        cols = self.run["cols"].iloc[0]
        return None if pd.isna(rows) or pd.isna(cols) else (int(rows), int(cols))

    @property
    def bytes(self) -> int:
        """Estimated bytes of memory that the data use now, without the stored frames."""
        design = 0 if self.design is None else self.design.bytes
        return self._base_bytes + self.memory.cached_bytes + design

    @cached_property
    def _base_bytes(self) -> int:
        own = [self.kernels, self.iterations, self.activity, self.stalls, self.memory.attempts]
        parts = _PART_BYTES * len(self.iterations) + _COUPLING_BYTES * len(self.kernels)
        lanes = 32 * (len(self.timeline.kept) + len(self.timeline.left_out))
        return sum(map(frame_bytes, own)) + parts + _PART_OBJECTS_BYTES + lanes

    @property
    def activity_by_window(self) -> Callable[[tuple[int, int]], pd.DataFrame]:
        """Function that computes frame `activity` over a window [start, end) of ticks; the last
        windows are cached.
        """
        return self.results.activity_by_window

    @property
    def pace(self) -> Pace | None:
        """The limits of the capture's rate; `None` if kernels are not grouped into iterations."""
        return self.results.pace

    @property
    def iteration_parts(self) -> pd.DataFrame:
        """How each core spent the time of each iteration (frame `iteration_parts`); empty if the
        run has no iterations.
        """
        return self.results.by_iteration.parts

    @cached_property
    def network(self) -> Network | None:
        """Traffic and memory needs of all tiled operators, computed when first used; `None` if no
        operator is tiled.
        """
        return summarize_network(self.tiling, self.memory)
