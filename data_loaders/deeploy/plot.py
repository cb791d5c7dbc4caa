"""Read the blocks in Deeploy's `memory_alloc.html` from its text, without executing its scripts.

Format: Deeploy `Tiler.plotMemoryAlloc`. The page has a plotly figure per memory level; in it are a
closed line per constant, a closed line per memory block, and last the capacity as a line of two
points. y counts from the bottom of the constants, which are drawn below the arena. x extends half a
step before the first and after the last step alive.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from data_loaders.deeploy.traces import CAPACITY, Line, Rectangle, read_traces
from data_loaders.protocol import LoadError
from schema.diagnostics import Diagnostic
from schema.memory import MAX_BYTES
from schema.plurals import plural

MAX_PLOT_BYTES = 128 * 1024**2
"""Bytes of a page that are read: traces of several million points."""
MAX_LEVELS = 64
"""Figures of a page that are read."""

_FIGURE = re.compile(r"\bvar fig = ")
_DIV = re.compile(r'id="plot-([^"<>]{1,200})"')
_MAX_OPENING_BYTES = 20
"""Leading characters of a file that are compared with HTML's first tag."""
_TITLE = b"Deeploy Memory Allocation"


@dataclass(frozen=True)
class PlotLevel:
    """A memory level, its size in bytes, steps and blocks.

    `blocks` has name, address, size, start, end (half-open steps) and constant, in plot order.
    Addresses count from the begin of the arena, addresses of constants from the begin of the static
    band of `static` bytes.
    """

    name: str
    capacity: int | None
    static: int
    steps: int
    blocks: pd.DataFrame


@dataclass
class Plot:
    """Memory levels in the order of the page, and findings."""

    levels: list[PlotLevel]
    findings: list[Diagnostic] = field(default_factory=list)


def is_plot(head: bytes) -> bool:
    """Whether the bytes contain the title of Deeploy's page, `Deeploy Memory Allocation`."""
    return _TITLE in head


def is_page(head: bytes) -> bool:
    """Whether the bytes begin with the first tag of an HTML page, behind white space."""
    return (
        head.removeprefix(BOM_UTF8)
        .lstrip()[:_MAX_OPENING_BYTES]
        .lower()
        .startswith((b"<!doctype html", b"<html"))
    )


def read_plot(content: bytes, file: str) -> Plot:
    """Read the memory levels of a page from its first 128 MiB; damage gives findings.

    Raises LoadError if no level can be read. `file` is the name in findings.
    """
    text = content[:MAX_PLOT_BYTES].decode("utf-8", "replace")
    plot = Plot([])
    drawings = [_drawing(text, figure, file, plot.findings) for figure in _figures(text)]
    steps = max((drawing.steps for drawing in drawings if drawing.steps is not None), default=None)
    plot.levels = [
        _level(drawing, steps, file, plot.findings)
        for drawing in drawings
        if drawing.rectangles or drawing.capacity
    ]
    if not plot.levels:
        raise LoadError(f"{file}: the page contains no readable figure of a memory level")
    if "</html>" not in text[-2000:]:
        message = (
            f"the page is cut off: {plural(len(plot.levels), 'level')} before the cut were read"
        )
        plot.findings.append(
            Diagnostic("warning", "file_cut", message, f"{file}, byte {len(content)}")
        )
    return plot


class _Figure(NamedTuple):
    """Level name of a figure, offset of its JSON, and offset of the next figure's JSON."""

    level: str | None
    start: int
    stop: int


def _figures(text: str) -> Iterator[_Figure]:
    starts = [
        match.end() for _, match in zip(range(MAX_LEVELS), _FIGURE.finditer(text), strict=False)
    ]
    before = 0
    for start, stop in pairwise([*starts, len(text)]):
        # The div that names the level comes directly before the script with its figure.
        named = [match.group(1) for match in _DIV.finditer(text, max(before, start - 4000), start)]
        yield _Figure(named[-1] if named else None, start, stop)
        before = start


@dataclass(frozen=True)
class _Drawing:
    """Shapes of a figure; `steps` is `None` if the line of the capacity is missing."""

    name: str | None
    rectangles: list[Rectangle]
    capacity: Line | None

    @property
    def steps(self) -> int | None:
        """Number of steps that the capacity line of the figure spans; `None` without this line."""
        return None if self.capacity is None else int(self.capacity.end + 0.5)


