"""Table of the tile sizes of a GEMM: measured sizes with the best marked, predicted sizes, and
sizes without prediction.
"""

from __future__ import annotations

from dash import dcc, html

from analysis.tiling.advice import Advice, MeasuredSize, PredictedSize, RefusedSize, Size
from components.numbers import DASH, count_text, gmacs, integer
from components.tiling.advice_captions import size_text

HEADS = ("m × k × n", "GMAC/s", "95 % interval", "runs", "")
MAX_MEASURED, MAX_PREDICTED, MAX_REFUSED = 60, 20, 20
"""Sizes that are listed at most: measured, predicted, and without prediction."""
Row = tuple[str, str, str, str, str]
"""Texts of the cells of a row, in the order of HEADS."""


def advice_table(advice: Advice, own: Size) -> html.Div:
    """Build the table: measured sizes, then predicted sizes, best first, then sizes without a
    prediction; the size `own` of the run is marked, and a measured size links to its best run.

    At most 60, 20 and 20 sizes; a line below counts the rest.
    """
    head = html.Thead(html.Tr([html.Th(text, scope="col") for text in HEADS]))
    rows = [_measured_row(size, own) for size in advice.measured[:MAX_MEASURED]]
    rows += [_text_row(cells) for cells in _unmeasured_cells(advice)]
    table = html.Table([head, html.Tbody(rows)], className="ts-changes")
    return html.Div(
        [
            html.Div(table, className="ts-changes-frame"),
            html.P(_omitted_note(advice), className="ts-line ts-muted"),
        ]
    )


def advice_cells(advice: Advice, own: Size) -> list[Row]:
    """Format the sizes that `advice_table` lists as rows of texts in the order of HEADS."""
    return [
        *(_measured_cells(size, own) for size in advice.measured[:MAX_MEASURED]),
        *_unmeasured_cells(advice),
    ]


def _unmeasured_cells(advice: Advice) -> list[Row]:
    predicted = [*map(_predicted_cells, advice.predicted[:MAX_PREDICTED])]
    # A single row for all sizes when they were refused for the same reason.
    if advice.shared_reason:
        sizes = count_text(len(advice.refused), "size")
        return [*predicted, (sizes, DASH, DASH, DASH, f"not predicted: {advice.shared_reason}")]
    return [*predicted, *map(_refused_cells, advice.refused[:MAX_REFUSED])]


def _measured_cells(measured: MeasuredSize, own: Size) -> Row:
    notes = [
        *(["best measured"] if measured.won else []),
        *(["this run"] if measured.size == own else []),
    ]
    return (
        size_text(measured.size),
        gmacs(measured.gmacs),
        DASH,
        integer(measured.runs),
        ", ".join(notes) or "measured",
    )


def _predicted_cells(predicted: PredictedSize) -> Row:
    return (
        size_text(predicted.size),
        gmacs(predicted.gmacs),
        f"{gmacs(predicted.low)} to {gmacs(predicted.high)}",
        DASH,
        "predicted",
    )


def _refused_cells(refused: RefusedSize) -> Row:
    return size_text(refused.size), DASH, DASH, DASH, f"not predicted: {refused.reason}"


def _measured_row(measured: MeasuredSize, own: Size) -> html.Tr:
    size, *cells = _measured_cells(measured, own)
    link = dcc.Link(size, href=f"/run/{measured.run_id}", title="Open the best run of this size")
    return html.Tr([html.Th(link, scope="row", className="ts-nowrap"), *map(html.Td, cells)])


def _text_row(cells: Row) -> html.Tr:
    return html.Tr(
        [html.Th(cells[0], scope="row", className="ts-nowrap"), *map(html.Td, cells[1:])]
    )


def _omitted_note(advice: Advice) -> str:
    """Return the note about the number of sizes that the table leaves out, "" if it has all of
    them.
    """
    refused = () if advice.shared_reason else advice.refused
    parts = (
        (advice.measured, MAX_MEASURED),
        (advice.predicted, MAX_PREDICTED),
        (refused, MAX_REFUSED),
    )
    left_out = sum(max(len(sizes) - most, 0) for sizes, most in parts)
    return (
        f"{count_text(left_out, 'further size')} not listed; `advise --json` prints all."
        if left_out
        else ""
    )
