"""Everything that a TPU-MLIR log says of local memory, read in one pass in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content
from data_loaders.tpu_mlir.blocks import line_blocks
from data_loaders.tpu_mlir.cycles import CycleLine, read_cycles
from data_loaders.tpu_mlir.markers import Finish, Spec, read_finishes, read_specs
from data_loaders.tpu_mlir.results import joined, read_results
from data_loaders.tpu_mlir.rows import Rows, read_rows


@dataclass(frozen=True)
class Lines:
    """The lines of a log by what they say.

    `unreadable` counts those that are no results and could not be read, `long` those read in pieces; `last` is the
    number of the last line where it has no end, `rest` its bytes.
    """

    rows: Rows
    specs: Sequence[Spec]
    finishes: Sequence[Finish]
    cycles: Sequence[CycleLine]
    unreadable: int
    long: int
    last: int | None
    rest: bytes


def read_lines(path: Path) -> Lines:
    """Return the lines of a log; raise LoadError where the file cannot be read."""
    try:
        return _read(path)
    except OSError as error:
        raise LoadError(f"{path}: cannot be read: {error.strerror or error}") from error


def _read(path: Path) -> Lines:
    results, specs, finishes, cycles = [], [], [], []
    unreadable = long = 0
    last, rest = None, b""
    was_cut = False
    with open_content(path) as stream:
        for block in line_blocks(stream):
            found = read_results(block)
            results += [found] if found is not None else []
            specs += read_specs(block)
            ends, lost_ends = read_finishes(block)
            finishes += ends
            costs, lost_costs = read_cycles(block)
            cycles += costs
            unreadable += lost_ends + lost_costs
            # A very long line comes in several blocks; each but the last is cut, and the first begins it.
            goes_on = was_cut and not len(block.newlines)
            long += block.cut and not goes_on
            was_cut = block.cut
            last = None if block.text.endswith(b"\n") else block.first_line + len(block.newlines)
            rest = b"" if goes_on else block.text[block.text.rfind(b"\n") + 1 :]
    return Lines(read_rows(joined(results)), specs, finishes, cycles, unreadable, long, last, rest)
