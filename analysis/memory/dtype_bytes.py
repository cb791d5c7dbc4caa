"""Bytes per element of data types, by the names that compilers and file formats use."""

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
"""Type name without decoration -> bytes."""
_SIZED = re.compile(r"(?:u?int|u|i|s|si|ui|float|f|bfloat|bf)(8|16|32|64)")
"""Type names that end in their number of bits."""
_DECORATION = re.compile(r"_t$|^(?:const|signed|unsigned) ")
"""Suffixes and qualifiers that do not change the size."""
_MAX_NAME = 200
"""Maximum length of a type name in characters; longer names have no size."""


def dtype_bytes(name: object) -> int | None:
    """Look up the bytes per element of a type name such as `int32_t`, `float32_t*`, `FLOAT`, `INT8`
    or `bf16`, in any case.

    `None` if the name does not determine a size, or has more than 200 characters.
    """
    # Cut before the patterns run, so that a very long name takes no time.
    text = " ".join(str(name)[: _MAX_NAME + 1].lower().split())
    if len(text) > _MAX_NAME:
        return None
    while (plain := _DECORATION.sub("", text.rstrip(" *&"))) != text:
        text = plain
    sized = _SIZED.fullmatch(text)
    return int(sized.group(1)) // 8 if sized else _BYTES.get(text)
