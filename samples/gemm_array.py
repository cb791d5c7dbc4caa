"""A model of a tiled GEMM on an AIE array, with the events that its trace units record.

Cores of a row share blocks of A, cores of a column blocks of B; both are double-buffered. A core
starts a kernel when its blocks have arrived. A buffer takes the next block when the slowest of the
cores that share it has released it, so that a slow tile makes other tiles wait for locks. Times
are cycles; all random numbers come from a single seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

Tile = tuple[int, int]
"""Row and column of a tile."""
FIRST_CORE_ROW = 2
"""Row of the first core; below it are the memtiles (1) and shims (0)."""


@dataclass(frozen=True)
class Gemm:
    """The GEMM that is run: M x K x N in blocks of m x k x n on rows x cols cores.

    The array runs it `warmup` + `iterations` times; its leftmost column is `first_col`.
    """

    hwid: str
    M: int
    K: int
    N: int
    rows: int
    cols: int
    warmup: int
    iterations: int
    m: int = 32
    k: int = 32
    n: int = 32
    first_col: int = 0

    @property
    def k_loop(self) -> int:
        """Number of kernels that are added up to a block of the output."""
        return self.K // self.k

    @property
    def kernels_per_iteration(self) -> int:
        """Number of kernels that each core runs per iteration."""
        return (self.M // self.m) * (self.N // self.n) * self.k_loop // (self.rows * self.cols)


@dataclass(frozen=True)
class Behaviour:
    """Behaviour of the array, in cycles unless another unit is given.

    A kernel consists of `bursts` of vector code, and a memory stall may follow each burst except
    the last. `slow` is a tile whose memory banks conflict. `hiccup` (iteration, kernel, column,
    cycles) delays the blocks of B of a column.
    """

    seed: int
    compute: int = 540
    bursts: int = 4
    stall_chance: float = 0.7
    clear: int = 0
    transfer: int = 512
    launch: int = 3_200
    dispatch: int = 18_000
    slow: Tile | None = None
    hiccup: tuple[int, int, int, int] | None = None
    ports: bool = True
    kinds: tuple[str, ...] = ("core",)


@dataclass
class Unit:
    """A traced unit: its kind, its place, and intervals (event, begin, end) in any order."""

    kind: str
    row: int
    col: int
    spans: list[tuple[str, int, int]] = field(default_factory=list)

    def add(self, event: str, begin: int, end: int | None = None) -> None:
        """Add an interval; it is one cycle long if no end is given."""
        self.spans.append((event, begin, begin + 1 if end is None else end))


@dataclass
class _Core:
    """State of a core between two kernels.

    `free` is the cycle at which it can start the next kernel, `released` the cycles at which it
    released its last two pairs of buffers.
    """

    unit: Unit
    memory: Unit
    slow: bool
    free: int = 1
    released: tuple[int, int] = (0, 0)


def simulate(gemm: Gemm, behaviour: Behaviour) -> list[Unit]:
    """Simulate a capture; return its traced units by kind, tiles in order."""
    array = _Array(gemm, behaviour)
    launch = behaviour.launch
    for iteration in range(gemm.warmup + gemm.iterations):
        end = array.run_iteration(iteration, launch)
        launch = end + round(behaviour.dispatch * array.random.uniform(0.92, 1.08))
    return [unit for unit in array.units() if unit.kind in behaviour.kinds]


class _Array:
    def __init__(self, gemm: Gemm, behaviour: Behaviour) -> None:
        self.gemm = gemm
        self.behaviour = behaviour
        self.random = Random(behaviour.seed)  # noqa: S311 - a sample must come out the same every time
        self.cores = {(r, c): self._core(r, c) for c in range(gemm.cols) for r in range(gemm.rows)}
        self.memtiles = [Unit("memtile", 1, gemm.first_col + c) for c in range(gemm.cols)]
        self.shims = [Unit("shim", 0, gemm.first_col + c) for c in range(gemm.cols)]

    def _core(self, r: int, c: int) -> _Core:
        row = FIRST_CORE_ROW + r
        col = self.gemm.first_col + c
        return _Core(
            Unit("core", row, col), Unit("mem", row, col), slow=self.behaviour.slow == (row, col)
        )

    def units(self) -> Iterator[Unit]:
        yield from (core.unit for core in self.cores.values())
        yield from (core.memory for core in self.cores.values())
        yield from self.shims
        yield from self.memtiles

    def run_iteration(self, iteration: int, launch: int) -> int:
        """Run a GEMM that the host launches at cycle `launch`.

        Return the end of its last kernel.
        """
        a_arrivals = [launch] * self.gemm.rows
        b_arrivals = [launch] * self.gemm.cols
        for core in self.cores.values():
            core.released = (launch, launch)
        for shim in self.shims:
            shim.add("DMA_MM2S_0_START_TASK", launch)
        steps = self.gemm.kernels_per_iteration
        for step in range(steps):
            self._move_blocks(iteration, step, a_arrivals, b_arrivals)
            for (r, c), core in self.cores.items():
                self._run_kernel(core, max(a_arrivals[r] + 2 * c, b_arrivals[c] + 2 * r), step)
        end = max(core.free for core in self.cores.values())
        for shim in self.shims:
            shim.add("DMA_MM2S_0_FINISHED_TASK", end - self.behaviour.transfer)
            shim.add("DMA_S2MM_0_FINISHED_TASK", end + self.random.randint(180, 260))
        return end

    def _move_blocks(
        self, iteration: int, step: int, a_arrivals: list[int], b_arrivals: list[int]
    ) -> None:
        """Move the next blocks of A to all rows and of B to all columns when buffers are free."""
        for r, before in enumerate(a_arrivals):
            begin = max([before, *(self.cores[r, c].released[0] for c in range(self.gemm.cols))])
            # Memtiles take the rows in turn, since an array may have more rows than columns.
            a_arrivals[r] = self._move(
                begin + 3, self.memtiles[r % self.gemm.cols], f"PORT_RUNNING_{r // self.gemm.cols}"
            )
        for c, before in enumerate(b_arrivals):
            begin = max([before, *(self.cores[r, c].released[0] for r in range(self.gemm.rows))])
            if self.behaviour.hiccup and self.behaviour.hiccup[:3] == (iteration, step, c):
                begin += self.behaviour.hiccup[3]
                self.shims[c].add(
                    "DMA_MM2S_0_MEMORY_STARVATION", begin - self.behaviour.hiccup[3], begin
                )
            b_arrivals[c] = self._move(begin + 3, self.memtiles[c], "PORT_RUNNING_4")

    def _move(self, begin: int, memtile: Unit, port: str) -> int:
        end = begin + self.behaviour.transfer + self.random.randint(0, 12)
        memtile.add(port, begin, end)
        return end

    def _run_kernel(self, core: _Core, arrival: int, step: int) -> None:
        """Run a kernel of a core.

        The core waits for its blocks, clears the output at the start of a K loop, and sends it at
        the end of the loop.
        """
        core.memory.add("DMA_S2MM_0_START_TASK", arrival - self.behaviour.transfer)
        core.memory.add("DMA_S2MM_0_FINISHED_TASK", arrival)
        begin = core.free
        if arrival > begin + 2:
            core.unit.add("LOCK_STALL", begin, arrival)
            begin = arrival + 4
        if self.behaviour.clear and step % self.gemm.k_loop == 0:
            end = begin + self.behaviour.clear + self.random.randint(-2, 2)
            _mark(core.unit, begin, end)
            begin = end + 22
        end = self._compute(core, begin)
        # Double buffering: a new block needs the buffer of the last kernel but one.
        core.released = (core.released[1], end + 5)
        core.free = end + 30
        if step % self.gemm.k_loop == self.gemm.k_loop - 1:
            self._send_output(core)

    def _compute(self, core: _Core, begin: int) -> int:
        """Run the bursts of vector code of a kernel, with stalls of memory.

        Return the kernel's end.
        """
        if self.behaviour.ports:
            core.unit.add("PORT_RUNNING_0", begin + 6, begin + 6 + self.random.randint(200, 240))
        now = begin + 24
        burst = self.behaviour.compute // self.behaviour.bursts
        for rank in range(self.behaviour.bursts):
            length = burst + self.random.randint(-3, 3)
            core.unit.add("INSTR_VECTOR", now, now + length)
            now += length + 2
            if (
                rank < self.behaviour.bursts - 1
                and self.random.random() < self.behaviour.stall_chance
            ):
                stall = self.random.randint(18, 34) if core.slow else self.random.randint(1, 6)
                core.unit.add("MEMORY_STALL", now, now + stall)
                core.memory.add("CONFLICT_DM_BANK_0", now, now + stall)
                now += stall + 2
        end = now + 14
        _mark(core.unit, begin, end)
        return end

    def _send_output(self, core: _Core) -> None:
        """Send a finished block of the output to the memtile, after a stall of the stream."""
        begin = core.free
        stall = self.random.randint(4, 40)
        core.unit.add("STREAM_STALL", begin, begin + stall)
        if self.behaviour.ports:
            core.unit.add("PORT_RUNNING_1", begin + stall, begin + stall + 64)
        core.memory.add("DMA_MM2S_0_START_TASK", begin + stall)
        core.memory.add("DMA_MM2S_0_FINISHED_TASK", begin + stall + 270)
        core.free = begin + stall + 6


def _mark(core: Unit, begin: int, end: int) -> None:
    """Add the start and end markers of a kernel, one cycle each; `end` is exclusive."""
    core.add("INSTR_EVENT_0", begin)
    core.add("INSTR_EVENT_1", end - 1)
