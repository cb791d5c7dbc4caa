"""What a compiler did to its graphs in a run: contexts, steps, and the graph after each match, cached per process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from analysis.program.compile_time import CompileTime
from analysis.program.nodes import Nodes
from analysis.program.operation_list import operation_list
from analysis.program.replay import Replay, Snapshot
from analysis.program.snapshots import EDGES, NODES, read_snapshots
from analysis.program.state import State, state_of
from analysis.program.steps import Place, Steps
from schema.choices import METHODS
from schema.frames import empty
from services.program.compile_time import compile_time_of
from services.run.capabilities import Capability
from services.run.data import RunData, RunDataCache
from services.run.stored_frames import StoredFrames
from storage.byte_cache import Budget, ByteCache
from storage.repository import Repository

_MOST_REPLAYS = 16
"""Steps whose replays are kept, however little they hold: what was rewritten is kept until all states are known."""
_MOST_HELD = 100_000
"""Nodes' worth of memory that the kept replays of a run may hold,"""
_MOST_OF_LAST = 200_000
"""and that the last one may hold alone: states of one step are looked at one after the other."""
_NODE_BYTES = 700
"""What a node takes: its columns, its key, and its share of the steps that are kept."""
_STATES_BYTES = 48 * 2**20
_STATE_NODE_BYTES = 500
"""What a node of a state takes: its place in the order, its name, its label, who uses it."""


class ProgramData:
    """The graphs of a run, read on first use; safe to use from several threads."""

    def __init__(self, stored: Mapping[str, pd.DataFrame]) -> None:
        self._stored = stored
        self._lock = threading.Lock()
        self._replays: OrderedDict[tuple[int, int], Replay] = OrderedDict()
        self._held = Budget(_STATES_BYTES)
        self._drawn = ByteCache[str](self._held, lambda text: 2 * len(text))
        self._states = ByteCache[State](self._held, lambda state: _STATE_NODE_BYTES * (1 + len(state.order)))

    def frame(self, name: str) -> pd.DataFrame:
        """Return a stored frame, empty where the run has none."""
        return self._stored[name] if name in self._stored else empty(name)

    @cached_property
    def nodes(self) -> Nodes:
        """Return the nodes of all graphs."""
        return Nodes.of(self.frame("graph_nodes"), self.frame("graph_edges"))

    @cached_property
    def compile_time(self) -> CompileTime:
        """Return where the compiler's time went."""
        return compile_time_of(self._stored)

    @cached_property
    def _steps(self) -> Steps:
        return Steps({name: self.frame(name) for name in ("rewrite_steps", "rewrite_matches", "graph_nodes")})

    @cached_property
    def _snapshots(self) -> Mapping[Place, Sequence[Snapshot]]:
        """Return context and step -> states that were kept when the run was ingested."""
        return read_snapshots(self.frame(NODES), self.frame(EDGES), len(self.nodes))

    def step(self, context: int, step: int) -> pd.Series:
        """Return the row of a rewrite step; raises ValueError where there is none."""
        row = self._steps.row((context, step))
        if row is None:
            raise ValueError(self._missing(context, step))
        return row

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
        return self._steps.matches((context, step))

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
            return self._states.get((context, step, match), lambda: self._new_state(context, step, match))

    def cached_source(self, key: Hashable, make: Callable[[], str]) -> str:
        """Return what a state is drawn from, made once as long as there is room for it."""
        return self._drawn.get(key, make)

    @property
    def bytes(self) -> int:
        """Return about what it takes now: nodes, replays and states."""
        held = len(self.frame("graph_nodes")) + len(self.frame(NODES)) + self._held_nodes()
        return _NODE_BYTES * held + self._held.held_bytes

    def _most_held(self) -> int:
        return _MOST_HELD if len(self._replays) > 1 else _MOST_OF_LAST

    def _held_nodes(self) -> int:
        return sum(one.nodes.weight for one in self._replays.values())

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
        while self._replays and (len(self._replays) > _MOST_REPLAYS or self._held_nodes() > self._most_held()):
            self._replays.popitem(last=False)
            self._held.clear()  # states hold on to the nodes of their replay

    def life(self, context: int, step: int, match: int, node: int) -> tuple[int | None, int | None]:
        """Return which match made a node of the state after `match`, and which one removed it; see `Replay.life`."""
        with self._lock:
            found = self._replay(context, step).life(match, node)
            self._drop_replays()
            return found

    def context_name(self, context: int) -> str:
        """Return the name of a context."""
        return str(self.frame("contexts")["name"].iloc[context])

    def operations(self, context: int) -> list[str]:
        """Return the operations that a context's program is compiled to, a line each; none where it has no such list.

        They are in the last step of its rewriting that shows the program.
        """
        steps = self.frame("rewrite_steps")
        roots = steps.loc[(steps["context"] == context) & (steps["name"] == "View Program"), "root"].dropna()
        return operation_list(self.nodes, int(roots.iloc[-1])) if len(roots) else []

    def replay(self, context: int, step: int) -> Replay:
        """Return the states of a step, of which none is computed yet; raises ValueError where its rows are damaged."""
        place = context, step
        self.step(context, step)
        return Replay(self.nodes, self._steps.step(place), self._snapshots.get(place, ()))


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
        self._data = ByteCache[ProgramData](repository.cache, lambda data: data.bytes)

    def version(self, run_id: str) -> str:
        """Return what changes whenever the run's stored content does; raises RunNotFound."""
        return self._repository.version(run_id)

    def get(self, run_id: str) -> CompilerData:
        """Return a run with its graphs; raises RunNotFound."""
        return CompilerData(self._runs.get(run_id, METHODS[0], {}), self.graphs(run_id))

    def graphs(self, run_id: str) -> ProgramData:
        """Return the graphs of a run alone; raises RunNotFound."""
        version = self._repository.version(run_id)
        self._data.measure(version)  # it grows with every state that is looked at
        return self._data.get(version, lambda: ProgramData(StoredFrames(self._repository, run_id)))
