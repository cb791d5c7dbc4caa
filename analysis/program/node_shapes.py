"""Shapes and arguments of a graph's nodes, as the rules of shape inference read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analysis.program.dtype_names import vector_count
from analysis.program.inferred_shape import UNKNOWN, Inferred, Shape
from analysis.program.nodes import WorkingNodes
from analysis.program.rules import RELEASE_14
from analysis.program.shape_operations import ABSENT_OPERATIONS


class NodeShapes:
    """The inferred shapes of a graph's nodes, and the numbers in their arguments and operands.

    `stored` maps a node to its shape; the shapes are stored with the nodes, which never change.
    """

    def __init__(self, nodes: WorkingNodes, release: str) -> None:
        self.nodes = nodes
        self.release = release if release in ABSENT_OPERATIONS else RELEASE_14
        self.stored: dict[int, Inferred] = nodes.shapes

    def first_shape(self, sources: Sequence[int]) -> Inferred:
        return self.stored.get(sources[0], UNKNOWN) if sources else UNKNOWN

    def shapes(self, sources: Iterable[int]) -> list[Inferred]:
        return [self.stored.get(source, UNKNOWN) for source in sources]

    def numbers(self, node: int) -> Shape:
        """Read the numbers of a node that specifies a shape, an element per dimension, `None` for
        each that is not a constant.
        """
        operation = self.nodes.operations[node]
        sources = self.nodes.sources[node]
        if operation in ("CONST", "VCONST"):
            numbers = self.argument(node)
            count = vector_count(self.nodes.dtypes[node])
            return (
                (None,) * count
                if numbers is None
                else numbers * count
                if len(numbers) == 1
                else numbers
            )
        if operation in ("STACK", "VECTORIZE"):
            return tuple(self.number(source) for source in sources)
        return (self.number(node),)

    def number(self, node: int) -> int | None:
        """Read the number of a constant node, through casts; `None` if it is an expression or not a
        whole number.
        """
        nodes = self.nodes
        while nodes.operations[node] == "CAST" and nodes.sources[node]:
            node = nodes.sources[node][0]
        numbers = self.argument(node) if nodes.operations[node] == "CONST" else None
        return numbers[0] if numbers else None

    def argument(self, node: int) -> tuple[int, ...] | None:
        """Parse the whole numbers of a node's argument such as `(0, 2, 1)`; `None` if any part is
        not a whole number.
        """
        return _whole(
            part.strip()
            for part in self.nodes.argument_text(node).strip("()").split(",")
            if part.strip()
        )

    def pairs(self, sources: Sequence[int]) -> tuple[Shape, Shape] | None:
        if len(sources) < 3:
            return None
        first, second = (self.numbers(source) for source in sources[1:3])
        return (first, second) if len(first) == len(second) else None

    def extent(self, node: int) -> int | None:
        """Compute the size of a RANGE node; for a constant index, the index plus 1; `None` if it is
        an expression.
        """
        sources = self.nodes.sources[node]
        if self.nodes.operations[node] == "RANGE" and sources:
            return self.number(sources[0])
        last = self.number(node)
        return None if last is None else last + 1

    def axes(self, node: int) -> tuple[int, ...] | None:
        """Parse the axes of a reduction from the node's argument: (0, 1) from `(ADD, (0, 1))`; from
        `(ADD, 1)`, in 0.14, their number. `None` if these are not whole numbers.
        """
        _, _, axes = self.nodes.argument_text(node).partition(",")
        return _whole(part.strip() for part in axes.strip(" ()").split(",") if part.strip())


def _whole(texts: Iterable[str]) -> tuple[int, ...] | None:
    numbers: list[int] = []
    for text in texts:
        if len(text) > 18 or not text.removeprefix("-").isdecimal() or not text.isascii():
            return None
        numbers.append(int(text))
    return tuple(numbers)
