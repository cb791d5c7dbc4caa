"""Sentences about data that a trace lacks, by the codes of the analysis."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

_SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "no_device": "The trace has no spans of a device.",
        "no_steps": "Steps are unknown: the trace has no step markers, "
        "so shares are of the time from the first execution to the last.",
        "launch_unknown": "The launch of some executions is unknown, so why the device waited for "
        "them is unknown.",
        "no_shapes": "Shapes are unknown: record_shapes was off.",
        "no_python": "Python lines are unknown: with_stack was off.",
    }
)
"""Code -> sentence; codes of other parts of a page, such as memory, are not here."""


def unknown_sentence(unknown: Collection[str], *codes: str) -> str:
    """Join the sentences of those `codes` that are among the `unknown`; "" if none of them is."""
    return " ".join(_SENTENCES[code] for code in codes if code in unknown)
