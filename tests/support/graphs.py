"""Graphs of a compiler made by hand."""

from analysis.program.nodes import NONE, Nodes, WorkingNodes
from analysis.program.replay import Replay, Step
from analysis.program.state import state_of


class Graph:
    """Nodes added one by one, operands first; equal ones are one, as a capture has them."""

    def __init__(self):
        self.rows = []
        self.values = {None: 0, "": 0}
        self.known = {}

    def add(self, op, *sources, dtype="int", argument="", tag="", body=NONE, context=NONE):
        """Return the number of a node."""
        key = (op, dtype, sources, argument, tag)
        if key not in self.known:
            self.known[key] = len(self.rows)
            self.rows.append((*key, body, context))
        return self.known[key]

    @property
    def nodes(self):
        """Return them as the analysis takes them."""
        columns = [list(column) for column in zip(*self.rows, strict=True)]
        operations, dtypes, sources, arguments, tags, bodies, contexts = columns
        numbers = [
            [self.values.setdefault(value, len(self.values)) for value in part]
            for part in (arguments, tags)
        ]
        return Nodes(operations, dtypes, sources, *numbers, arguments, tags, bodies, contexts)

    def replay(self, root, *pairs, bottom_up=False, walk=False, enter_calls=False, release="0.12"):
        """Return the states of a step that begins with `root`."""
        return Replay(self.nodes, Step(root, pairs, bottom_up, walk, enter_calls, release))

    def state(self, root, *pairs, match=None, release="0.12"):
        """Return the state after all pairs, or after one of them."""
        replay = self.replay(root, *pairs, release=release)
        return state_of(
            replay,
            release,
            len(pairs) if match is None else match,
            lambda context: f"context {context}",
        )


def graph_of_rows(*rows):
    """Return nodes of rows of operation, type, places of operands among the rows, argument; and the last node."""
    graph, places = Graph(), []
    for operation, dtype, sources, argument in rows:
        places.append(
            graph.add(
                operation, *(places[source] for source in sources), dtype=dtype, argument=argument
            )
        )
    return WorkingNodes(graph.nodes), places[-1]


def written(nodes, root):
    """Return a graph as nested text, whatever its nodes' numbers are."""
    inner = ", ".join(written(nodes, source) for source in nodes.sources[root])
    argument = nodes.argument_text(root)
    said = f"{nodes.operations[root]}{f':{argument}' if argument else ''}"
    return f"{said}({inner})" if inner else said
