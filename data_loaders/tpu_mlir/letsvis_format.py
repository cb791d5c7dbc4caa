"""Recognize LetsVis' `lmem.json` by the first bytes of a file."""

from __future__ import annotations

import re

_OPENING = re.compile(rb"\A(?:\xef\xbb\xbf)?\s{0,1000}\[\s{0,1000}\{")
_WORDS = (b'"allocations"', b'"lmem_type"', b'"timestep_start"')


def is_letsvis(head: bytes) -> bool:
    """Whether the bytes begin a JSON list of objects and contain keys of LetsVis' `lmem.json`."""
    return _OPENING.match(head) is not None and all(word in head for word in _WORDS)
