"""Labels of nodes: operation, argument, type, hidden operands, shape, ranges and context.

A line is missing if its content is unknown.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection, Sequence

from analysis.program.constants import constant_values
from analysis.program.nodes import NONE, WorkingNodes
from analysis.program.open_ranges import open_ranges, range_number
from analysis.program.rules import MOVEMENT
from analysis.program.shape_inference import Shapes

_WIDTH, _SOURCE_WIDTH = 80, 200
"""Maximum number of characters of a line of a label, and of a line of source text."""
_FIRST_ONLY = frozenset(("INDEX", "BUFFERIZE", "STAGE"))
"""Operations of which only the first operand is named in a label."""
_CLOSING = frozenset(("END", "REDUCE"))
"""Operations that close ranges."""
_CALLING = frozenset(("CALL", "FUNCTION"))
"""Operations with a call's body as first operand."""
_FLOAT = re.compile(r"-?\d{1,40}(?:\.\d{0,40}(?:e[+-]?\d{1,4})?|e[+-]?\d{1,4})")
"""Texts of floating point numbers."""

Named = Callable[[int], str]
"""Function from a context to its name."""


class Labels:
    """Labels of the nodes of a graph by the rules of a release; `order` lists operands before their
    users.

    `hidden` nodes are left out of pictures, `named` returns names of contexts.
    """

    def __init__(
        self,
        nodes: WorkingNodes,
        order: Sequence[int],
        release: str,
        hidden: Collection[int],
        named: Named,
    ) -> None:
        self._nodes = nodes
        self._ranges = open_ranges(nodes, order)
        self._hidden = hidden
        self._named = named
        self._constants: dict[int, list[str] | None] = {}
        self._shapes = Shapes(nodes, release)
        # Shapes of all nodes are inferred at once: labels are built in any order, shapes need
        # operands first.
        self._shapes.infer(order)

    def label(self, node: int) -> str:
        """Build the label of a node as a text with line breaks: operation, argument, type, hidden
        operands, ranges, shape and context; a line is left out if its content is unknown or empty.
        """
        nodes = self._nodes
        dtype = nodes.dtypes[node]
        lines = [
            nodes.operations[node],
            *self._argument(node),
            *([dtype] if dtype not in ("", "void") else []),
        ]
        lines += self._operands(node)
        lines += [
            text
            for text in (
                self._open_ranges(node),
                self._shapes.text(node),
                self._closed_ranges(node),
                self._context_text(node),
            )
            if text
        ]
        return "\n".join(lines)

    def _argument(self, node: int) -> list[str]:
        operation = self._nodes.operations[node]
        text = self._nodes.argument_text(node)
        if operation == "CONST":
            text = short_number(text)
        width = _SOURCE_WIDTH if operation == "SOURCE" else _WIDTH
        return [part for line in text.splitlines() for part in textwrap.wrap(line, width)]

    def _operands(self, node: int) -> list[str]:
        """Write a line for each hidden operand of a node that its label names: operation and port,
        then the value, such as `CONST1 4`. [] for END nodes.
        """
        nodes = self._nodes
        hidden = self._hidden
        operation = nodes.operations[node]
        sources = nodes.sources[node]
        if operation == "END":
            return []
        named = sources[:1] if operation in _FIRST_ONLY else sources
        ends = [(port, self._end(source)) for port, source in enumerate(named) if source in hidden]
        return [f"{nodes.operations[end]}{port} {self._value(end)}".rstrip() for port, end in ends]

    def _end(self, node: int) -> int:
        """Follow hidden movements from a node to the node that they give a shape to; the node
        itself if it is no hidden movement.
        """
        nodes = self._nodes
        hidden = self._hidden
        while (
            nodes.operations[node] in MOVEMENT
            and nodes.sources[node]
            and nodes.sources[node][0] in hidden
        ):
            node = nodes.sources[node][0]
        return node

    def _value(self, node: int) -> str:
        values = (
            self._values(node) if self._nodes.operations[node] in ("STACK", "VECTORIZE") else None
        )
        if values is not None:
            return f"({', '.join(map(short_number, values))})"
        return short_number(self._nodes.argument_text(node))

    def _values(self, node: int) -> list[str] | None:
        """Read the values of a constant as texts, `None` for other nodes; cached, since many nodes
        may have the same constant as operand.
        """
        if node not in self._constants:
            self._constants[node] = constant_values(self._nodes, node)
        return self._constants[node]

    def _open_ranges(self, node: int) -> str:
        """Name the ranges that are open at a node, `in ranges 0, 2`; "" if there are none, and for
        a range itself, which its own argument names.
        """
        if self._nodes.operations[node] == "RANGE" or not self._ranges.get(node):
            return ""
        numbers = {range_number(self._nodes.argument_text(opened)) for opened in self._ranges[node]}
        return f"in {'range' if len(numbers) == 1 else 'ranges'} {', '.join(sorted(numbers, key=_by_number))}"

    def _closed_ranges(self, node: int) -> str:
        """Name the ranges that a node closes, with their sizes if these are numbers: `closes range
        0 of size 4`; "" if it closes no range.
        """
        nodes = self._nodes
        if nodes.operations[node] not in _CLOSING:
            return ""
        ranges = [
            source
            for source in nodes.sources[node][1:]
            if nodes.operations[source] in ("RANGE", "SPECIAL")
        ]
        return f"closes {', '.join(map(self._range, ranges))}" if ranges else ""

    def _range(self, node: int) -> str:
        nodes = self._nodes
        first = nodes.sources[node][:1]
        size = (
            f" of size {nodes.argument_text(first[0])}"
            if first and nodes.operations[first[0]] == "CONST"
            else ""
        )
        return f"range {range_number(nodes.argument_text(node))}{size}"

    def _context_text(self, node: int) -> str:
        context = called_context(self._nodes, node)
        return f"context {context}: {self._named(context)}" if context != NONE else ""


def _by_number(name: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else -1 for part in name.split("_"))


def called_context(nodes: WorkingNodes, node: int) -> int:
    """Return the number of the context that compiled the body of a kernel or call; NONE (-1) for
    other nodes, and if it is unknown.
    """
    operation = nodes.operations[node]
    sources = nodes.sources[node]
    if operation == "KERNEL":
        body = nodes.body(node)
        return nodes.context(body) if body != NONE else NONE
    return nodes.context(sources[0]) if operation in _CALLING and sources else NONE


def short_number(text: str) -> str:
    """Round the text of a float to six significant digits; integers and other texts are
    unchanged.
    """
    return f"{float(text):g}" if _FLOAT.fullmatch(text) else text
