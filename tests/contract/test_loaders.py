"""What every loader owes its callers; a new loader is in as soon as it is registered and has a sample."""

import gzip
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from data_loaders.protocol import Bundle, Isolating, LoadError
from data_loaders.reading.files import open_content
from data_loaders.reading.json_damage import text_of
from data_loaders.reading.limits import Limits
from data_loaders.registry import choose, get_loader, loader_names, sniff
from tests.support.deeploy_run import problem_csv
from tests.support.tpu_log import MODULE
from tilescope.run_contract import check_run

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
RESULTS = Path(__file__).resolve().parents[1] / "support" / "results"
"""Files of results as the tools write them, a file for each format."""
MADE = {
    "deeploy": {"made/input_minimalloc_0123456789abcdef.csv": problem_csv()},
    "tpu_mlir": {"made/net_final.mlir": MODULE},
    "results": {
        f"made/{path.name}": path.read_text(encoding="utf-8") for path in sorted(RESULTS.iterdir())
    },
}
"""Loader -> file name -> text, for what `samples/` does not have."""
INTERVALS = ("events", "allocations")
ANY_BYTES = settings(
    max_examples=settings().max_examples * 3 // 10,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
KEPT = (0.001, 0.1, 0.33, 0.5, 0.77, 0.95)
"""Shares of a file that are left where it is cut."""
TURNS = 3
"""How many samples of a loader that starts a process for each share what the samples of others take one by one."""


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
RUNS = sorted(
    {
        (name, get_loader(name).bundle(path).primary)
        for name, paths in CLAIMED.items()
        for path in paths
    }
)
"""Loader and primary file of every run of `samples/`."""
ACCOMPANIED = [(name, path) for name, path in RUNS if get_loader(name).bundle(path).companions]
"""Runs of several files: without companions, reading them would be reading the sample again."""


def content_of(name, origin):
    """Return the uncompressed bytes of a loader's sample: a file, or the name of one that is made here."""
    if isinstance(origin, Path):
        with open_content(origin) as stream:
            return stream.read()
    return MADE[name][origin].encode()


def starts_processes(name):
    """Return whether a loader starts a process for each file; its modules are damaged without in tests of their own."""
    return isinstance(get_loader(name), Isolating)


def cuts_of(rank, name):
    """Return the shares of a sample that are kept: samples that a process reads take turns at KEPT."""
    return KEPT[rank % TURNS :: TURNS] if starts_processes(name) else KEPT


def case_id(case):
    return f"{case[0]}-{Path(case[1]).name}"


READ = {}
"""Case -> its run, for tests that look at it and change nothing."""


def copy_alone(case, folder):
    """Write a copy of a sample, uncompressed, into a folder where nothing else is; return its path."""
    name, origin = case
    path = folder / "sample" / Path(origin).name.removesuffix(".gz")
    path.parent.mkdir()
    path.write_bytes(content_of(name, origin))
    return path


def read_once(case):
    """Return what a sample is read into without companions."""
    if case not in READ:
        with TemporaryDirectory() as folder:
            READ[case] = get_loader(case[0]).load(copy_alone(case, Path(folder)), {})
    return READ[case]


@pytest.fixture(params=CASES, ids=case_id)
def case(request, tmp_path):
    """A loader and a copy of one of its samples, alone in a folder, uncompressed."""
    return get_loader(request.param[0]), copy_alone(request.param, tmp_path)


@pytest.fixture
def run(request, case):
    """What a sample is read into."""
    return read_once(request.node.callspec.params["case"])


def outcome(loader, path):
    """Load the file and check what comes; None where the loader refused it with a sentence."""
    try:
        run = loader.load(path, {})
    except LoadError as error:
        assert str(error)
        assert "\n" not in str(error)
        return None
    check_run(run)
    return run


def assert_refused_or_said(loader, path, content):
    """Assert that a file is refused, or read with a finding; `content` describes it."""
    run = outcome(loader, path)
    assert run is None or run.diagnostics, content


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
    assert isinstance(loader.version, str)
    assert loader.version.strip()
    assert CLAIMED[name] or MADE.get(name), f"loader {name} has no sample"


def test_the_sample_is_claimed_by_its_loader_alone_and_is_its_run(case):
    loader, path = case
    assert choose(path).name == loader.name
    assert loader.bundle(path) == Bundle(path)


def test_the_sample_is_read_into_the_schema(run):
    check_run(run)
    assert any(len(frame) for frame in run.frames.values())
    for name in INTERVALS:
        frame = run.frames.get(name)
        assert frame is None or frame["start"].dtype == np.int64


@pytest.mark.parametrize("name", loader_names())
def test_a_file_that_is_none_of_its_own_is_bundled_alone(name, tmp_path):
    path = tmp_path / "stranger.bin"
    path.write_bytes(b"\0" * 100)
    assert get_loader(name).bundle(path) == Bundle(path)


@pytest.mark.parametrize(("name", "path"), RUNS, ids=lambda part: getattr(part, "name", part))
def test_files_of_a_run_give_one_bundle(name, path):
    loader = get_loader(name)
    bundle = loader.bundle(path)
    assert bundle.primary == path
    assert path not in bundle.companions
    assert len(set(bundle.companions)) == len(bundle.companions)
    assert all(companion.is_file() for companion in bundle.companions)
    assert all(
        loader.bundle(file) == bundle for file in bundle.companions if sniff(file)[name] is None
    )


@pytest.mark.parametrize(
    ("name", "path"), ACCOMPANIED, ids=lambda part: getattr(part, "name", part)
)
def test_a_run_is_read_with_its_companions(name, path):
    loader = get_loader(name)
    bundle = loader.bundle(path)
    run = loader.load(bundle.primary, {}, None, bundle.companions)
    check_run(run)
    assert set(read_once((name, path)).frames) <= set(run.frames)


@pytest.mark.parametrize(
    "damage",
    [lambda content: content[: len(content) // 2], lambda _: b"\0\xff {"],
    ids=["cut", "noise"],
)
@pytest.mark.parametrize(
    ("name", "path"), ACCOMPANIED, ids=lambda part: getattr(part, "name", part)
)
def test_damaged_companions_cost_themselves(name, path, damage, tmp_path):
    loader = get_loader(name)
    companions = [tmp_path / companion.name for companion in loader.bundle(path).companions]
    for file, companion in zip(companions, loader.bundle(path).companions, strict=True):
        file.write_bytes(damage(companion.read_bytes()))
    run = loader.load(path, {}, None, companions)
    check_run(run)
    assert set(read_once((name, path)).frames) <= set(run.frames)


def test_reading_again_gives_the_same_also_from_gzip(case, run):
    loader, path = case
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert choose(path).name == loader.name
    again = loader.load(path, {})
    # A finding about a byte of a gzip file says of which text the byte is.
    findings = [
        replace(finding, message=finding.message.replace(text_of(path), ""))
        for finding in again.diagnostics
    ]
    assert_same(run, replace(again, diagnostics=findings))


def test_a_file_that_is_known_by_another_path_is_read_the_same(case, run):
    loader, path = case
    assert run.frames.keys() == loader.load(path, {}, origin="elsewhere/name.bin").frames.keys()


@pytest.mark.parametrize("name", loader_names())
def test_what_is_no_input_is_refused_or_said(name, tmp_path):
    path = tmp_path / "file"
    loader = get_loader(name)
    for content in (b"", b"\0" * 1000, b"hello\n", b"[]", b"{}", b"[[[[", b'{"a": '):
        path.write_bytes(content)
        assert isinstance(loader.sniff(path, content), str), content
        assert_refused_or_said(loader, path, content)


@pytest.mark.parametrize("name", loader_names())
def test_deep_nesting_is_no_way_to_crash(name, tmp_path):
    path = tmp_path / "deep.json"
    for content in (b"[" * 200_000, b'{"a":' * 200_000):
        path.write_bytes(content)
        outcome(get_loader(name), path)


@pytest.mark.parametrize("name", loader_names())
@ANY_BYTES
@given(content=st.binary(min_size=1, max_size=3000))
@example(content=b"Deeploy Memory Allocation")
def test_noise_is_refused_or_said(name, content, tmp_path):
    path = tmp_path / "noise"
    path.write_bytes(content)
    loader = get_loader(name)
    assert loader.sniff(path, content) != ""
    run = outcome(loader, path)
    assert run is None or run.diagnostics


@pytest.mark.parametrize(
    ("case", "kept"),
    [(case, cuts_of(rank, case[0])) for rank, case in enumerate(CASES)],
    indirect=["case"],
    ids=[case_id(case) for case in CASES],
)
def test_a_cut_file_is_refused_or_said(case, kept):
    loader, path = case
    content = path.read_bytes()
    for share in kept:
        path.write_bytes(cut_within_line(content, max(1, int(len(content) * share))))
        assert_refused_or_said(loader, path, share)


def cut_within_line(content, length):
    """Return about `length` bytes of a file, without a line break at the end.

    Many formats cannot know that a file is cut if it ends with a whole line.
    """
    part = content[:length]
    return (
        part
        if part.strip(b"\r\n") == b"" or not part.endswith(b"\n")
        else part.rstrip(b"\r\n")[:-1]
    )


@pytest.mark.parametrize(
    "case", [case for case in CASES if not starts_processes(case[0])], ids=case_id
)
@ANY_BYTES
@given(data=st.data())
def test_damage_anywhere_raises_nothing_but_a_sentence(case, data, tmp_path):
    read_damaged(case, data, tmp_path)


@pytest.mark.parametrize("name", [name for name in loader_names() if starts_processes(name)])
@ANY_BYTES
@given(data=st.data())
def test_damage_in_a_process_of_its_own_raises_nothing_but_a_sentence(name, data, tmp_path):
    read_damaged(
        data.draw(st.sampled_from([case for case in CASES if case[0] == name])), data, tmp_path
    )


def read_damaged(case, data, folder):
    """Read a sample with some of its bytes replaced."""
    content = bytearray(content_of(*case)[:20_000])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=40))
    damaged = folder / "damaged"
    damaged.write_bytes(content)
    outcome(get_loader(case[0]), damaged)


@pytest.mark.parametrize(
    "case", [case for case in CASES if starts_processes(case[0])], indirect=True, ids=case_id
)
def test_limits_hold_where_a_process_reads(case):
    loader, path = case
    hurried = loader.with_limits(Limits(clock_s=1e-6, clock_s_per_mb=0))
    assert hurried.name == loader.name
    with pytest.raises(LoadError, match=r"took more than"):
        hurried.load(path, {})


@pytest.mark.slow
@pytest.mark.parametrize("name", loader_names())
def test_settings_that_make_no_sense_are_a_sentence(name, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(
        min((content_of(name, origin) for loader, origin in CASES if loader == name), key=len)
    )
    turns = TURNS if starts_processes(name) else 1
    for rank, key in enumerate(sorted(get_loader(name).setting_names)):
        for text in ("", "-1", "nan", "1e999", "\0", "x" * 1000)[rank % turns :: turns]:
            try:
                check_run(get_loader(name).load(path, {key: text}))
            except LoadError as error:
                assert key in str(error)
