"""Card with all facts about a buffer of a profile: size, lifetime, origin and users."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd
from dash import dcc, html
from dash.development.base_component import Component

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.buffer_use import untimed_launches, use_span
from analysis.memory.dtype_bytes import dtype_bytes
from components.memory.block_card import ACCESS_WORDS, block_name, rest
from components.memory.block_words import both, exact, text
from components.memory.buffer_words import BufferLife, moment
from components.memory.origin_words import origin_title, origin_words
from components.numbers import DASH, count_text, duration_text, integer, percent, shorten

MAX_USES = 24
"""Maximum number of uses in the list; a last item counts the other uses."""
_NAME, _WORD = 120, 44
_WRITES = ("w", "rw")


@dataclass(frozen=True)
class Origin:
    """Origin of a buffer: its row of frame `buffer_origins`, and the schedule that it belongs to.

    `schedule` is the name of the schedule and `page` its address on the page of programs; both are
    None if unknown.
    """

    row: pd.Series
    schedule: str | None = None
    page: str | None = None


def buffer_card(
    device: AttemptMap,
    row: int,
    kernels: pd.DataFrame,
    launches: pd.DataFrame,
    origin: Origin | None = None,
) -> html.Div:
    """Lay out the facts about the buffer at position `row` (from 0) of a device's blocks as a card.

    `kernels` and `launches` are the results of `kernels_of_block` and `launches_of_block` in
    `analysis.kernels.links`. Each kernel is a button with the id `{"type": "kernel-link", "row":
    its position in frame kernels}`.
    """
    block = device.blocks.iloc[row]
    life = BufferLife(int(block["start"]), int(block["end"]), device.length)
    came = [] if origin is None else _origin_facts(origin, kernels, launches)
    facts = [*_facts(device, block, life), *came, *_use_facts(life, kernels, launches)]
    terms = [part for label, value in facts for part in (html.Dt(label), html.Dd(value))]
    flags = [
        *([] if life.is_freed else ["alive at the end"]),
        *([] if len(launches) + len(kernels) else ["never used"]),
    ]
    return html.Div(
        [
            html.H3(
                [
                    html.Bdi(block_name(block, _NAME)),
                    *(html.Span(flag, className="ts-flag") for flag in flags),
                ]
            ),
            html.Dl(terms, className="ts-facts"),
            *_list_uses(device, kernels, untimed_launches(launches, kernels)),
        ],
        className="ts-block-card",
    )


def _facts(device: AttemptMap, block: pd.Series, life: BufferLife) -> Iterator[tuple[str, str]]:
    length = int(block["size"])
    yield "size", both(length)
    if text(block["dtype"]) != DASH:
        yield "dtype", shorten(str(block["dtype"]), _WORD)
    item = dtype_bytes(block["dtype"])
    if item and length % item == 0:
        yield "elements", f"{integer(length // item)} of {exact(item)}"
    yield "device", shorten(device.label, _WORD)
    yield "allocated", life.since
    yield "freed", life.until if life.is_freed else "never: alive when the capture ends"
    yield (
        "lifetime",
        f"{life.lasts} ({percent((life.end - life.start) / life.length)} of the capture)",
    )


def _origin_facts(
    origin: Origin, kernels: pd.DataFrame, launches: pd.DataFrame
) -> Iterator[tuple[str, Component | str]]:
    """Yield (label, value) of the known parts of the origin: allocating range and source line,
    schedule, first writing kernel.
    """
    words = origin_words(origin.row.to_dict())
    if not len(kernels) + len(launches):
        sentence = f"allocated in {words}; no launch names it" if words else "no launch names it"
        yield "comes from", html.Span(sentence, title=origin_title(origin.row.to_dict()))
    elif words:
        yield (
            "comes from",
            html.Span(f"allocated in {words}", title=origin_title(origin.row.to_dict())),
        )
    if origin.schedule is not None:
        name = html.Bdi(shorten(origin.schedule, _WORD))
        yield (
            "schedule",
            name if origin.page is None else dcc.Link(name, href=origin.page, className="ts-link"),
        )
    writers = launches[launches["access"].astype("str").isin(_WRITES)]
    if len(writers):
        first = writers.sort_values("start", kind="stable").iloc[0]
        yield "first written by", html.Bdi(shorten(str(first["name"]), _WORD))


def _use_facts(
    life: BufferLife, kernels: pd.DataFrame, launches: pd.DataFrame
) -> Iterator[tuple[str, str]]:
    """Yield (label, value) of the first and last use, and of the time for which the buffer is not
    in use; no pairs if it is never used.
    """
    span = use_span((life.start, life.end), kernels, launches)
    if span is None:
        return
    yield "in use", f"{moment(span.first, life.length)} – {moment(span.last, life.length)}"
    idle = span.idle_before + span.idle_after
    share = percent(idle / max(life.end - life.start, 1))
    yield (
        "idle",
        f"{duration_text(span.idle_before)} before the first use, {duration_text(span.idle_after)} after the last: "
        f"{share} of its life",
    )


def _list_uses(device: AttemptMap, kernels: pd.DataFrame, others: pd.DataFrame) -> list[Component]:
    """List the executions that use the buffer by start time, then its launches without timing,
    below a heading, at most 24 (MAX_USES); empty if it is never used.
    """
    if not len(kernels) + len(others):
        return []
    timed = [_execution(device, use) for use in kernels.head(MAX_USES).itertuples(index=False)]
    room = MAX_USES - len(timed)
    items = [*timed, *(_launch(device, use) for use in others.head(room).itertuples(index=False))]
    total = len(kernels) + len(others)
    heading = f"Used {count_text(total, 'time')}"
    return [html.H4(heading), html.Ul([*items, *rest(total - len(items), "use")])]


def _execution(device: AttemptMap, use: object) -> html.Li:
    name, track, row, start = (getattr(use, field) for field in ("name", "track", "row", "start"))
    link = html.Button(
        html.Bdi(shorten(str(name), _WORD)),
        id={"type": "kernel-link", "row": int(row)},
        className="ts-link",
        title=shorten(str(name), _NAME),
    )
    run = use.run  # type: ignore[attr-defined]
    times = "" if pd.isna(run) else f" run {integer(int(run))}"
    place = f"{times} on {shorten(str(track), _WORD)} at {moment(int(start), device.length)}"
    return html.Li([link, html.Span(f"{place}, {_access(use)}", className="ts-muted")])


def _launch(device: AttemptMap, use: object) -> html.Li:
    name, start = (getattr(use, field) for field in ("name", "start"))
    place = f" launched at {moment(int(start), device.length)}, not timed, {_access(use)}"
    return html.Li([html.Bdi(shorten(str(name), _WORD)), html.Span(place, className="ts-muted")])


def _access(use: object) -> str:
    return ACCESS_WORDS.get(str(use.access), "uses it")  # type: ignore[attr-defined]
