"""Build frame `run` and the catalogue row of a run."""

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
        """Id of the run: 12 hexadecimal digits, a hash of loader, content and part.

        The same for a file and its gzip.
        """
        text = f"{self.source} {self.sha256}" + (f" {self.part}" if self.part else "")
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def run_frame(identity: Identity, metadata: Mapping[str, object]) -> pd.DataFrame:
    """Build frame `run` (one row) from the loader's metadata and the identity.

    Other columns are null or "". Raises ValueError if the loader gives an unknown column or a value
    of the wrong type.
    """
    row: dict[str, object] = {c.name: _MISSING[c.dtype] for c in RUN.columns}
    row |= {
        "name": identity.file,
        "created_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }
    row |= {key: value for key, value in metadata.items() if value is not None}
    row |= {key: getattr(identity, key) for key in ("run_id", "source", "sha256", "file")}
    return build_frame("run", _columns(row))


def _columns(row: Mapping[str, object]) -> dict[str, object]:
    """Convert the row to arrays of length 1 by column.

    Columns with the same dtype are slices of a common array.
    """
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
    """Build the catalogue row of a run, with the findings of loader and analysis, ordered from
    error to info.

    `checksums` and `offsets` are filled later, when the frames are written.
    """
    return StoredRun(
        prefix=prefix,
        run={str(name): _plain(value) for name, value in run.iloc[0].items()},
        settings=dict(settings),
        frames={name: len(frame) for name, frame in frames.items()},
        **_columns_of_analysis(diagnostics, summary),
    )


def with_summary(stored: StoredRun, diagnostics: list[Diagnostic], summary: Summary) -> StoredRun:
    """Return a copy of a row in which the columns of the analysis are replaced: headline, derived,
    findings, errors, warnings.

    Column `reader` of `run` gets the current version of the analysis. `diagnostics` are the
    findings of the loader.
    """
    run = stored.run | {"reader": analysed_now(str(stored.run["reader"]))}
    return replace(stored, run=run, **_columns_of_analysis(diagnostics, summary))


def _columns_of_analysis(diagnostics: list[Diagnostic], summary: Summary) -> dict[str, Any]:
    """Map headline, derived, findings (ordered from error to info), errors and warnings (counts) to
    their values in the row.

    `diagnostics` are the findings of the loader.
    """
    findings = sorted(
        diagnostics + summary.findings, key=lambda finding: SEVERITIES.index(finding.severity)
    )
    return {
        "headline": {name: _number(value) for name, value in summary.headline.items()},
        "derived": summary.derived,
        "findings": [
            {key: _plain(value) for key, value in asdict(finding).items()} for finding in findings
        ],
        "errors": sum(finding.severity == "error" for finding in findings),
        "warnings": sum(finding.severity == "warning" for finding in findings),
    }


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _plain(value: object) -> object:
    """Convert a value to a JSON value; `None` if it is missing or not finite.

    Invalid characters of a text are replaced.
    """
    if value is None or value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, str):
        return plain_text(value)
    return value.item() if hasattr(value, "item") else value
