"""No module formats a share without a space before the percent sign."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PACKAGES = (
    "analysis",
    "app",
    "components",
    "data_loaders",
    "ingest",
    "schema",
    "services",
    "storage",
)
_BARE = re.compile(r"(?<![%{])\{[^{}]*:[+>\d]*\.?\d*%\}")
"""A field of an f-string that formats a share as percent; those of plotly begin with `%`."""


def test_shares_are_written_by_the_functions_that_put_a_space_before_the_sign():
    bare = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for found in _BARE.finditer(path.read_text("utf-8"))
    ]
    assert bare == []
