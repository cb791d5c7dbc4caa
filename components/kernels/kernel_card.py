"""Card of an execution of a kernel: place and time, rates, and the buffers that it used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.selection import name_key
from components.kernels.coloured import coloured_spans
from components.kernels.words import why_missing
from components.memory.block_words import both, exact, text
from components.numbers import (
    DASH,
    count_text,
    duration_text,
    integer,
    missing,
    rate_text,
    shorten,
    size,
)

MAX_BUFFERS = 100
"""Buffers that are listed, largest first; of further buffers the card gives the number."""

_MAX_WORD, _MAX_LONG_TEXT, _MAX_VARIABLES = 60, 400, 20
"""Characters of short and long texts, and variables that are listed at most."""
_MAX_OCCUPANCY = 100
"""Maximum occupancy of a device in percent."""
_ACCESS = {"w": "written", "r": "read", "rw": "read and written"}
_NO_LAUNCHER = {
    "op": "no operator was around its launch",
    "python": "no Python function is known around its launch",
}
"""Column of frame `kernels` -> why it has no value."""
Value = str | list[Component | str]


def kernel_card(
    kernel: pd.Series,
    blocks: pd.DataFrame | None,
    launch: pd.Series | None,
    options: Component | None = None,
) -> html.Div:
    """Build the card of an execution, a row of frame `kernels`.

    `launch` is the row of frame `launches` that started it, None if unknown. `blocks` are its
    buffers from `analysis.kernels.links.blocks_of_launch`, None if unknown. `options` is the line
    of its program's optimisations. Each buffer is a button with the id `{"type": "buffer-link",
    "attempt": attempt, "block": block}`.
    """
    name = html.Bdi(coloured_spans(str(kernel["name"]), text(kernel["colours"])))
    facts = [
        part for label, value in _facts(kernel, launch) for part in (html.Dt(label), html.Dd(value))
    ]
    return html.Div(
        [
            html.H3([name, *_flags(kernel)]),
            *([] if options is None else [options]),
            html.Dl(facts, className="ts-facts"),
            *_buffers(kernel, blocks),
        ],
        className="ts-block-card",
    )


def median_line(count: int, longest: pd.Series, row: int) -> html.P:
    """Build the line above the card of a median execution, with a button that selects the longest.

    `count` is the number of executions; of a single execution the line has no button. `longest` is
    the row of frame `kernels` at position `row`; the button has the id `{"type": "kernel-link",
    "row": row}`.
    """
    if count == 1:
        return html.P(
            "The only execution of this kernel in the selection:", className="ts-panel-hint"
        )
    button = html.Button(
        duration_text(longest["duration"]),
        id={"type": "kernel-link", "row": row},
        className="ts-link",
    )
    lead = f"Median by duration of {count_text(count, 'execution')}; longest: "
    return html.P([lead, button, "."], className="ts-panel-hint")


def _flags(kernel: pd.Series) -> list[Component]:
    """Build a span for each flag that the execution has: copy, batched; empty without flags."""
    flags = {
        "copy": "it copies bytes and has no operations",
        "batched": "it ran as part of a graph of kernels",
    }
    return [
        html.Span(flag, className="ts-flag", title=meaning)
        for flag, meaning in flags.items()
        if _is_true(kernel[flag])
    ]


def _facts(kernel: pd.Series, launch: pd.Series | None) -> Iterator[tuple[str, Value]]:
    """Yield label and value of each known fact: device, run, start, duration and rates, then those
    of the call if there is a `launch`, then what the kernel was made for.
    """
    yield "device", shorten(str(kernel["track"]), _MAX_WORD)
    if not missing(kernel["run"]):
        yield "run", f"{integer(kernel['run'])} of its name on this device"
    yield "start", _time(kernel["start"])
    yield "duration", _time(kernel["duration"])
    yield from _launch_facts(kernel)
    yield from _rates(kernel)
    if launch is not None:
        yield from _call_facts(kernel, launch)
    if text(kernel["metadata"]) != DASH:
        yield "made for", shorten(str(kernel["metadata"]), _MAX_LONG_TEXT)


def _launch_facts(kernel: pd.Series) -> Iterator[tuple[str, Value]]:
    """Yield label and value of the class of the execution, who launched it, and its resources.

    Names are buttons with the id `{"type": "launcher-link", "part": "op" or "python", "value": key
    of the name}`. Facts that the source does not tell are left out.
    """
    if "class" not in kernel or text(kernel["class"]) == DASH:
        return
    yield "class", str(kernel["class"])
    for part, label in (("op", "operator"), ("python", "Python")):
        if text(kernel[part]) == DASH:
            yield label, [f"{DASH} ", html.Span(_NO_LAUNCHER[part], className="ts-muted")]
        else:
            yield label, [_launcher_link(part, str(kernel[part]))]
    for part in ("grid", "block"):
        if text(kernel[part]) != DASH:
            yield part, str(kernel[part]).replace(",", " × ")
    if not missing(kernel["registers"]):
        yield "registers", f"{integer(kernel['registers'])} per thread"
    if not missing(kernel["shared_memory"]):
        yield "shared memory", f"{both(int(kernel['shared_memory']))} per block"
    if not missing(kernel["occupancy"]):
        is_possible = 0 <= kernel["occupancy"] <= _MAX_OCCUPANCY
        doubt = "" if is_possible else ": impossible"
        yield "occupancy", f"{kernel['occupancy']:g} %, estimated by the profiler{doubt}"


def _launcher_link(part: str, name: str) -> html.Button:
    return html.Button(
        html.Bdi(shorten(name, _MAX_LONG_TEXT)),
        id={"type": "launcher-link", "part": part, "value": name_key(name)},
        className="ts-link",
        title="Select the kernels that it launched",
    )


def _time(ns: Any) -> Value:  # noqa: ANN401
    """Format a time, from 1 µs on followed by the whole nanoseconds; a dash if it is missing."""
    shown = duration_text(ns)
    # Below 1 µs the text has whole nanoseconds already.
    if missing(ns) or abs(int(ns)) < 1000:
        return shown
    return [f"{shown} ", html.Span(f"{integer(int(ns))} ns", className="ts-muted")]


def _rates(kernel: pd.Series) -> Iterator[tuple[str, Value]]:
    """Yield label and value of computed operations and moved bytes, per second and in total.

    For a copy only the copied bytes; a dash and the reason if the operations are unknown.
    """
    if _is_true(kernel["copy"]):
        if not missing(kernel["copied_bytes"]):
            yield "copied", _rate(kernel, "memory_rate", "B/s", _bytes(kernel["copied_bytes"]))
        return
    operations = kernel["operations"]
    if missing(operations):
        why = why_missing(text(kernel["missing"]), copy=False)
        yield "computes", [f"{DASH} ", html.Span(why, className="ts-muted")]
    else:
        yield "computes", _rate(kernel, "flops", "FLOP/s", count_text(operations, "operation"))
    if not missing(kernel["memory_bytes"]):
        yield (
            "bandwidth",
            _rate(
                kernel, "memory_rate", "B/s", f"{_bytes(kernel['memory_bytes'])}, each buffer once"
            ),
        )
    if not missing(kernel["moved_bytes"]):
        yield (
            "loads, stores",
            _rate(kernel, "moved_rate", "B/s", f"{_bytes(kernel['moved_bytes'])}, each time"),
        )
    if (
        not missing(operations)
        and not missing(kernel["memory_bytes"])
        and kernel["memory_bytes"] > 0
    ):
        yield "intensity", f"{rate_text(operations / kernel['memory_bytes'], 'FLOP/B')}"


def _rate(kernel: pd.Series, column: str, unit: str, whole: str) -> Value:
    if missing(kernel[column]):
        return [f"{DASH} ", html.Span(f"{whole}; {_why_no_rate(kernel)}", className="ts-muted")]
    return [f"{rate_text(kernel[column], unit)} ", html.Span(whole, className="ts-muted")]


def _why_no_rate(kernel: pd.Series) -> str:
    if missing(kernel["duration"]):
        return "its duration is unknown"
    return "no hardware reaches its rate" if kernel["duration"] > 0 else "it took no time"


def _bytes(value: Any) -> str:  # noqa: ANN401
    return both(int(value))


def _call_facts(kernel: pd.Series, launch: pd.Series) -> Iterator[tuple[str, Value]]:
    """Yield label and value of the time of the host's call, if known, and of the sizes that it
    passed.
    """
    if _is_true(kernel["batched"]):
        note = "sizes and buffers are those of the call that the graph was captured from"
        yield (
            "called",
            [f"at {duration_text(launch['start'])} ", html.Span(note, className="ts-muted")],
        )
    elif not missing(kernel["start"]) and not missing(launch["start"]):
        ahead = int(kernel["start"]) - int(launch["start"])
        yield (
            "called",
            f"{duration_text(abs(ahead))} {'before' if ahead >= 0 else 'after'} its start",
        )
    words = variables(text(launch["variables"]))
    if words:
        yield "variables", words


def variables(said: str) -> str:
    """Format `said`, the JSON text of column `variables` in frame `launches`, as `i = 3, n = 64`.

    At most 20 variables, then `…`. Returns "" if it is not a JSON object.
    """
    try:
        values = json.loads(said)
    except ValueError:
        return ""
    if not isinstance(values, dict):
        return ""
    shown = [
        f"{shorten(name, _MAX_WORD)} = {value}"
        for name, value in list(values.items())[:_MAX_VARIABLES]
    ]
    return ", ".join(shown) + (", …" if len(values) > _MAX_VARIABLES else "")


def _buffers(kernel: pd.Series, blocks: pd.DataFrame | None) -> list[Component]:
    """Build heading and list of the buffers that the execution used, the first 100; a paragraph if
    they are unknown or none was alive.
    """
    if blocks is None:
        return [
            html.P("The capture has no record of the buffers it used.", className="ts-panel-hint")
        ]
    listed = blocks.drop_duplicates(["attempt", "block"])
    if not len(listed):
        return [
            html.P("No buffer recorded for it was alive at that time.", className="ts-panel-hint")
        ]
    total = int(listed["size"].sum())
    several = listed["attempt"].nunique() > 1
    items = [_buffer(block, several) for block in listed.head(MAX_BUFFERS).itertuples(index=False)]
    left = len(listed) - len(items)
    rest = (
        [html.Li(f"and {count_text(left, 'smaller buffer')}", className="ts-muted")] if left else []
    )
    return [
        html.H4(f"{count_text(len(listed), 'buffer')}, {size(total)}"),
        html.Ul([*items, *rest]),
    ]


def _buffer(block: Any, several: bool) -> html.Li:  # noqa: ANN401
    link = html.Button(
        html.Bdi(shorten(str(block.name) or f"buffer {block.block}", _MAX_WORD)),
        id={"type": "buffer-link", "attempt": int(block.attempt), "block": int(block.block)},
        className="ts-link",
        title=exact(int(block.size)),
    )
    place = f" on {shorten(str(block.level), 24)}" if several and text(block.level) != DASH else ""
    kind = f" {shorten(str(block.dtype), 24)}" if text(block.dtype) != DASH else ""
    access = _ACCESS.get(str(block.access), "used")
    return html.Li(
        [
            link,
            f", {size(int(block.size))}{kind}, ",
            html.Span(f"{access}{place}", className="ts-muted"),
        ]
    )


def _is_true(value: Any) -> bool:  # noqa: ANN401
    return not pd.isna(value) and bool(value)
