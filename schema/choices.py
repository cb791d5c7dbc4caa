"""Values of settings that several packages share: methods, export formats, layouts of maps."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

METHODS = ("robust", "reference")
"""Methods of analysis, default first; `reference` computes the numbers of the team's own tool."""
MIME_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "json": "application/json",
        "csv": "text/csv",
        "parquet": "application/vnd.apache.parquet",
        "arrow": "application/vnd.apache.arrow.stream",
    }
)
"""Export format of a frame -> media type."""
GATE_FORMATS = ("text", "json", "junit", "markdown")
"""Output formats of the gate, default first."""
PLACED, BEST_FIT, FIRST_FIT = "placed", "best_fit", "first_fit"
LAYOUTS = (PLACED, BEST_FIT, FIRST_FIT)
"""Layouts of a memory map: the addresses of the file, or those of a built-in allocator."""

GRAPH_FORMATS = ("json", "dot", "text")
"""Export formats of a compiler graph: all nodes and edges, the drawn graph, a line per node."""
TRACE_FORMATS = ("json", "proto")
"""Export formats for Perfetto, default first: JSON trace events, TrackEvent protobuf."""
