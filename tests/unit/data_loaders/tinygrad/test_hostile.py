"""Hostile pickles against the reader: watched by Python's own audit, then against the loader and the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli.main import main
from data_loaders.protocol import LoadError
from data_loaders.reading.files import read_head
from data_loaders.reading.limits import Limits
from data_loaders.tinygrad.profile import TinygradLoader
from tests.support.exhausting_pickles import EXHAUSTING
from tests.support.hostile_pickles import refused

ROOT = Path(__file__).resolve().parents[4]
REFUSED = refused("/nowhere/executed")
LIMITS = Limits(memory_mb=600, processor_s=2, processor_s_per_mb=0.1, clock_s=60, clock_s_per_mb=0)
WATCH = """
import json, pickle, sys
from pathlib import Path
from data_loaders.reading.pickle_scan import UnsafePickleError
from data_loaders.protocol import LoadError
from data_loaders.reading.safe_pickle import Record
from data_loaders.tinygrad.records import Instant, RangeEvent
from data_loaders.tinygrad.run import read_run
from samples.tinygrad_capture import training

profile, rewrites = training().profile(), training().rewrites()
first, seen = read_run(profile, rewrites, False), []
contents = {path.name: path.read_bytes() for path in Path(sys.argv[1]).iterdir()}
classes = {kind: dict(vars(kind)) for kind in (Record, Instant, RangeEvent)}
modules, said = set(sys.modules), {}
sys.addaudithook(lambda event, args: seen.append(event) if seen is not None else None)
for name, content in contents.items():
    seen.clear()
    try:
        read_run(content, None, False)
        said[name] = None
    except (LoadError, UnsafePickleError) as error:
        said[name] = str(error)
    said[name] = said[name], sorted(set(seen))
seen.clear()
pickle.loads(pickle.dumps(json.dumps))
control = sorted(set(seen))
seen.clear()
after = read_run(profile, rewrites, False)
good = sorted(set(seen))
print(json.dumps({
    "said": said,
    "control": control,
    "good": good,
    "imported": sorted(set(sys.modules) - modules),
    "classes": all(dict(vars(kind)) == before for kind, before in classes.items()),
    "same": all(frame.equals(after.frames[name]) for name, frame in first.frames.items()),
}))
"""


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """What one process says of all of them, and what Python's audit saw meanwhile."""
    folder = tmp_path_factory.mktemp("hostile")
    mark = folder / "executed"
    files = folder / "files"
    files.mkdir()
    for place, hostile in enumerate(refused(mark).values()):
        (files / str(place)).write_bytes(hostile.content)
    command = [sys.executable, "-c", WATCH, str(files)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answer = json.loads(done.stdout)
    said = {tries: answer["said"][str(place)] for place, tries in enumerate(REFUSED)}
    return answer | {
        "said": said,
        "executed": mark.exists(),
        "left": sorted(path.name for path in folder.iterdir()),
    }


def test_there_are_enough_of_them():
    assert len(REFUSED) >= 100


@pytest.mark.parametrize("tries", REFUSED)
def test_it_is_refused_in_a_sentence_that_says_why(tries, watched):
    sentence, _ = watched["said"][tries]
    assert sentence is not None
    assert REFUSED[tries].why in sentence
    assert sentence.isascii()
    assert sentence.isprintable()
    assert len(sentence) < 300


@pytest.mark.parametrize("tries", REFUSED)
def test_nothing_is_imported_executed_opened_or_resolved(tries, watched):
    _, events = watched["said"][tries]
    assert events == []


def test_the_audit_would_have_seen_it(watched):
    assert "pickle.find_class" in watched["control"]


def test_a_capture_that_names_files_has_none_of_them_opened(watched):
    assert set(watched["good"]) <= {"builtins.id"}


def test_nothing_is_left_of_any_of_them(watched):
    assert not watched["executed"]
    assert watched["left"] == ["files"]
    assert watched["imported"] == []
    assert watched["classes"], "a class was written to"
    assert watched["same"], "a capture is read differently after them"


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("tries", EXHAUSTING)
def test_what_no_scan_can_tell_ends_at_a_limit(tries, tmp_path):
    path = tmp_path / "profile.pkl"
    path.write_bytes(EXHAUSTING[tries].content)
    assert TinygradLoader().sniff(path, read_head(path)) is None
    with pytest.raises(LoadError) as caught:
        TinygradLoader(LIMITS).load(path, {})
    assert EXHAUSTING[tries].why in str(caught.value)
    assert "\n" not in str(caught.value)


SOME = [
    "run a shell command",
    "a call in a call stack",
    "a Cyrillic letter in the module",
    "a terminal's escape code",
    "replace a method of a class",
    "a terabyte of bytes",
    "a time of '1E+999999999'",
    "a list that holds itself",
]


@pytest.mark.slow
def test_the_command_line_refuses_each_and_stores_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mark = tmp_path / "executed"
    for place, tries in enumerate(SOME):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{place}.profile.pkl").write_bytes(refused(mark)[tries].content)
    named = [str(path) for path in sorted((tmp_path / "in").iterdir())]
    options = ["--loader", "tinygrad", "--json", "--data", str(tmp_path / "data")]
    done = CliRunner().invoke(main, ["ingest", *named, *options])
    assert done.exit_code == 1
    answer = json.loads(done.stdout)
    assert answer["runs"] == []
    reasons = [skipped["reason"] for skipped in answer["skipped"]]
    assert [REFUSED[tries].why in reason for tries, reason in zip(SOME, reasons, strict=True)] == [
        True
    ] * len(SOME)
    lines = done.stderr.splitlines()
    assert lines[0].endswith("(and 1 more file)"), "two of them for one reason"
    assert lines[-1] == "Error: no run was ingested"
    assert len(lines) == len(SOME)
    assert "Traceback" not in done.output
    assert not mark.exists()
    assert not list((tmp_path / "data").rglob("*.parquet"))
