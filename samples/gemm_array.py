"""A model of a tiled GEMM on an AIE array, as far as its trace units would see it.

Cores of a row share blocks of A, cores of a column blocks of B; both are double-buffered. So a core starts a kernel
when its blocks are there, and blocks move on when the slowest core that needs them has let the buffer go: one slow
tile makes the others wait for locks. Times are cycles; every random number comes from one seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

Tile = tuple[int, int]
FIRST_CORE_ROW = 2


@dataclass(frozen=True)
class Gemm:
    """What is run: M x K x N in blocks of m x k x n on rows x cols cores, and how often."""

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
        """Return the kernels that add up to one block of the output."""
        return self.K // self.k

    @property
    def kernels_per_iteration(self) -> int:
        """Return the kernels that each core runs per iteration."""
        return (self.M // self.m) * (self.N // self.n) * self.k_loop // (self.rows * self.cols)


@dataclass(frozen=True)
class Behaviour:
    """How the array behaves, in cycles unless another unit is given.

    `bursts` of vector code make a kernel, a memory stall may follow each but the last. `slow` is a tile whose banks
    conflict; `hiccup` (iteration, kernel, column, cycles) holds the blocks of B of one column back.
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
        """Put an interval down; one cycle where no end is given."""
        self.spans.append((event, begin, begin + 1 if end is None else end))


@dataclass
class _Core:
    """A core between two kernels: when it is free, and when it let its last two pairs of buffers go."""

    unit: Unit
    memory: Unit
    slow: bool
    free: int = 1
    released: tuple[int, int] = (0, 0)


def simulate(gemm: Gemm, behaviour: Behaviour) -> list[Unit]:
    """Return the traced units of one capture, kind by kind, tiles in order."""
    array = _Array(gemm, behaviour)
    launch = behaviour.launch
    for iteration in range(gemm.warmup + gemm.iterations):
        end = array.run_iteration(iteration, launch)
        launch = end + round(behaviour.dispatch * array.random.uniform(0.92, 1.08))
    return [unit for unit in array.units() if unit.kind in behaviour.kinds]


