"""Shapes of a node's inputs and outputs as the text of lists, `[[1,3,224,224],[64,3,7,7]]`.

ONNX Runtime writes `[{"float":[1,3,224,224]},{"float":[64,3,7,7]}]`. It leaves out tensors that are
not in memory: optional inputs, and weights that the kernel packed for itself.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

INPUTS, OUTPUTS = "input_type_shape", "output_type_shape"
_BEGIN = b'put_type_shape" : ['
"""End of both keys with the begin of their list, in the layout of ONNX Runtime."""
_END = b"]}]"
# The list ends before the next key: else each of many keys without an end would be searched to the end of the block.
_LIST = re.compile(
    rb'("(?:in|out)put_type_shape"\s*:\s*)'
    rb'(\[(?:[\[{}\w\s:,-]++|\]|"(?!(?:in|out)put_type_shape))*\])'
)
_MAX_CACHED = 10_000
"""Distinct lists whose texts are remembered; a model has about as many as nodes."""


def shapes_as_texts(block: bytes) -> bytes:
    """Replace the lists of shapes in the text of entries by JSON texts without the types."""
    before, *pieces = block.split(_BEGIN)
    if not pieces:
        # Another program wrote the file, with other spaces.
        return _LIST.sub(lambda match: match[1] + (_quote_shapes(match[2]) or match[2]), block)
    mended = [before]
    for piece in pieces:
        # A search for the end and a look-up per list: a pattern takes three times as long.
        end = piece.find(_END) + len(_END) if piece[:1] == b"{" else 1
        text = _quote_shapes(b"[" + piece[:end])
        mended += [_BEGIN[:-1], text, piece[end:]] if text else [_BEGIN, piece]
    return b"".join(mended)


@lru_cache(_MAX_CACHED)
def _quote_shapes(text: bytes) -> bytes | None:
    """Convert the text of a list of an argument to a JSON text; None if it is none of shapes."""
    try:
        shapes = shapes_text(json.loads(text))
    except (ValueError, RecursionError):
        return None
    return b"null" if shapes is None else b'"%b"' % shapes.encode()


def shapes_text(value: object) -> str | None:
    """Convert the parsed list of an argument to the text that `shapes_as_texts` makes.

    None if it is not a list of objects with a list of whole numbers each.
    """
    if not isinstance(value, list):
        return None
    shapes = []
    for tensor in value:
        dims = list(tensor.values()) if isinstance(tensor, dict) else []
        if len(dims) != 1 or not _is_shape(dims[0]):
            return None
        shapes.append(dims[0])
    return json.dumps(shapes, separators=(",", ":"))


def read_shapes(text: str | None) -> list[list[int]] | None:
    """Parse a text of shapes; None if it is none, or a dimension is negative."""
    try:
        value = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    is_whole = isinstance(value, list) and all(_is_shape(shape) for shape in value)
    return value if is_whole else None


def _is_shape(value: object) -> bool:
    return isinstance(value, list) and all(type(size) is int and size >= 0 for size in value)