def _drawing(text: str, figure: _Figure, file: str, findings: list[Diagnostic]) -> _Drawing:
    """Read a figure; its name is `None` if it has no title and no capacity line.

    Traces that cannot be read are reported in `findings`.
    """
    traces = read_traces(text, figure.start, figure.stop)
    level = figure.level or (
        traces.capacity.name.removesuffix(CAPACITY) if traces.capacity else None
    )
    place = f"{file}, level {level or 'without a name'}"
    if traces.skipped:
        message = f"{plural(traces.skipped, 'trace')} skipped: neither a block nor the capacity"
        findings.append(Diagnostic("warning", "traces_skipped", message, place, traces.skipped))
    if traces.damaged is not None:
        message = f"the figure's JSON is broken: {plural(len(traces.rectangles), 'block')} outside of the damaged part were read"
        findings.append(
            Diagnostic("warning", "plot_damaged", message, f"{place}, character {traces.damaged}")
        )
    return _Drawing(level, traces.rectangles, traces.capacity)


def _level(
    drawing: _Drawing, steps: int | None, file: str, findings: list[Diagnostic]
) -> PlotLevel:
    """Convert a figure's shapes to a level with its blocks.

    Unsound blocks are left out and reported in `findings`. Without its capacity line it gets
    `steps`, the number of other levels, or an estimate if that is `None`, and its capacity is
    `None`.
    """
    name = drawing.name or "unnamed"
    if drawing.steps is not None:
        steps = drawing.steps
    elif steps is None:
        steps = _estimate_steps(drawing.rectangles)
    if drawing.capacity is None:
        message = "the capacity line is missing: the size of the level is not known"
        findings.append(Diagnostic("warning", "capacity_missing", message, f"{file}, level {name}"))
    static, constants = _constants(drawing.rectangles, steps)
    blocks = _blocks(drawing.rectangles, constants, static, steps)
    sound = (
        (blocks["address"] >= 0)
        & (blocks["size"] >= 0)
        & (blocks["start"] >= 0)
        & (blocks["end"] > blocks["start"])
    )
    if not sound.all():
        bad = int((~sound).sum())
        message = f"{plural(bad, 'trace')} skipped: not a block of the arena, for example a block between the constants"
        findings.append(
            Diagnostic("warning", "traces_skipped", message, f"{file}, level {name}", bad)
        )
    capacity = drawing.capacity.height if drawing.capacity else None
    size = capacity if capacity is not None and 0 < capacity < MAX_BYTES else None
    return PlotLevel(name, size, static, steps, blocks[sound].reset_index(drop=True))


def _estimate_steps(rectangles: list[Rectangle]) -> int:
    """Estimate the number of steps of a level without a capacity line from its last end.

    Constants end a step later. At least 1.
    """
    last = max((rectangle.end for rectangle in rectangles), default=0.5)
    first = rectangles[0] if rectangles else None
    under_all = first is not None and (first.start, first.low, first.end) == (-0.5, 0, last)
    return max(1, int(last - (1.5 if under_all else 0.5)))


def _constants(rectangles: list[Rectangle], steps: int) -> tuple[int, int]:
    """Return the height of the static band in bytes, and the number of leading rectangles that are
    constants stacked in it.
    """
    top = 0
    for rank, rectangle in enumerate(rectangles):
        if (rectangle.start, rectangle.end, rectangle.low) != (
            -0.5,
            steps + 1.5,
            top,
        ) or rectangle.high < top:
            return top, rank
        top = rectangle.high
    return top, len(rectangles)


def _blocks(rectangles: list[Rectangle], constants: int, static: int, steps: int) -> pd.DataFrame:
    """Convert rectangles to rows of name, address, size (bytes of the arena), start, end (steps,
    half-open) and constant, in their order.
    """
    # The page stacks the constants below the arena, but in the code they are separate arrays and
    # addresses of the arena begin at 0: the static band is subtracted.
    constant = np.arange(len(rectangles)) < constants
    start, end, low, high = (
        np.array(
            [(int(r.start + 0.5), int(r.end + 0.5), r.low, r.high) for r in rectangles], np.int64
        )
        .reshape(-1, 4)
        .T
    )
    columns = {
        "name": pd.array([rectangle.name for rectangle in rectangles], dtype="str"),
        "address": np.where(constant, low, low - static),
        "size": high - low,
        "start": np.where(constant, 0, start),
        "end": np.where(constant, steps, end),
        "constant": constant,
    }
    return pd.DataFrame(columns)
