"""Export of a compiler's graph as JSON, DOT or text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType

from analysis.program.exported import dot, graph_mapping
from analysis.program.text_form import lines_of
from services.program.data import ProgramData

GRAPH_FILES: Mapping[str, str] = MappingProxyType({"json": "json", "dot": "dot", "txt": "text"})
"""Format (of `GRAPH_FORMATS`) by the suffix of a file."""


def graph_text(program: ProgramData, context: int, step: int, match: int, fmt: str) -> str:
    """Return the text of the graph after a match (0: start of the step) in a format of
    `GRAPH_FORMATS`: JSON, DOT, or lines of text.

    Raises ValueError if there is no such graph.
    """
    state = program.state(context, step, match)
    if fmt == "dot":
        return dot(state)
    if fmt == "text":
        return "\n".join([*([state.error] if state.error else lines_of(state)), ""])
    matches = int(program.step(context, step)["matches"])
    place = {"context": context, "step": step, "match": match, "matches": matches}
    return json.dumps(place | graph_mapping(state), ensure_ascii=False) + "\n"
