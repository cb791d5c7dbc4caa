"""Keys of kernels of 0.14: the event of a kernel that a command queue ran names a call of its program, by hash.

The call is `CALL(CUSTOM_FUNCTION(PROGRAM))`. A key of tinygrad is a hash over operation, type, argument and the keys of
the operands, all as Python writes them, so that the call's follows from the kernel's name and the program's key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from data_loaders.tinygrad.contexts import Rewrites

MOST_HASHES = 2_000_000
"""Most that are computed of a capture: names of kernels times programs.

Real ones have some hundreds of each.
"""
_FUNCTION = b"(Ops.CUSTOM_FUNCTION, dtypes.void, 'hcq')"


def call_key(name: str, program: bytes) -> bytes:
    """Return the key of the call of a program by a command queue.

    `name` is the kernel's, with its colours.
    """
    function = hashlib.sha256(_FUNCTION + program).digest()
    return hashlib.sha256(_call_text(name) + function).digest()


def _call_text(name: str) -> bytes:
    text = f"(Ops.CALL, dtypes.void, CallInfo(None, {name!r}, False, False))"
    return text.encode("utf-8", "surrogatepass")


def contexts_of_calls(rewrites: Rewrites, asked: Mapping[str, Iterable[bytes]]) -> dict[bytes, int]:
    """Return the contexts of the keys that are calls of a program.

    `asked` maps the name of a kernel, with its colours, to keys that no context has itself.
    """
    functions = {
        place: hashlib.sha256(_FUNCTION + key).digest()
        for place, context in enumerate(rewrites.contexts)
        for key in context.keys
        if type(key) is bytes
    }
    found: dict[bytes, int] = {}
    room = MOST_HASHES
    for name, keys in asked.items():
        room -= len(functions)
        if room < 0:
            break
        wanted, text = set(keys), _call_text(name)
        for place, function in functions.items():
            key = hashlib.sha256(text + function).digest()
            if key in wanted:
                found[key] = place
    return found
