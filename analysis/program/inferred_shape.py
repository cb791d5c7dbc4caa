"""Shapes of nodes, known or not, and the shape that several operands give together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum

Shape = tuple[int | None, ...]
"""Size of each dimension, `None` if unknown."""


class NoShape(Enum):
    """Reason why a node has no shape: the rules give it none, or its operands do not
    determine it.
    """

    ABSENT = "absent"
    UNKNOWN = "unknown"


ABSENT = NoShape.ABSENT
UNKNOWN = NoShape.UNKNOWN
Inferred = Shape | NoShape
"""Shape, or the reason why there is none."""


def broadcast(shapes: Collection[Inferred]) -> Inferred:
    """Compute the broadcast shape of several shapes; a size of 1 or `None` (unknown) fits any.

    UNKNOWN if any of them is absent or unknown, if sizes do not fit, or without shapes.
    """
    known_shapes = [shape for shape in shapes if not isinstance(shape, NoShape)]
    if not known_shapes or len(known_shapes) < len(shapes):
        return UNKNOWN
    rank = max(map(len, known_shapes))
    sizes_out: list[int | None] = []
    for sizes in zip(*((1,) * (rank - len(shape)) + shape for shape in known_shapes), strict=True):
        wide = {size for size in sizes if size not in {1, None}}
        if len(wide) > 1:
            return UNKNOWN
        sizes_out.append(wide.pop() if wide else None if None in sizes else 1)
    return tuple(sizes_out)


def alike(shapes: Sequence[Inferred]) -> Inferred:
    """Return the shape that all operands with a shape share, as releases up to 0.12 require;
    UNKNOWN if they differ.

    Without such operands UNKNOWN if any shape is unknown, else ABSENT.
    """
    # Operands such as a device have no shape, and do not keep further operands from agreeing.
    known_shapes = {shape for shape in shapes if not isinstance(shape, NoShape)}
    if known_shapes:
        return known_shapes.pop() if len(known_shapes) == 1 else UNKNOWN
    return UNKNOWN if UNKNOWN in shapes else ABSENT
