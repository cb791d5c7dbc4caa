"""What frame `run` says of the releases that made it: column `reader`."""

from __future__ import annotations

from analysis.derive import ANALYSIS_VERSION
from schema.frames import SCHEMA_VERSION

_ANALYSIS = ", analysis "


def reader_text(loader: str, version: str) -> str:
    """Return the versions of loader, schema and analysis as one text."""
    return f"{loader} {version}, schema {SCHEMA_VERSION}{_ANALYSIS}{ANALYSIS_VERSION}"


def analysed_now(reader: str) -> str:
    """Return the text with today's version of the analysis; what read the file stays."""
    return f"{reader.rpartition(_ANALYSIS)[0] or reader}{_ANALYSIS}{ANALYSIS_VERSION}"
