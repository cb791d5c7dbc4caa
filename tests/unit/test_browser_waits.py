"""Browser tests wait for functions, never for expressions.

Playwright evaluates an expression again at every look. The pages' Content-Security-Policy forbids
that outside of the first look, so an expression only fails if its condition is not true at once.
"""

import ast
import re
from pathlib import Path

import pytest

E2E = Path(__file__).parents[1] / "e2e"
FUNCTION = re.compile(r"\s*(async\s*)?(\([^()]*\)|\w+)\s*=>")


def begin_of(node, constants):
    """Return the first literal part of a string that a call has as its argument."""
    if isinstance(node, ast.Name):
        node = constants[node.id]
    if isinstance(node, ast.JoinedStr):
        node = node.values[0]
    assert isinstance(node, ast.Constant)
    return node.value


def waited(text):
    """Return line and script of each condition that a module waits for in a page."""
    module = ast.parse(text)
    constants = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return [
        (call.lineno, begin_of(call.args[0], constants))
        for call in ast.walk(module)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "wait_for_function"
    ]


@pytest.mark.parametrize("path", sorted(E2E.glob("*.py")), ids=lambda path: path.stem)
def test_a_browser_test_waits_for_functions(path):
    expressions = [
        (line, script) for line, script in waited(path.read_text()) if not FUNCTION.match(script)
    ]
    assert expressions == []


def test_an_expression_is_found():
    text = 'WAIT = "scrollY === 4"\npage.wait_for_function(WAIT)\npage.wait_for_function("x => x")'
    (first, script), second = waited(text)
    assert (first, script) == (2, "scrollY === 4")
    assert not FUNCTION.match(script)
    assert FUNCTION.match(second[1])
