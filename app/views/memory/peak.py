"""View of what the peak of the displayed attempt is made of, and of the changes that lower it."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

import pandas as pd
from dash import html

from analysis.memory.attempt_map import AttemptMap
from analysis.peak.parts import PeakParts
from app.views.memory import actions
from app.views.option import Option
from app.views.state import RunState
from app.views.text_tables import Table, plain_table
from app.views.view import ContentView, Link, Part, Width
from components.memory.peak_card import advice_card, parts_card
from components.memory.peak_words import KIND_LABELS, PART_LABELS, advice_lines, parts_sentence
from schema.choices import PLACED
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.peak import map_peak, peak_report

ADVICE = Option("peak", "advice on the peak", {"parts": "parts only", "advice": "with advice"})
"""Whether changes are replayed: for a large map that takes some seconds."""


def peak_part(data: RunData, state: RunState) -> Part:
    """Lay out the parts of the peak of the displayed attempt, and if option ADVICE requests it the
    changes that lower it; empty if no bytes are in use.
    """
    stored, parts = _shown_peak(data, state)
    if stored is None or parts is None:
        return Part(None, "")
    body = [parts_card(parts)]
    report = peak_report(data, stored) if ADVICE.of(state) == "advice" else None
    if report is not None:
        lab = f"/run/{quote(data.run_id)}/lab?attempt={stored.number}"
        body.append(html.Div(advice_card(report, lab)))
    return Part(html.Div(body), parts_sentence(stored, parts))


def peak_tables(data: RunData, state: RunState) -> list[Table]:
    """Build text tables of the parts of the peak, and of the advice if it was replayed."""
    stored, parts = _shown_peak(data, state)
    if stored is None or parts is None:
        return []
    rows = [{"part": PART_LABELS[name], "bytes": size} for name, size in parts.parts.items()]
    tables = [plain_table(f"parts of the peak of {stored.label}", pd.DataFrame(rows))]
    report = peak_report(data, stored) if ADVICE.of(state) == "advice" else None
    if report is None or not report.advice.advice:
        return tables
    advice = [
        {"kind": KIND_LABELS[one.kind], "gained bytes": one.gain, "change": line}
        for one, line in zip(report.advice.advice, advice_lines(report), strict=True)
    ]
    return [*tables, plain_table("changes that lower the peak", pd.DataFrame(advice))]


def _shown_peak(data: RunData, state: RunState) -> tuple[AttemptMap | None, PeakParts | None]:
    """Return the displayed attempt as the file places it, and the parts of its peak."""
    stored = data.memory.shown_map(state.memory, PLACED)
    if stored is None:
        return None, None
    return stored, map_peak(data.memory, data.frame("device_memory"), stored)


PEAK = ContentView(
    id="peak",
    title="Peak",
    help="What the peak of the attempt is made of, and the changes that lower it: each was replayed on the map, and gains "
    "the bytes beside it.",
    needs=frozenset({Capability.ADDRESSES}),
    group="memory",
    width=Width.HALF,
    stack="lists",
    choices=(ADVICE,),
    make=peak_part,
    tables=peak_tables,
    links=(
        Link(
            "peak-link",
            ("advice", "block"),
            lambda state, data, named: actions.block_listed(state, data, int(named["block"])),
        ),
    ),
)
# No run has both: a map has addresses, or it is a picture of lifetimes, whose devices come first.
# The links of a page are registered once, by their type.
PEAK_OF_DEVICE = replace(PEAK, needs=frozenset({Capability.PICTURE}), links=())
