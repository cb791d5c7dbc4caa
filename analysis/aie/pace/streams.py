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
        """Build the family from the number of each core's row or column; cores of equal number
        share a stream.
        """
        names, of_core = np.unique(numbers, return_inverse=True)
        groups = [np.flatnonzero(of_core == stream) for stream in range(len(names))]
        size = max(map(len, groups))
        members = np.array(
            [np.append(cores, np.full(size - len(cores), cores[0])) for cores in groups]
        )
        return cls(word, tuple(names.tolist()), of_core.astype(np.int64), members.astype(np.int64))

    @property
    def groups(self) -> list[Ints]:
        """Indexes of the cores of each stream of the family, an array per stream in the order of
        `names`.
        """
        return [np.flatnonzero(self.of_core == stream) for stream in range(len(self.names))]

    def latest(self, times: Floats) -> Floats:
        """Compute for each core the maximum of `times` over all cores of its stream, itself
        included; shape rows x cores x kernels like `times`.
        """
        most: Floats = times[:, self.members].max(axis=2)[:, self.of_core]
        return most

    def earliest(self, times: Floats) -> Floats:
        """Compute for each core the minimum of `times` over all cores of its stream, itself
        included; shape rows x cores x kernels like `times`.
        """
        least: Floats = times[:, self.members].min(axis=2)[:, self.of_core]
        return least

    def latest_core(self, times: Floats) -> Ints:
        """Find for each core the index of the core of its stream with the largest time, itself
        included; shape rows x cores x kernels. The first core wins a tie.
        """
        chosen = times[:, self.members].argmax(axis=2)
        cores = self.members[np.arange(len(self.names))[:, None], chosen]
        found: Ints = cores[:, self.of_core]
        return found

    def others_earliest(self, times: Floats) -> Floats:
        """Compute for each core the minimum of `times` over the other cores of its stream, rows x
        cores x kernels; inf for the only core of a stream.
        """
        least = np.full(times.shape, np.inf)
        for cores in self.groups:
            if len(cores) < 2:
                continue
            ordered = np.sort(times[:, cores], axis=1)
            is_first = np.arange(len(cores))[:, None] == times[:, cores].argmin(axis=1)[:, None]
            least[:, cores] = np.where(is_first, ordered[:, 1:2], ordered[:, :1])
        return least


def array_families(cores: tuple[str, ...]) -> tuple[Family, ...]:
    """Return the families of rows and of columns, in this order; () if the name of any core is not
    like `core 2,1`, or there are fewer than two cores.
    """
    found = [core_place(core) for core in cores]
    places = [place for place in found if place is not None]
    if len(places) < max(2, len(cores)):
        return ()
    at = np.array(places, dtype=np.int64)
    return Family.of("row", at[:, 0]), Family.of("column", at[:, 1])


def core_place(core: str) -> Place | None:
    """Parse (row, column) from the name of a core's track, such as `core 2,1`; None if the name has
    another form.
    """
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
    """Return the family of a single stream for all `cores` cores; its word is `all`."""
    return Family.of("all", np.zeros(cores, np.int64))


def release_times(latest: Floats, depth: int) -> Floats:
    """Shift `latest` (rows x cores x kernels) by `depth` kernels to later kernels: the release of
    the buffer that each kernel's block uses. -inf for the first `depth` kernels.
    """
    times = np.full(latest.shape, -np.inf)
    times[..., depth:] = latest[..., :-depth]
    return times
