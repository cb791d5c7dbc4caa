"""View of the compile time of two runs, by rewrite step and by range of the compiler."""

from __future__ import annotations

from urllib.parse import quote

import pandas as pd
from dash import dcc, html

from app.views.comparison.state import CompareState
from app.views.comparison.view import CompareWords
from app.views.text_tables import Table, rows_tables
from app.views.view import Part, Width
from components.comparison.compile_table import (
    compile_change_sentence,
    compile_rows,
    compile_tables,
)
from services.comparison.data import CompareData
from services.run.capabilities import Capability

NEEDS = frozenset({Capability.REWRITES})


def compile_part(data: CompareData, _state: CompareState) -> Part:
    """Lay out the compile times of both runs; empty if a side has no run with rewrites."""
    if data.compile_changes is None:
        return Part(None, "")
    changes, runs = data.compile_changes
    links = [
        dcc.Link(
            f"Compile time of {side}",
            href=f"/run/{quote(run)}/program#compile-steps",
            className="ts-link",
        )
        for side, run in zip(("base", "new"), runs, strict=True)
    ]
    body = html.Div(
        [compile_tables(changes), html.Div(links, className="ts-program-links ts-node-links")]
    )
    return Part(body, compile_change_sentence(changes))


def compile_frame(data: CompareData) -> pd.DataFrame:
    """Return the frame of the compile times of both runs, in ns; without them it has no rows."""
    compared = data.compile_changes
    rows = [] if compared is None else compile_rows(compared[0])
    columns = ["kind", "name", "base", "new", "base_total", "new_total", "change"]
    return pd.DataFrame(rows, columns=columns)


def compile_text_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a text table of the compile times; empty without them."""
    frame = compile_frame(data)
    return rows_tables("compile time, ns", frame)


COMPILE_TIME = CompareWords(
    id="compile-time",
    title="Compile time",
    help="Time of the matches of each rewrite step of the compiler, over all contexts, and of the ranges that it "
    "traced of itself, the largest change first. Times exclude the steps or ranges inside, so that they sum to the "
    "whole; the last two columns include them. The numbers are those of the page Programs of each run.",
    needs=NEEDS,
    group="compile time",
    width=Width.FULL,
    make=compile_part,
    key=lambda _data, _state: "",
    tables=compile_text_tables,
)
