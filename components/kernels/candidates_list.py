"""The list of programs that an execution may have run, for captures that do not decide between
them.
"""

from __future__ import annotations

import pandas as pd
from dash import html

from components.kernels.program_list import program_list
from components.numbers import integer


def candidates_list(programs: pd.DataFrame) -> html.Div:
    """List all rows of a frame `programs` as `program_list` does, below a sentence that the capture
    does not decide which of these programs ran.
    """
    hint = (
        f"{integer(len(programs))} programs have this kernel's name, and the capture does not record "
        "which of them ran. Numbers are shown if they are equal for all of them."
    )
    return html.Div([html.P(hint, className="ts-panel-hint"), program_list(programs, None)])
