"""View that compares two attempts of a run."""

from __future__ import annotations

import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.compare import compare_blocks, compare_metrics
from app.views.memory.shown import shown_layout, shown_map
from app.views.state import RunState
from app.views.text_tables import Table, plain_table
from app.views.view import ContentView, Part, Width
from components.memory.attempt_compare import attempt_compare, delta_text
from components.numbers import in_unit
from services.run.capabilities import Capability
from services.run.data import RunData


def compared_maps(data: RunData, state: RunState) -> tuple[AttemptMap, AttemptMap] | None:
    """Return the displayed attempt and the attempt to compare, the older first.

    The result is None if there is no second attempt.

    Changes are computed from the older to the newer attempt, in whichever order they were selected.
    """
    shown = shown_map(data, state)
    other = data.memory.against(state.memory, shown_layout(data, state))
    if shown is None or other is None or other.number == shown.number:
        return None
    return (shown, other) if shown.number < other.number else (other, shown)


def _compare_part(data: RunData, state: RunState) -> Part:
    """Lay out the comparison of the displayed attempt with the attempt to compare; empty if there
    is no second attempt.
    """
    both = compared_maps(data, state)
    return Part(None, "") if both is None else Part(attempt_compare(*both), "")


def _comparison_tables(data: RunData, state: RunState) -> list[Table]:
    """Build text tables of the two attempts: their numbers, and the blocks that differ; empty if
    there is no second attempt.
    """
    both = compared_maps(data, state)
    if both is None:
        return []
    numbers = compare_metrics(*both)
    blocks = compare_blocks(*both)
    title = f"{both[0].label} (a) against {both[1].label} (b)"
    blocks = blocks[blocks["change"] != "same"]
    return [plain_table(title, _in_units(numbers)), plain_table(f"blocks of {title}", blocks)]


def _in_units(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return a table of the compared numbers as texts in their units: columns number, a, b, delta."""
    shown = {
        column: [
            form(value, unit) for value, unit in zip(numbers[column], numbers["unit"], strict=True)
        ]
        for column, form in (("a", in_unit), ("b", in_unit), ("delta", delta_text))
    }
    return pd.DataFrame({"number": numbers["label"], **shown})


COMPARE = ContentView(
    id="compare",
    title="Comparison",
    help="The older attempt (A) against the newer one (B): each number, new minus old, and each block by name.",
    needs=frozenset({Capability.ADDRESSES}),
    group="memory",
    width=Width.WIDE,
    make=_compare_part,
    stack="steps",
    tables=_comparison_tables,
)
