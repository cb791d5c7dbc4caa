"""View of the parts of the memory peaks of two runs."""

from __future__ import annotations

import pandas as pd

from app.views.comparison.state import CompareState
from app.views.comparison.view import CompareWords
from app.views.text_tables import Table, rows_tables
from app.views.view import Part, Width
from components.comparison.peak_parts_table import (
    Row,
    part_label,
    peak_parts_caption,
    peak_parts_table,
)
from services.comparison.data import CompareData
from services.comparison.peaks import peak_changes
from services.run.capabilities import Capability


def peak_part(data: CompareData, _state: CompareState) -> Part:
    """Lay out the parts of the peaks of the shown runs; empty if either has no peak."""
    rows = _rows(data)
    if not rows:
        return Part(None, "")
    caption = f"{peak_parts_caption(rows)} {data.of_groups}".strip()
    return Part(peak_parts_table(rows), caption)


def peak_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a text table of the parts of the peaks; empty if either run has no peak."""
    rows = [(part_label(name), base, new, new - base) for name, base, new in _rows(data)]
    frame = pd.DataFrame(rows, columns=["part", "base", "new", "change"])
    return rows_tables("parts of the peak, bytes", frame)


def _rows(data: CompareData) -> list[Row]:
    return [(one.name, one.base, one.new) for one in peak_changes(*data.detail_runs)]


PEAK = CompareWords(
    id="peak",
    title="Peak",
    help="What the peak of each side is made of: content, waste and unknown bytes, which sum to the peak (see peak).",
    needs=frozenset({Capability.MEMORY}),
    group="memory",
    width=Width.FULL,
    make=peak_part,
    tables=peak_tables,
)
