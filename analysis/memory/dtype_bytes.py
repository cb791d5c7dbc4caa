"""Bytes of an element, from the names that compilers and file formats give to types."""

from __future__ import annotations

import re

_BYTES = {
    "bool": 1,
    "char": 1,
    "short": 2,
    "int": 4,
    "long": 8,
    "half": 2,
    "bfloat": 2,
    "float": 4,
    "single": 4,
    "double": 8,
}
_SIZED = re.compile(r"(?:u?int|u|i|s|si|ui|float|f|bfloat|bf)(8|16|32|64)")
_DECORATION = re.compile(r"_t$|^(?:const|signed|unsigned) ")
_MOST_NAME = 200


def dtype_bytes(name: object) -> int | None:
    """Return the bytes of `int32_t`, `float32_t*`, `FLOAT`, `INT8`, `bf16` ...; None where the name gives no size."""
    text = " ".join(str(name)[: _MOST_NAME + 1].lower().split())
    if len(text) > _MOST_NAME:
        return None
    while (plain := _DECORATION.sub("", text.rstrip(" *&"))) != text:
        text = plain
    sized = _SIZED.fullmatch(text)
    return int(sized.group(1)) // 8 if sized else _BYTES.get(text)
