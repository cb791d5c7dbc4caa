"""Caption about rates above the peak of the cores."""

from __future__ import annotations

import pandas as pd

from analysis.aie.above_peak import CODE
from components.numbers import grouped_digits


def peak_caption(diagnostics: pd.DataFrame) -> str:
    """Return the message of the finding about rates above the peak as a sentence; "" without it."""
    rows = diagnostics[(diagnostics["code"] == CODE).to_numpy(bool)]
    if not len(rows):
        return ""
    message = grouped_digits(str(rows["message"].iloc[0]))
    return f"{message[:1].upper()}{message[1:]}."
