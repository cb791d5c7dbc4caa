"""`runs`: what the options choose, verdicts of a rule beside the runs, and what is asked wrongly."""

import csv
import io
import json

import pytest

from app.config.settings import Settings
from services.status.rules import set_rule
from services.status.status import StatusCache
from storage.rules import Rule
from tests.support.command_line import run
from tests.support.paced_trace import ingest_night, ingest_nights
from tests.support.runs import catalogue_of

NIGHTS = 5


@pytest.fixture(scope="module")
def nightly(tmp_path_factory):
    """A store of nights on two kinds of hardware, of which one is slower in the end, and what a rule says of them."""
    folder = tmp_path_factory.mktemp("nightly")
    repository = Settings(data=folder / "data").repository()
    set_rule(repository, Rule("nightly", 3, "main"), "tests")
    runs = [
        *ingest_nights(repository, folder, NIGHTS - 1, NIGHTS),
        ingest_night(repository, folder, 1, "npu1"),
    ]
    verdicts = {
        place.run_id: verdict
        for place, verdict in StatusCache(repository).verdicts("nightly").items()
    }
    repository.catalogue.close()
    return folder / "data", runs, verdicts


def ask(nightly, *args):
    return run("runs", *args, "--data", nightly[0])


def found(nightly, *args):
    """Return the names of the runs that are listed, the same in every form."""
    told = ask(nightly, *args, "--json")
    assert (told.exit_code, told.stderr) == (0, "")
    names = [one["name"] for one in json.loads(told.stdout)]
    listed = [
        row["name"] for row in csv.DictReader(io.StringIO(ask(nightly, *args, "--csv").stdout))
    ]
    lines = ask(nightly, *args).stdout.splitlines()[1:]
    assert listed == names
    assert len(lines) == len(names)
    return names


@pytest.mark.quick_every(4)
@pytest.mark.parametrize(
    ("args", "nights"),
    [
        (("--search", "npu2 c0ffee03"), (3,)),
        (("--search", "night"), (5, 4, 3, 2, 1, 1)),
        (("--search", "nosuch"), ()),
        (("--commit", "c0ffee05"), (5,)),
        (("--commit", "deadbeef"), ()),
        (("--branch", "main", "--hwid", "npu1"), (1,)),
        (("--branch", "other"), ()),
        (("--since", "2026-11-04"), (5, 4)),
        (("--since", "2026-11-03", "--until", "2026-11-04", "--hwid", "npu2"), (4, 3)),
        (("--grid", "2x2", "--limit", 2), (5, 4)),
        (("--grid", "4x4"), ()),
        (
            (
                "--tile",
                "16x16x16",
                "--source",
                "aie",
                "--M",
                128,
                "--K",
                16,
                "--N",
                64,
                "--hwid",
                "npu1",
            ),
            (1,),
        ),
        (("--tile", "32x16x16"), ()),
        (("--M", 64), ()),
    ],
)
def test_options_choose_runs_newest_first(nightly, args, nights):
    assert [int(name.split()[-1]) for name in found(nightly, *args)] == [*nights]


def test_every_run_has_the_verdict_of_the_rule(nightly):
    _, runs, verdicts = nightly
    told = {
        one["run_id"]: one["verdict"]
        for one in json.loads(ask(nightly, "--rule", "nightly", "--json").stdout)
    }
    assert told == {run_id: verdicts[run_id] for run_id in runs}
    assert told[runs[NIGHTS - 1]] == "regressed"
    rows = csv.DictReader(io.StringIO(ask(nightly, "--rule", "nightly", "--csv").stdout))
    assert {row["run_id"]: row["verdict"] for row in rows} == told
    heading, *lines = ask(nightly, "--rule", "nightly").stdout.splitlines()
    assert heading.split()[-1] == "verdict"
    assert {line.split()[0]: line.split()[-1] for line in lines} == told


@pytest.mark.slow
def test_a_run_that_a_rule_is_not_about_has_no_verdict(nightly):
    assert (
        run(
            "baseline", "rule", "set", "npu1", "--last", 3, "--hwid", "npu1", "--data", nightly[0]
        ).exit_code
        == 0
    )
    asked = ("--hwid", "npu2", "--rule", "npu1")
    assert {one["verdict"] for one in json.loads(ask(nightly, *asked, "--json").stdout)} == {None}
    assert {
        row["verdict"] for row in csv.DictReader(io.StringIO(ask(nightly, *asked, "--csv").stdout))
    } == {""}
    assert "verdict" not in ask(nightly, *asked).stdout
    assert run("baseline", "rule", "delete", "npu1", "--data", nightly[0]).exit_code == 0


@pytest.mark.parametrize(
    "args",
    [
        ("--json", "--csv"),
        ("--rule", "none"),
        ("--since", "soon"),
        ("--until", "yesterday"),
        ("--tile", "16"),
        ("--grid", "axb"),
        ("--limit", 0),
        ("--M", "x"),
        ("extra",),
    ],
)
def test_what_is_asked_wrongly_is_one_line(nightly, args):
    told = ask(nightly, *args)
    assert (told.exit_code, told.stdout, told.stderr.count("\n")) == (1, "", 1)


@pytest.mark.parametrize("args", [(), ("--search", "a"), ("--since", "7d")])
def test_an_empty_store_has_no_runs_in_every_form(tmp_path, args):
    asked = ("runs", *args, "--data", tmp_path / "none")
    assert run(*asked).stdout.count("\n") == 1
    assert json.loads(run(*asked, "--json").stdout) == []
    assert run(*asked, "--csv").stdout.startswith("run_id,")


def test_runs_are_deleted_once_each_and_none_where_one_is_unknown(tmp_path):
    (tmp_path / "data").mkdir()
    ids = [f"{rank + 1:012x}{'0' * 52}" for rank in range(3)]
    catalogue_of(
        f"sqlite:///{tmp_path}/data/catalogue.db", *({"run_id": run_id} for run_id in ids)
    ).close()
    to = ("--data", tmp_path / "data")
    refused = run("delete", ids[0], "ffff", *to)
    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
    done = run("delete", ids[0][:12], ids[1], ids[0], *to)
    assert (done.exit_code, [line.split()[-1] for line in done.stdout.splitlines()]) == (0, ids[:2])
    assert [one["run_id"] for one in json.loads(run("runs", "--json", *to).stdout)] == ids[2:]
    assert run("delete", *to).exit_code == 1


def test_what_is_wrong_with_files_is_counted_and_a_missing_size_is_marked(tmp_path):
    (tmp_path / "data").mkdir()
    rows = [
        {"errors": 1, "warnings": 2, "M": None},
        {"M": None, "K": None, "N": None, "utilization": 0.5},
    ]
    catalogue_of(f"sqlite:///{tmp_path}/data/catalogue.db", *rows).close()
    text = run("runs", "--data", tmp_path / "data").stdout
    assert "1 error, 2 warnings" in text
    assert "?x64x64" in text
    assert "50.0" in text
