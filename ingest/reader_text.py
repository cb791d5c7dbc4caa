"""Format column `reader` of frame `run`: the versions of loader, schema and analysis."""

from __future__ import annotations

from analysis.derive import ANALYSIS_VERSION
from schema.frames import SCHEMA_VERSION

_ANALYSIS = ", analysis "


def reader_text(loader: str, version: str) -> str:
    """Format the versions of loader, schema and analysis as one text: `aie 6, schema 3, analysis
    9`.
    """
    return f"{loader} {version}, schema {SCHEMA_VERSION}{_ANALYSIS}{ANALYSIS_VERSION}"


def analysed_now(reader: str) -> str:
    """Return the text of column `reader` with the current version of the analysis.

    The versions of loader and schema stay. It is appended if the text has no version of the
    analysis.
    """
    return f"{reader.rpartition(_ANALYSIS)[0] or reader}{_ANALYSIS}{ANALYSIS_VERSION}"
