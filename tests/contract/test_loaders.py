"""What every loader owes its callers; a new loader is in as soon as it is registered and has a sample."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_loaders.diagnostics import SEVERITIES, Diagnostic
from data_loaders.files import open_content
from data_loaders.frames import FRAMES, RUN, conform
from data_loaders.protocol import LoadError
from data_loaders.registry import choose, get_loader, loader_names, sniff
from tests.support.aie_trace import trace_text

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
MADE = {"aie": {"made/trace.json": trace_text()}}
"""Loader -> file name -> text, for what `samples/` does not have."""
INTERVALS = ("events", "allocations")
ANY_BYTES = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])


def claimed():
    """Return loader -> the files of `samples/` that it claims."""
    found = {name: [] for name in loader_names()}
    for path in sorted(path for path in SAMPLES.rglob("*") if path.is_file()):
        for name, refusal in sniff(path).items():
            if refusal is None:
                found[name].append(path)
    return found


CLAIMED = claimed()
CASES = [(name, path) for name, paths in CLAIMED.items() for path in paths] + [
    (name, made) for name, texts in MADE.items() for made in texts
]


def content_of(path):
    """Return a sample's uncompressed bytes."""
    with open_content(path) as stream:
        return stream.read()


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{Path(case[1]).name}")
def case(request, tmp_path):
    """A loader and a copy of one of its samples, alone in a folder, uncompressed."""
    name, origin = request.param
    path = tmp_path / "sample" / Path(origin).name.removesuffix(".gz")
    path.parent.mkdir()
    if isinstance(origin, Path):
        path.write_bytes(content_of(origin))
    else:
        path.write_text(MADE[name][origin])
    return get_loader(name), path


def outcome(loader, path):
    """Load the file and check what comes; None where the loader refused it with a sentence."""
    try:
        run = loader.load(path, {})
    except LoadError as error:
        assert str(error)
        assert "\n" not in str(error)
        return None
    check(run)
    return run


def check(run):
    assert set(run.metadata) <= set(RUN.names) - {"run_id", "source", "file", "sha256", "created_at"}
    assert run.frames
    assert not {"run", "diagnostics"} & set(run.frames)
    for name, frame in run.frames.items():
        pd.testing.assert_frame_equal(conform(name, frame), frame)
        assert FRAMES[name].origin == "loader"
        if name in INTERVALS and "wraps" not in frame:
            assert (frame["end"] >= frame["start"]).all()
    for finding in run.diagnostics:
        assert isinstance(finding, Diagnostic)
        assert finding.severity in SEVERITIES
        assert finding.code.replace("_", "").isalnum()
        assert finding.message
        assert finding.count >= 1


def assert_same(left, right):
    assert left.metadata == right.metadata
    assert left.diagnostics == right.diagnostics
    assert list(left.frames) == list(right.frames)
    for name, frame in left.frames.items():
        pd.testing.assert_frame_equal(frame, right.frames[name])


@pytest.mark.parametrize("name", loader_names())
def test_a_loader_introduces_itself(name):
    loader = get_loader(name)
    assert loader.name == name
    assert loader.reads.strip()
    assert isinstance(loader.setting_names, frozenset)
    assert CLAIMED[name] or MADE.get(name), f"loader {name} has no sample"


def test_the_sample_is_claimed_by_its_loader_alone(case):
    loader, path = case
    assert choose(path).name == loader.name


def test_the_sample_is_read_into_the_schema(case):
    loader, path = case
    run = outcome(loader, path)
    assert run is not None
    assert any(len(frame) for frame in run.frames.values())


def test_reading_twice_gives_the_same(case):
    loader, path = case
    assert_same(loader.load(path, {}), loader.load(path, {}))


def test_gzip_gives_the_same_run(case):
    loader, path = case
    plain = loader.load(path, {})
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert choose(path).name == loader.name
    assert_same(plain, loader.load(path, {}))


def test_a_file_that_is_known_by_another_path_is_read_the_same(case):
    loader, path = case
    assert outcome(loader, path).frames.keys() == loader.load(path, {}, origin="elsewhere/name.bin").frames.keys()


@pytest.mark.parametrize("content", [b"", b"\0" * 1000, b"hello\n", b"[]", b"{}", b"[[[[", b'{"a": '], ids=repr)
@pytest.mark.parametrize("name", loader_names())
def test_what_is_no_input_is_refused_or_said(name, content, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    loader = get_loader(name)
    assert isinstance(loader.sniff(path, content), str)
    run = outcome(loader, path)
    assert run is None or run.diagnostics


@pytest.mark.parametrize("name", loader_names())
def test_deep_nesting_is_no_way_to_crash(name, tmp_path):
    path = tmp_path / "deep.json"
    for content in (b"[" * 200_000, b'{"a":' * 200_000):
        path.write_bytes(content)
        outcome(get_loader(name), path)


@pytest.mark.parametrize("name", loader_names())
@ANY_BYTES
@given(content=st.binary(min_size=1, max_size=3000))
def test_noise_is_refused_or_said(name, content, tmp_path):
    path = tmp_path / "noise"
    path.write_bytes(content)
    loader = get_loader(name)
    assert isinstance(loader.sniff(path, content), str)
    run = outcome(loader, path)
    assert run is None or run.diagnostics


@pytest.mark.parametrize("keep", [0.001, 0.1, 0.33, 0.5, 0.77, 0.95])
def test_a_cut_file_is_refused_or_said(case, keep):
    loader, path = case
    content = path.read_bytes()
    path.write_bytes(content[: max(1, int(len(content) * keep))])
    run = outcome(loader, path)
    assert run is None or run.diagnostics


@ANY_BYTES
@given(data=st.data())
def test_damage_anywhere_raises_nothing_but_a_sentence(case, data):
    loader, path = case
    whole = path.read_bytes()
    content = bytearray(whole[:20_000])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=40))
    damaged = path.with_name("damaged")
    damaged.write_bytes(content)
    outcome(loader, damaged)


@pytest.mark.parametrize("name", loader_names())
def test_settings_that_make_no_sense_are_a_sentence(name, tmp_path):
    path = tmp_path / "file"
    case = next(origin for loader, origin in CASES if loader == name)
    path.write_bytes(content_of(case) if isinstance(case, Path) else MADE[name][case].encode())
    for key in sorted(get_loader(name).setting_names):
        for text in ("", "-1", "nan", "1e999", "\0", "x" * 1000):
            try:
                check(get_loader(name).load(path, {key: text}))
            except LoadError as error:
                assert key in str(error)


def test_times_stay_exact(case):
    loader, path = case
    for name in INTERVALS:
        frame = loader.load(path, {}).frames.get(name)
        assert frame is None or frame["start"].dtype == np.int64
