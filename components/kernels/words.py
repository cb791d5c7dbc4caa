"""Words that the views of a profile share."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from components.numbers import plain

MISSING: Mapping[str, str] = MappingProxyType(
    {
        "rewrites": "needs the rewrites.pkl of the same run",
        "program": "rewrites.pkl does not say which program this kernel ran",
        "estimate": "the capture does not say what this program computes",
        "values": "depends on variables whose values are not in the capture",
    }
)
"""Reason in frame `kernels` -> what a person can do about it, or why nobody can."""


def kernel_name(name: str, limit: int = 60) -> str:
    """Return a kernel's name safe for plotly, words for one that nothing is seen of."""
    return plain(name, limit).strip() or "(no name)"


def why_missing(reason: str, copy: bool) -> str:
    """Say why operations are not known; empty where there is no reason."""
    return "a copy computes nothing" if copy else MISSING.get(reason, "")
