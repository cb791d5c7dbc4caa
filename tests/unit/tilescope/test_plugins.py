"""The plugin that docs/plugins.md makes, held to the contract that it is told to hold, and plugins that fail."""

import importlib
import json
import re
import sys
from importlib.metadata import EntryPoint

import pytest

from app import plugins as listed
from app.views import view_plugins
from app.views.plugin_view import wrap_view
from app.views.registry import BUILT_IN
from app.views.state import RunState
from app.views.view import FAILED, ContentView, Part
from app.views.view_plugins import ViewPlugin
from data_loaders import registry
from data_loaders.plugin_boundary import PluginExitedError
from data_loaders.plugins import PluginLoader
from schema.plugin_api import LOADERS, VIEWS
from tests.support.command_line import run as run_command
from tests.support.warm_processes import ROOT
from tilescope import plugin as api
from tilescope.testing import LoaderContract, ViewContract

PAGE = (ROOT / "docs/plugins.md").read_text("utf-8")


@pytest.fixture(scope="module", autouse=True)
def package(tmp_path_factory):
    """The package of the page, importable."""
    folder = tmp_path_factory.mktemp("plugin")
    loader, views, _ = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (folder / "tilescope_beats").mkdir()
    (folder / "tilescope_beats/__init__.py").touch()
    (folder / "tilescope_beats/loader.py").write_text(loader)
    (folder / "tilescope_beats/views.py").write_text(views)
    (folder / "failing.py").write_text("raise SystemExit(3)\n")
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.startswith("tilescope_beats")]:
        del sys.modules[name]


def beats():
    return importlib.import_module("tilescope_beats.loader").BeatsLoader()


class TestLoader(LoaderContract):
    loader = staticmethod(beats)

    def samples(self, folder):
        (folder / "a.beats").write_text(
            "beats 1\ndsp0 fft 0 40\ndsp0 window 40 55\ndsp1 fft 5 44\n"
        )
        return [folder / "a.beats"]


class TestViews(ViewContract):
    loader = staticmethod(beats)
    samples = TestLoader.samples

    @property
    def plugin(self):
        return importlib.import_module("tilescope_beats.views").PLUGIN


def test_the_page_has_every_name_of_the_api():
    table = PAGE.split("## What is in the API")[1].split("\n## ")[0]
    assert set(re.findall(r"`(\w+)`", table)) >= {*api.__all__}


@pytest.mark.parametrize(("name", "new"), [("Choice", "Option"), ("Words", "ContentView")])
def test_earlier_names_of_the_api_warn_and_work(name, new):
    with pytest.warns(DeprecationWarning, match=new):
        assert getattr(api, name) is getattr(api, new)


def test_a_caption_may_have_its_earlier_name():
    with pytest.warns(DeprecationWarning, match="caption"):
        assert api.Part(None, answer="3 of 4 fit").caption == "3 of 4 fit"
    with pytest.warns(DeprecationWarning, match="caption"):
        assert api.Panel(api.figure([], {}, "light"), answer="3 of 4 fit").caption == "3 of 4 fit"


def test_an_unknown_name_of_the_api_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = api.nothing_like_it


@pytest.fixture
def installed(monkeypatch):
    """Let entry points be those given: loaders, then views."""

    def install(*points):
        by_group = {
            group: [one for one in points if one.group == group] for group in (LOADERS, VIEWS)
        }
        monkeypatch.setattr(registry, "entry_points", lambda group: by_group[group])
        monkeypatch.setattr(view_plugins, "entry_points", lambda group: by_group[group])
        registry._factories.cache_clear()
        monkeypatch.setattr(listed, "PLUGINS", view_plugins.find_plugins(BUILT_IN))

    yield install
    registry._factories.cache_clear()


def words(**given):
    made = {
        "id": "own-words",
        "title": "Own",
        "help": "h",
        "make": lambda _data, _state: Part(None, "a"),
    }
    return ContentView(**made | given)


@pytest.mark.parametrize(
    ("plugin", "reason"),
    [
        (7, "ViewPlugin"),
        (ViewPlugin(99, (words(),)), "99"),
        (ViewPlugin(1, (words(id=BUILT_IN[0].id),)), "already used"),
        (ViewPlugin(1, (words(id="view"),)), "already used"),
        (ViewPlugin(1, (words(), words())), "already used"),
        (ViewPlugin(1, (words(id="A b"),)), "lowercase"),
        (ViewPlugin(1, (words(help=" "),)), "help"),
        (ViewPlugin(1, ()), "no view"),
        (ViewPlugin(1, (3,)), "int"),
        (ViewPlugin(1, 3), "int"),
    ],
)
def test_records_that_are_none_are_refused_with_the_reason(plugin, reason):
    with pytest.raises(view_plugins.PluginError, match=reason):
        view_plugins.check_plugin(plugin, BUILT_IN)


