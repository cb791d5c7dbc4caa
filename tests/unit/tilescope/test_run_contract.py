"""The contract of loaded runs refuses frames that break it."""

import pandas as pd
import pytest

from schema.diagnostics import Diagnostic
from tilescope.run_contract import check_events, check_findings


def events(*rows):
    return pd.DataFrame(rows, columns=["track", "lane", "start", "end"])


def test_events_are_sorted_by_lane_and_start():
    check_events(events(("a", "x", 0, 5), ("a", "x", 5, 5), ("a", "y", 0, 1), ("b", "x", 0, 1)))


@pytest.mark.parametrize(
    "rows",
    [
        [("a", "x", 5, 4)],
        [("a", "x", 5, 6), ("a", "x", 4, 5)],
        [("a", "x", 0, 1), ("a", "y", 0, 1), ("a", "x", 2, 3)],
    ],
    ids=["end before begin", "starts", "lanes"],
)
def test_other_events_are_refused(rows):
    with pytest.raises(AssertionError):
        check_events(events(*rows))


@pytest.mark.parametrize(
    "finding",
    [
        Diagnostic("fatal", "code", "text"),
        Diagnostic("info", "a code", "text"),
        Diagnostic("info", "code", ""),
        Diagnostic("info", "code", "text", count=0),
    ],
)
def test_findings_without_a_known_severity_code_message_or_count_are_refused(finding):
    check_findings([Diagnostic("info", "a_code", "text")])
    with pytest.raises(AssertionError):
        check_findings([finding])
