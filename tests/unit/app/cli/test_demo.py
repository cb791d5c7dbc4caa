"""The demo: its history is always the same, and what is planted in it is found."""

import json
from datetime import datetime

import pytest

from app.cli import demo as command
from app.config.settings import ENV_PREFIX, Settings, load_settings
from samples import history
from services.baselines.baselines import delete_baseline, describe_baselines
from services.comparison.compare import compare
from services.status.status import StatusCache
from services.trends.compared_trend import trend
from storage.annotations import Annotations, Change
from storage.baselines import Baselines
from storage.checks import Checks
from storage.saved_texts import SavedViews
from tests.support.command_line import run

# The history of a demo takes seconds to make.
pytestmark = pytest.mark.slow

LONG = {"M": 256, "K": 64}
NIGHTLY, RELEASE = "npu2 nightly", "npu1 release"


class Demo:
    """The command on a store of its own, with few other samples, and without a server."""

    def __init__(self, folder, patch):
        self.data = folder / "data"
        self.served = []
        patch.setattr(command, "serve_settings", self.served.append)
        patch.setattr(command, "SAMPLES", command.SAMPLES / "deeploy")

    def start(self):
        result = run("demo", "--data", self.data)
        assert (result.exit_code, result.stderr) == (0, "")
        return load_settings(data=self.data).repository()


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo, started."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("demo")
        patch.chdir(folder)
        for name in Settings.model_fields:
            patch.delenv(ENV_PREFIX + name.upper(), raising=False)
        started = Demo(folder, patch)
        started.repository = started.start()
        yield started


def series(demo, hwid):
    """Return the ids of the runs of a long series, night by night."""
    (found,) = trend(demo.repository, "gmacs_mean", LONG | {"hwid": hwid}).series
    return [point.run_id for point in found.points]


def verdicts(demo, hwid, baseline):
    """Return the nights of a long series by the verdict about them."""
    runs = series(demo, hwid)
    found = {}
    for (_, run_id), check in Checks(demo.repository.catalogue).of([baseline], runs).items():
        found.setdefault(check.verdict, set()).add(runs.index(run_id))
    return found


def annotation(demo, run_id):
    return Annotations(demo.repository.catalogue).one(demo.repository.find_run(run_id))


def test_the_history_is_the_same_every_time(tmp_path):
    one, other = (history.write_history(tmp_path / name).parent for name in ("one", "other"))
    files = [path.relative_to(one) for path in one.rglob("*") if path.is_file()]
    assert {path.relative_to(other) for path in other.rglob("*") if path.is_file()} == set(files)
    assert all((one / path).read_bytes() == (other / path).read_bytes() for path in files)
    story = json.loads((one / history.STORY).read_text())
    named = [run for entry in story["baselines"] for run in entry["runs"]]
    assert all(
        (one / path).is_file()
        for path in [*named, *(entry["run"] for entry in story["annotations"])]
    )


def test_the_history_is_of_two_hwids_and_sizes_over_six_weeks():
    captures = list(history.captures())
    assert len(captures) == 40
    assert {(one.gemm.hwid, one.gemm.M) for one in captures} == {
        (h, m) for h in ("npu1", "npu2") for m in (128, 256)
    }
    assert len({one.behaviour.seed for one in captures}) == len(captures)
    moments = [datetime.fromisoformat(one.taken_at) for one in captures]
    assert 38 <= (max(moments) - min(moments)).days <= 42


def test_runs_have_the_commit_branch_and_date_of_their_capture(demo):
    stored = demo.repository.find_run(series(demo, "npu1")[history.SLOW])
    assert (stored.run["branch"], stored.run["taken_from"]) == ("bank-layout", "file")
    captures = {(one.gemm.hwid, one.gemm.M, one.night): one for one in history.captures()}
    planted = captures["npu1", LONG["M"], history.SLOW]
    assert (stored.run["commit"], stored.run["taken_at"]) == (planted.commit, planted.taken_at)


