"""View of the saved placements: their problems, comparisons, downloads, and removal."""

from __future__ import annotations

from urllib.parse import quote

from dash import dcc, html
from dash.development.base_component import Component

from app.request.user import may
from app.views.lab.state import LabState
from app.views.lab.view import LabWords
from app.views.saved_placements import (
    base_label,
    compare_url,
    question_address,
    saved_count,
    saved_title,
    saved_words,
)
from app.views.text_tables import Table
from app.views.view import Part, Width
from components.aria import aria
from components.numbers import integer, size
from schema.roles import Role
from services.lab.data import LabData
from services.run.capabilities import Capability
from services.run.saved_placements import CheckedPlacement

REMOVE = "lab-kept-remove"
"""Type in the ids of the buttons that remove a saved placement; the id has its `number`."""


def saved_part(data: LabData, _state: LabState) -> Part:
    """List the saved placements with their links and, for editors, buttons to remove them; empty
    without saved placements.
    """
    if not data.saved:
        return Part(None, "")
    items = [_item(data, placement) for placement in data.saved]
    return Part(html.Ul(items, className="ts-lab-kept"), saved_count(data.saved))


def _item(data: LabData, saved: CheckedPlacement) -> html.Li:
    run_id = data.run.run_id
    links: list[Component] = []
    if saved.asked is not None:
        links.append(dcc.Link("question", href=question_address(run_id, saved)))
    if saved.amap is not None:
        links.append(dcc.Link("beside the file's", href=compare_url(run_id, saved)))
        csv = f"/minimalloc/{quote(run_id)}/{saved.attempt}-solution.csv"
        links.append(html.A("MiniMalloc CSV", href=csv, download=""))
    remove = html.Button(
        "Remove",
        id={"type": REMOVE, "number": saved.row.number},
        className="ts-button",
        title="deletes this saved placement",
        **aria(label=f"Remove {saved.label}"),
    )
    words = html.Span(
        [
            html.B(saved.label),
            html.Bdi(saved_title(saved)),
            f": {saved_words(saved)}; {_extent_text(data, saved)}",
        ]
    )
    return html.Li([words, *links, *([remove] if may(Role.EDITOR) else [])])


def _extent_text(data: LabData, saved: CheckedPlacement) -> str:
    if saved.amap is None or saved.answer is None:
        return f"it does not fit: {saved.reason}."
    memory = data.run.memory
    extent = saved.answer.extent or 0
    own = memory.attempts.loc[memory.attempts["attempt"] == saved.base, "extent"].dropna().tolist()
    beside = f"{base_label(memory, saved)} of the file has {size(int(own[0])) if own else 'no placement'}"
    return f"{size(extent)} ({integer(extent)} B), {beside}."


def saved_tables(data: LabData, _state: LabState) -> list[Table]:
    """Build a text table of the saved placements: label, title, how they were found, extent; empty
    without saved placements.
    """
    if not data.saved:
        return []
    rows = [
        [
            placement.label,
            placement.row.title,
            saved_words(placement),
            _extent_text(data, placement),
        ]
        for placement in data.saved
    ]
    labels = [(name, name) for name in ("answer", "title", "found", "extent")]
    return [Table("kept", "kept with the run", labels, rows)]


KEPT = LabWords(
    id="kept",
    title="Kept with the run",
    help=(
        "Placements from the lab, saved as further attempts of the run. The problem link opens it here; "
        "Beside the file's compares it with its attempt of the file on the page of the run."
    ),
    needs=frozenset({Capability.ADDRESSES}),
    group="kept",
    width=Width.FULL,
    make=saved_part,
    tables=saved_tables,
)
