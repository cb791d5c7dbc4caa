"""The process that opens captures, run here in this one except where its limits are the point."""

import json
import resource
import subprocess
import sys

import pandas as pd
import pytest

from data_loaders.protocol import LoadError
from data_loaders.reading import child as reading_child
from data_loaders.reading.limits import MAX_FILE_BYTES, Limits, limit_processor
from data_loaders.reading.refusal import write_refusal
from data_loaders.reading.result_folder import Reading, read_result, write_result
from data_loaders.tinygrad import child as tinygrad_child
from data_loaders.tinygrad.run import read_run
from samples.tinygrad_capture import training
from samples.tinygrad_writer import GENERATIONS
from schema.frames import FRAMES, conform
from tests.support.tinygrad_export import export_lines


@pytest.fixture
def without_limits(monkeypatch):
    """Keep this process as it is."""
    limits = {}
    unlimited = resource.RLIM_INFINITY, resource.RLIM_INFINITY
    monkeypatch.setattr(resource, "getrlimit", lambda kind: limits.get(kind, unlimited))
    monkeypatch.setattr(resource, "setrlimit", limits.__setitem__)
    monkeypatch.setattr(reading_child.gc, "disable", lambda: None)
    return limits


def answer(tmp_path, *contents, strip="0"):
    """Return what the reader leaves for these files."""
    files = [tmp_path / f"file{place}" for place in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    assert tinygrad_child.main([str(tmp_path), strip, Limits().text(), *map(str, files)]) == 0
    return read_result(tmp_path)


@pytest.mark.usefixtures("without_limits")
class TestAnswers:
    @pytest.mark.quick_every(4)
    @pytest.mark.parametrize("generation", GENERATIONS)
    def test_frames_come_back_as_they_were(self, generation, tmp_path):
        maker = training(generation)
        direct = read_run(maker.profile(), maker.rewrites(), False)
        found = answer(tmp_path, maker.profile(), maker.rewrites())
        assert found.metadata == direct.metadata
        assert found.findings == direct.findings
        assert (
            {name for name, frame in direct.frames.items() if len(frame)}
            <= set(found.frames)
            <= set(direct.frames)
        )
        for name, frame in found.frames.items():
            pd.testing.assert_frame_equal(frame, conform(name, direct.frames[name]))

    def test_lines_are_told_from_pickles(self, tmp_path):
        assert len(answer(tmp_path, export_lines().encode()).frames["events"]) == 5

    @pytest.mark.slow
    def test_stripping_is_passed_on(self, tmp_path):
        found = answer(tmp_path, training().profile(), strip="1")
        assert "tracebacks_stripped" in {finding.code for finding in found.findings}

    @pytest.mark.parametrize("content", [b"", b"text", b"\x80\x04]."])
    def test_a_refusal_is_an_answer(self, content, tmp_path):
        with pytest.raises(LoadError, match=r"empty|not a pickle|no events"):
            answer(tmp_path, content)

    def test_too_little_memory_is_an_answer(self, tmp_path, monkeypatch):
        def exhausted(*_):
            raise MemoryError

        monkeypatch.setattr(tinygrad_child, "read_run", exhausted)
        with pytest.raises(LoadError, match="more than the 2500 MiB"):
            answer(tmp_path, training().profile())


def test_the_limits_grow_with_the_content(tmp_path, without_limits):
    answer(tmp_path, training().profile())
    small = without_limits[resource.RLIMIT_CPU][0]
    assert without_limits[resource.RLIMIT_CORE] == (0, 0)
    assert without_limits[resource.RLIMIT_AS][0] > Limits().memory_mb * 2**20
    assert without_limits[resource.RLIMIT_FSIZE][0] == MAX_FILE_BYTES
    limit_processor(Limits(), 100 * 2**20)
    assert without_limits[resource.RLIMIT_CPU][0] - small >= 99


def test_frames_that_the_schema_lacks_stay_behind(tmp_path):
    write_result(
        tmp_path, Reading({"name": "x"}, {"events": FRAMES_EVENTS, "later": FRAMES_EVENTS}), 1
    )
    assert list(read_result(tmp_path).frames) == ["events"]
    assert json.loads((tmp_path / "answer.json").read_text())["frames"] == ["events"]


FRAMES_EVENTS = pd.DataFrame(
    {c.name: pd.Series([], dtype=c.dtype) for c in FRAMES["events"].columns}
)


def test_a_refusal_is_read_as_one(tmp_path):
    write_refusal(tmp_path, "so it is")
    with pytest.raises(LoadError, match="so it is"):
        read_result(tmp_path)


BOMB = (
    b"\x80\x04}K\x01\x85\x94"
    + b"".join(b"h" + bytes([place]) + b"\x86\x94" for place in range(60))
    + b"K\x01s."
)


def run_child(tmp_path, content, limits):
    path = tmp_path / "profile.pkl"
    path.write_bytes(content)
    command = [
        sys.executable,
        "-m",
        "data_loaders.tinygrad.child",
        str(tmp_path),
        "0",
        limits.text(),
        str(path),
    ]
    return subprocess.run(command, capture_output=True, check=False)


@pytest.mark.slow
def test_a_key_that_is_hashed_for_ever_ends_with_the_processor_time(tmp_path):
    assert run_child(tmp_path, BOMB, Limits(processor_s=1)).returncode < 0
    assert not (tmp_path / "answer.json").exists()


@pytest.mark.slow
def test_more_lists_than_memory_are_refused(tmp_path):
    done = run_child(tmp_path, b"\x80\x04(" + b"}" * 8_000_000 + b"t.", Limits(memory_mb=300))
    assert done.returncode == 0
    with pytest.raises(LoadError, match="more than the 300 MiB"):
        read_result(tmp_path)
