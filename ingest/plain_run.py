"""A run as every store takes it: what a file is called need not be text in any encoding, and loaders repeat it."""

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
    """Return a run whose texts every database and file format takes, where its files' own names are none.

    Frames are looked through where a file's name is no text: what is in a file is the loader's to clean.
    """
    metadata = {key: plain_text(value) if isinstance(value, str) else value for key, value in loaded.metadata.items()}
    named = all(is_plain(str(path)) for path in files)
    frames = loaded.frames if named else {name: _plain_frame(name, frame) for name, frame in loaded.frames.items()}
    return LoadedRun(metadata, frames, [*map(plain_finding, loaded.diagnostics)])


def plain_finding(finding: Diagnostic) -> Diagnostic:
    """Return a finding whose texts every database takes."""
    return replace(finding, message=plain_text(finding.message), location=plain_text(finding.location))


def _plain_frame(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    columns = [c.name for c in FRAMES[name].columns_of(set(frame)) if c.dtype in ("str", "category")]
    odd = [column for column in columns if not all(map(is_plain, frame[column].dropna().unique()))]
    plain = {column: frame[column].astype(object).map(plain_text, na_action="ignore") for column in odd}
    return conform(name, frame.assign(**plain))
