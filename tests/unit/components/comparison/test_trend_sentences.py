"""Every number in the sentences about trends, against the series that they are about."""

import re
from dataclasses import replace
from itertools import combinations

import pytest

from components.comparison.trend_words import basis_text, rule_text, shown_text, trends_caption
from tests.support.sentences import COUNT, number_faults, plain
from tests.support.trends import METRIC, levels, series_of

STEP = series_of(levels((100, 22), (82, 18)), hwid="npu2")
RISE = series_of(levels((100, 10), (113, 10)), hwid="npu1")
STEADY = series_of(levels((50, 12)), hwid="npu7")
SHORT = series_of(levels((50, 5)), hwid="npu3")
SHORTER = series_of(levels((50, 3)), hwid="npu6")
DRIFT = series_of([100 * 1.004**night for night in range(40)], hwid="npu5")
ALL = (STEP, RISE, STEADY, SHORT, SHORTER, DRIFT)
GROUPS = [group for count in (1, 2, 3, 6) for group in combinations(ALL, count)]


def pending(series):
    """Return a series whose changes are still being compared."""
    events = tuple(replace(event, basis="pending") for event in series.development.events)
    return replace(series, development=replace(series.development, events=events))


def changes(group):
    return [event for series in group for event in series.development.changes]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: "-".join(s.key.hwid for s in group))
def test_the_caption_counts_series_that_are_too_short(group):
    sentence = plain(trends_caption(group, METRIC))
    assert not number_faults(sentence)
    short = sum(bool(series.development.note) for series in group)
    counted = re.search(rf"{COUNT} series (?:is|are) too short", sentence)
    if short == len(group):
        assert str(max(series.runs for series in group)) in re.findall(r"\d+", sentence)
    else:
        assert (int(counted[1]) if counted else 0) == short


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: "-".join(s.key.hwid for s in group))
def test_the_caption_has_the_levels_of_its_change(group):
    sentence = plain(trends_caption(group, METRIC))
    moved = re.search(r"from ([\d.]+) GMAC/s to ([\d.]+) GMAC/s \(([−+][\d.]+) %\)", sentence)
    assert (moved is None) == (not changes(group))
    if moved:
        before, after, change = (float(text.replace("−", "-")) for text in moved.groups())
        assert any(
            (f"{event.before:.3g}", f"{event.after:.3g}") == (f"{before:.3g}", f"{after:.3g}")
            and abs(100 * event.relative - change) <= 0.05 + 1e-9
            for event in changes(group)
        )


def test_a_single_judged_series_among_several_is_named():
    assert STEADY.key.hwid in trends_caption([STEADY, SHORT], METRIC)


def test_no_regression_is_only_final_if_every_change_was_compared():
    assert "so far" not in trends_caption([RISE], METRIC)
    assert "so far" in trends_caption([RISE, pending(series_of(levels((9, 10), (11, 10))))], METRIC)


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: "-".join(s.key.hwid for s in group))
def test_sizes_are_counted_by_their_basis(group):
    sentence = plain(basis_text(group))
    assert not number_faults(sentence)
    drifts = sum(event.kind == "drift" for event in changes(group))
    steps = sum(event.kind != "drift" and event.basis == "levels" for event in changes(group))
    for noun, count in (("change", steps), ("drift", drifts)):
        found = re.search(rf"{COUNT} {noun}s? (?:is|are) sized", sentence)
        assert (int(found[1]) if found else 0) == count
    compared = len(changes(group)) - drifts - steps
    assert ("comparison" in sentence) == bool(sentence and compared)


@pytest.mark.parametrize("drawn", [0, 1, 2, 3])
@pytest.mark.parametrize("thinned", [0, 1, 7])
def test_runs_series_and_points_that_are_not_drawn_are_counted(drawn, thinned):
    group = (STEP, STEADY, SHORT)
    sentence = plain(shown_text(group, group[:drawn], thinned))
    assert not number_faults(sentence)
    runs = [series.runs for series in group]
    head = re.match(rf"{COUNT} runs? in {COUNT} series", sentence)
    assert [int(digits) for digits in head.groups()] == [sum(runs), len(group)]
    hidden = re.search(rf"{COUNT} of them \({COUNT} runs?\)", sentence)
    expected = [len(group) - drawn, sum(runs[drawn:])]
    assert ([int(digits) for digits in hidden.groups()] if hidden else [0, 0]) == expected
    left = re.search(rf"{COUNT} points? (?:is|are) left out", sentence)
    assert (int(left[1]) if left else 0) == thinned


@pytest.mark.parametrize("missing", [0, 1])
@pytest.mark.parametrize("verdicts", [[], ["regressed"], ["unchanged", None, None], [None]])
def test_verdicts_of_a_rule_sum_to_its_runs(verdicts, missing):
    sentence = plain(rule_text("nightly", verdicts, missing))
    assert not number_faults(sentence)
    assert int(re.search(rf"of {COUNT} runs?:", sentence)[1]) == len(verdicts)
    counts = re.findall(rf"{COUNT} (?:regressed|unchanged|not covered)", sentence)
    known = sum(verdict is not None for verdict in verdicts)
    assert sum(map(int, counts)) == (known if missing else len(verdicts))
