"""Card about a memory peak: a bar and a key of its parts, and the advice that lowers it."""

from __future__ import annotations

from collections.abc import Mapping

from dash import dcc, html
from dash.development.base_component import Component

from analysis.peak.parts import PeakParts
from analysis.peak.report import PeakReport
from components.memory.peak_words import (
    KIND_LABELS,
    PART_LABELS,
    PART_MEANINGS,
    advice_lines,
    lacking_sentences,
)
from components.numbers import integer, percent, size

MAX_LINKED = 8
"""Maximum number of blocks of a piece of advice that the card links."""


def parts_card(parts: PeakParts) -> html.Div:
    """Lay out a bar and a key of the parts of a peak that have bytes."""
    listed = {name: part for name, part in parts.parts.items() if part}
    return html.Div([_bar(listed, parts.peak), _key(listed, parts.peak)], className="ts-peak")


def advice_card(report: PeakReport, lab: str) -> Component:
    """Lay out the advice on a peak as a list, most bytes first; `lab` is the address of the lab.

    Each block that a change frees is a button with the id of a link to a block.
    """
    lines = advice_lines(report)
    items = [
        html.Li(
            [
                html.Strong(size(advice.gain), className="ts-number"),
                html.Span(KIND_LABELS[advice.kind], className="ts-flag"),
                html.Span(line),
                *_block_links(report, number),
            ]
        )
        for number, (advice, line) in enumerate(zip(report.advice.advice, lines, strict=True))
    ]
    notes = [html.P(note, className="ts-panel-hint") for note in lacking_sentences(report)]
    empty = html.P("No change that was replayed lowers the peak.", className="ts-panel-hint")
    link = html.P(dcc.Link("Try changes in the lab", href=lab), className="ts-panel-hint")
    body = html.Ol(items, className="ts-peak-advice") if items else empty
    return html.Div([body, *notes, link])


def _bar(listed: Mapping[str, int], peak: int) -> html.Div:
    """Lay out a bar with a segment per part, in proportion to its bytes."""
    segments = [
        html.Span(
            className=f"ts-peak-part ts-peak-{name}",
            title=f"{PART_LABELS[name]} {size(part)}",
            style={"flexGrow": str(part / peak)},
        )
        for name, part in listed.items()
    ]
    return html.Div(segments, className="ts-peak-bar")


def _key(listed: Mapping[str, int], peak: int) -> html.Ul:
    """Lay out the parts side by side: colour, name, bytes, and share of the peak."""
    items = [
        html.Li(
            [
                html.Span(className=f"ts-peak-key ts-peak-{name}"),
                f"{PART_LABELS[name]} {size(part)} · {percent(part / peak)} of the peak",
            ],
            title=f"{PART_MEANINGS[name]}; {integer(part)} B of the peak's {integer(peak)} B",
        )
        for name, part in listed.items()
    ]
    return html.Ul(items, className="ts-peak-parts")


def _block_links(report: PeakReport, number: int) -> list[Component]:
    """Lay out buttons that select the blocks of a piece of advice."""
    advice = report.advice.advice[number]
    return [
        html.Button(
            f"block {block.block}",
            id={"type": "peak-link", "advice": number, "block": block.block},
            className="ts-link",
            title="Select the block",
        )
        for block in report.named_blocks(advice, MAX_LINKED)
    ]
