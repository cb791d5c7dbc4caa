"""What the page of a comparison draws from: answers that are kept, sides, capabilities."""

from dataclasses import replace

import pytest

from services.comparison.compare import CompareError
from services.comparison.data import Question
from services.run.capabilities import Capability
from storage.errors import RunNotFound
from storage.observation import Observation
from tests.support.comparisons import Pairs


@pytest.mark.slow
def test_an_answer_is_made_once_and_anew_for_other_settings_and_thresholds(pairs):
    (base,), (new,) = pairs.runs("aie slow")
    get = pairs.comparisons.get
    first = get(Question((base,), (new,)))
    assert get(Question((base,), (new,))).result is first.result
    assert get(Question((new,), (base,))).result.verdict == "improved"
    assert (
        get(Question((base,), (new,), thresholds=(("gmacs_mean", 0.9),))).result.verdict
        == "unchanged"
    )
    clocked = get(Question((base,), (new,), ((("clock_hz", "2GHz"),), ())))
    assert clocked.result.verdict == "incomparable"
    assert clocked.base[0].settings == {"clock_hz": "2GHz"}
    assert get(Question((base,), (new,))).result.verdict == "regressed"


def test_a_run_is_loaded_once_with_the_same_settings(pairs):
    run, load = pairs.run("aie"), pairs.comparisons.load
    (base,) = pairs.comparisons.get(Question((run,), (run,))).base
    assert load(run, {}) is base
    assert load(run, {"clock_hz": "2GHz"}) is not base
    assert load(run, {"clock_hz": "2GHz"}).settings == {"clock_hz": "2GHz"}


def test_the_version_follows_the_runs(pairs):
    (base,), (new,) = pairs.runs("aie slow")
    version = pairs.comparisons.version
    assert version(Question((base,), (new,))) == version(Question((base,), (new,)))
    assert version(Question((base,), (new,))) != version(Question((base,), (base,)))
    with pytest.raises(RunNotFound):
        version(Question((base,), ("gone",)))


@pytest.mark.slow
def test_a_cached_comparison_follows_the_commit_of_another_capture(tmp_path):
    pairs = Pairs(tmp_path)
    (base,), (new,) = pairs.runs("aie slow")
    compared, catalogue = Question((base,), (new,)), pairs.repository.catalogue

    def commits():
        settings = pairs.comparisons.get(compared).result.setup
        return [(row["base"], row["new"]) for row in settings if row["key"] == "commit"]

    before, version = commits(), pairs.comparisons.version(compared)
    seen = Observation(
        "2026-11-28T00:00:00+00:00", "setting", "abc", "main", "again.json", "2026-11-28", "me"
    )
    catalogue.observe(catalogue.get(new), {}, seen)
    assert (before, commits()) == ([], [(None, "abc")])
    assert pairs.comparisons.version(compared) != version
    catalogue.close()


def test_runs_that_cannot_be_compared_are_refused(pairs):
    with pytest.raises(CompareError):
        pairs.comparisons.get(Question((pairs.run("aie"),), (pairs.run("problem"),)))
    with pytest.raises(RunNotFound):
        pairs.comparisons.get(Question((pairs.run("aie"),), ("gone",)))
    bad = ((("clock_hz", "soon"),), ())
    with pytest.raises(ValueError, match="clock_hz"):
        pairs.comparisons.get(Question((pairs.run("aie"),), (pairs.run("aie"),), bad))


def test_of_several_runs_one_is_shown_and_each_has_an_answer(pairs):
    base, again, slow = (pairs.run(name) for name in ("aie", "aie again", "aie slow"))
    data = pairs.comparisons.get(Question((base,), (again, slow)), [slow])
    assert [run.stored.run_id for run in data.new] == [slow]
    assert list(data.each) == [again, slow]
    assert data.each[slow] is data.result
    group = pairs.comparisons.get(Question((base,), (again, slow)))
    assert (group.each, len(group.new)) == ({}, 2)


def test_a_pair_can_what_both_can(pairs):
    assert pairs.data("profile slow").can(Capability.MARKERS)
    assert not pairs.data("profile unmarked").can(Capability.MARKERS)
    assert pairs.data("compile larger").can(Capability.ADDRESSES, Capability.BANKS)


def test_settings_are_of_both_sides(pairs):
    settings = {one["key"]: (one["base"], one["new"]) for one in pairs.data("aie larger").settings}
    assert settings["N"] == (32, 48)
    assert settings["M"][0] == settings["M"][1]


def test_a_cause_names_tiles(pairs):
    data = pairs.data("aie column")
    assert data.caused_tiles("core 3,1") == ["core 3,1"]
    assert data.caused_tiles("column 1") == ["core 2,1", "core 3,1"]
    assert data.caused_tiles("row 3") == [
        tile for tile in data.new[0].capture.columns if tile.startswith("core 3,")
    ]
    assert data.caused_tiles("all cores") == data.caused_tiles("") == []


def test_the_shown_runs_are_those_whose_maps_are_set_against_each_other(pairs):
    base, larger = pairs.run("problem"), pairs.run("problem larger")
    data = pairs.comparisons.get(Question((base, larger), (larger,)))
    assert [run.stored.run_id for run in data.detail_runs] == [larger, larger]
    assert data.result.verdict == "unchanged"


def test_the_timelines_of_a_comparison_are_looked_up_once_for_all_views(pairs):
    (base,), (new,) = pairs.runs("aie slow")
    data = pairs.comparisons.get(Question((base,), (new,)))
    looked_up = []

    def timeline_of(run):
        looked_up.append(run.stored.run_id)
        return data.timeline_of(run)

    watched = replace(data, timeline_of=timeline_of)
    assert watched.timelines == watched.timelines == data.timelines
    assert looked_up == [base, new]
