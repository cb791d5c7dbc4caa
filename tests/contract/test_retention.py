"""Retention on both kinds of catalogue: what is said of the runs that are left stays as it was."""

import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from ingest.files import ingest
from services.baselines.baselines import set_baseline
from services.baselines.members import NoOlderRunError
from services.comparison.compared_runs import compared_run
from services.gate.baseline_status import BaselineStatuses
from services.gate.gate import check
from services.jobs.kinds import KINDS
from services.retention.retention import preview_retention, retain
from services.status.acknowledge import acknowledge
from services.status.rules import set_rule
from services.status.status import StatusCache
from services.store.runs_list import RunsList
from storage.jobs import Jobs
from storage.repository import Repository
from storage.rules import Rule, Rules
from tests.support.marks import quick_first

RULE = Rule("nightly", 3, "main")
NIGHTS = (64, 64, 64, 96, 96, 64, 64, 32, 64, 64, 64, 64, 64, 96, 96, 96, 96, 96, 96)
"""Sizes of a block: a regression that is over, a night that is better than all others, a regression that is open."""
FIRST_BAD, LAST_GOOD, ACKNOWLEDGED = 13, 12, 14
BRANCH_NIGHT = 10


@dataclass(frozen=True)
class History:
    """A closed store that tests copy: its database, its frames, and the nights of `main`."""

    database: str
    frames: Path
    nights: list[str]


@pytest.fixture(scope="module")
def history(new_database, tmp_path_factory):
    """The nights of `main` in their order, with verdicts of a rule and of a rolling baseline."""
    folder = tmp_path_factory.mktemp("history")
    database = new_database()
    repository = Repository(database, str(folder / "frames"))
    repository.catalogue.create()
    nights = [ingest_night(repository, folder, *night) for night in enumerate(NIGHTS)]
    ingest_night(repository, folder, BRANCH_NIGHT, 96, "feature")
    set_rule(repository, RULE, "me")
    StatusCache(repository).judged_runs(RULE)
    set_baseline(repository, "rolling", nights[:1], 3, user="me")
    for run_id in nights[1:]:
        check(repository, [run_id], "rolling", {})
    repository.catalogue.close()
    return History(database, folder / "frames", nights)


@pytest.fixture
def repository(history, copy_database, tmp_path):
    """A store of the test with a copy of the history: making one takes seconds."""
    shutil.copytree(history.frames, tmp_path / "frames")
    copied = Repository(copy_database(history.database), str(tmp_path / "frames"))
    yield copied
    copied.catalogue.close()


@pytest.fixture
def ids(history):
    return history.nights


def ingest_night(repository, folder, night, size, branch="main"):
    path = folder / f"{branch}-{night}.1024.csv"
    path.write_text(f"id,lower,upper,size,offset\n{branch}{night},0,3,100,0\nb,1,4,{size},100\n")
    taken = f"2026-11-{night + 1:02d}T10:00:00+00:00"
    given = {
        "name": "net",
        "hwid": "npu",
        "taken_at": taken,
        "branch": branch,
        "commit": f"c{night}",
    }
    return ingest(repository, [path], given).runs[0].run_id


def deleted_at_once(repository, keep_last):
    return {run.run_id for run in retain(repository, keep_last, ["hwid"], "me")}


def deleted_by_job(repository, keep_last):
    kind, arguments = KINDS["retention"], {"keep_last": keep_last, "by": ["hwid"]}
    tasks = kind.tasks(repository, arguments)
    job = Jobs(repository.catalogue).add("retention", tasks, "me", arguments, owner="p")
    work = kind.work(repository, job)
    return {task for task in tasks if not work(task).failed}


def rule_verdicts(repository):
    """Return what the rule says of each run, by its id."""
    keys = StatusCache(repository).judged_runs(RULE)
    return {
        one.run.run_id: one.verdict._replace(against="") for runs in keys.values() for one in runs
    }


def baseline_verdicts(repository, ids):
    statuses = BaselineStatuses(repository, partial(compared_run, repository))
    found = statuses.known(RunsList(repository.catalogue).now(), ids)
    return {
        run_id: (one.check.verdict, one.check.metric, one.check.relative, one.check.delta)
        if one.check
        else one.known
        for run_id, one in found.items()
    }


