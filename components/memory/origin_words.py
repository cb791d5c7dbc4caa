"""Texts about the origin of a buffer of a profile."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from components.numbers import shorten

_WORD = 44
_FOLDERS = re.compile(r"^.*[/\\]")
"""Folders of a path, with separators of Linux or Windows."""


def origin_words(row: Mapping[Hashable, Any]) -> str:
    """Write traced range and source line of a buffer's allocation, such as `realize, train.py:16`.

    `row` is a row of frame `buffer_origins`; parts that are unknown are left out, "" if both are.
    """
    parts = [shorten(str(row["range"]), _WORD)] if not pd.isna(row["range"]) else []
    return ", ".join([*parts, *([_place(row)] if not pd.isna(row["file"]) else [])])


def origin_title(row: Mapping[Hashable, Any]) -> str:
    """Write the full path and line of a buffer's allocation, as `path:line`; "" if unknown."""
    return "" if pd.isna(row["file"]) else f"{row['file']}:{int(row['line'])}"


def _place(row: Mapping[Hashable, Any]) -> str:
    return f"{shorten(_FOLDERS.sub('', str(row['file'])), _WORD)}:{int(row['line'])}"


def origin_texts(rows: pd.DataFrame) -> list[str]:
    """Apply `origin_words` to each row of a frame, in order."""
    return [origin_words(row) for row in rows.to_dict("records")]
