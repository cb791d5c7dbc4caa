"""Texts that several views of a profile share."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from components.numbers import plain

MISSING: Mapping[str, str] = MappingProxyType(
    {
        "rewrites": "needs the rewrites.pkl of the same run",
        "program": "rewrites.pkl does not identify the program of this kernel",
        "estimate": "the capture has no estimate of this program",
        "values": "depends on variables whose values are not in the capture",
    }
)
"""Reason in column `missing` of frame `kernels` -> how to provide the number, or why that is
impossible.
"""


def kernel_name(name: str, limit: int = 60) -> str:
    """Format a kernel's name for plotly, cut to `limit` characters; `(no name)` if it has no
    visible characters.
    """
    return plain(name, limit).strip() or "(no name)"


def why_missing(reason: str, copy: bool) -> str:
    """Return words for the reason why the number of operations is unknown, "" if `reason` is not a
    key of MISSING. For a copy it is that a copy computes nothing.
    """
    return "a copy has no operations" if copy else MISSING.get(reason, "")
