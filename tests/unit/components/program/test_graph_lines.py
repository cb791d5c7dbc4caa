"""Lines of a graph: where those are that the page leaves out."""

import pytest

from components.program.graph_lines import MAX_LINES, graph_lines
from tests.support.components import words


@pytest.mark.parametrize("difference", [False, True])
def test_only_a_whole_graph_has_the_rest_in_the_export(difference):
    shown = words(graph_lines(["+ a"] * (MAX_LINES + 3), "lines", difference=difference))
    assert "3 more lines" in shown
    assert ("TEXT" in shown) != difference
    assert "more" not in words(graph_lines(["+ a"], "lines", difference=difference))
