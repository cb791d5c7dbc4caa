"""Two-column view of the line difference of two texts: removed lines left, new lines right."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from analysis.comparison.line_pairs import LinePair
from components.aria import aria
from components.hints import left_out_hint
from components.numbers import count_text, tame

MAX_LINES = 1_500
"""Maximum number of lines on the page; a line below counts the lines that are left out."""
_AROUND = 3
"""Number of equal lines that are shown before and after a change."""
_MAX_LINE_LENGTH = 240
"""Characters of a line that are shown."""


def beside(pairs: Sequence[LinePair], label: str) -> html.Div:
    """Lay out pairs of lines in two columns; equal lines are shown only up to 3 lines from a
    change.

    `label` names the texts for screen readers. Beyond 1,500 lines (MAX_LINES), a line below counts
    the lines that are left out.
    """
    shown = _pairs_near_changes(pairs)
    rows = [row for place, row in enumerate(shown) if place < MAX_LINES]
    sides = [_side(rows, side, label) for side in ("base", "new")]
    more = left_out_hint(len(shown) - len(rows), "line", " not shown.")
    return html.Div([html.Div(sides, className="ts-code-pair"), *more])


def changes_words(pairs: Sequence[LinePair], noun: str) -> str:
    """Count the changed and equal lines: `3 lines removed, 4 made, 120 the same`.

    `noun` is the noun for a line in the singular.
    """
    gone = sum(not pair.is_same and pair.base is not None for pair in pairs)
    added = sum(not pair.is_same and pair.new is not None for pair in pairs)
    return f"{count_text(gone, noun)} removed, {added} made, {len(pairs) - sum(not p.is_same for p in pairs)} the same"


def _pairs_near_changes(pairs: Sequence[LinePair]) -> list[LinePair | int]:
    """List the pairs at most 3 lines from a change; a stretch of skipped pairs is replaced by its
    length.
    """
    changed = [place for place, pair in enumerate(pairs) if not pair.is_same]
    near = {at for place in changed for at in range(place - _AROUND, place + _AROUND + 1)}
    shown: list[LinePair | int] = []
    for place, pair in enumerate(pairs):
        last = shown[-1] if shown else None
        if place in near:
            shown.append(pair)
        elif isinstance(last, int):
            shown[-1] = last + 1
        else:
            shown.append(1)
    return shown


def _side(rows: Sequence[LinePair | int], side: str, label: str) -> html.Pre:
    """Build the column of a side (base or new), with as many lines as the other column, so that
    lines align.
    """
    lines: list[Component | str] = []
    for row in rows:
        if isinstance(row, int):
            lines.append(
                html.Span(f"  … {count_text(row, 'equal line')}\n", className="ts-line-place")
            )
            continue
        text = row.base if side == "base" else row.new
        line = "" if text is None else tame(text)[:_MAX_LINE_LENGTH]
        if row.is_same:
            lines.append(f"  {line}\n")
        elif text is None:
            # The other side has a line here.
            lines.append("\n")
        else:
            sign, kind = ("-", "ts-line-old") if side == "base" else ("+", "ts-line-new")
            lines.append(html.Span(f"{sign} {line}\n", className=kind))
    # The column scrolls, so it must be reachable by keyboard.
    return html.Pre(
        lines,
        className="ts-graph-lines",
        tabIndex=0,
        role="region",
        **aria(label=f"{label} of {side}"),
    )