class _Array:
    def __init__(self, gemm: Gemm, behaviour: Behaviour) -> None:
        self.gemm, self.behaviour = gemm, behaviour
        self.random = Random(behaviour.seed)  # noqa: S311 - a sample must come out the same every time
        self.cores = {(r, c): self._core(r, c) for c in range(gemm.cols) for r in range(gemm.rows)}
        self.memtiles = [Unit("memtile", 1, gemm.first_col + c) for c in range(gemm.cols)]
        self.shims = [Unit("shim", 0, gemm.first_col + c) for c in range(gemm.cols)]

    def _core(self, r: int, c: int) -> _Core:
        row, col = FIRST_CORE_ROW + r, self.gemm.first_col + c
        return _Core(Unit("core", row, col), Unit("mem", row, col), slow=self.behaviour.slow == (row, col))

    def units(self) -> Iterator[Unit]:
        yield from (core.unit for core in self.cores.values())
        yield from (core.memory for core in self.cores.values())
        yield from self.shims
        yield from self.memtiles

    def run_iteration(self, iteration: int, launch: int) -> int:
        """Run one GEMM that the host launches then; return when its last kernel ends."""
        a_there, b_there = [launch] * self.gemm.rows, [launch] * self.gemm.cols
        for core in self.cores.values():
            core.released = (launch, launch)
        for shim in self.shims:
            shim.add("DMA_MM2S_0_START_TASK", launch)
        steps = self.gemm.kernels_per_iteration
        for step in range(steps):
            self._move_blocks(iteration, step, a_there, b_there)
            for (r, c), core in self.cores.items():
                self._run_kernel(core, max(a_there[r] + 2 * c, b_there[c] + 2 * r), step)
        end = max(core.free for core in self.cores.values())
        for shim in self.shims:
            shim.add("DMA_MM2S_0_FINISHED_TASK", end - self.behaviour.transfer)
            shim.add("DMA_S2MM_0_FINISHED_TASK", end + self.random.randint(180, 260))
        return end

    def _move_blocks(self, iteration: int, step: int, a_there: list[int], b_there: list[int]) -> None:
        """Bring the next block of A to every row and of B to every column, once its buffer is free there."""
        for r, before in enumerate(a_there):
            begin = max([before, *(self.cores[r, c].released[0] for c in range(self.gemm.cols))])
            a_there[r] = self._move(begin + 3, self.memtiles[r % self.gemm.cols], f"PORT_RUNNING_{r // self.gemm.cols}")
        for c, before in enumerate(b_there):
            begin = max([before, *(self.cores[r, c].released[0] for r in range(self.gemm.rows))])
            if self.behaviour.hiccup and self.behaviour.hiccup[:3] == (iteration, step, c):
                begin += self.behaviour.hiccup[3]
                self.shims[c].add("DMA_MM2S_0_MEMORY_STARVATION", begin - self.behaviour.hiccup[3], begin)
            b_there[c] = self._move(begin + 3, self.memtiles[c], "PORT_RUNNING_4")

    def _move(self, begin: int, memtile: Unit, port: str) -> int:
        end = begin + self.behaviour.transfer + self.random.randint(0, 12)
        memtile.add(port, begin, end)
        return end

    def _run_kernel(self, core: _Core, there: int, step: int) -> None:
        """Wait for the blocks, clear the output where a K loop begins, run the kernel, hand a finished block on."""
        core.memory.add("DMA_S2MM_0_START_TASK", there - self.behaviour.transfer)
        core.memory.add("DMA_S2MM_0_FINISHED_TASK", there)
        begin = core.free
        if there > begin + 2:
            core.unit.add("LOCK_STALL", begin, there)
            begin = there + 4
        if self.behaviour.clear and step % self.gemm.k_loop == 0:
            end = begin + self.behaviour.clear + self.random.randint(-2, 2)
            _mark(core.unit, begin, end)
            begin = end + 22
        end = self._compute(core, begin)
        core.released = (core.released[1], end + 5)
        core.free = end + 30
        if step % self.gemm.k_loop == self.gemm.k_loop - 1:
            self._hand_on(core)

    def _compute(self, core: _Core, begin: int) -> int:
        """Run one kernel and return when it ends: vector code in bursts, with stalls where banks conflict."""
        if self.behaviour.ports:
            core.unit.add("PORT_RUNNING_0", begin + 6, begin + 6 + self.random.randint(200, 240))
        now = begin + 24
        burst = self.behaviour.compute // self.behaviour.bursts
        for rank in range(self.behaviour.bursts):
            length = burst + self.random.randint(-3, 3)
            core.unit.add("INSTR_VECTOR", now, now + length)
            now += length + 2
            if rank < self.behaviour.bursts - 1 and self.random.random() < self.behaviour.stall_chance:
                stall = self.random.randint(18, 34) if core.slow else self.random.randint(1, 6)
                core.unit.add("MEMORY_STALL", now, now + stall)
                core.memory.add("CONFLICT_DM_BANK_0", now, now + stall)
                now += stall + 2
        end = now + 14
        _mark(core.unit, begin, end)
        return end

    def _hand_on(self, core: _Core) -> None:
        """Send a finished block of the output to the memtile; the stream takes it when it has room."""
        begin = core.free
        stall = self.random.randint(4, 40)
        core.unit.add("STREAM_STALL", begin, begin + stall)
        if self.behaviour.ports:
            core.unit.add("PORT_RUNNING_1", begin + stall, begin + stall + 64)
        core.memory.add("DMA_MM2S_0_START_TASK", begin + stall)
        core.memory.add("DMA_MM2S_0_FINISHED_TASK", begin + stall + 270)
        core.free = begin + stall + 6


def _mark(core: Unit, begin: int, end: int) -> None:
    """Put the markers of a kernel down: each is one cycle wide, the end's last cycle is the kernel's."""
    core.add("INSTR_EVENT_0", begin)
    core.add("INSTR_EVENT_1", end - 1)
