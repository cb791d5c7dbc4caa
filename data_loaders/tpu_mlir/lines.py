"""Read all local-memory lines of a TPU-MLIR log in one pass, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content
from data_loaders.tpu_mlir.blocks import line_blocks
from data_loaders.tpu_mlir.cycles import CycleLine, read_cycles
from data_loaders.tpu_mlir.markers import Finish, Spec, read_finishes, read_specs
from data_loaders.tpu_mlir.results import Results, join_results, read_results
from data_loaders.tpu_mlir.rows import Rows, read_rows


@dataclass(frozen=True)
class LogLines:
    """The lines of a log, sorted by kind.

    `unreadable` counts finish and cycle lines that could not be read. `long` counts lines that were
    read in pieces. `last` is the number of the last line and `rest` its bytes; `ended` is True if a
    newline terminates it.
    """

    rows: Rows
    specs: Sequence[Spec]
    finishes: Sequence[Finish]
    cycles: Sequence[CycleLine]
    unreadable: int
    long: int
    last: int
    rest: bytes
    ended: bool


def read_lines(path: Path) -> LogLines:
    """Read all local-memory lines of a plain or gzip log.

    Raises LoadError if the file cannot be read.
    """
    try:
        return _read(path)
    except OSError as error:
        raise LoadError(f"{path}: cannot be read: {error.strerror or error}") from error


def _read(path: Path) -> LogLines:
    results: list[Results] = []
    specs: list[Spec] = []
    finishes: list[Finish] = []
    cycles: list[CycleLine] = []
    unreadable = long = 0
    last = 1
    rest = b""
    ended = True
    was_cut = False
    with open_content(path) as stream:
        for block in line_blocks(stream):
            result_lines = read_results(block)
            results += [result_lines] if result_lines is not None else []
            specs += read_specs(block)
            ends, lost_ends = read_finishes(block)
            finishes += ends
            costs, lost_costs = read_cycles(block)
            cycles += costs
            unreadable += lost_ends + lost_costs
            # A very long line comes in several blocks; each but the last is cut, and the first
            # begins it.
            continues = was_cut and not len(block.newlines)
            long += block.cut and not continues
            ended = block.text.endswith(b"\n")
            last = block.first_line + len(block.newlines) - ended
            rest = _last_line(block.text, was_cut)
            was_cut = block.cut
    rows = read_rows(join_results(results))
    return LogLines(rows, specs, finishes, cycles, unreadable, long, last, rest, ended)


def _last_line(text: bytes, was_cut: bool) -> bytes:
    """Return the last line of a block without its newline.

    The result is b"" if the block is the tail of a line that was cut.
    """
    whole = text.removesuffix(b"\n")
    begin = whole.rfind(b"\n") + 1
    return b"" if was_cut and not begin else whole[begin:]
