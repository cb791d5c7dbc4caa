"""Rows of the grid of runs, made from runs and their annotations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from components.headline import headline_help, headline_text
from components.names import tail_lengths
from components.numbers import DASH, integer, number_text, shorten, tame
from schema.headlines import RunHeadline, headline_of
from schema.peak_rates import IMPOSSIBLE, has_impossible_rates
from schema.rounding import THIN
from schema.run_columns import GEMM_SIZES, HEADLINE, LISTED_COLUMNS, TILE_SIZES, Origin, RunColumn
from schema.table_columns import Format
from storage.annotation import Annotation
from storage.listed_run import grid_text

EXACT_UNITS: Mapping[Format, str] = MappingProxyType({Format.SIZE: "B", Format.DURATION: "ns"})
"""Formats whose texts are rounded -> unit of the exact number in the tooltip."""
METRIC_COLUMNS = tuple(column for column in LISTED_COLUMNS if column.origin is Origin.HEADLINE)
"""Columns with headline metrics."""
_TEXTS = tuple(c.name for c in LISTED_COLUMNS if c.origin is Origin.RUN and not c.format.is_number)
"""Columns with texts of frame `run`."""
_MAX_NOTE_CHARACTERS = 120
"""Characters of the first line of a run note at most."""
_HEALTH = (("errors", "✕", "error"), ("warnings", "▲", "finding"))
"""Count, symbol and word of findings, worst first."""


def runs_records(
    runs: Iterable[Mapping[str, Any]], added: Iterable[Annotation]
) -> list[dict[str, Any]]:
    """Convert runs to rows of the grid, a dict each in the given order.

    `runs` are records of frame `run` with metrics, errors and warnings; `added` has the annotation
    of each. A missing number has no field, for which the grid shows a dash. `name_tail` is the
    number of characters at the end of the name that stay when the name is cut.
    """
    return with_annotations(map(run_record, runs), added)


def with_annotations(
    records: Iterable[Mapping[str, Any]], added: Iterable[Annotation]
) -> list[dict[str, Any]]:
    """Complete the results of `run_record` for a page of runs: see `runs_records`."""
    rows = [{**row, **_marks(annotation)} for row, annotation in zip(records, added, strict=True)]
    tails = tail_lengths([str(row["name"]) for row in rows])
    return [row | {"name_tail": tail} for row, tail in zip(rows, tails, strict=True)]


def run_record(run: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a run to its own part of a row of the grid, without its annotation."""
    counts = {key: int(run[key] or 0) for key in ("errors", "warnings")}
    created_at = str(run["created_at"])
    date = run_date(run)
    return {
        "run_id": run["run_id"],
        **{name: tame(run.get(name) or "") for name in _TEXTS},
        **{name: run.get(name) for name in (*GEMM_SIZES, *TILE_SIZES)},
        "grid": grid_text(run),
        "observations": int(run.get("observations") or 1),
        **_headline_fields(run),
        "impossible": IMPOSSIBLE if has_impossible_rates(run) else "",
        **{
            field: value
            for column in METRIC_COLUMNS
            for field, value in _number_fields(column, run.get(column.name)).items()
        },
        **counts,
        "health": health(**counts),
        "created_at": _minute(created_at),
        "date": _minute(date),
        "date_told": _date_tooltip(date, created_at),
    }


def _headline_fields(run: Mapping[str, Any]) -> dict[str, str]:
    """Build the fields of the headline: its text, kind and tooltip; a dash without a headline."""
    # A record of the catalogue has its headline; that of a file of results is not in its columns.
    known = run.get(HEADLINE)
    headline = (
        RunHeadline(**known)
        if isinstance(known, dict)
        else headline_of(str(run.get("source")), run)
    )
    return {
        HEADLINE: headline_text(headline),
        "headline_kind": headline.kind if headline else "",
        "headline_help": headline_help(headline),
    }


def _number_fields(column: RunColumn, value: float | None) -> dict[str, Any]:
    """Build the fields of a number: the value for sorting, its text, and the exact number if the
    text is rounded.

    Empty if the number is missing or not finite.
    """
    if value is None or not math.isfinite(value):
        return {}
    fields = {
        column.name: value,
        f"{column.name}_text": number_text(value, column.format, column.unit),
    }
    unit = EXACT_UNITS.get(column.format)
    return fields | ({f"{column.name}_exact": f"{integer(value)}{THIN}{unit}"} if unit else {})


def _marks(added: Annotation) -> dict[str, Any]:
    """Build the fields of an annotation: `tags` as a text, `pinned`, and `note`, the first line of
    the run note with text, cut at 120 characters.
    """
    # Marks of Markdown headings, quotes and lists are not part of the text.
    lines = (line.strip(" #>*-") for line in added.notes.splitlines())
    first = shorten(next(filter(None, lines), ""), _MAX_NOTE_CHARACTERS)
    return {"tags": tame(" ".join(added.tags or ())), "pinned": added.pinned, "note": first}


def run_date(run: Mapping[str, Any]) -> str:
    """Return the date of a run's capture as ISO 8601 text, or of its ingest if the capture's is
    unknown.
    """
    return str(run.get("taken_at") or run["created_at"])


def health(errors: int, warnings: int) -> str:
    """Format the number of errors, else of warnings, of a run with a symbol: `✕ 2 errors`, `▲ 1
    finding`.

    When there are neither errors nor warnings, it is `✓ sound`.
    """
    counts = {"errors": errors, "warnings": warnings}
    for key, symbol, word in _HEALTH:
        if counts[key]:
            return f"{symbol} {counts[key]} {word}{'s' if counts[key] > 1 else ''}"
    return "✓ sound"


def _minute(date: str) -> str:
    return (date or DASH).replace("T", " ")[:16]


def _date_tooltip(date: str, created_at: str) -> str:
    """Return the tooltip of a run's date: when it was captured, if that differs from `created_at`,
    and when it was ingested.
    """
    ingested = f"ingested {_minute(created_at)} UTC"
    return ingested if date == created_at else f"captured {_minute(date)}, {ingested}"
