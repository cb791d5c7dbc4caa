"""Columns of a torch.profiler trace: spans, their arguments, and samples of memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from schema.array_types import Ints

MISSING = -(2**62)
"""Value of a number that an entry lacks."""

Thread = tuple[str, str]
"""A pid and a tid, as JSON texts."""


@dataclass(frozen=True)
class Spans:
    """Spans in file order.

    `name`, `category` and `thread` are codes; times are ns of the file's clock.
    """

    name: Ints
    category: Ints
    thread: Ints
    start: Ints
    duration: Ints


@dataclass(frozen=True)
class Linked:
    """Numbers of spans on devices and of calls; `span` is the index of the span.

    `external` is the number that an execution shares with its operator, and `bytes` those that a
    copy moves. Absent numbers are MISSING.
    """

    span: Ints
    device: Ints
    stream: Ints
    correlation: Ints
    bytes: Ints
    external: Ints


@dataclass(frozen=True)
class Details:
    """Arguments of spans on devices; `span` is the index of the span.

    `registers` are those of a thread, `shared_memory` is in bytes, `occupancy` in thousandths of a
    per cent. `grid`, `block`, `group` (of processes that communicate) and `task` (type of an NPU's
    task) are codes of texts. Absent numbers are MISSING, absent texts -1.
    """

    span: Ints
    registers: Ints
    shared_memory: Ints
    occupancy: Ints
    grid: Ints
    block: Ints
    group: Ints
    task: Ints


@dataclass(frozen=True)
class OperatorArguments:
    """Arguments of operators; `span` is the index of the span.

    `external` is MISSING if an operator lacks it, `dims` (code of the text of `Input Dims`) and
    `concrete` (of `Concrete Inputs`, read only of convolutions) are -1.
    """

    span: Ints
    external: Ints
    dims: Ints
    concrete: Ints


@dataclass(frozen=True)
class Samples:
    """Samples of allocators, a row per sample.

    `at` is the time in ns, `thread` a code, `device` an index in `SpanCollector.allocators`.
    `allocated` and `reserved` are the allocator's bytes, `change` those that were allocated (freed:
    negative); MISSING if absent.
    """

    at: Ints
    thread: Ints
    device: Ints
    allocated: Ints
    reserved: Ints
    change: Ints


@dataclass
class Columns:
    """Columns of int64 that grow by blocks."""

    count: int
    """Number of columns."""
    rows: int = 0
    _blocks: list[tuple[npt.NDArray[np.signedinteger[Any]], ...]] = field(default_factory=list)

    def add(self, *block: npt.NDArray[np.signedinteger[Any]]) -> None:
        """Append a block of rows: an array per column, of equal lengths."""
        self._blocks.append(block)
        self.rows += len(block[0])

    def add_rows(self, rows: Sequence[tuple[int, ...]]) -> None:
        """Append rows of numbers."""
        if rows:
            self.add(*(np.array(column, np.int64) for column in zip(*rows, strict=True)))

    def take(self) -> list[Ints]:
        """Return each column as one array, and drop the blocks to free memory early."""
        columns = list(zip(*self._blocks, strict=True)) or [()] * self.count
        self._blocks.clear()
        return [
            np.asarray(np.concatenate(column) if column else [], np.int64) for column in columns
        ]
