"""Caption about a core that waits in a stall up to the end of the capture."""

from __future__ import annotations

import pandas as pd

from analysis.aie.open_stalls import CODE
from components.caption import Caption, Jump
from components.numbers import grouped_digits


def waiting_caption(diagnostics: pd.DataFrame) -> str:
    """Return the message of the first finding about a core that waits up to the end of the capture,
    as a sentence with a link to the core; "" if there is no such finding.
    """
    rows = diagnostics[(diagnostics["code"] == CODE).to_numpy(bool)]
    if not len(rows):
        return ""
    message = grouped_digits(str(rows["message"].iloc[0]))
    track = str(rows["location"].iloc[0])
    first = track[:1].upper() + track[1:]
    return Caption(f"{message[:1].upper()}{message[1:]}.", Jump(first, "track", track))
