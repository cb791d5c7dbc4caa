"""Table of the differences of two designs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dash import html

from components.numbers import DASH, count_text, shorten, size

HEADS = (
    ("part", "buffer, depth of an objectfifo, lock or flow"),
    ("name", "tile and name of the part, of a flow its ends"),
    (
        "change",
        "moved: another address; resized: another size; changed: another depth, id or value",
    ),
    ("base", "the part in the base"),
    ("new", "the part in the new run"),
)
"""Labels and meanings of the columns."""
KINDS: Mapping[str, str] = {
    "buffers": "buffer",
    "depths": "depth",
    "locks": "lock",
    "flows": "flow",
}
"""Kind of a part in the record -> its name."""
_MAX_NAME = 60
_MAX_OPEN = 12
"""Maximum number of changes of each part that are shown without opening the fold."""


def change_cells(designs: Mapping[str, Any]) -> list[list[str]]:
    """Write the listed changes of `services.comparison.designs.designs_record` as texts in the
    order of HEADS, kind by kind.
    """
    return [
        [
            KINDS[kind],
            _name(kind, row),
            row["change"],
            _part_words(kind, row["base"]),
            _part_words(kind, row["new"]),
        ]
        for kind in KINDS
        for row in designs[kind]
    ]


def _name(kind: str, row: Mapping[str, Any]) -> str:
    if kind == "flows":
        return f"{shorten(row['source'], _MAX_NAME)} to {shorten(row['dest'], _MAX_NAME)}"
    return f"{row['tile']} {shorten(row['name'], _MAX_NAME)}"


def _part_words(kind: str, part: Mapping[str, Any] | None) -> str:
    """Write a part of a side; a dash if the side does not have it."""
    if part is None:
        return DASH
    if kind == "buffers":
        return _buffer_words(part)
    if kind == "depths":
        return "unknown" if part["depth"] is None else str(part["depth"])
    if kind == "locks":
        return ", ".join(
            f"{name} {'unknown' if part[name] is None else part[name]}" for name in ("id", "init")
        )
    return part["kind"] if part["id"] is None else f"{part['kind']}, id {part['id']}"


def _buffer_words(part: Mapping[str, Any]) -> str:
    place = "address unknown" if part["address"] is None else f"{part['address']:#x}"
    bytes_text = "size unknown" if part["bytes"] is None else size(part["bytes"])
    if part["first_bank"] is None:
        return f"{place}, {bytes_text}"
    banks = sorted({part["first_bank"], part["last_bank"]})
    return f"{place}, {bytes_text}, bank {' to '.join(map(str, banks))}"


def changes_caption(designs: Mapping[str, Any]) -> str:
    """Count the changes of each kind; the caption states if the designs are equal."""
    counts = designs["counts"]
    words = [count_text(counts[kind], name) for kind, name in KINDS.items() if counts[kind]]
    if not words:
        return "Both designs have the same buffers, depths, locks and flows."
    left = sum(counts.values()) - sum(len(designs[kind]) for kind in KINDS)
    more = f" {count_text(left, 'change')} not listed." if left else ""
    return f"Differences: {', '.join(words)}.{more}"


def changes_table(cells: Sequence[Sequence[str]]) -> html.Div:
    """Lay out the rows of `change_cells`: the first _MAX_OPEN (12) of each part, and a fold with
    the others, since designs of another size differ in hundreds of parts.
    """
    places: Counter[str] = Counter()
    shown: list[Sequence[str]] = []
    folded: list[Sequence[str]] = []
    for row in cells:
        places[row[0]] += 1
        (shown if places[row[0]] <= _MAX_OPEN else folded).append(row)
    if not folded:
        return _table(shown)
    summary = html.Summary(f"{count_text(len(folded), 'more change')}")
    return html.Div([_table(shown), html.Details([summary, _table(folded)], className="ts-fold")])


def _table(cells: Sequence[Sequence[str]]) -> html.Div:
    heads = [html.Th(label, scope="col", title=meaning) for label, meaning in HEADS]
    rows = [
        html.Tr([html.Th(part, scope="row"), *(html.Td(text) for text in rest)])
        for part, *rest in cells
    ]
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody(rows)], className="ts-stalls")
    return html.Div(table, className="ts-scroll", tabIndex=0)
