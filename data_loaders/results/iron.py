"""Reader of the CSV that the tests of amd/IRON write (`--csv-output`), as its CI posts it.

Columns: Commit, Date, Test, Checks (passed/total), and for each quantity of a test
`QUANTITY (mean)`, `(median)`, `(min)`, `(max)`, `(stddev)`. The file has no units and no
directions, and its dates have no time zone. Source: conftest.py of amd/IRON.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path

from data_loaders.results.content import read_text
from data_loaders.results.facts import FileFacts
from data_loaders.results.numbers import NumberCollector
from data_loaders.results.values import Statistics, as_number
from schema.diagnostics import Diagnostic
from schema.plurals import plural

_HEADER = re.compile(rb"\A(?:\xef\xbb\xbf)?Commit,Date,Test,Checks[,\r\n]")
_COLUMN = re.compile(r"\A(.{1,200}) \((mean|median|min|max|stddev)\)\Z")
_CHECKS = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


def is_iron(head: bytes) -> bool:
    """Whether a file begins with the header of IRON's CSV."""
    return _HEADER.match(head) is not None


def read_iron(path: Path, numbers: NumberCollector) -> FileFacts:
    """Read the rows of a file; of several commits only the rows of the newest are read, since IRON's
    CI joins files.
    """
    text = read_text(path)
    rows = [*csv.DictReader(text.splitlines())]
    facts = FileFacts("iron")
    # Dates are written with the year first, so that they sort as texts.
    newest = max(rows, key=lambda row: row.get("Date") or "", default={})
    last = newest.get("Commit") or ""
    own = [row for row in rows if (row.get("Commit") or "") == last]
    facts.set_texts({"commit": "" if last == "unknown" else last})
    facts.set_moment(newest.get("Date") or "")
    left = len(rows) - len(own)
    if left:
        words = f"{plural(left, 'row')} of other commits left out: a run has the rows of one commit"
        facts.findings.append(Diagnostic("info", "commits_left_out", words, path.name, left))
    if text and not text.endswith("\n"):
        words = "the last line has no line break: the file may be cut there"
        facts.findings.append(Diagnostic("info", "file_cut", words, path.name))
    failed = sum(_has_failed(row) for row in own)
    if failed:
        words = f"{plural(failed, 'test')} failed a check: its numbers may be of wrong results"
        facts.findings.append(Diagnostic("warning", "check_failed", words, path.name, failed))
    for rank, row in enumerate(own):
        _add(row, rank, numbers)
    return facts


def _has_failed(row: Mapping[str | None, object]) -> bool:
    match = _CHECKS.fullmatch(str(row.get("Checks") or ""))
    return match is not None and match[1] != match[2]


def _add(row: Mapping[str, str | None], rank: int, numbers: NumberCollector) -> None:
    quantities: dict[str, dict[str, float | None]] = {}
    for column, value in row.items():
        match = _COLUMN.match(column) if isinstance(column, str) else None
        if match and value:
            quantities.setdefault(match[1], {})[match[2]] = as_number(value)
    for quantity, known in quantities.items():
        given = Statistics(
            minimum=known.get("min"),
            median=known.get("median"),
            maximum=known.get("max"),
            mean=known.get("mean"),
            deviation=known.get("stddev"),
        )
        name = f"{row.get('Test') or ''} {quantity}" if row.get("Test") else ""
        numbers.add(name, [], place=f"row {rank + 1}", given=given)
