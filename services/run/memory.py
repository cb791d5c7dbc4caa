"""What the memory views of a run draw from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.allocators.packing import needs, pack_map
from analysis.memory.alive import peak_within
from analysis.memory.attempt_map import AttemptMap, MapFacts
from analysis.memory.group_table import GroupAttempt, LayerGroup, layer_groups
from analysis.memory.headline import headline_attempt
from analysis.memory.index import MemoryIndex
from analysis.memory.live_curve import DeviceCurves
from analysis.memory.picture import BufferPicture, picture
from analysis.memory.selection import MemorySelection
from schema.array_types import Ints
from schema.choices import BEST_FIT, FIRST_FIT, PLACED
from schema.frames import complete
from services.run.group_failures import UNKNOWN, FailureRecord, GroupFailures
from services.run.saved_placements import Kept
from storage.byte_cache import ByteCache
from storage.frame_bytes import frame_bytes

ATTEMPT_TRACKS = "attempt"
"""Kind of the tracks that carry an attempt's time steps."""
MOST_AT_ONCE = 2_500
"""Parts of lifetimes up to which allocators run without being asked to: more take over 200 ms."""
_MAPS_BYTES = 64 * 2**20
_NEEDS_BYTES = 500


def of_attempts(events: pd.DataFrame, tracks: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Return which events lie on tracks that carry time steps of attempts."""
    named = tracks.loc[tracks["kind"] == ATTEMPT_TRACKS, "track"].astype("str")
    return np.asarray(events["track"].isin(set(named)), dtype=bool)


class MemoryData:
    """A run's attempts by one method, and the maps of those looked at last.

    `allocations`, `steps` and `uses` are the frames of all attempts; `events` has the rows of frame `events` on tracks
    of attempts. `kept` are the answers of the lab that are kept with the run: attempts to show beside the file's,
    `failures` is what is known of why attempts failed. `attempts_of_file` maps attempts that have other numbers than in
    the file, whose events have those of the file.
    """

    def __init__(
        self,
        index: MemoryIndex,
        allocations: pd.DataFrame,
        steps: pd.DataFrame,
        uses: pd.DataFrame,
        events: pd.DataFrame,
        *,
        kept: tuple[Kept, ...] = (),
        failures: GroupFailures = UNKNOWN,
        attempts_of_file: Mapping[int, int] = MappingProxyType({}),
    ) -> None:
        self.index = index
        self.allocations = allocations
        self.steps = steps
        self.uses = uses
        self.events = events
        self.kept = kept
        self.failures = failures
        self._attempts_of_file = attempts_of_file
        self._kept = {one.attempt: (one, one.amap) for one in kept if one.amap is not None}
        self._maps = ByteCache[list[AttemptMap]](_MAPS_BYTES, lambda maps: sum(map(map_bytes, maps)))
        self._needs = ByteCache[Mapping[str, int]](_MAPS_BYTES, lambda _: _NEEDS_BYTES)
        self._layer_groups = cache(
            lambda: tuple(layer_groups(self.attempts, allocations, steps, failed_steps_only=True))
        )

    def with_kept(self, kept: tuple[Kept, ...], failures: GroupFailures) -> MemoryData:
        """Return the same attempts of the file, with these answers of the lab beside them, and why attempts failed."""
        frames = (self.index, self.allocations, self.steps, self.uses, self.events)
        joined = MemoryData(*frames, kept=kept, failures=failures, attempts_of_file=self._attempts_of_file)
        # ranks of kept answers are never given twice, so that both may go on with what either has laid out
        joined._maps, joined._needs, joined._layer_groups = self._maps, self._needs, self._layer_groups
        return joined

    @property
    def groups(self) -> tuple[LayerGroup, ...]:
        """Return the layer groups of the attempts, in the order of their first ones; made when first asked for."""
        return self._layer_groups()

    def group_of(self, attempt: int | None) -> LayerGroup | None:
        """Return the group that an attempt belongs to, or that of the attempt that a kept answer is of."""
        number = None if attempt is None else self.base(attempt)
        return next((one for one in self.groups if any(each.attempt == number for each in one.attempts)), None)

    def failure(self, one: GroupAttempt) -> FailureRecord:
        """Return why an attempt failed, as far as it is known; made where that takes a moment."""
        return self.failures.of(one, self.index, self._failed_groups)

    @cached_property
    def _failed_groups(self) -> int:
        return sum(group.last.failed > 0 for group in self.groups)

    @property
    def kept_bytes(self) -> int:
        """Return what the maps that are kept take now."""
        return self._maps.held_bytes

    @property
    def facts(self) -> MapFacts:
        """Return what steps and blocks of the run are."""
        return self.index.facts

    @cached_property
    def curves(self) -> DeviceCurves:
        """Return the bytes alive over time of all devices of a profile."""
        return DeviceCurves.of(self.allocations, self.attempts)

    def picture(
        self, selection: MemorySelection, window: tuple[int, int], wanted: str, rows: Ints
    ) -> BufferPicture | None:
        """Return the buffers of the shown device of a profile as a map; those at positions `rows` come first."""
        device = self.shown_map(selection, PLACED)
        return None if device is None else picture(device, window, BEST_FIT if wanted == BEST_FIT else FIRST_FIT, rows)

    @property
    def attempts(self) -> pd.DataFrame:
        """Return frame `attempts` with its numbers, those of the file alone."""
        return self.index.numbers

    @cached_property
    def listed_attempts(self) -> pd.DataFrame:
        """Return the attempts that can be shown: the file's, then the kept answers that fit, as further rows."""
        rows = [amap.attempt for _, amap in self._kept.values()]
        if not rows:
            return self.attempts
        kept = complete("attempts", {name: [row[name] for row in rows] for name in self.attempts.columns})
        return pd.concat([self.attempts, kept], ignore_index=True)

    def kept_at(self, attempt: int | None) -> Kept | None:
        """Return the kept answer that has a rank, None for an attempt of the file."""
        return self._kept[attempt][0] if attempt in self._kept else None

    def base(self, attempt: int) -> int:
        """Return the attempt of the file that a kept answer was asked about; of any other attempt itself."""
        kept = self.kept_at(attempt)
        return attempt if kept is None else kept.base

    def number(self, selection: MemorySelection) -> int | None:
        """Return the attempt to show: the selected one, else the one that the headline rests on; None without any."""
        if selection.attempt is not None and self.has(selection.attempt):
            return selection.attempt
        return self._headline

    @cached_property
    def _headline(self) -> int | None:
        return headline_attempt(self.attempts)

    def has(self, attempt: int) -> bool:
        """Return whether there is such an attempt, or kept answer."""
        return attempt in self._kept or bool((self.attempts["attempt"] == attempt).any())

    def maps(self, selection: MemorySelection, layout: str) -> list[AttemptMap]:
        """Return the maps to draw together: every level of a plan, else the shown attempt; none without attempts."""
        attempt = self.number(selection)
        if attempt is None:
            return []
        return self._maps.get((attempt, layout), lambda: [_lay_out(one, layout) for one in self._together(attempt)])

    def _together(self, attempt: int) -> list[AttemptMap]:
        return [self._kept[attempt][1]] if attempt in self._kept else self.index.together(attempt)

    def shown_map(self, selection: MemorySelection, layout: str) -> AttemptMap | None:
        """Return the map of the shown attempt."""
        attempt = self.number(selection)
        return next((one for one in self.maps(selection, layout) if one.number == attempt), None)

    def against(self, selection: MemorySelection, layout: str) -> AttemptMap | None:
        """Return the map of the attempt that is compared with."""
        if self.facts.devices or selection.against is None or not self.has(selection.against):
            return None
        return self.shown_map(MemorySelection(attempt=selection.against), layout)

    def layout(self, selection: MemorySelection, wanted: str) -> str:
        """Return the layout to show: a problem without any address is laid out by best fit, where that is quick.

        A device of a profile stays without addresses: its views lay out a picture of it.
        """
        if not self.facts.addressed:
            return PLACED
        attempt = self.number(selection)
        if wanted != PLACED or attempt is None:
            return wanted
        given = self.maps(MemorySelection(attempt=attempt), PLACED)[0]
        return BEST_FIT if given.is_unsolved and len(given.blocks) <= MOST_AT_ONCE else PLACED

    def packings(self, selection: MemorySelection) -> Mapping[str, int]:
        """Return the bytes that each built-in allocator needs for the shown attempt; none where it takes long."""
        given = self.shown_map(selection, PLACED) if self.facts.addressed else None
        if given is None or len(given.segments) > MOST_AT_ONCE:
            return {}
        return self._needs.get(given.number, lambda: _needs(given))

    @cached_property
    def has_bank_pairs(self) -> bool:
        """Return whether it is known of any attempt in banks what its steps move and compute."""
        banked = self.attempts.loc[self.attempts["banks"].notna(), "attempt"]
        return bool(self.events["track"].isin("attempt " + banked.astype("str")).any())

    def events_of(self, attempt: int) -> pd.DataFrame:
        """Return the rows of frame `events` of an attempt's time steps."""
        number = self.base(attempt)
        return self.events[self.events["track"] == f"attempt {self._attempts_of_file.get(number, number)}"]


def has_failures(memory: MemoryData) -> bool:
    """Return whether blocks of any attempt of the file failed."""
    return bool((memory.attempts["failed"] > 0).fillna(False).any())


def cursor(shown: AttemptMap, selection: MemorySelection, window: tuple[int, int] | None = None) -> int:
    """Return the step (of a profile the time in ns) that the cursor is on, else the peak's within a window.

    The window is the one that the selection has in view unless another is given, else everything.
    """
    step, window = selection.step, window or selection.span
    if step is not None and step < shown.length:
        return step
    peak = shown.whole("peak_step") or 0
    if window is None or window[0] <= peak < window[1]:
        return peak
    within = peak_within(shown, window)
    return peak if within is None else within


def _lay_out(one: AttemptMap, layout: str) -> AttemptMap:
    """Return the map laid out by a built-in allocator, unchanged where it is too large for one."""
    if layout == PLACED:
        return one
    try:
        return pack_map(one, layout)
    except ValueError:
        return one


def _needs(one: AttemptMap) -> Mapping[str, int]:
    try:
        return needs(one)
    except ValueError:
        return {}


def is_laid(one: AttemptMap, layout: str) -> bool:
    """Return whether the addresses of a map are those of a built-in allocator."""
    return layout != PLACED and one.attempt["strategy"] == layout


def map_bytes(one: AttemptMap) -> int:
    """Return about how many bytes of memory a map uses."""
    frames = (one.blocks, one.occupancy, one.steps, one.uses)
    return sum(map(frame_bytes, frames)) + 40 * len(one.segments)
