"""Compute keys of kernels on command queues (0.14): the hash of the call of a program.

In 0.14 the event of such a kernel contains this key. The call is `CALL(CUSTOM_FUNCTION(PROGRAM))`.
A key of tinygrad is a hash of operation, type, argument and the keys of the operands, all in
Python's notation. So the key of the call follows from the kernel's name and the program's key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from data_loaders.tinygrad.contexts import Rewrites

MAX_HASHES = 2_000_000
"""Maximum hashes of a capture: names of kernels times programs.

Real captures have some hundreds of each.
"""
_FUNCTION = b"(Ops.CUSTOM_FUNCTION, dtypes.void, 'hcq')"


def _call_text(name: str) -> bytes:
    text = f"(Ops.CALL, dtypes.void, CallInfo(None, {name!r}, False, False))"
    return text.encode("utf-8", "surrogatepass")


def find_call_contexts(
    rewrites: Rewrites, queue_keys: Mapping[str, Iterable[bytes]]
) -> dict[bytes, int]:
    """Map each key that is the call of a context's program to the rank of the context.

    Other keys are left out. `queue_keys` maps the name of a kernel, with colour codes, to keys that
    no context has itself. Names after 2,000,000 hashes are skipped.
    """
    functions = {
        place: hashlib.sha256(_FUNCTION + key).digest()
        for place, context in enumerate(rewrites.contexts)
        for key in context.keys
        if type(key) is bytes
    }
    contexts: dict[bytes, int] = {}
    room = MAX_HASHES
    for name, keys in queue_keys.items():
        room -= len(functions)
        if room < 0:
            break
        wanted = set(keys)
        text = _call_text(name)
        for place, function in functions.items():
            key = hashlib.sha256(text + function).digest()
            if key in wanted:
                contexts[key] = place
    return contexts