def test_plugins_are_listed_with_what_fails_and_what_is_missing(installed, tmp_path):
    file = tmp_path / "run.beats"
    file.write_text("beats 1\ndsp0 fft 0 40\n")
    installed(
        EntryPoint("beats", "tilescope_beats.loader:BeatsLoader", LOADERS),
        EntryPoint("failing", "failing:Loader", LOADERS),
        EntryPoint("aie", "tilescope_beats.loader:BeatsLoader", LOADERS),
        EntryPoint("beats", "tilescope_beats.views:PLUGIN", VIEWS),
        EntryPoint("failing", "failing:PLUGIN", VIEWS),
    )
    assert run_command("ingest", file, "--data", tmp_path / "data").exit_code == 0
    found = json.loads(run_command("plugins", "--json", "--data", tmp_path / "data").stdout)
    states = {(one["kind"], one["name"]): (one["state"], one["runs"]) for one in found["plugins"]}
    assert states == {
        ("loader", "aie"): ("failed", 0),
        ("loader", "beats"): ("ok", 1),
        ("loader", "failing"): ("failed", 0),
        ("view", "beats"): ("ok", 1),
        ("view", "failing"): ("failed", 0),
    }
    assert all(bool(one["error"]) == (one["state"] == "failed") for one in found["plugins"])
    installed()
    (gone,) = json.loads(run_command("plugins", "--json", "--data", tmp_path / "data").stdout)[
        "plugins"
    ]
    assert (gone["name"], gone["state"], gone["runs"]) == ("beats", "missing", 1)


ENDING = ["SystemExit(7)", "KeyboardInterrupt", "GeneratorExit", "BaseException"]


@pytest.mark.parametrize("error", ENDING)
def test_a_loader_cannot_end_the_process(tmp_path, error):
    def fall(*_given):
        raise eval(error)  # noqa: S307 - one of the texts above

    falling = PluginLoader(
        type("Falls", (type(beats()),), {"sniff": fall, "bundle": fall, "load": fall})()
    )
    calls = (
        lambda: falling.sniff(tmp_path, b""),
        lambda: falling.bundle(tmp_path),
        lambda: falling.load(tmp_path, {}),
    )
    for call in calls:
        with pytest.raises(PluginExitedError):
            call()


@pytest.mark.parametrize("error", ENDING)
@pytest.mark.parametrize(
    "source",
    [
        "raise {}",
        "def Made():\n    raise {}\nPLUGIN = Made",
        "class Made:\n    def __getattr__(self, name):\n        raise {}\nPLUGIN = Made()",
        "def fall(*given):\n    raise {}\nclass Made:\n    name = property(fall)\nPLUGIN = Made()",
        "class Named:\n    def __str__(self):\n        raise {}\n"
        "class Made:\n    api_version = 1\n    name, version, setting_names = 'ending', '1', ()\n    reads = Named()\n"
        "    sniff = bundle = load = None\nPLUGIN = Made",
    ],
)
def test_a_plugin_that_would_end_the_process_is_listed_as_failed(
    installed, monkeypatch, tmp_path, source, error
):
    module = re.sub(r"\W", "_", f"ending_{tmp_path.name}")
    (tmp_path / f"{module}.py").write_text(source.format(error) + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    installed(
        EntryPoint("ending", f"{module}:Made", LOADERS),
        EntryPoint("ending", f"{module}:PLUGIN", VIEWS),
    )
    found = json.loads(run_command("plugins", "--json", "--data", tmp_path / "data").stdout)[
        "plugins"
    ]
    assert [(one["kind"], one["state"], bool(one["error"])) for one in found] == [
        ("loader", "failed", True),
        ("view", "failed", True),
    ]


class Subject:
    label = "a run"


@pytest.mark.parametrize(
    "error", [KeyError("secret"), SystemExit(4), KeyboardInterrupt(), BaseException()]
)
def test_a_view_that_falls_over_says_so_in_its_place(error):
    def fall(_data, _state):
        raise error

    view = wrap_view(words(make=fall, tables=fall, controls=fall, listing=fall), ())
    (table,) = view.tables(Subject(), RunState())
    assert (table.name, table.line) == ("Own", FAILED)
    assert (view.controls(Subject(), RunState()), view.listing(Subject(), RunState())) == ([], "")
    with pytest.raises((KeyError, PluginExitedError)):
        view.make(Subject(), RunState())


def test_what_no_browser_can_be_sent_is_the_fault_of_its_view_alone():
    view = wrap_view(words(make=lambda _data, _state: Part(object(), "a")), ())
    with pytest.raises(TypeError):
        view.make(Subject(), RunState())
