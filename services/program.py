"""What a compiler did to its graphs in a run: contexts, steps, and the graph after each match, cached per process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import pandas as pd

from analysis.program.nodes import NONE, Nodes
from analysis.program.replay import Replay, Step
from analysis.program.state import State, state_of
from schema.choices import METHODS
from schema.frames import empty
from services.capabilities import Capability
from services.runs import RunData, RunDataCache
from services.stored_frames import StoredFrames
from storage.byte_cache import ByteCache
from storage.repository import Repository

_MOST_STATES = 40
"""States that are kept: what a page's parts ask for one after another."""
_MOST_REPLAYS = 16
"""Steps whose replays are kept, however little they hold: what was rewritten is kept until all states are known."""
_MOST_HELD = 600_000
"""Nodes' worth of memory that the kept replays of a run may hold; the last one is kept whatever it holds."""
_NODE_BYTES = 700
"""What a node takes: its columns, its key, and its share of the steps that are kept."""


class ProgramData:
    """The graphs of a run, read on first use; safe to use from several threads."""

    def __init__(self, stored: Mapping[str, pd.DataFrame]) -> None:
        self._stored = stored
        self._lock = threading.Lock()
        self._replays: OrderedDict[tuple[int, int], Replay] = OrderedDict()
        self._state = lru_cache(_MOST_STATES)(self._new_state)

    def frame(self, name: str) -> pd.DataFrame:
        """Return a stored frame, empty where the run has none."""
        return self._stored[name] if name in self._stored else empty(name)

    @cached_property
    def nodes(self) -> Nodes:
        """Return the nodes of all graphs."""
        return Nodes.of(self.frame("graph_nodes"), self.frame("graph_edges"))

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        """Return context and step -> row of frame `rewrite_steps`."""
        steps = self.frame("rewrite_steps")
        pairs = zip(steps["context"].tolist(), steps["step"].tolist(), strict=True)
        return {pair: row for row, pair in enumerate(pairs)}

    @cached_property
    def _spans(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Return context and step -> the rows of its matches in frame `rewrite_matches`."""
        matches = self.frame("rewrite_matches")
        counts = matches.groupby(["context", "step"], sort=False).size()
        ends = counts.cumsum()
        return {pair: (end - count, end) for pair, count, end in zip(counts.index, counts, ends, strict=True)}

    def step(self, context: int, step: int) -> pd.Series:
        """Return the row of a rewrite step; raises ValueError where there is none."""
        row = self._places.get((context, step))
        if row is None:
            raise ValueError(self._missing(context, step))
        return self.frame("rewrite_steps").iloc[row]

    def _missing(self, context: int, step: int) -> str:
        contexts = self.frame("contexts")
        if contexts.empty:
            return "the run has no rewrites: they are in the rewrites.pkl that VIZ=-1 writes"
        if not 0 <= context < len(contexts):
            return f"there is no context {context}: the run has contexts 0 to {len(contexts) - 1}"
        count = int(contexts["steps"].iloc[context])
        last = f"steps 0 to {count - 1}" if count else "no steps"
        return f"there is no step {step}: context {context} has {last}"

    def matches(self, context: int, step: int) -> pd.DataFrame:
        """Return the matches of a step, in order."""
        begin, end = self._spans.get((context, step), (0, 0))
        return self.frame("rewrite_matches").iloc[begin:end]

    def state(self, context: int, step: int, match: int) -> State:
        """Return the graph after a match of a step, 0 for how the step began.

        Raises ValueError where there is no such state, or the capture has no graph of the step.
        """
        row = self.step(context, step)
        if "graph_nodes" not in self._stored:
            raise ValueError("this run was stored without graphs, by an older release perhaps: ingest its file again")
        if pd.isna(row["root"]):
            raise ValueError(f"the capture is broken here: step {step} of context {context} has no graph")
        count = int(row["matches"])
        if not 0 <= match <= count:
            raise ValueError(f"there is no match {match}: step {step} of context {context} has {count}")
        with self._lock:
            return self._state(context, step, match)

    def _new_state(self, context: int, step: int, match: int) -> State:
        release = str(self.step(context, step)["rules"])
        state = state_of(self._replay(context, step), release, match, self.context_name)
        self._drop_replays()
        return state

    def _replay(self, context: int, step: int) -> Replay:
        """Return the replay of a step, the kept one where there is one; the lock is held."""
        found = self._replays.pop((context, step), None) or self.replay(context, step)
        self._replays[context, step] = found
        return found

    def _drop_replays(self) -> None:
        """Drop the replays that were asked for longest ago, until the others hold no more than they may."""
        kept = self._replays
        held = sum(one.nodes.held for one in kept.values())
        while len(kept) > _MOST_REPLAYS or (len(kept) > 1 and held > _MOST_HELD):
            held -= kept.popitem(last=False)[1].nodes.held
            self._state.cache_clear()  # states hold on to the nodes of their replay

    def life(self, context: int, step: int, match: int, node: int) -> tuple[int | None, int | None]:
        """Return which match made a node of the state after `match`, and which one removed it; see `Replay.life`."""
        with self._lock:
            found = self._replay(context, step).life(match, node)
            self._drop_replays()
            return found

    def context_name(self, context: int) -> str:
        """Return the name of a context."""
        return str(self.frame("contexts")["name"].iloc[context])

    def replay(self, context: int, step: int) -> Replay:
        """Return the states of a step, of which none is computed yet; raises ValueError where its rows are damaged."""
        row, matches = self.step(context, step), self.matches(context, step)
        before, after = (matches[name].fillna(NONE).astype("int64").tolist() for name in ("before", "after"))
        named = [int(row["root"]), *before, *after]
        if len(matches) != row["matches"] or min(named) < NONE or max(named) >= len(self.nodes):
            raise ValueError(f"the stored matches of step {step} of context {context} are damaged")
        flags = {name: bool(row[name]) for name in ("walk", "enter_calls") if not pd.isna(row[name])}
        given = Step(
            root=int(row["root"]),
            pairs=list(zip(before, after, strict=True)),
            bottom_up=bool(row["bottom_up"]),
            # the viewer of 0.13 passes over what its captures say of either, and so do its graphs
            walk=flags.get("walk", False) and row["rules"] == "0.14",
            enter_calls=flags.get("enter_calls", False) and row["rules"] == "0.14",
            release=str(row["rules"]),
        )
        return Replay(self.nodes, given)


@dataclass(frozen=True)
class CompilerData:
    """What the page of a run's programs draws from: the run, and what the compiler did."""

    run: RunData
    program: ProgramData

    @property
    def label(self) -> str:
        """Return what the log calls it."""
        return f"programs of {self.run.label}"

    def can(self, *needs: Capability) -> bool:
        """Return whether the run has all of these capabilities."""
        return self.run.can(*needs)


class Compilers:
    """The graphs used last, bounded like the repository's frames; safe to use from several threads."""

    def __init__(self, repository: Repository, runs: RunDataCache) -> None:
        self._repository = repository
        self._runs = runs
        self._data = ByteCache[ProgramData](repository.cache_bytes, _bytes)

    def version(self, run_id: str) -> str:
        """Return what changes whenever the run's stored content does; raises RunNotFound."""
        return self._repository.version(run_id)

    def get(self, run_id: str) -> CompilerData:
        """Return a run with its graphs; raises RunNotFound."""
        made = self._data.get(
            self._repository.version(run_id), lambda: ProgramData(StoredFrames(self._repository, run_id))
        )
        return CompilerData(self._runs.get(run_id, METHODS[0], {}), made)


def _bytes(data: ProgramData) -> int:
    return _NODE_BYTES * len(data.frame("graph_nodes"))
