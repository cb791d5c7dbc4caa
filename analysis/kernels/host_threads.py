"""Events on the threads of a host: operators, annotations, Python functions and library calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.timeline.covered import Covered
from schema.array_types import Bools, Ints
from schema.nesting import Nesting
from schema.torch_profiler import ANNOTATION, OPERATOR, PYTHON, STEP_NAME


@dataclass(frozen=True)
class HostThreads:
    """Events on the threads of a host; every array has an entry per event, times are in ns.

    `thread` is the number of the event's thread, counted over all processes. `by_track` maps names
    of tracks to these numbers: operators and Python functions of one thread have different tracks.
    `name` is an index into `names`, `category` an index into `categories`.
    """

    by_track: Mapping[str, int]
    names: list[str]
    categories: list[str]
    thread: Ints
    name: Ints
    category: Ints
    start: Ints
    end: Ints

    @classmethod
    def of(cls, events: pd.DataFrame, tracks: pd.DataFrame) -> HostThreads:
        """Group the rows of frame `events` by the process and thread of their track, in their
        order.

        There are no events if the frame lacks column `category`.
        """
        if "category" not in events.columns:
            events = events.head(0).assign(category=pd.Categorical([]))
        keys = dict(zip(tracks["track"].astype("str"), _keys(tracks), strict=True))
        threads: dict[tuple[str, str], int] = {}
        for key in keys.values():
            threads.setdefault(key, len(threads))
        by_track = {track: threads[key] for track, key in keys.items()}
        codes = [by_track[str(track)] for track in events["track"].cat.categories]
        return cls(
            by_track,
            [str(name) for name in events["name"].cat.categories],
            [str(name) for name in events["category"].cat.categories],
            np.array(codes, np.int64)[events["track"].cat.codes.to_numpy()],
            events["name"].cat.codes.to_numpy(np.int64),
            events["category"].cat.codes.to_numpy(np.int64),
            events["start"].to_numpy(np.int64),
            events["end"].to_numpy(np.int64),
        )

    def mask(self, categories: Callable[[str], bool], names: Callable[[str], bool]) -> Bools:
        """Compute a mask of the events: True if both predicates accept the event's category and its
        name.
        """
        in_category = np.array([categories(text) for text in self.categories], np.bool_)
        in_name = np.array([names(text) for text in self.names], np.bool_)
        if not len(self.start):
            return np.zeros(0, np.bool_)
        return np.asarray(in_category[self.category] & in_name[self.name])

    def covered_time(self, thread: int, events: Bools) -> Covered:
        """Compute the time in which at least one of the marked events of a thread was running."""
        own = events & (self.thread == thread)
        return Covered.of(self.start[own], self.end[own])

    def innermost(self, threads: Ints, events: Bools, moments: Ints) -> list[str | None]:
        """Return the name of the innermost marked event that runs at each moment (ns); None if no
        marked event runs then.

        `threads` and `moments` have equal length: moment i is looked up on thread i.
        """
        names: list[str | None] = [None] * len(moments)
        for thread in np.unique(threads).tolist():
            own = np.flatnonzero(events & (self.thread == thread))
            places = np.flatnonzero(threads == thread)
            nesting = Nesting.of(self.start[own], self.end[own])
            rows = nesting.rows(nesting.innermost(moments[places])).tolist()
            for place, row in zip(places.tolist(), rows, strict=True):
                names[place] = self.names[self.name[own[row]]] if row >= 0 else None
        return names

    @cached_property
    def operations(self) -> Bools:
        """Mask of operators and annotations, without markers of steps."""
        return self.mask(
            lambda category: category in (OPERATOR, ANNOTATION),
            lambda name: STEP_NAME.fullmatch(name) is None,
        )

    @cached_property
    def functions(self) -> Bools:
        """Mask of the spans that are calls of Python functions."""
        return self.mask(lambda category: category == PYTHON, lambda _name: True)

    @cached_property
    def step_thread(self) -> int | None:
        """Thread of the first marker of a step; None without markers."""
        markers = self.mask(
            lambda category: category in (OPERATOR, ANNOTATION),
            lambda name: STEP_NAME.fullmatch(name) is not None,
        ).nonzero()[0]
        return int(self.thread[markers[np.argmin(self.start[markers])]]) if len(markers) else None


def _keys(tracks: pd.DataFrame) -> list[tuple[str, str]]:
    """List pid and tid of each track; a track without them is a thread of its own."""
    columns = [tracks[name].fillna("").astype("str").tolist() for name in ("pid", "tid", "track")]
    return [
        (pid, tid) if pid and tid else (pid, f"track {track}")
        for pid, tid, track in zip(*columns, strict=True)
    ]
