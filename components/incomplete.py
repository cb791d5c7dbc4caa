"""Caption about data that the numbers of a run do not cover."""

from __future__ import annotations

import pandas as pd

from components.numbers import grouped_digits
from schema.incomplete import POSSIBLY, incomplete_findings
from schema.plurals import plural


def incomplete_caption(diagnostics: pd.DataFrame) -> str:
    """Return a sentence with the first finding about missing data, and the number of further ones;
    "" without such a finding.
    """
    found = incomplete_findings(diagnostics)
    if not found:
        return ""
    known = "Perhaps incomplete" if found[0].code in POSSIBLY else "Incomplete"
    further = f"; {plural(len(found) - 1, 'further finding')} below" if len(found) > 1 else ""
    return f"{known}: {grouped_digits(found[0].message)}{further}."
