"""The line of a kernel's optimisations."""

import pandas as pd
from dash import dcc

from components.kernels.options_line import options_line, options_text
from tests.support.numbers_in_text import numbers_in

ROWS = pd.DataFrame(
    {
        "rank": [1, 0, 2],
        "op": ["LOCAL", "UPCAST", "NOLOCALS"],
        "axis": pd.array([1, 0, None], "Int64"),
        "amount": ["16", "4", "None"],
        "step": pd.array([7, None, None], "Int64"),
    }
)


def test_options_stand_in_the_order_in_which_they_were_applied():
    assert numbers_in(options_text(ROWS)) == ["0", "4", "1", "16"]


def test_those_with_a_step_lead_to_it():
    links = [
        part
        for part in options_line(ROWS, "/run/x/program?context=3").children
        if isinstance(part, dcc.Link)
    ]
    assert [(link.children, link.href) for link in links] == [
        ("LOCAL 1:16", "/run/x/program?context=3&step=7")
    ]
    assert options_line(ROWS.head(0), None) is None
