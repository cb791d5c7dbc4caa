"""Card of a program: target, work per run, durations, and source text."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from dash import dcc, html
from dash.development.base_component import Component

from components.kernels.coloured import coloured_spans
from components.kernels.source_text import source_text
from components.memory.block_words import both, text
from components.numbers import (
    DASH,
    count_text,
    duration_text,
    integer,
    missing,
    percent,
    rate_text,
    shorten,
)

_MAX_WORD = 120
_ESTIMATES = {
    "symbolic": "depends on variables: see the numbers per run",
    "missing": "not in the capture",
}
"""Kind of estimate in frame `programs` -> reason why the number of operations is missing."""


def program_card(
    program: pd.Series,
    row: pd.Series | None,
    download: str | None = None,
    compiler: str | None = None,
    options: Component | None = None,
    *,
    has_source: bool = True,
) -> html.Div:
    """Build the card of a row of frame `programs`.

    `row` is the program's row of `analysis.kernels.kernel_table`, None if it did not run.
    `download` is the address of the whole source text, `compiler` the address of the compiler page,
    `options` the line of optimisations (`components.kernels.options_line`). Without `has_source`
    the card has no source text.
    """
    facts = [
        part for label, value in _facts(program, row) for part in (html.Dt(label), html.Dd(value))
    ]
    return html.Div(
        [
            html.H3(html.Bdi(coloured_spans(str(program["name"]), text(program["colours"])))),
            *(
                [dcc.Link("Steps of the compiler ›", href=compiler, className="ts-link")]
                if compiler
                else []
            ),
            *([options] if options is not None else []),
            html.Dl(facts, className="ts-facts"),
            *(
                [source_text(str(program["source"] or ""), str(program["device"] or ""), download)]
                * has_source
            ),
        ],
        className="ts-block-card ts-program-card",
    )


def _facts(program: pd.Series, row: pd.Series | None) -> Iterator[tuple[str, str]]:
    """Yield label and value of each known fact of a program; `row` is as in `program_card`."""
    if str(program["function"]) != str(program["name"]) and text(program["function"]) != DASH:
        yield "function", shorten(str(program["function"]), _MAX_WORD)
    if text(program["device"]) != DASH:
        yield "compiled for", shorten(str(program["device"]), _MAX_WORD)
    for column, label in (("global_size", "work groups"), ("local_size", "items per group")):
        if text(program[column]) != DASH:
            yield label, str(program[column]).replace("x", " × ")
    yield from _work(program)
    if not missing(program["library_bytes"]):
        yield "machine code", both(int(program["library_bytes"]))
    if row is not None:
        yield from _runs(row)


def _work(program: pd.Series) -> Iterator[tuple[str, str]]:
    """Yield label and value of the operations and bytes of a run; if the operations are unknown,
    only a dash and the reason.
    """
    if missing(program["operations"]):
        yield "computes", f"{DASH} {_ESTIMATES.get(str(program['estimate']), '')}"
        return
    yield "computes", f"{count_text(int(program['operations']), 'operation')} a run"
    if not missing(program["memory_bytes"]):
        yield "memory", f"{both(int(program['memory_bytes']))}, each buffer once"
    if not missing(program["moved_bytes"]):
        yield "loads, stores", f"{both(int(program['moved_bytes']))}, each time"


def _runs(row: pd.Series) -> Iterator[tuple[str, str]]:
    """Yield label and value of number of runs, durations, and rates that are known."""
    share = (
        ""
        if missing(row["share"])
        else f", {percent(row['share'])} of the time of kernels and copies"
    )
    yield (
        "ran",
        f"{count_text(int(row['count']), 'time')}, {duration_text(row['total'])} in all{share}",
    )
    yield "a run takes", f"{duration_text(row['p50'])} (median), {duration_text(row['p95'])} (p95)"
    if not missing(row["first_ratio"]):
        ratio = f"{float(row['first_ratio']):.2f} ×"
        # With two runs in all there is a single later run.
        later = (
            f"the median of the {integer(row['count'] - 1)} later"
            if row["count"] > 2
            else "the later one"
        )
        yield "first run", f"{duration_text(row['first'])}, {ratio} {later}"
    if not missing(row["flops"]):
        yield "computed at", rate_text(row["flops"], "FLOP/s")
    if not missing(row["memory_rate"]):
        yield "bandwidth", rate_text(row["memory_rate"], "B/s")
