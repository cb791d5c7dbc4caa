"""What is kept of the status of a key gives the row that all its runs give."""

import json

import pytest

from analysis.comparison.series import SeriesKey
from services.status.key_tail import is_lasting, read_tail, tail_record
from services.status.regressions import series_id
from services.status.rule_verdicts import JudgedRun
from services.status.status_rows import status_row
from storage.acknowledgements import Acknowledgement
from storage.rule_verdicts import RuleVerdict
from storage.series import SeriesPosition

KEY = SeriesKey("aie", "npu", 1, 2, 3, None, None, None, 4, 4, None, "", None)
URL = "https://git.example.org/c/{base}...{new}"


def judged(verdicts):
    """Return a run a minute with these verdicts."""
    runs = []
    for rank, verdict in enumerate(verdicts):
        date, run_id = f"2026-11-01T{rank // 60:02}:{rank % 60:02}:00", f"{rank:012x}"
        run = SeriesPosition(
            date, date, run_id, run_id, "like", f"c{rank}", "main", "f.json", "aie", "n\udcff"
        )
        told = RuleVerdict(
            run_id,
            date,
            run_id,
            "base",
            verdict,
            "why",
            "gmacs_mean",
            100.0 - rank,
            100.0,
            -0.1,
            7.5,
        )
        runs.append(JudgedRun(run, told))
    return runs


@pytest.mark.parametrize(
    "verdicts",
    [
        ["undecided"],
        ["unchanged"] * 50,
        ["unchanged"] * 3 + ["undecided"] * 2 + ["regressed"] * 60,
        ["undecided", "undecided"] + ["regressed", "undecided"] * 40 + ["regressed"],
        ["regressed"] * 45,
        ["improved"] + ["regressed"] * 5 + ["unchanged"],
        ["improved"] + ["regressed"] * 5 + ["incomparable"],
    ],
)
def test_a_kept_key_has_the_row_of_all_its_runs(verdicts):
    runs = judged(verdicts)
    key, tail = read_tail(json.loads(json.dumps(tail_record(KEY, runs))))
    acknowledgements = [
        {
            series_id(KEY): Acknowledgement(
                "r", series_id(KEY), run.run_id, run.date, "gmacs_mean", value, "", "me", ""
            )
        }
        for run, value in ((one.run, one.verdict.value) for one in runs[-40::8])
    ]
    for given in ({}, *acknowledgements):
        assert status_row(key, tail.runs, given, URL, tail.points) == status_row(
            KEY, runs, given, URL
        )


def test_runs_that_are_not_known_are_not_kept():
    runs = judged(["unchanged", "regressed"])
    assert is_lasting(runs)
    assert not is_lasting([*runs, runs[0]._replace(verdict=None)])
    assert not is_lasting([runs[0]._replace(verdict=runs[0].verdict._replace(against=""))])
