"""The words of settings that every part shares: methods of analysis, formats of exports, layouts of memory maps."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

METHODS = ("robust", "reference")
"""Methods of analysis, the default first: `reference` gives the numbers of the team's own tool."""
MIME_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "json": "application/json",
        "csv": "text/csv",
        "parquet": "application/vnd.apache.parquet",
        "arrow": "application/vnd.apache.arrow.stream",
    }
)
"""Formats that frames are exported in -> media type."""
GATE_FORMATS = ("text", "json", "junit", "markdown")
"""Formats of the gate's answer, the default first."""
PLACED, BEST_FIT, FIRST_FIT = "placed", "best_fit", "first_fit"
LAYOUTS = (PLACED, BEST_FIT, FIRST_FIT)
"""Where the blocks of a map lie: where they were placed, or where a built-in allocator puts them."""

GRAPH_FORMATS = ("json", "dot", "text")
"""How a graph of a compiler leaves the store: every node and edge, what a picture shows, a line per node."""
TRACE_FORMATS = ("json", "proto")
"""How a run is written for Perfetto, the default first: JSON trace events, TrackEvent protobuf."""
