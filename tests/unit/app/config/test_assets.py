"""The vendored bundle of plotly.js: the version that plotly.py writes for, with every trace type that figures have."""

import ast
import re
from pathlib import Path

import pytest
from plotly.offline import get_plotlyjs, get_plotlyjs_version

from app.config.assets import ASSETS, PLOTLY
from tests.support.plotly_bundle import BUNDLE, traces_of

ROOT = Path(__file__).parents[4]
EVERY_TRACE = traces_of(get_plotlyjs())


def trace_types(source):
    """Return the trace types of plotly that a module names as the `type` of something."""
    tree = ast.parse(source)
    given = [
        value for node in ast.walk(tree) if isinstance(node, ast.Dict) for value in typed(node)
    ]
    return {constant.value for value in given for constant in ast.walk(value) if is_trace(constant)}


def typed(node):
    return [
        value
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "type"
    ]


def is_trace(node):
    return (
        isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in EVERY_TRACE
    )


def test_it_has_the_version_that_plotly_writes_for():
    assert (
        re.search(r"plotly\.js \(cartesian - minified\) v([\d.]+)", BUNDLE)[1]
        == get_plotlyjs_version()
    )


def test_it_lacks_trace_types_and_says_which():
    assert {"bar", "scatter", "heatmap", "box"} < traces_of(BUNDLE) < EVERY_TRACE


def test_the_scan_sees_trace_types():
    source = 'a = {"type": "scattergl" if large else "scatter", "x": {"type": "linear"}}\nb = {"type": kind}'
    assert trace_types(source) == {"scattergl", "scatter"}


@pytest.mark.slow
def test_no_figure_names_a_trace_type_that_it_lacks():
    modules = [path for package in ("app", "components") for path in (ROOT / package).rglob("*.py")]
    used = {
        kind: path for path in modules for kind in trace_types(path.read_text(encoding="utf-8"))
    }
    assert {"bar", "scatter", "heatmap"} <= set(used)
    assert {kind: path for kind, path in used.items() if kind not in traces_of(BUNDLE)} == {}


@pytest.mark.slow
def test_figures_are_made_of_dicts_that_the_scan_sees():
    made = re.compile(
        r"\bgo\.(?!Figure\b)\w+|plotly\.express|add_(?:trace|bar|scatter|heatmap|box)\w*\("
    )
    modules = [path for package in ("app", "components") for path in (ROOT / package).rglob("*.py")]
    assert {
        path: found[0]
        for path in modules
        if (found := made.search(path.read_text(encoding="utf-8")))
    } == {}


@pytest.mark.parametrize(
    "script", sorted((ASSETS / "vendor").glob("*.js")), ids=lambda path: path.name
)
def test_every_vendored_script_has_its_licence_beside_it(script):
    licence = script.with_name(script.name.removesuffix(".js").removesuffix(".min") + ".LICENSE")
    assert "Permission is hereby granted" in licence.read_text(encoding="utf-8")


def test_it_can_stand_inside_of_a_page():
    assert "</script" not in PLOTLY.read_text(encoding="utf-8").lower()


@pytest.mark.slow
def test_nothing_that_is_served_names_a_cdn():
    files = [path for path in ASSETS.rglob("*") if path.suffix in {".js", ".css", ".svg", ".html"}]
    cdn = re.compile(r"cdn\.|unpkg\.com|jsdelivr|googleapis", re.IGNORECASE)
    assert {
        path.name: found[0]
        for path in files
        if (found := cdn.search(path.read_text(encoding="utf-8")))
    } == {}
