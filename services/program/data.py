"""Graphs of a compiler in a run: contexts, steps, and the graph after each match, cached per
process.
"""

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
from schema.frames import Frames, empty
from services.run.capabilities import Capability
from services.run.compile_time import stored_compile_time
from services.run.data import RunData
from services.run.data_cache import RunDataCache
from services.run.stored_frames import StoredFrames
from storage.byte_cache import Budget, ByteCache
from storage.repository import Repository

_MAX_REPLAYS = 16
"""Maximum number of cached replays, however small: a replay keeps the rewritten nodes until all of
its states are known."""
_MAX_NODES = 100_000
"""Maximum number of nodes in the cached replays of a run."""
_MAX_NODES_OF_LAST = 200_000
"""Maximum number of nodes if there is only one replay: states of one step are usually viewed one
after the other."""
_NODE_BYTES = 700
"""Estimated bytes of a node: its columns, its key, and its share of the cached steps."""
_STATES_BYTES = 48 * 2**20
"""Maximum bytes of cached states and drawn texts of a run."""
_STATE_NODE_BYTES = 500
"""Estimated bytes of a node of a state: its position, name, label and users."""


class ProgramData:
    """The graphs of a run, read when first used. Safe to use from several threads."""

    def __init__(self, stored: Frames) -> None:
        self._stored = stored
        self._lock = threading.Lock()
        self._replays: OrderedDict[tuple[int, int], Replay] = OrderedDict()
        self._held = Budget(_STATES_BYTES)
        self._drawn = ByteCache[str](self._held, lambda text: 2 * len(text))
        self._states = ByteCache[State](
            self._held, lambda state: _STATE_NODE_BYTES * (1 + len(state.order))
        )

    def frame(self, name: str) -> pd.DataFrame:
        """Return a stored frame of the run; if the run does not have it, an empty frame with its
        columns.
        """
        return self._stored[name] if name in self._stored else empty(name)

    @cached_property
    def nodes(self) -> Nodes:
        """Nodes of all graphs that the compiler made in the run."""
        return Nodes.of(self.frame("graph_nodes"), self.frame("graph_edges"))

    @cached_property
    def compile_time(self) -> CompileTime:
        """Time that the compiler spent on the run, by rewrite step, rule and context."""
        return stored_compile_time(self._stored)

    @cached_property
    def _steps(self) -> Steps:
        return Steps(
            {name: self.frame(name) for name in ("rewrite_steps", "rewrite_matches", "graph_nodes")}
        )

    @cached_property
    def _snapshots(self) -> Mapping[Place, Sequence[Snapshot]]:
        """(context, step) -> states that were stored at ingest; steps without such states are
        missing.
        """
        return read_snapshots(self.frame(NODES), self.frame(EDGES), len(self.nodes))

    def step(self, context: int, step: int) -> pd.Series:
        """Return the row of frame `rewrite_steps` of a step. Raises ValueError, which names the
        existing contexts or steps, if there is none.
        """
        row = self._steps.row((context, step))
        if row is None:
            raise ValueError(self._missing(context, step))
        return row

    def _missing(self, context: int, step: int) -> str:
        contexts = self.frame("contexts")
        if contexts.empty:
            return "the run has no rewrites: ingest the rewrites.pkl that VIZ=-1 writes"
        if not 0 <= context < len(contexts):
            return f"there is no context {context}: the run has contexts 0 to {len(contexts) - 1}"
        count = int(contexts["steps"].iloc[context])
        last = f"steps 0 to {count - 1}" if count else "no steps"
        return f"there is no step {step}: context {context} has {last}"

    def matches(self, context: int, step: int) -> pd.DataFrame:
        """Return the rows of frame `rewrite_matches` of a step, in order: match 1 is the first row;
        empty if there is no such step.
        """
        return self._steps.matches((context, step))

    def state(self, context: int, step: int, match: int) -> State:
        """Return the graph after a match of a step; match 0 is the start of the step.

        Raises ValueError if there is no such state, or the capture has no graph of the step.
        """
        row = self.step(context, step)
        if "graph_nodes" not in self._stored:
            raise ValueError(
                "this run was stored without graphs, possibly by an older release: ingest its file again"
            )
        if pd.isna(row["root"]):
            raise ValueError(
                f"the capture is damaged: step {step} of context {context} has no graph"
            )
        count = int(row["matches"])
        if not 0 <= match <= count:
            raise ValueError(
                f"there is no match {match}: step {step} of context {context} has {count}"
            )
        with self._lock:
            return self._states.get(
                (context, step, match), lambda: self._new_state(context, step, match)
            )

    def cached_source(self, key: Hashable, make: Callable[[], str]) -> str:
        """Return the cached text with this key from which a state is drawn; if it is missing,
        compute it with `make`.
        """
        return self._drawn.get(key, make)

    @property
    def bytes(self) -> int:
        """Estimated bytes that the graphs of the run use now: nodes, replays and states."""
        held = len(self.frame("graph_nodes")) + len(self.frame(NODES)) + self._held_nodes()
        return _NODE_BYTES * held + self._held.held_bytes

    def _max_nodes(self) -> int:
        return _MAX_NODES if len(self._replays) > 1 else _MAX_NODES_OF_LAST

    def _held_nodes(self) -> int:
        # A copy, as another thread may add or drop a replay while this one is measured.
        return sum(replay.nodes.weight for replay in [*self._replays.values()])

    def _new_state(self, context: int, step: int, match: int) -> State:
        release = str(self.step(context, step)["rules"])
        state = state_of(self._replay(context, step), release, match, self.context_name)
        self._drop_replays()
        return state

    def _replay(self, context: int, step: int) -> Replay:
        """Return the cached replay of a step, or a new replay. The caller must hold the lock."""
        # Removed and inserted again, so that the order of the dict is that of the last use.
        replay = self._replays.pop((context, step), None) or self.replay(context, step)
        self._replays[context, step] = replay
        return replay

    def _drop_replays(self) -> None:
        """Drop the least recently used replays until at most _MAX_REPLAYS (16) are left and their
        nodes are within their limit.

        If a replay is dropped, all cached states and texts are dropped too.
        """
        while self._replays and (
            len(self._replays) > _MAX_REPLAYS or self._held_nodes() > self._max_nodes()
        ):
            self._replays.popitem(last=False)
            # cached states refer to the nodes of their replay and would keep them in memory
            self._held.clear()

    def life(self, context: int, step: int, match: int, node: int) -> tuple[int | None, int | None]:
        """Return (match that made a node of the state after `match`, 0 if the node exists from the
        beginning of the step; match that removed it, 0 if it stays to the end).

        Each is `None` if the search would take too long; see `Replay.life`.
        """
        with self._lock:
            matches = self._replay(context, step).life(match, node)
            self._drop_replays()
            return matches

    def context_name(self, context: int) -> str:
        """Return the name of a context by its number. Raises IndexError if there is no such
        context.
        """
        return str(self.frame("contexts")["name"].iloc[context])

    def operations(self, context: int) -> list[str]:
        """Return the operations that a context's program is compiled to, a line each; empty if it
        has no such list.

        They are in the last rewrite step that is named `View Program`.
        """
        steps = self.frame("rewrite_steps")
        roots = steps.loc[
            (steps["context"] == context) & (steps["name"] == "View Program"), "root"
        ].dropna()
        return operation_list(self.nodes, int(roots.iloc[-1])) if len(roots) else []

    def replay(self, context: int, step: int) -> Replay:
        """Return the replay of a step without any computed state.

        Raises ValueError if its rows are damaged.
        """
        place = context, step
        self.step(context, step)
        return Replay(self.nodes, self._steps.step(place), self._snapshots.get(place, ()))


