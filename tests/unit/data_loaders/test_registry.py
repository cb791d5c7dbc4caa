import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from data_loaders import registry
from data_loaders.protocol import LoadError
from data_loaders.registry import (
    NoLoaderError,
    choose,
    get_loader,
    loader_names,
    registered_loader,
    sniff,
)
from schema.plugin_api import LOADERS
from schema.sources import SOURCES, Source

ROOT = Path(__file__).resolve().parents[3]


class Reads:
    """A loader that reads what begins with its name."""

    reads = "made-up files"
    setting_names = frozenset()

    def __init__(self, name):
        self.name = name

    def sniff(self, path, head):
        return None if head.startswith(self.name.encode()) else f"does not begin with {self.name}"


class ReadsCsv(Reads):
    """A plugin's loader of tables."""

    version = "1"
    bundle = load = None

    def sniff(self, path, head):
        return None if path.suffix == ".csv" else "no table"


class Fails(Reads):
    def sniff(self, path, head):
        raise ZeroDivisionError


def broken():
    raise ImportError("No module named 'lxml'")


@pytest.fixture
def loaders(monkeypatch):
    factories = {
        "ab": lambda: Reads("ab"),
        "abc": lambda: Reads("abc"),
        "bad": lambda: Fails("bad"),
        "gone": broken,
    }
    monkeypatch.setattr(registry, "_factories", lambda: factories)


@pytest.fixture
def fresh(monkeypatch):
    registry._factories.cache_clear()
    yield lambda *points: monkeypatch.setattr(registry, "entry_points", lambda group: points)
    registry._factories.cache_clear()


def file(tmp_path, text):
    path = tmp_path / "file"
    path.write_text(text)
    return path


@pytest.mark.usefixtures("loaders")
class TestChoose:
    def test_the_one_that_claims_it_is_chosen(self, tmp_path):
        assert choose(file(tmp_path, "abx")).name == "ab"

    def test_of_an_unknown_file_the_loaders_that_do_not_work_are_named(self, tmp_path):
        with pytest.raises(NoLoaderError) as caught:
            choose(file(tmp_path, "xyz"))
        first, bad, gone = str(caught.value).split("; ")
        assert "ab, abc, bad, gone" in first
        assert bad.startswith("bad: ") and "ZeroDivisionError" in bad
        assert gone.startswith("gone: ") and "'lxml'" in gone

    def test_the_name_of_an_unknown_file_chooses_whose_reason_is_given(self, tmp_path, monkeypatch):
        monkeypatch.setattr(registry, "SOURCES", (Source("abc", suffixes=(".json",)),))
        path = tmp_path / "x.json.gz"
        path.write_text("xyz")
        with pytest.raises(
            NoLoaderError, match=r"reads it: abc: does not begin with abc; bad: failed"
        ) as caught:
            choose(path)
        assert " ab: " not in str(caught.value)

    def test_an_ambiguous_file_asks_for_a_name(self, tmp_path):
        path = file(tmp_path, "abcd")
        with pytest.raises(NoLoaderError, match=r"\(ab, abc\).* --loader"):
            choose(path)
        assert choose(path, "abc").name == "abc"

    def test_a_named_loader_is_not_asked(self, tmp_path):
        assert choose(file(tmp_path, "xyz"), "ab").name == "ab"

    def test_an_empty_file_is_said_to_be_empty(self, tmp_path):
        assert set(sniff(file(tmp_path, "")).values()) == {"the file is empty"}

    def test_a_file_that_is_not_there_cannot_be_opened(self, tmp_path):
        with pytest.raises(LoadError, match="cannot be opened"):
            choose(tmp_path / "none")

    def test_unknown_and_broken_names_are_said(self):
        with pytest.raises(LoadError, match=r"'x'.* ab, abc, bad, gone$"):
            get_loader("x")
        with pytest.raises(LoadError, match=r"'gone'.*'lxml'"):
            get_loader("gone")


class TestRegistration:
    def test_built_in_loaders_are_there_under_their_own_names(self, fresh):
        fresh()
        assert loader_names() == [source.name for source in SOURCES]
        assert [get_loader(name).name for name in loader_names()] == loader_names()

    def test_a_loader_is_made_once(self, fresh):
        fresh()
        name = loader_names()[0]
        assert get_loader(name) is get_loader(name)

    def test_an_installed_package_adds_loaders(self, fresh):
        fresh(EntryPoint("fake", "tests.support.fake_loader:FakeLoader", LOADERS))
        assert loader_names() == [*(source.name for source in SOURCES), "fake"]
        assert get_loader("fake").name == "fake"

    def test_a_built_in_name_cannot_be_taken_over(self, fresh, caplog):
        name = SOURCES[0].name
        fresh(EntryPoint(name, "tests.support.fake_loader:FakeLoader", LOADERS))
        assert get_loader(name).name == name
        assert name in caplog.text

    def test_a_package_that_cannot_be_imported_keeps_nothing_else_from_working(
        self, fresh, tmp_path
    ):
        fresh(EntryPoint("extra", "no_such_module:Loader", LOADERS))
        with pytest.raises(NoLoaderError, match=r"'extra'.*'no_such_module'"):
            choose(file(tmp_path, "xyz"))


_CHOOSE = """
import sys
from pathlib import Path
from data_loaders.registry import choose
print(choose(Path(sys.argv[1])).name, *sorted(name for name in sys.modules if name.startswith("data_loaders.")))
"""


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    ("path", "name", "others"),
    [
        ("samples/minimalloc/harbour.81920.csv", "minimalloc", {"aie", "kineto", "deeploy", "xla"}),
        ("samples/torch_snapshot/training.pickle.gz", "torch_snapshot", {"aie", "tinygrad"}),
        (
            "samples/onnxruntime/onnxruntime_profile_classifier.json.gz",
            "onnxruntime",
            {"deeploy", "xla"},
        ),
    ],
)
def test_a_loader_with_the_files_suffix_that_accepts_it_is_imported_without_others(
    path, name, others
):
    done = subprocess.run(
        [sys.executable, "-c", _CHOOSE, path],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    chosen, *modules = done.stdout.split()
    assert chosen == name
    assert not {module.split(".")[1] for module in modules} & others


def test_a_plugin_is_examined_beside_the_loaders_of_the_suffix(tmp_path):
    path = tmp_path / "problem.csv"
    path.write_text("id,lower,upper,size\na,0,1,4\n")
    assert choose(path).name == "minimalloc"
    with (
        registered_loader(ReadsCsv("other"), "other"),
        pytest.raises(NoLoaderError, match=r"minimalloc, other|other, minimalloc"),
    ):
        choose(path)
