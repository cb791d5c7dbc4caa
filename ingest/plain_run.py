"""Make the texts of a run storable: file names need not be valid Unicode, and loaders copy them
into frames.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pandas as pd

from data_loaders.protocol import LoadedRun
from schema.diagnostics import Diagnostic
from schema.frames import FRAMES, conform
from storage.text import is_plain, plain_text


def plain_run(loaded: LoadedRun, files: Iterable[Path]) -> LoadedRun:
    """Return a copy of the run whose metadata, findings and frames are valid Unicode.

    Invalid characters are replaced. Frames are only searched if the path of a file is invalid; the
    loader is responsible for text from the files' content.
    """
    metadata = {
        key: plain_text(value) if isinstance(value, str) else value
        for key, value in loaded.metadata.items()
    }
    named = all(is_plain(str(path)) for path in files)
    frames = (
        loaded.frames
        if named
        else {name: _plain_frame(name, frame) for name, frame in loaded.frames.items()}
    )
    return LoadedRun(metadata, frames, [*map(plain_finding, loaded.diagnostics)])


def plain_finding(finding: Diagnostic) -> Diagnostic:
    """Return a copy of the finding with invalid characters in message and location replaced."""
    return replace(
        finding, message=plain_text(finding.message), location=plain_text(finding.location)
    )


def _plain_frame(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    columns = [
        c.name for c in FRAMES[name].required_columns(set(frame)) if c.dtype in ("str", "category")
    ]
    odd = [column for column in columns if not all(map(is_plain, frame[column].dropna().unique()))]
    plain = {
        column: frame[column].astype(object).map(plain_text, na_action="ignore") for column in odd
    }
    return conform(name, frame.assign(**plain))
