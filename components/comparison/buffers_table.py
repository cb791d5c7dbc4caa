"""Table of device memory at the peaks of two profiles, by groups of buffers that differ."""

from __future__ import annotations

import pandas as pd
from dash import html

from components.hints import left_out_hint
from components.numbers import count_text, integer, shorten, signed_text, size

_MAX_ROWS = 20
"""Maximum number of groups in the table."""
_MAX_NAME_LENGTH = 48
_HEADS = ("written by", "device", "size", "base", "new", "difference", "change")


def buffers_table(groups: pd.DataFrame) -> html.Div:
    """Lay out the rows of `peak_buffers` that differ, in order: the largest difference first.

    At most 20 rows; a line below counts the rest. An empty Div if no row differs.
    """
    changed = groups[groups["change"] != "same"]
    if not len(changed):
        return html.Div()
    rows = [_row(row) for row in changed.head(_MAX_ROWS).to_dict("records")]
    more = left_out_hint(len(changed) - len(rows), "group")
    head = html.Thead(html.Tr([html.Th(words, scope="col") for words in _HEADS]))
    return html.Div(
        [html.Table([head, html.Tbody(rows)], className="ts-metrics"), *more], className="ts-scroll"
    )


def buffers_line(groups: pd.DataFrame) -> str:
    """Write by how many bytes the groups of buffers differ at the peaks, and which group differs
    most.

    A sentence that the same buffers are alive at the peaks, if no group differs.
    """
    changed = groups[groups["change"] != "same"]
    if not len(changed):
        return "The same buffers are alive at the peaks."
    total = int(changed["bytes"].sum())
    top = changed.iloc[0]
    what = f"buffers of {size(int(top['size']))} written by {shorten(str(top['kernel']), _MAX_NAME_LENGTH)}"
    differ = "differs" if len(changed) == 1 else "differ"
    return f"{count_text(len(changed), 'group')} {differ} by {signed_text(size(abs(total)), total)}; most by {what}."


def _row(row: dict[str, object]) -> html.Tr:
    change = int(str(row["bytes"]))
    cells = [
        shorten(str(row["device"]), 24),
        size(int(str(row["size"]))),
        f"{integer(int(str(row['count_base'])))} ×",
        f"{integer(int(str(row['count_new'])))} ×",
        signed_text(size(abs(change)), change),
    ]
    head = html.Th(shorten(str(row["kernel"]), _MAX_NAME_LENGTH), scope="row", className="ts-mono")
    numbers = [html.Td(cell, className="ts-number") for cell in cells]
    return html.Tr([head, *numbers, html.Td(str(row["change"]), className="ts-verdict")])
