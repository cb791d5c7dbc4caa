"""Data of the memory views of a run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from types import MappingProxyType

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap, MapFacts
from analysis.memory.findings.bank_conflicts import count_conflicts
from analysis.memory.group_table import GroupAttempt, LayerGroup, layer_groups
from analysis.memory.headline import headline_attempt
from analysis.memory.index import MemoryIndex
from analysis.memory.live_curve import DeviceCurves
from analysis.memory.picture import BufferPicture, picture
from analysis.memory.selection import MemorySelection
from analysis.peak.parts import PeakParts
from analysis.peak.report import PeakReport
from schema.array_types import Bools, Ints
from schema.choices import BEST_FIT, FIRST_FIT, PLACED
from schema.frames import complete
from services.run.built_in_layouts import find_needs, lay_out
from services.run.group_failures import UNKNOWN, FailureRecord, GroupFailures
from services.run.saved_placements import CheckedPlacement
from storage.byte_cache import ByteCache, NewestBudget
from storage.frame_bytes import frame_bytes

ATTEMPT_TRACKS = "attempt"
"""Kind of the tracks that carry the time steps of attempts."""
MAX_AT_ONCE = 2_500
"""Maximum number of segments of lifetimes for which allocators run without a user's request; more
take over 200 ms."""
_MAPS_BYTES = 64 * 2**20
"""Maximum bytes of the cached maps of a run, unless the newest is larger."""
_NEEDS_BYTES = 500
"""Estimated bytes of a cached entry of allocator needs."""
_PEAK_BYTES = 500
"""Estimated bytes of the cached parts of a peak."""


def attempt_event_mask(events: pd.DataFrame, tracks: pd.DataFrame) -> Bools:
    """Return a mask, a bool for each row of `events`: whether its track carries time steps of
    attempts.
    """
    named = tracks.loc[tracks["kind"] == ATTEMPT_TRACKS, "track"].astype("str")
    return np.asarray(events["track"].isin(set(named)), dtype=bool)


class MemoryData:
    """The attempts of a run by one method, and a cache of the maps shown last.

    `allocations`, `steps` and `uses` are the frames of all attempts; `events` has the rows of frame
    `events` on tracks of attempts. `saved` are placements of the lab that are saved with the run
    and shown after the file's attempts, `failures` the known reasons why attempts failed.
    `peak_parts` caches the peaks of attempts by number, `peaks` the same with advice.
    `attempts_of_file` maps attempts that the analysis renumbered to their numbers in the file,
    which their events have.
    """

    def __init__(
        self,
        index: MemoryIndex,
        allocations: pd.DataFrame,
        steps: pd.DataFrame,
        uses: pd.DataFrame,
        events: pd.DataFrame,
        *,
        saved: tuple[CheckedPlacement, ...] = (),
        failures: GroupFailures = UNKNOWN,
        attempts_of_file: Mapping[int, int] = MappingProxyType({}),
    ) -> None:
        self.index = index
        self.allocations = allocations
        self.steps = steps
        self.uses = uses
        self.events = events
        self.saved = saved
        self.failures = failures
        self._attempts_of_file = attempts_of_file
        self._saved_maps = {
            placement.attempt: (placement, placement.amap)
            for placement in saved
            if placement.amap is not None
        }
        # The views of a page share a map, so that even the largest one is kept between them.
        self._maps = ByteCache[list[AttemptMap]](
            NewestBudget(_MAPS_BYTES), lambda maps: sum(map(map_bytes, maps))
        )
        self._needs = ByteCache[Mapping[str, int]](_MAPS_BYTES, lambda _: _NEEDS_BYTES)
        self.peaks = ByteCache[PeakReport | None](
            _MAPS_BYTES, lambda one: _PEAK_BYTES if one is None else map_bytes(one.amap)
        )
        self.peak_parts = ByteCache[PeakParts | None](_MAPS_BYTES, lambda _: _PEAK_BYTES)
        self._layer_groups = cache(
            lambda: tuple(layer_groups(self.attempts, allocations, steps, failed_steps_only=True))
        )

    def with_saved(
        self, saved: tuple[CheckedPlacement, ...], failures: GroupFailures
    ) -> MemoryData:
        """Return new data of the same attempts with these saved placements and reasons of failures;
        both share the maps that are cached when either is shown.
        """
        frames = (self.index, self.allocations, self.steps, self.uses, self.events)
        joined = MemoryData(
            *frames,
            saved=saved,
            failures=failures,
            attempts_of_file=self._attempts_of_file,
        )
        # ranks of saved placements are never reused, so both objects can share the maps that either
        # has laid out
        joined._maps = self._maps
        joined._needs = self._needs
        joined.peaks = self.peaks
        joined.peak_parts = self.peak_parts
        joined._layer_groups = self._layer_groups
        return joined

    @property
    def groups(self) -> tuple[LayerGroup, ...]:
        """The layer groups of the run's attempts in the order of their first attempts, computed on
        first use.
        """
        return self._layer_groups()

    def find_group(self, attempt: int | None) -> LayerGroup | None:
        """Return the layer group of an attempt, or of the attempt that a saved placement is based
        on; `None` if `attempt` is `None` or in no group.
        """
        number = None if attempt is None else self.base(attempt)
        return next(
            (
                group
                for group in self.groups
                if any(attempt_row.attempt == number for attempt_row in group.attempts)
            ),
            None,
        )

    def failure(self, attempt: GroupAttempt) -> FailureRecord:
        """Return why an attempt failed, see `GroupFailures.of`; NO_FAILURE if it did not, or until
        the search has run if the page has too many failed groups.
        """
        return self.failures.of(attempt, self.index, self._failed_groups)

    @cached_property
    def _failed_groups(self) -> int:
        return sum(group.last.failed > 0 for group in self.groups)

    @property
    def cached_bytes(self) -> int:
        """Bytes of the maps of the run that are cached now."""
        return self._maps.held_bytes

    @property
    def facts(self) -> MapFacts:
        """Properties of the run's memory maps: unit of time, whether blocks have addresses, whether
        attempts are devices.
        """
        return self.index.facts

    @cached_property
    def curves(self) -> DeviceCurves:
        """Live bytes over time (ns) of each device, by attempt number, and of all devices together.

        The run must be a profile. The curve of a device without buffers is 0 throughout.
        """
        return DeviceCurves.of(self.allocations, self.attempts)

    def picture(
        self, selection: MemorySelection, window: tuple[int, int], wanted: str, rows: Ints
    ) -> BufferPicture | None:
        """Lay out the buffers of the shown device of a profile as a map over `window`, [start, end)
        in ns; `None` if no device is shown.

        The buffers at positions `rows` are placed first. `wanted` is the allocator: best fit, or
        else first fit.
        """
        device = self.shown_map(selection, PLACED)
        return (
            None
            if device is None
            else picture(device, window, BEST_FIT if wanted == BEST_FIT else FIRST_FIT, rows)
        )

    @property
    def attempts(self) -> pd.DataFrame:
        """Frame `attempts` of the run, a row per attempt, with the numbers that the analysis added;
        without saved placements.
        """
        return self.index.numbers

    @cached_property
    def listed_attempts(self) -> pd.DataFrame:
        """Frame `attempts` of all attempts that can be shown: the rows of the file's attempts, then
        of the saved placements that fit the run's blocks.
        """
        rows = [amap.attempt for _, amap in self._saved_maps.values()]
        if not rows:
            return self.attempts
        saved = complete(
            "attempts", {name: [row[name] for row in rows] for name in self.attempts.columns}
        )
        return pd.concat([self.attempts, saved], ignore_index=True)

    def find_saved(self, attempt: int | None) -> CheckedPlacement | None:
        """Return the saved placement with the number `attempt`; `None` if that is an attempt of the
        file, unknown, or of a placement that does not fit.
        """
        return self._saved_maps[attempt][0] if attempt in self._saved_maps else None

    def base(self, attempt: int) -> int:
        """Return the number of the file's attempt that a saved placement is based on; for any other
        number, the number itself.
        """
        saved = self.find_saved(attempt)
        return attempt if saved is None else saved.base

    def number(self, selection: MemorySelection) -> int | None:
        """Return the number of the attempt to show: the selected attempt if it exists, else that of
        the headline; `None` if there are no attempts.
        """
        if selection.attempt is not None and self.has(selection.attempt):
            return selection.attempt
        return self._headline

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """Names of the memory levels of the attempts, in the order of the file."""
        return tuple(dict.fromkeys(self.attempts["level"].dropna().astype(str)))

    def number_in(self, level: str) -> int | None:
        """Return the number of the attempt of a level that `headline_attempt` chooses; `None` if
        the run has no such level.
        """
        return headline_attempt(self.attempts[(self.attempts["level"] == level).fillna(False)])

    @cached_property
    def _headline(self) -> int | None:
        return headline_attempt(self.attempts)

    def has(self, attempt: int) -> bool:
        """Whether an attempt, or a saved placement that fits, has this number."""
        return attempt in self._saved_maps or bool((self.attempts["attempt"] == attempt).any())

    def maps(self, selection: MemorySelection, layout: str) -> list[AttemptMap]:
        """Return the maps that are drawn together: of all levels if the attempt is a level of a
        plan, else of the shown attempt; empty if there are no attempts.

        A map that is too large for the allocator `layout` keeps its addresses.
        """
        attempt = self.number(selection)
        if attempt is None:
            return []
        numbers = self._together(attempt)
        # Levels of a plan are drawn together, so that all of them have one key.
        return self._maps.get(
            (numbers[0], layout),
            lambda: [lay_out(self._map(number), layout) for number in numbers],
        )

    def _together(self, attempt: int) -> list[int]:
        return [attempt] if attempt in self._saved_maps else self.index.together(attempt)

    def _map(self, attempt: int) -> AttemptMap:
        if attempt in self._saved_maps:
            return self._saved_maps[attempt][1]
        return self.index.map(attempt)

    def shown_map(self, selection: MemorySelection, layout: str) -> AttemptMap | None:
        """Return the map of the attempt to show, see `number`; `None` if there are no attempts."""
        attempt = self.number(selection)
        return next((amap for amap in self.maps(selection, layout) if amap.number == attempt), None)

    def against(self, selection: MemorySelection, layout: str) -> AttemptMap | None:
        """Return the map of the attempt that the selection compares with; `None` if it names none
        or a missing attempt, or attempts are devices.
        """
        if self.facts.devices or selection.against is None or not self.has(selection.against):
            return None
        return self.shown_map(MemorySelection(attempt=selection.against), layout)

    def layout(self, selection: MemorySelection, wanted: str) -> str:
        """Return the name of the layout to show: best fit if `wanted` is `placed` but the attempt
        has no addresses yet and at most MAX_AT_ONCE (2,500) blocks, else `wanted`.

        Devices of a profile keep layout `placed`: their views lay out a picture of the buffers.
        """
        if not self.facts.addressed:
            return PLACED
        attempt = self.number(selection)
        if wanted != PLACED or attempt is None:
            return wanted
        amap = self.maps(MemorySelection(attempt=attempt), PLACED)[0]
        return BEST_FIT if amap.is_unsolved and len(amap.blocks) <= MAX_AT_ONCE else PLACED

    def packings(self, selection: MemorySelection) -> Mapping[str, int]:
        """Map each built-in allocator to the bytes that it needs for the shown attempt; empty if
        the attempt has more than MAX_AT_ONCE (2,500) segments of lifetimes, or is missing or
        invalid.
        """
        amap = self.shown_map(selection, PLACED) if self.facts.addressed else None
        if amap is None or len(amap.segments) > MAX_AT_ONCE:
            return {}
        return self._needs.get(amap.number, lambda: find_needs(amap))

    def packing_conflicts(self, selection: MemorySelection, names: list[str]) -> dict[str, int]:
        """Map built-in allocators to the candidates for bank conflicts of their placements of the
        shown attempt; without unknown numbers.
        """
        if not self.has_bank_pairs:
            return {}
        counts = {}
        for name in names:
            packed = self.shown_map(selection, name)
            count = (
                None
                if packed is None
                else count_conflicts(packed, self.attempt_events(packed.number))
            )
            if count is not None:
                counts[name] = count
        return counts

    @cached_property
    def has_bank_pairs(self) -> bool:
        """Whether an attempt with banks has events of its steps' transfers and computation."""
        banked = self.attempts.loc[self.attempts["banks"].notna(), "attempt"]
        return bool(self.events["track"].isin("attempt " + banked.astype("str")).any())

    def attempt_events(self, attempt: int) -> pd.DataFrame:
        """Return the rows of frame `events` of an attempt's time steps, for a saved placement of
        the attempt that it is based on; empty if there are none.
        """
        number = self.base(attempt)
        return self.events[
            self.events["track"] == f"attempt {self._attempts_of_file.get(number, number)}"
        ]


def has_failures(memory: MemoryData) -> bool:
    """Whether an attempt of the file has blocks that got no place."""
    return bool((memory.attempts["failed"] > 0).fillna(False).any())


def map_bytes(amap: AttemptMap) -> int:
    """Estimate the bytes of memory that a map takes: its frames and segments."""
    frames = (amap.blocks, amap.occupancy, amap.steps, amap.uses)
    return sum(map(frame_bytes, frames)) + 40 * len(amap.segments)
