"""View of the saved placements: their problems, comparisons, downloads, and removal."""

from __future__ import annotations

from urllib.parse import quote

from dash import dcc, html
from dash.development.base_component import Component

from app.request.user import may
from app.views.kept import (
    base_label,
    compare_url,
    question_address,
    saved_count,
    saved_title,
    saved_words,
)
from app.views.lab.state import LabState
from app.views.lab.view import LabWords
from app.views.text_tables import Table
from app.views.view import Part, Width
from components.aria import aria
from components.numbers import integer, size
from schema.roles import Role
from services.lab.data import LabData
from services.run.capabilities import Capability
from services.run.saved_placements import Kept

REMOVE = "lab-kept-remove"
"""Type in the ids of the buttons that remove a saved placement; the id has its `number`."""


def saved_part(data: LabData, _state: LabState) -> Part:
    """List the saved placements with their links and buttons."""
    if not data.kept:
        return Part(None, "")
    items = [_item(data, placement) for placement in data.kept]
    return Part(html.Ul(items, className="ts-lab-kept"), saved_count(data.kept))


def _item(data: LabData, kept: Kept) -> html.Li:
    run_id = data.run.run_id
    links: list[Component] = []
    if kept.asked is not None:
        links.append(dcc.Link("question", href=question_address(run_id, kept)))
    if kept.amap is not None:
        links.append(dcc.Link("beside the file's", href=compare_url(run_id, kept)))
        csv = f"/minimalloc/{quote(run_id)}/{kept.attempt}-solution.csv"
        links.append(html.A("MiniMalloc CSV", href=csv, download=""))
    remove = html.Button(
        "Remove",
        id={"type": REMOVE, "number": kept.row.number},
        className="ts-button",
        title="takes this answer off the run",
        **aria(label=f"Remove {kept.label}"),
    )
    words = html.Span(
        [
            html.B(kept.label),
            html.Bdi(saved_title(kept)),
            f": {saved_words(kept)}; {_extent_text(data, kept)}",
        ]
    )
    return html.Li([words, *links, *([remove] if may(Role.EDITOR) else [])])


def _extent_text(data: LabData, kept: Kept) -> str:
    if kept.amap is None or kept.answer is None:
        return f"it does not fit: {kept.reason}."
    memory = data.run.memory
    extent = kept.answer.extent or 0
    own = memory.attempts.loc[memory.attempts["attempt"] == kept.base, "extent"].dropna().tolist()
    beside = (
        f"{base_label(memory, kept)} of the file has {size(int(own[0])) if own else 'no placement'}"
    )
    return f"{size(extent)} ({integer(extent)} B), {beside}."


def saved_tables(data: LabData, _state: LabState) -> list[Table]:
    """Format the saved placements as text."""
    if not data.kept:
        return []
    rows = [
        [
            placement.label,
            placement.row.title,
            saved_words(placement),
            _extent_text(data, placement),
        ]
        for placement in data.kept
    ]
    labels = [(name, name) for name in ("answer", "title", "found", "extent")]
    return [Table("kept", "kept with the run", labels, rows)]


KEPT = LabWords(
    id="kept",
    title="Kept with the run",
    help="Answers of the lab, kept as further attempts of the run: never the file's. The question leads back to it "
    "here; beside the file's sets it against the attempt that it is of, on the run's page.",
    needs=frozenset({Capability.ADDRESSES}),
    group="kept",
    width=Width.FULL,
    make=saved_part,
    tables=saved_tables,
)