def test_the_trend_finds_the_step_and_the_dip_and_nothing_else(demo):
    (npu1,), (npu2,) = (
        trend(demo.repository, "gmacs_mean", LONG | {"hwid": hwid}).series
        for hwid in ("npu1", "npu2")
    )
    found = [(one.kind, one.first, one.verdict) for one in npu2.development.changes]
    assert found == [("step", history.STEP, "regressed")]
    (dip,) = npu1.development.changes
    assert (dip.kind, dip.verdict, dip.recovered) == ("dip", "regressed", True)
    assert range(dip.first, dip.last + 1) == history.DIP


def test_the_rolling_baseline_calls_the_step_regressed_and_what_follows(demo):
    found = verdicts(demo, "npu2", NIGHTLY)
    assert found["regressed"] == set(range(history.STEP, history.NIGHTS))
    assert found["unchanged"] == set(range(1, history.STEP))


def test_the_fixed_baseline_calls_the_dip_and_the_slow_tile_regressed_and_the_rest_unchanged(demo):
    found = verdicts(demo, "npu1", RELEASE)
    assert found["regressed"] == {*history.DIP, history.SLOW}
    assert found["unchanged"] == set(range(3, history.NIGHTS)) - found["regressed"]


def test_the_slow_tile_is_the_slow_one(demo):
    runs = series(demo, "npu1")
    rows = compare(demo.repository, runs[:3], [runs[history.SLOW]]).rows
    stalls = {
        row.key: row.delta
        for row in rows
        if row.level == "tile" and row.metric.name == "memory_stall"
    }
    row, col = history.SLOW_TILE
    assert max(stalls, key=stalls.get) == f"core {row},{col}"


def test_two_compiles_of_a_network_differ_in_their_strategy(demo):
    runs = {one.run["name"]: one for one in demo.repository.catalogue.each({"source": "deeploy"})}
    base, new = (
        runs[f"gull-L3-l1_10000-{strategy}"].run_id for strategy in ("MiniMalloc", "TetrisRandom")
    )
    found = compare(demo.repository, [base], [new])
    assert found.verdict == "regressed"
    assert found.reasons[0].startswith("extent of L3")


def test_people_have_added_baselines_a_view_notes_tags_and_a_pin(demo):
    kinds = {one.name: (one.kind, len(one.runs)) for one in describe_baselines(demo.repository)}
    assert kinds == {RELEASE: ("fixed", 3), NIGHTLY: ("rolling", 5)}
    assert [view.name for view in SavedViews(demo.repository.catalogue).all()] == ["Nightly runs"]
    last_good = annotation(demo, series(demo, "npu2")[history.STEP - 1])
    assert (last_good.tags, last_good.pinned) == (("last-good",), True)
    slow = annotation(demo, series(demo, "npu1")[history.SLOW])
    assert "bank-layout" in slow.notes
    assert slow.tags == ("investigate",)


def test_the_status_says_that_the_step_is_there_since_its_first_night_and_nothing_else(demo):
    found = StatusCache(demo.repository).status()
    assert (found.rule, found.missing) == ("nightly", 0)
    runs = series(demo, "npu2")
    (regressed,) = (row for row in found.rows if row.verdict == "regressed")
    since = regressed.since
    assert (since.first_bad.run_id, since.last_good.run_id) == (
        runs[history.STEP],
        runs[history.STEP - 1],
    )
    assert regressed is found.rows[0]


def test_a_second_start_adds_nothing_and_leaves_what_people_changed(demo):
    before = {one.run_id: one.prefix for one in demo.repository.catalogue.each({})}
    pinned = series(demo, "npu2")[history.STEP - 1]
    Annotations(demo.repository.catalogue).change(
        pinned, Change(notes="mine", pinned=False), "someone"
    )
    Baselines(demo.repository.catalogue).set(RELEASE, [series(demo, "npu1")[4]])
    delete_baseline(demo.repository, NIGHTLY, "someone")
    demo.repository = demo.start()
    assert {one.run_id: one.prefix for one in demo.repository.catalogue.each({})} == before
    assert (annotation(demo, pinned).notes, annotation(demo, pinned).pinned) == ("mine", False)
    kinds = {one.name: (one.kind, len(one.runs)) for one in describe_baselines(demo.repository)}
    assert kinds == {RELEASE: ("fixed", 1), NIGHTLY: ("rolling", 5)}
    assert len(SavedViews(demo.repository.catalogue).all()) == 1
    assert [settings.data for settings in demo.served] == [demo.data] * 2
