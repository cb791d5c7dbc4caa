"""A run's metadata: frame `run` and the catalogue row."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from ingest.reader_text import analysed_now
from ingest.summary import Summary
from schema.diagnostics import SEVERITIES, Diagnostic
from schema.frames import build_frame
from schema.runs import RUN
from storage.stored_run import StoredRun
from storage.text import plain_text

_MISSING = {"str": "", "Int64": pd.NA, "float64": math.nan}


@dataclass(frozen=True)
class Identity:
    """Identity of a run: its source, the hash of its content, and its part of a file that holds several runs.

    `file` is the name of the file that it came in.
    """

    source: str
    sha256: str
    file: str
    part: str = ""

    @property
    def run_id(self) -> str:
        """Return a short hash of loader, content and part: the same for a file and its gzip."""
        text = f"{self.source} {self.sha256}" + (f" {self.part}" if self.part else "")
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def run_frame(identity: Identity, metadata: Mapping[str, object]) -> pd.DataFrame:
    """Return frame `run`, one row: what the loader knows, the identity, and null or "" for the rest.

    Raises ValueError where the loader gives a column that there is not, or a value that does not fit.
    """
    row: dict[str, object] = {c.name: _MISSING[c.dtype] for c in RUN.columns}
    row |= {"name": identity.file, "created_at": datetime.now(UTC).isoformat(timespec="milliseconds")}
    row |= {key: value for key, value in metadata.items() if value is not None}
    row |= {key: getattr(identity, key) for key in ("run_id", "source", "sha256", "file")}
    return build_frame("run", _columns(row))


def _columns(row: Mapping[str, object]) -> dict[str, object]:
    """Return arrays of one value; those of one dtype are parts of one array."""
    columns: dict[str, object] = {name: [value] for name, value in row.items()}
    for dtype in _MISSING:
        names = [c.name for c in RUN.columns if c.dtype == dtype]
        values = pd.array([row[name] for name in names], dtype=dtype)
        columns |= {name: values[place : place + 1] for place, name in enumerate(names)}
    return columns


def stored_run(
    prefix: str,
    run: pd.DataFrame,
    settings: Mapping[str, str],
    *,
    frames: Mapping[str, pd.DataFrame],
    diagnostics: list[Diagnostic],
    summary: Summary,
) -> StoredRun:
    """Return the catalogue row of a run; its findings are the loader's and the analysis', worst first.

    The checksums come when the frames are written.
    """
    return StoredRun(
        prefix=prefix,
        run={str(name): _plain(value) for name, value in run.iloc[0].items()},
        settings=dict(settings),
        frames={name: len(frame) for name, frame in frames.items()},
        **_columns_of_analysis(diagnostics, summary),
    )


def with_summary(stored: StoredRun, diagnostics: list[Diagnostic], summary: Summary) -> StoredRun:
    """Return the row with what another analysis of the same frames gave."""
    run = stored.run | {"reader": analysed_now(str(stored.run["reader"]))}
    return replace(stored, run=run, **_columns_of_analysis(diagnostics, summary))


def _columns_of_analysis(diagnostics: list[Diagnostic], summary: Summary) -> dict[str, Any]:
    """Return the columns of a row that rest on the analysis."""
    findings = sorted(diagnostics + summary.findings, key=lambda finding: SEVERITIES.index(finding.severity))
    return {
        "headline": {name: _number(value) for name, value in summary.headline.items()},
        "derived": summary.derived,
        "findings": [{key: _plain(value) for key, value in asdict(finding).items()} for finding in findings],
        "errors": sum(finding.severity == "error" for finding in findings),
        "warnings": sum(finding.severity == "warning" for finding in findings),
    }


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _plain(value: object) -> object:
    """Return the value as JSON has it: None for what is missing or not finite."""
    if value is None or value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, str):
        return plain_text(value)
    return value.item() if hasattr(value, "item") else value