@dataclass(frozen=True)
class CompilerData:
    """Data of the page of a run's programs: the run and its graphs."""

    run: RunData
    program: ProgramData

    @property
    def label(self) -> str:
        """Name of the data in log lines: `programs of` and the label of the run."""
        return f"programs of {self.run.label}"

    def can(self, *needs: Capability) -> bool:
        """Whether the run has all of these capabilities."""
        return self.run.can(*needs)


class Compilers:
    """Cache of the graphs used last, bounded by the cache of the repository.

    Safe to use from several threads.
    """

    def __init__(self, repository: Repository, runs: RunDataCache) -> None:
        self._repository = repository
        self._runs = runs
        self._data = ByteCache[ProgramData](repository.cache, lambda data: data.bytes)

    def version(self, run_id: str) -> str:
        """Return a token that changes whenever the run's stored content does. Raises
        RunNotFound.
        """
        return self._repository.version(run_id)

    def get(self, run_id: str) -> CompilerData:
        """Return a run with its graphs, from the cache if it has them. Raises RunNotFound."""
        return CompilerData(self._runs.get(run_id, METHODS[0], {}), self.graphs(run_id))

    def graphs(self, run_id: str) -> ProgramData:
        """Return only the graphs of a run, from the cache if it has them. Raises RunNotFound."""
        version = self._repository.version(run_id)
        # the size grows with every state that is computed
        self._data.measure(version)
        return self._data.get(version, lambda: ProgramData(StoredFrames(self._repository, run_id)))
