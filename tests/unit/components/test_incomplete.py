"""The sentence about missing data."""

import pytest

from components.incomplete import incomplete_caption
from schema.diagnostics import Diagnostic, diagnostics_frame

SKIPPED = Diagnostic("warning", "rows_skipped", "12345 rows skipped", "a.csv, line 3", 12345)
FULL = Diagnostic("warning", "trace_overrun", "the buffer is full, so its end may be missing")
NOTE = Diagnostic("info", "capacity_from_name", "the capacity comes from the name")


@pytest.mark.parametrize(
    ("findings", "start", "further"),
    [
        ([SKIPPED, NOTE], "Incomplete: ", False),
        ([SKIPPED, FULL], "Incomplete: ", True),
        ([FULL], "Perhaps incomplete: ", False),
    ],
)
def test_the_first_finding_is_quoted_and_further_ones_are_counted(findings, start, further):
    sentence = incomplete_caption(diagnostics_frame(findings))
    assert sentence.startswith(start)
    assert ("1 further finding" in sentence) == further


def test_without_missing_data_there_is_no_sentence():
    assert incomplete_caption(diagnostics_frame([NOTE])) == ""
    assert incomplete_caption(diagnostics_frame([])) == ""
