"""List of links to programs, for captures in which kernels have no times."""

from __future__ import annotations

import pandas as pd
from dash import html

from components.kernels.coloured import coloured_spans
from components.numbers import integer, shorten

MOST = 300
"""Programs that are listed at most."""


def program_list(programs: pd.DataFrame, selected: int | None) -> html.Div:
    """List the first 300 rows (MOST) of a frame `programs`, each as a button with the id `{"type":
    "program-link", "program": number}`; a line below counts further programs.

    The program with the number `selected` is marked, no program if it is None.
    """
    shown = programs.head(MOST)
    links = [
        html.Button(
            coloured_spans(str(name), str(colours or ""), 80),
            id={"type": "program-link", "program": int(number)},
            className="ts-link ts-mono" + (" ts-chosen" if number == selected else ""),
            title=shorten(str(device), 60),
        )
        for number, name, colours, device in zip(
            shown["program"], shown["name"], shown["colours"], shown["device"], strict=True
        )
    ]
    left = len(programs) - len(shown)
    more = (
        [html.P(f"{integer(left)} more programs are in the table.", className="ts-panel-hint")]
        if left
        else []
    )
    return html.Div([html.Div(links, className="ts-program-list"), *more])
