"""Grid and caption of the named numbers of a file of results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import pandas as pd
from dash import dcc, html
from dash.development.base_component import Component

from components.columns import GridColumn
from components.grid import marked_options, memory_grid
from components.hints import left_out_hint
from components.metric_text import values_in_unit
from components.numbers import count_text, missing, percent, shorten
from schema.results import LESS, MORE
from schema.table_columns import Format

MAX_SENT = 5_000
"""Maximum number of rows of the grid; a note gives the number of the rest."""
_MAX_ROWS_SHOWN = 14
_MAX_NAME = 200
_MAX_LINK_NAME = 60
DIRECTIONS = {LESS: "less is better", MORE: "more is better"}
UNKNOWN_DIRECTION = "not known"
_STATISTICS = {"value": "the only value", "median": "median", "mean": "mean"}
_EXTREMES = ("minimum", "maximum")
COLUMNS = (
    GridColumn(
        "name", "number", 210, grows=2, is_mono=True, tooltip_field="name", is_filtered=True
    ),
    GridColumn(
        "value",
        "value",
        124,
        Format.SIGNIFICANT,
        text_field="value_text",
        tooltip_field="exact",
        help="the number that runs are compared by; the tooltip has it as the file has it; "
        "percentages are parts of what the name says, files do not tell more",
    ),
    GridColumn(
        "statistic", "is", 120, help="median or mean of the samples, or the only value of the file"
    ),
    GridColumn(
        "direction",
        "better",
        118,
        help="whether less or more is better; a number without it is shown and never judged",
    ),
    GridColumn(
        "samples",
        "samples",
        82,
        Format.WHOLE,
        help="measurements that the number rests on; a dash: the file does not tell",
    ),
    GridColumn(
        "spread", "spread", 78, Format.SHARE, help="standard deviation of the samples / their mean"
    ),
    *(
        GridColumn(
            name,
            name,
            128,
            Format.SIGNIFICANT,
            text_field=f"{name}_text",
            help=f"{word} of the samples",
        )
        for name, word in zip(_EXTREMES, ("smallest", "largest"), strict=True)
    ),
)


def numbers_caption(results: pd.DataFrame) -> str:
    """Count the named numbers, and the numbers that are not judged because their direction is unknown."""
    count = count_text(len(results), "named number")
    unknown = int(results["direction"].isna().sum())
    unjudged = (
        f"; of {unknown} the file does not tell whether less or more is better" if unknown else ""
    )
    return f"{count}{unjudged}."


def numbers_grid(grid_id: str, results: pd.DataFrame, selected: int) -> Component:
    """Build the grid of the first 5,000 rows (MAX_SENT) of frame `results`; the selected row is
    marked. A click, Enter or Space sets `cellClicked`.
    """
    listed = results.head(MAX_SENT)
    grid = memory_grid(
        grid_id,
        COLUMNS,
        len(listed),
        grid_options(selected),
        most=_MAX_ROWS_SHOWN,
        rowData=number_records(listed),
        getRowId="params.data.row",
    )
    return html.Div(
        [
            grid,
            *left_out_hint(
                len(results) - len(listed), "number", " not listed: the export has all."
            ),
        ]
    )


def grid_options(selected: int) -> dict[str, Any]:
    """Build the options of the grid, in which the selected row is marked."""
    return marked_options("No named numbers.", selected)


def number_records(results: pd.DataFrame) -> list[dict[str, Any]]:
    """Convert rows of frame `results` for the grid; `row` is the row's rank as text."""
    return [
        _record(rank, row) for rank, row in enumerate(results.astype(object).to_dict("records"))
    ]


def _record(rank: int, row: dict[Any, Any]) -> dict[str, Any]:
    unit = _text(row["unit"])
    mean, deviation = row["mean"], row["deviation"]
    is_spread_known = not missing(mean) and not missing(deviation) and float(mean) != 0
    value_text, *extremes = _texts(row, unit)
    texts = {f"{name}_text": text for name, text in zip(_EXTREMES, extremes, strict=True)}
    return {
        "row": str(rank),
        "name": shorten(str(row["name"]), _MAX_NAME),
        "value": float(row["value"]),
        "value_text": value_text,
        "exact": f"{float(row['value']):.17g} {unit or '(unit not known)'}; in the file: {_text(row['file_unit']) or 'no unit'}",
        "statistic": _STATISTICS.get(_text(row["statistic"]), "not known"),
        "direction": DIRECTIONS.get(_text(row["direction"]), UNKNOWN_DIRECTION),
        "samples": None if missing(row["samples"]) else int(row["samples"]),
        "spread": abs(float(deviation) / float(mean)) if is_spread_known else None,
        **{name: None if missing(row[name]) else float(row[name]) for name in _EXTREMES},
        **texts,
    }


def _texts(row: Mapping[Any, Any], unit: str) -> list[str | None]:
    """Format value, minimum and maximum of a row alike; None for a missing number."""
    values = [row["value"], *(row[name] for name in _EXTREMES)]
    numbers = [None if missing(value) else float(str(value)) for value in values]
    texts = values_in_unit(numbers, unit)
    return [None if number is None else text for number, text in zip(numbers, texts, strict=True)]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def trend_link(link_id: str, key: str, name: str) -> Component:
    """Lay out the link to the development of a named number over time."""
    texts = trend_properties(key, name)
    return dcc.Link(texts["children"], id=link_id, href=texts["href"])


def trend_properties(key: str, name: str) -> dict[str, str]:
    """Return the properties of the link for a named number: text and address."""
    label = f"{shorten(name, _MAX_LINK_NAME)} over time"
    return {"children": label, "href": f"/trends?{urlencode({'metric': key})}"}


def spread_words(results: pd.DataFrame, rank: int) -> str:
    """Describe the samples of a number: its value with the range and the number of samples."""
    row = results.iloc[rank]
    unit = _text(row["unit"])
    value, low, high = _texts(row, unit)
    count = "" if missing(row["samples"]) else f" of {count_text(int(row['samples']), 'sample')}"
    span = f", from {low} to {high}" if low is not None and high is not None else ""
    deviation = row["deviation"]
    share = (
        f", standard deviation {percent(float(deviation) / abs(float(row['mean'])))} of the mean"
        if not missing(deviation) and not missing(row["mean"]) and float(row["mean"]) != 0
        else ""
    )
    name = shorten(str(row["name"]), _MAX_LINK_NAME)
    statistic = _STATISTICS.get(_text(row["statistic"]), "value")
    return f"{name}: {statistic} {value}{count}{span}{share}."
