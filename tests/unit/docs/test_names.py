"""Names of functions: a verb with its object, or the noun that comes back."""

import ast

import pytest

from tests.support.packages import PACKAGES, ROOT

# fmt: off
PARTICIPLES = frozenset({
    "begun", "bound", "chosen", "drawn", "found", "given", "gone", "held", "hidden", "kept", "known", "left",
    "lost", "made", "met", "said", "seen", "sent", "shown", "sought", "taken", "told", "unknown", "unseen",
    "won", "written",
})
# fmt: on
NO_PARTICIPLES = frozenset({"embed", "feed", "need", "red", "seed", "speed"})
KEPT = {
    "app/server/connections.py": {"received"},  # what waitress calls
    "app/server/request_parser.py": {"received"},  # the same, of the parser
    "app/views/plugin_view.py": {"clicked"},  # the function of a plugin, wrapped
    "app/views/address/view_state.py": {
        "selected"
    },  # with the class as its object: selected(MapSelection)
    "app/mcp/tool.py": {"chosen"},  # as in storage/run_query.py: chosen(FACET)
    "storage/run_query.py": {"chosen"},
    "services/gate/baseline_status.py": {"known"},  # beside `more`: what is known without comparing
    "analysis/tiling/deeploy/network.py": {
        "known",
        "unknown",
    },  # operators by whether their transfers are known, as captions have it
    "analysis/comparison/capture.py": {"rated"},  # iterations with a rate
    "analysis/allocators/problem.py": {"used"},  # parts that use any bytes, beside `alive`
    "tilescope/testing.py": {"made"},  # what authors of plugins override
}
"""Functions that are named by a participle alone and stay, with the reason."""


def is_participle(name):
    word = name.strip("_")
    return word in PARTICIPLES or (
        word.endswith("ed") and "_" not in word and word not in NO_PARTICIPLES
    )


def functions(path):
    tree = ast.parse(path.read_text())
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


@pytest.mark.slow
def test_no_function_is_named_by_a_participle_alone_but_for_a_few_with_a_reason():
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    found = {
        str(path.relative_to(ROOT)): {*filter(is_participle, functions(path))} for path in files
    }
    assert {file: names for file, names in found.items() if names} == KEPT
    assert sum(map(len, KEPT.values())) <= 20


@pytest.mark.slow
def test_no_class_name_is_given_twice_in_a_family():
    """A family is a package below one of PACKAGES."""
    places = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            family = (
                path.relative_to(ROOT).parts[:2] if path.parent != ROOT / package else (package,)
            )
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef):
                    places.setdefault((family, node.name), []).append(str(path.relative_to(ROOT)))
    assert [files for files in places.values() if len(files) > 1] == []
