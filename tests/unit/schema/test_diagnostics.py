import pytest

from schema.diagnostics import (
    Diagnostic,
    diagnostics_frame,
    joined_findings,
    occurrences,
    places_of,
)
from schema.plurals import plural


def test_findings_come_worst_first_and_otherwise_in_order():
    found = [
        Diagnostic("info", "a", "1"),
        Diagnostic("error", "b", "2"),
        Diagnostic("info", "c", "3", "here", 4),
    ]
    frame = diagnostics_frame(found)
    assert frame["code"].tolist() == ["b", "a", "c"]
    assert frame.iloc[2].to_dict() == {
        "severity": "info",
        "code": "c",
        "message": "3",
        "location": "here",
        "count": 4,
    }


def test_no_findings_are_an_empty_frame():
    frame = diagnostics_frame([])
    assert len(frame) == 0
    assert list(frame.columns) == ["severity", "code", "message", "location", "count"]


def test_findings_of_several_frames_are_joined_worst_first():
    one = diagnostics_frame([Diagnostic("info", "a", "1")])
    two = diagnostics_frame([Diagnostic("warning", "b", "2"), Diagnostic("error", "c", "3")])
    assert joined_findings(one, two, diagnostics_frame([]))["code"].tolist() == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (1, "core", "1 core"),
        (2, "core", "2 cores"),
        (0, "core", "0 cores"),
        (3, "entry", "3 entries"),
        (1, "entry", "1 entry"),
        (2, "copy", "2 copies"),
        (2, "array", "2 arrays"),
    ],
)
def test_counts_are_worded(count, noun, text):
    assert plural(count, noun) == text


def test_occurrences_are_a_finding_where_there_are_any():
    assert occurrences("info", "odd", 0, "entry", "left out") == []
    assert occurrences("info", "odd", 1, "entry", "left out") == [
        Diagnostic("info", "odd", "1 entry left out")
    ]
    assert occurrences("info", "odd", 2, "entry", "left out") == [
        Diagnostic("info", "odd", "2 entries left out", "", 2)
    ]


@pytest.mark.parametrize(
    ("location", "places", "rest"),
    [
        ("", [], ""),
        ("attempt 3", ["attempt 3"], ""),
        ("core 2,1, core 3,1", ["core 2,1", "core 3,1"], ""),
        ("attempt 0, attempt 1 and 4 more", ["attempt 0", "attempt 1"], "4 more"),
        ("salt and 4 more things", ["salt and 4 more things"], ""),
    ],
)
def test_the_places_of_a_finding_are_told_apart(location, places, rest):
    assert places_of(location) == (places, rest)
