"""Format column `reader` of frame `run`: the versions of loader, schema and analysis."""

from __future__ import annotations

from analysis.derive import ANALYSIS_VERSION
from schema.frames import SCHEMA_VERSION

_ANALYSIS = ", analysis "


def reader_text(loader: str, version: str) -> str:
    """Format the versions of loader, schema and analysis as one text."""
    return f"{loader} {version}, schema {SCHEMA_VERSION}{_ANALYSIS}{ANALYSIS_VERSION}"


def analysed_now(reader: str) -> str:
    """Replace the version of the analysis by the current one, and keep the versions of loader and
    schema.
    """
    return f"{reader.rpartition(_ANALYSIS)[0] or reader}{_ANALYSIS}{ANALYSIS_VERSION}"
