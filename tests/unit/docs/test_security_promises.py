"""Every test that docs/security.md names for its promises exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
WHOLE = (ROOT / "docs" / "security.md").read_text()
TEXT = (
    WHOLE.partition("## Pickles")[0]
    + WHOLE.partition("## Browsers")[2].partition("### What bounds")[0]
)
"""The tables with a list of tests; that of pickles has sentences."""


@pytest.mark.parametrize(
    "line", [line for line in TEXT.splitlines() if line.startswith("| ") and "promise" not in line]
)
def test_a_promise_names_tests_that_there_are(line):
    named = re.findall(r"`([\w./]+\.py)?(?:::)?((?:test_|Test)\w+)?`", line.split("|")[-2])
    named = [(path, name) for path, name in named if path or name]
    assert named, line
    file = ROOT
    for path, name in named:
        file = ROOT / path if path else file
        assert file.is_file(), file
        assert not name or re.search(rf"(def|class) {name}\b", file.read_text()), name