def status_of(repository):
    """Return the row of the key without what counts the runs that are left, or the time."""
    (row,) = StatusCache(repository).status().rows
    numbers = (row.run, row.verdict, row.metric, row.value, row.base, row.relative, row.reason)
    return numbers, row.since.first_bad, row.since.last_good, row.acknowledged


@pytest.mark.slow
@pytest.mark.parametrize("deleted", [deleted_at_once, deleted_by_job])
@pytest.mark.parametrize("keep_last", [1, *quick_first(8, 3, 13)])
def test_verdicts_about_runs_that_are_left_stay(repository, ids, deleted, keep_last):
    acknowledge(StatusCache(repository), ids[ACKNOWLEDGED], rule="", note="known", user="me")
    before = rule_verdicts(repository), baseline_verdicts(repository, ids), status_of(repository)
    gone = deleted(repository, keep_last)
    assert gone
    left = [run_id for run_id in ids if run_id not in gone]
    after = rule_verdicts(repository)
    assert after == {run_id: verdict for run_id, verdict in before[0].items() if run_id not in gone}
    assert baseline_verdicts(repository, left) == {run_id: before[1][run_id] for run_id in left}
    assert status_of(repository) == before[2]


@pytest.mark.slow
@pytest.mark.parametrize("keep_last", quick_first(1, 3))
def test_the_runs_that_say_since_when_a_key_is_regressed_are_held(repository, ids, keep_last):
    acknowledge(StatusCache(repository), ids[ACKNOWLEDGED], rule="", note="known", user="me")
    preview = preview_retention(repository, keep_last, ["hwid"])
    assert {ids[FIRST_BAD], ids[LAST_GOOD], ids[ACKNOWLEDGED]}.isdisjoint(preview.run_ids)
    assert preview.held["open regressions of rule nightly"] == 3
    retain(repository, keep_last, ["hwid"], "me")
    _, first_bad, last_good, acknowledged = status_of(repository)
    assert (first_bad.run_id, last_good.run_id) == (ids[FIRST_BAD], ids[LAST_GOOD])
    assert acknowledged.note == "known"


@pytest.mark.slow
def test_the_next_run_has_the_base_that_it_would_have_had(repository, ids, tmp_path):
    retain(repository, 8, ["hwid"], "me")
    new = ingest_night(repository, tmp_path, len(NIGHTS), 64)
    answers = StatusCache(repository)
    assert answers.base_of(RULE, [new]) == ids[10:13]
    (row,) = answers.status().rows
    assert (row.run.run_id, row.verdict, row.since) == (new, "unchanged", None)


@pytest.mark.slow
def test_retention_again_changes_nothing_that_was_settled(repository, ids):
    retain(repository, 13, ["hwid"], "me")
    before = rule_verdicts(repository)
    gone = deleted_at_once(repository, 9)
    assert gone
    assert rule_verdicts(repository) == {
        run_id: one for run_id, one in before.items() if run_id not in gone
    }


@pytest.mark.slow
def test_a_rule_that_compares_with_other_runs_works_out_all_of_its_verdicts(repository, ids):
    retain(repository, 12, ["hwid"], "me")
    settled = rule_verdicts(repository)
    set_rule(repository, RULE, "me")
    assert rule_verdicts(repository) == settled
    set_rule(repository, Rule("nightly", 4, "main"), "me")
    keys = StatusCache(repository).judged_runs(Rules(repository.catalogue).find("nightly"))
    (runs,) = keys.values()
    assert runs[0].verdict.verdict == "undecided" != settled[runs[0].run.run_id].verdict


@pytest.mark.slow
def test_a_baseline_that_is_set_again_works_out_all_of_its_verdicts(repository, ids):
    retain(repository, 12, ["hwid"], "me")
    set_baseline(repository, "rolling", ids[-1:], 3, user="me")
    oldest = next(run_id for run_id in ids if repository.catalogue.get(run_id) is not None)
    with pytest.raises(NoOlderRunError):
        check(repository, [oldest], "rolling", {})
