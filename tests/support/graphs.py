"""Hand-made graphs of a compiler."""

from analysis.program.nodes import NONE, Nodes, WorkingNodes
from analysis.program.replay import Replay, Step
from analysis.program.state import state_of


class Graph:
    """A graph that grows by `add`, operands first; equal nodes are the same node, as in a capture."""

    def __init__(self):
        self.rows = []
        self.values = {None: 0, "": 0}
        self.known = {}

    def add(self, op, *sources, dtype="int", argument="", tag="", body=NONE, context=NONE):
        """Add a node, or find the equal node, and return its number."""
        key = (op, dtype, sources, argument, tag)
        if key not in self.known:
            self.known[key] = len(self.rows)
            self.rows.append((*key, body, context))
        return self.known[key]

    @property
    def nodes(self):
        """The nodes as the analysis reads them."""
        columns = [list(column) for column in zip(*self.rows, strict=True)]
        operations, dtypes, sources, arguments, tags, bodies, contexts = columns
        numbers = [
            [self.values.setdefault(value, len(self.values)) for value in part]
            for part in (arguments, tags)
        ]
        return Nodes(operations, dtypes, sources, *numbers, arguments, tags, bodies, contexts)

    def replay(self, root, *pairs, bottom_up=False, walk=False, enter_calls=False, release="0.12"):
        """Build the replay of a step that begins with `root` and replaces nodes by `pairs`."""
        return Replay(self.nodes, Step(root, pairs, bottom_up, walk, enter_calls, release))

    def state(self, root, *pairs, match=None, release="0.12"):
        """Return the state after `match` of the pairs, by default after all."""
        replay = self.replay(root, *pairs, release=release)
        return state_of(
            replay,
            release,
            len(pairs) if match is None else match,
            lambda context: f"context {context}",
        )


def graph_of_rows(*rows):
    """Build a graph from rows (operation, type, indexes of the operand rows, argument); return its
    nodes and the last node.
    """
    graph, places = Graph(), []
    for operation, dtype, sources, argument in rows:
        places.append(
            graph.add(
                operation, *(places[source] for source in sources), dtype=dtype, argument=argument
            )
        )
    return WorkingNodes(graph.nodes), places[-1]


def written(nodes, root):
    """Write a graph as nested text that does not depend on the numbers of its nodes."""
    inner = ", ".join(written(nodes, source) for source in nodes.sources[root])
    argument = nodes.argument_text(root)
    said = f"{nodes.operations[root]}{f':{argument}' if argument else ''}"
    return f"{said}({inner})" if inner else said
