"""View of the differences of the designs of two runs."""

from __future__ import annotations

from typing import Any

from dash import html

from app.views.comparison.state import CompareState
from app.views.comparison.view import CompareWords
from app.views.text_tables import Table
from app.views.view import Part, Width
from components.comparison.design_changes import (
    HEADS,
    change_cells,
    changes_caption,
    changes_table,
)
from components.numbers import count_text
from services.comparison.data import CompareData
from services.run.capabilities import Capability


def designs_part(data: CompareData, _state: CompareState) -> Part:
    """Lay out a row per difference; a sentence if the designs are equal."""
    designs = _designs(data)
    cells = change_cells(designs)
    body = changes_table(cells) if cells else html.Div()
    return Part(body, changes_caption(designs))


def designs_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a text table of the differences; empty if the designs are equal."""
    cells = change_cells(_designs(data))
    line = count_text(len(cells), "row")
    return [Table("differences of the designs", line, list(HEADS), cells)] if cells else []


def _designs(data: CompareData) -> dict[str, Any]:
    designs = data.result.pairs["designs"]
    return designs if isinstance(designs, dict) else {}


DESIGNS = CompareWords(
    id="designs",
    title="Designs",
    help="Buffers with another address or size, depths of objectfifos, locks and flows that differ between the designs "
    "of both runs, at the columns of the new run. The depth of a lowered objectfifo is the number of its buffers.",
    needs=frozenset({Capability.DESIGN}),
    group="designs",
    width=Width.FULL,
    make=designs_part,
    tables=designs_tables,
)
