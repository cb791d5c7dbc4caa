"""Write the physical design of a pipeline of two cores, as mlir-aie's `aiecc` prints it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FILE = "input_with_addresses.mlir"
"""Name of the file that `aiecc` leaves in its folder."""
_ELEMENTS = 1024
_COLUMN = 0
_FIRST_ROW = 2


@dataclass(frozen=True)
class Stage:
    """A core of the pipeline: row, the stream that it reads, the one that it writes, addresses.

    The addresses are of the two buffers that it reads and of the two that it writes.
    """

    row: int
    reads: str
    writes: str
    addresses: tuple[int, int, int, int]


STAGES = (
    # Both input buffers in bank 0, beside the stack: what a compiler without banks does.
    Stage(_FIRST_ROW, "in", "mid", (1024, 5120, 16384, 32768)),
    Stage(_FIRST_ROW + 1, "mid", "out", (1024, 16384, 32768, 49152)),
)


def design_lines() -> Iterator[str]:
    """Yield the lines of the design: shim tile, two cores, their locks, DMA channels and flows."""
    yield "module {"
    yield "  aie.device(npu1_1col) {"
    yield f"    %shim = aie.tile({_COLUMN}, 0)"
    for stage in STAGES:
        yield f"    %core{stage.row} = aie.tile({_COLUMN}, {stage.row})"
    for stage in STAGES:
        yield from _memory(stage)
    first, last = STAGES[0], STAGES[-1]
    yield f"    aie.flow(%shim, DMA : 0, %core{first.row}, DMA : 0)"
    yield f"    aie.flow(%core{first.row}, DMA : 0, %core{last.row}, DMA : 0)"
    yield f"    aie.flow(%core{last.row}, DMA : 0, %shim, DMA : 0)"
    yield "    func.func private @kernel(memref<1024xi32>, memref<1024xi32>)"
    for stage in STAGES:
        yield from _core(stage)
        yield from _channels(stage)
    yield "    aie.shim_dma_allocation @in(%shim, MM2S, 0)"
    yield "    aie.shim_dma_allocation @out(%shim, S2MM, 0)"
    yield "  }"
    yield "}"


def write_design(folder: Path) -> Path:
    """Write the design into a folder and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    path.write_text("".join(f"{line}\n" for line in design_lines()))
    return path


def _names(stage: Stage) -> tuple[str, str]:
    return f"{stage.reads}_cons", stage.writes


def _memory(stage: Stage) -> Iterator[str]:
    tile = f"%core{stage.row}"
    names = [f"{name}_buff_{rank}" for name in _names(stage) for rank in range(2)]
    for name, address in zip(names, stage.addresses, strict=True):
        given = (
            f'address = {address} : i32, mem_bank = {address // 16384} : i32, sym_name = "{name}"'
        )
        yield f"    %{name} = aie.buffer({tile}) {{{given}}} : memref<{_ELEMENTS}xi32>"
    for rank, name in enumerate(_names(stage)):
        for offset, (kind, init) in enumerate((("prod", 2), ("cons", 0))):
            lock = f"{name}_{kind}_lock"
            given = f'init = {init} : i32, sym_name = "{lock}"'
            yield f"    %{lock} = aie.lock({tile}, {2 * rank + offset}) {{{given}}}"


def _core(stage: Stage) -> Iterator[str]:
    source, target = _names(stage)
    yield f"    %core_{_COLUMN}_{stage.row} = aie.core(%core{stage.row}) {{"
    yield "      %c0 = arith.constant 0 : index"
    yield "      %c2 = arith.constant 2 : index"
    yield "      %last = arith.constant 9223372036854775806 : index"
    yield "      scf.for %i = %c0 to %last step %c2 {"
    for rank in range(2):
        yield f"        aie.use_lock(%{source}_cons_lock, AcquireGreaterEqual, 1)"
        yield f"        aie.use_lock(%{target}_prod_lock, AcquireGreaterEqual, 1)"
        buffers = f"%{source}_buff_{rank}, %{target}_buff_{rank}"
        yield f"        func.call @kernel({buffers}) : (memref<1024xi32>, memref<1024xi32>) -> ()"
        yield f"        aie.use_lock(%{source}_prod_lock, Release, 1)"
        yield f"        aie.use_lock(%{target}_cons_lock, Release, 1)"
    yield "      }"
    yield "      aie.end"
    yield '    } {link_with = "kernel.o", stack_size = 1024 : i32}'


def _channels(stage: Stage) -> Iterator[str]:
    source, target = _names(stage)
    yield f"    %mem_{_COLUMN}_{stage.row} = aie.mem(%core{stage.row}) {{"
    parts = (("S2MM", source, "prod", "cons"), ("MM2S", target, "cons", "prod"))
    for rank, (direction, name, taken, given) in enumerate(parts):
        first = 3 * rank + 1
        yield f"      %{rank} = aie.dma_start({direction}, 0, ^bb{first}, ^bb{first + 2})"
        for buffer in range(2):
            yield f"    ^bb{first + buffer}:"
            yield f"      aie.use_lock(%{name}_{taken}_lock, AcquireGreaterEqual, 1)"
            ids = f"bd_id = {2 * rank + buffer} : i32, next_bd_id = {2 * rank + 1 - buffer} : i32"
            buff = f"%{name}_buff_{buffer} : memref<{_ELEMENTS}xi32>"
            yield f"      aie.dma_bd({buff}, 0, {_ELEMENTS}) {{{ids}}}"
            yield f"      aie.use_lock(%{name}_{given}_lock, Release, 1)"
            yield f"      aie.next_bd ^bb{first + 1 - buffer}"
        yield f"    ^bb{first + 2}:"
    yield "      aie.end"
    yield "    }"
