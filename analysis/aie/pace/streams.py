"""Streams that bring blocks to several cores at once: of rows, of columns, or of all cores."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from schema.array_types import Floats, Ints

_CORE = re.compile(r"core (\d{1,4}),(\d{1,4})")

Place = tuple[int, int]
"""Row and column of a core."""


@dataclass(frozen=True)
class Family:
    """Streams of one kind: `word` is row, column or all, `names` has the number of each stream.

    `of_core` has the stream of each core. `members` has the cores of each stream, streams x the
    largest number of cores, filled up with the first core.
    """

    word: str
    names: tuple[int, ...]
    of_core: Ints
    members: Ints

    @classmethod
    def of(cls, word: str, numbers: Ints) -> Family:
        """Create the family from the number of each core's row or column."""
        names, of_core = np.unique(numbers, return_inverse=True)
        groups = [np.flatnonzero(of_core == stream) for stream in range(len(names))]
        size = max(map(len, groups))
        members = np.array(
            [np.append(cores, np.full(size - len(cores), cores[0])) for cores in groups]
        )
        return cls(word, tuple(names.tolist()), of_core.astype(np.int64), members.astype(np.int64))

    @property
    def groups(self) -> list[Ints]:
        """Cores of each stream."""
        return [np.flatnonzero(self.of_core == stream) for stream in range(len(self.names))]

    def latest(self, times: Floats) -> Floats:
        """Compute the maximum over the cores of each core's stream, rows x cores x kernels."""
        most: Floats = times[:, self.members].max(axis=2)[:, self.of_core]
        return most

    def earliest(self, times: Floats) -> Floats:
        """Compute the minimum over the cores of each core's stream, rows x cores x kernels."""
        least: Floats = times[:, self.members].min(axis=2)[:, self.of_core]
        return least

    def latest_core(self, times: Floats) -> Ints:
        """Find the core of each core's stream with the largest time, rows x cores x kernels."""
        chosen = times[:, self.members].argmax(axis=2)
        cores = self.members[np.arange(len(self.names))[:, None], chosen]
        found: Ints = cores[:, self.of_core]
        return found

    def others_earliest(self, times: Floats) -> Floats:
        """Compute the minimum over the other cores of each core's stream; inf if there are none."""
        least = np.full(times.shape, np.inf)
        for cores in self.groups:
            if len(cores) < 2:
                continue
            ordered = np.sort(times[:, cores], axis=1)
            is_first = np.arange(len(cores))[:, None] == times[:, cores].argmin(axis=1)[:, None]
            least[:, cores] = np.where(is_first, ordered[:, 1:2], ordered[:, :1])
        return least


def array_families(cores: tuple[str, ...]) -> tuple[Family, ...]:
    """Return the families of rows and columns; () if the name of a core does not say its place."""
    found = [core_place(core) for core in cores]
    places = [place for place in found if place is not None]
    if len(places) < max(2, len(cores)):
        return ()
    at = np.array(places, dtype=np.int64)
    return Family.of("row", at[:, 0]), Family.of("column", at[:, 1])


def core_place(core: str) -> Place | None:
    """Parse row and column from the name of a core's track."""
    match = _CORE.fullmatch(core)
    return None if match is None else (int(match[1]), int(match[2]))


def cores_at(where: str, cores: Collection[str]) -> list[str]:
    """Return the cores of a place: a core, `row R` or `column C`; none for other words."""
    word, _, number = where.partition(" ")
    if word not in ("row", "column"):
        return [core for core in cores if core == where]
    axis = 0 if word == "row" else 1
    places = {core: core_place(core) for core in cores}
    return [core for core, place in places.items() if place and str(place[axis]) == number]


def all_family(cores: int) -> Family:
    """Return the family of one stream for all cores."""
    return Family.of("all", np.zeros(cores, np.int64))


def release_times(latest: Floats, depth: int) -> Floats:
    """Shift the last ends of each stream's cores by `depth` kernels; -inf for the first kernels."""
    times = np.full(latest.shape, -np.inf)
    times[..., depth:] = latest[..., :-depth]
    return times
