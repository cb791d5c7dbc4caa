"""Readings of a memory map's figure from its traces."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from components.figure import Figure
from components.memory.memory_map import memory_map
from tests.support.memory import amap, block, steps

NOTHING = MemorySelection()


def shown(
    maps: Sequence[AttemptMap], selection: MemorySelection = NOTHING, **options: Any
) -> Figure:
    return memory_map(maps, selection, options.pop("theme", "light"), **options).figure


def bars(figure: Figure) -> list[Any]:
    """List the traces with bars of blocks, without bands and entries of the legend."""
    return [trace for trace in figure.data if trace.type == "bar" and trace.hovertext is not None]


def boxes(figure: Figure, name: str) -> list[tuple[float, float, float, float]]:
    """List (start, end, low, high) of each bar whose hover text has the name."""
    found = []
    for trace in bars(figure):
        for i, text in enumerate(trace.hovertext):
            if f"<b>{name}</b>" in text:
                half = trace.width[i] / 2
                found.append(
                    (
                        trace.base[i],
                        trace.base[i] + trace.x[i],
                        trace.y[i] - half,
                        trace.y[i] + half,
                    )
                )
    return found


def trace_of(figure: Figure, name: str) -> Any:
    return next(
        trace for trace in bars(figure) if any(f"<b>{name}</b>" in text for text in trace.hovertext)
    )


def hover(figure: Figure, name: str) -> str:
    trace = trace_of(figure, name)
    return next(text for text in trace.hovertext if f"<b>{name}</b>" in text)


def opacity(figure: Figure, name: str) -> float:
    trace = trace_of(figure, name)
    at = next(i for i, text in enumerate(trace.hovertext) if f"<b>{name}</b>" in text)
    values = trace.marker.opacity
    return round(
        float(1 if values is None else np.broadcast_to(values, len(trace.hovertext))[at]), 2
    )


def entries(figure: Figure) -> list[str]:
    return [trace.name for trace in figure.data if trace.name]


def notes(figure: Figure) -> str:
    return " | ".join(note.text for note in figure.layout.annotations)


def many(count: int) -> AttemptMap:
    return amap(
        [block(f"b{i}", i % 50, i % 50 + 1 + i % 3, 64 * (i // 50), 64) for i in range(count)]
    )


def level(
    name: str, number: int, rows: list[dict[str, Any]] | None = None, plan: str = "outer"
) -> AttemptMap:
    given = (
        [block("x", 0, 2, 0, plan=plan), block("y", 1, 3, 64, plan=plan)] if rows is None else rows
    )
    named = [row | {"attempt": number, "level": name} for row in given]
    columns = {"attempt": number, "level": name, "capacity": 1024, "length": 4}
    return amap(named, steps=steps(["conv", "relu", "add", "out"]), **columns)


def opacity_at(trace: Any, at: int) -> float:
    return round(float(np.broadcast_to(trace.marker.opacity, len(trace.hovertext))[at]), 2)
