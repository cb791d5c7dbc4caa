import json
import os

import pytest

from data_loaders.protocol import LoadError
from ingest.files import ingest
from ingest.settings import check_request, origin_columns
from samples.tinygrad_capture import training
from schema.run_settings import SettingError, moment
from storage.observations import read_observations
from storage.repository import Repository
from tests.support.gemm_trace import Core, entries
from tests.support.tpu_log import SMALL

STAMP = 1_700_000_000


@pytest.fixture
def store(repository) -> Repository:
    return repository


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "net.log"
    path.write_text(SMALL)
    os.utime(path, (STAMP, STAMP))
    return path


def taken(repository, path, **more):
    answer = ingest(repository, [path], more.pop("settings", {}), **more)
    (run,) = answer.runs
    return run.status, repository.catalogue.get(run.run_id).run


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-11-01T12:00Z", "2026-11-01T12:00:00+00:00"),
        ("2026-11-01 12:00", "2026-11-01T12:00:00+00:00"),
        ("2026-11-01T12:00:30.75+02:00", "2026-11-01T10:00:30+00:00"),
        ("20261101", "2026-11-01T00:00:00+00:00"),
        ("", ""),
    ],
)
def test_a_date_is_kept_as_utc(text, utc):
    assert moment(text) == utc


def test_names_that_differ_in_capitals_have_an_order():
    with pytest.raises(LoadError) as caught:
        check_request({"nosuch": "1"}, None)
    names = str(caught.value).partition("there are ")[2].split(", ")
    assert {"K", "k", "M", "m", "N", "n"} <= {*names}
    assert names == sorted(names, key=lambda name: (name.lower(), name))


@pytest.mark.parametrize("key", ["banks", "mac_dtype", "capacity", "M", "clock_hz", "device"])
def test_a_sentence_about_a_long_value_is_short(key):
    with pytest.raises(LoadError) as caught:
        check_request({key: "z" * 5000}, None)
    assert len(str(caught.value)) < 2000
    assert str(caught.value).startswith(f"{key}=zzz")


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "0001-01-01T00:00+14:00", "1" * 999])
def test_what_is_no_date_is_refused(text):
    with pytest.raises(SettingError, match="expected a date"):
        moment(text)


@pytest.mark.slow
def test_a_file_was_taken_when_it_was_last_changed(store, log):
    _, run = taken(store, log)
    assert (run["taken_at"], run["taken_from"]) == ("2023-11-14T22:13:20+00:00", "modified")
    assert not run["commit"] and not run["branch"]


@pytest.mark.slow
def test_settings_of_origin_hold_for_every_source_and_change_a_run_that_is_there(store, log):
    taken(store, log)
    asked = {"taken_at": "2026-11-01T12:00Z", "commit": "abc123", "branch": "main"}
    status, run = taken(store, log, settings=asked)
    assert status == "updated"
    assert {key: run[key] for key in asked} == asked | {"taken_at": "2026-11-01T12:00:00+00:00"}
    assert run["taken_from"] == "setting"
    assert taken(store, log, settings=asked)[0] == "unchanged"
    assert taken(store, log, settings={"commit": "def"})[1]["taken_at"] == run["taken_at"]


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("name", ["a.json", "profile.pkl", "x.csv", "run.log"])
def test_every_loader_s_runs_have_them(store, tmp_path, name):
    content = {
        "a.json": lambda: json.dumps(entries(Core().run(2))).encode(),
        "profile.pkl": lambda: training("0.14", 1).profile(),
        "x.csv": lambda: b"id,lower,upper,size\na,0,1,4\n",
        "run.log": lambda: b"[Deeploy] ...  Parsed network with 4 layers after 1 iterations\n",
    }[name]()
    (tmp_path / name).write_bytes(content)
    _, run = taken(store, tmp_path / name, settings={"commit": "abc", "taken_at": "2026-11-01"})
    assert (run["commit"], run["taken_at"], run["taken_from"]) == (
        "abc",
        "2026-11-01T00:00:00+00:00",
        "setting",
    )


@pytest.mark.slow
def test_the_time_of_an_upload_s_copy_says_nothing(store, log):
    _, run = taken(store, log, places={log: "net.log"})
    assert not run["taken_at"] and not run["taken_from"]


def test_of_two_times_of_a_file_the_earlier_counts_and_what_it_says_before_them():
    before = {"taken_at": "2020-01-01T00:00:00+00:00", "taken_from": "modified"}
    assert origin_columns({}, {}, STAMP, before) == before
    said = {"taken_at": "2021-01-01T00:00:00+00:00"}
    assert origin_columns({}, said, STAMP, before) == said | {"taken_from": "file"}
    assert origin_columns({"taken_at": ""}, {}, None, {}) == {}


@pytest.mark.parametrize(
    ("settings", "loader"),
    [
        ({}, "nope"),
        ({"colour": "red"}, None),
        ({"capacity": "1KiB"}, "aie"),
        ({"tinygrad.capacity": "1KiB"}, None),
        ({"capacity": "much"}, None),
        ({"clock_hz": "fast"}, None),
        ({"deeploy.capacity": "much"}, None),
        ({"taken_at": "soon"}, None),
        ({"device": "abacus"}, "tinygrad"),
    ],
)
def test_what_no_file_could_be_read_with_is_refused_before_any(settings, loader):
    with pytest.raises(LoadError):
        check_request(settings, loader)


def test_what_some_file_can_be_read_with_is_none_of_it():
    check_request({"capacity": "1KiB", "M": "4", "tinygrad.device": "MI300X", "commit": "a"}, None)
    check_request({"taken_at": ""}, "minimalloc")


@pytest.mark.slow
def test_the_same_content_of_another_day_is_an_observation_and_stored_once(store, log):
    first = {"taken_at": "2026-11-01T12:00Z", "commit": "a", "branch": "main"}
    taken(store, log, settings=first)
    (before,) = store.catalogue.runs()
    status, run = taken(store, log, settings={"taken_at": "2026-11-02T12:00Z", "commit": "b"})
    (after,) = store.catalogue.runs()
    assert (status, run["commit"], run["branch"], after.prefix) == (
        "updated",
        "b",
        "",
        before.prefix,
    )
    known = read_observations(store.catalogue, [after.run_id])[after.run_id]
    assert [(one.taken_at[:10], one.commit, one.branch) for one in known] == [
        ("2026-11-01", "a", "main"),
        ("2026-11-02", "b", ""),
    ]
    assert taken(store, log, settings=first)[0] == "unchanged"
    assert len(read_observations(store.catalogue, [after.run_id])[after.run_id]) == 2
