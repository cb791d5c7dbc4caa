"""Columns with relative changes say in their heading what a change is relative to."""

from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import Status, StatusRow, StatusRun
from components.comparison.status_table import status_table
from components.comparison.status_words import status_sentence
from tests.support.components import every

KEY = SeriesKey("aie", "npu2", 256, 64, 128, None, None, None, 2, 2, None, "", None)
RUN = StatusRun("id", "2026-11-24T02:00:00+00:00", "c0ffee", "main", "f.json", "night")
ROW = StatusRow(
    KEY, RUN, "gmacs_mean", 240.0, 258.0, -0.07, "regressed", "", None, None, [], age_days=0.0
)


def test_changes_of_the_status_name_the_rule():
    heads = [
        head
        for head in every(status_table([ROW], "my rule", is_editor=False), "Th")
        if str(head.children).startswith("change")
    ]
    assert [head.children for head in heads] == ["change vs my rule"]
    assert "my rule" in heads[0].title
    assert "my rule" in status_sentence(Status("my rule", "2026-11-24", [ROW]))
