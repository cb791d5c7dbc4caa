"""Where a buffer of a profile comes from, in words."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from components.numbers import shorten

_WORD = 44
_FOLDERS = re.compile(r"^.*[/\\]")


def origin_words(row: Mapping[Hashable, Any]) -> str:
    """Say by what and for which line a buffer was allocated, of a row of frame `buffer_origins`; empty if unknown.

    Such as `realize, train.py:16`.
    """
    known = [shorten(str(row["range"]), _WORD)] if not pd.isna(row["range"]) else []
    return ", ".join([*known, *([_place(row)] if not pd.isna(row["file"]) else [])])


def origin_title(row: Mapping[Hashable, Any]) -> str:
    """Return file and line in full; empty where they are not known."""
    return "" if pd.isna(row["file"]) else f"{row['file']}:{int(row['line'])}"


def _place(row: Mapping[Hashable, Any]) -> str:
    return f"{shorten(_FOLDERS.sub('', str(row['file'])), _WORD)}:{int(row['line'])}"


def origin_texts(rows: pd.DataFrame) -> list[str]:
    """Return `origin_words` of each row."""
    return [origin_words(row) for row in rows.to_dict("records")]
