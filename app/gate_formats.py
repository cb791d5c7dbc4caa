"""Result of the gate as text, JSON, JUnit XML or Markdown, in the words of the page.

Names come from files, so all of them are escaped.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

from analysis.comparison.cause import Cause
from analysis.comparison.rows import ResultRow, Thresholds, reading_order
from components.comparison.step_part_words import parts_sentence
from components.comparison.words import (
    about_with_whole,
    amount_words,
    cause_words,
    change_words,
    first_words,
    interval_words,
    numbers,
)
from components.numbers import count_text
from schema.choices import GATE_FORMATS
from schema.plurals import first_names
from services.comparison.compare import Comparison
from services.gate.gate import Checked

_MARKS = re.compile(r"([\\`*_{}\[\]<>#!|~@&]|:(?=\S)|\.(?![0-9])|(?<![0-9])\.)")
"""Characters that Markdown could read as markup, link or address, but not numbers and units."""
_MAX_CAUSES = 20
"""Maximum number of causes that are listed; JSON has all of them."""
_MAX_LANES = 6
"""Maximum number of tracks of one side that are named."""
_SHORT_ID = 12
"""Digits of a run id in an address.

With 100 runs on a side the address stays below the 4 KB that proxies accept.
"""


def text(checked: Checked, url: str) -> str:
    """Format the gate's result as lines of text: verdict, differing setup, reasons, a line per row that gates,
    improved or regressed, causes, and the address.
    """
    comparison = checked.comparison
    lines = [f"{_names(checked)}: {comparison.verdict}"]
    lines += [f"  {line}" for line in _setup_lines(comparison)]
    lines += _parts_lines(comparison)
    lines += [f"  {note}" for note in checked.notes]
    lines += [f"  {_row(row)}" for row in _reported_rows(comparison)]
    lines += [f"  {line}" for line in _cause_lines(comparison)]
    lines.append(f"  {url}")
    return "\n".join(map(_plain, lines))


def comparison_text(comparison: Comparison) -> str:
    """Format a comparison as lines of text: verdict, differing setup, sides that lack data, the part
    of a step that changed most, tracks that a single side has, numbers with intervals, and causes.

    If no row gates, improved or regressed, the reasons for that are listed instead.
    """
    names = [", ".join(run["name"] for run in side) for side in (comparison.base, comparison.new)]
    rows = _reported_rows(comparison)
    lines = [f"{names[0]} -> {names[1]}: {comparison.verdict}"]
    lines += [f"  {line}" for line in (*_setup_lines(comparison), *comparison.incomplete)]
    lines += _parts_lines(comparison)
    lines += [f"  {line}" for line in _lane_lines(comparison)]
    lines += [f"  {_row(row)}{_interval(row)}" for row in rows] or [
        f"  {reason}" for reason in comparison.reasons if reason not in comparison.incomplete
    ]
    lines += [f"  {line}" for line in _cause_lines(comparison)]
    return "\n".join(map(_plain, lines))


def comparison_json(comparison: Comparison) -> str:
    """Format a comparison as a JSON text, with its first sentences as `sentence`."""
    sentence = first_words(
        comparison.parts, comparison.rows, comparison.attribution, comparison.verdict
    )
    return json.dumps(comparison.record() | {"sentence": sentence}, indent=2)


def as_json(checked: Checked, url: str) -> str:
    """Format everything that was compared as a JSON text, see `Checked.record`, with the address of
    the comparison as `url`.
    """
    return json.dumps(checked.record() | {"url": url}, indent=2)


def junit(checked: Checked, url: str) -> str:
    """Format the gate's result as JUnit XML: a test suite with a test case per row that gates.

    A case is a failure if the row regressed, and skipped if its verdict is undecided or
    incomparable.
    """
    gates = [row for row in checked.comparison.rows if row.gates]
    suite = ET.Element(
        "testsuite", name=_plain(f"tilescope: {checked.baseline}"), tests=str(len(gates))
    )
    verdicts = [row.judged.verdict for row in gates]
    suite.set("failures", str(verdicts.count("regressed")))
    suite.set("skipped", str(sum(verdict in ("undecided", "incomparable") for verdict in verdicts)))
    ET.SubElement(ET.SubElement(suite, "properties"), "property", name="url", value=_plain(url))
    for row in gates:
        name = " ".join(filter(None, (row.metric.name, row.key)))
        case = ET.SubElement(
            suite, "testcase", classname=f"tilescope.{row.level}", name=_plain(name)
        )
        if row.judged.verdict == "regressed":
            ET.SubElement(case, "failure", message=_plain(_row(row)))
        elif row.judged.verdict in ("undecided", "incomparable"):
            ET.SubElement(case, "skipped", message=_plain(_row(row)))
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode")


def markdown(checked: Checked, url: str) -> str:
    """Format the gate's result as Markdown for a change request: verdict, reasons, a table of rows
    that gate, improved or regressed, causes, and the address.
    """
    comparison = checked.comparison
    lines = [f"**{comparison.verdict}**: {_escape(_names(checked))}", ""]
    lines += [f"- {_escape(line)}" for line in _setup_lines(comparison)]
    notes = [*filter(None, [parts_sentence(comparison.parts)]), *checked.notes]
    lines += [f"- {_escape(note)}" for note in notes]
    lines += ["", "| number | base | new | change | verdict |", "|---|---|---|---|---|"]
    lines += [_table_line(row) for row in _reported_rows(comparison)]
    if comparison.attribution:
        lines += ["", *(f"- {_escape(line)}" for line in _cause_lines(comparison))]
    lines += ["", f"comparison: {_plain(url)}"]
    return "\n".join(lines)


FORMATS: Mapping[str, Callable[[Checked, str], str]] = MappingProxyType(
    dict(zip(GATE_FORMATS, (text, as_json, junit, markdown), strict=True))
)
"""Format -> function of the gate's result and the address of the comparison."""


def comparison_url(comparison: Comparison, thresholds: Thresholds, public_url: str) -> str:
    """Build the address of the comparison page for these runs (ids cut to _SHORT_ID, 12 digits) and
    thresholds, as per cent.

    It is a path without a host if `public_url` is empty.
    """
    sides = (("base", comparison.base), ("new", comparison.new))
    query = [(side, run["run_id"][:_SHORT_ID]) for side, runs in sides for run in runs]
    query += [
        ("threshold", f"{name}:{100 * least:.6f}".rstrip("0").rstrip("."))
        for name, least in thresholds.items()
    ]
    return f"{public_url.rstrip('/')}/compare?{urlencode(query)}"


def _reported_rows(comparison: Comparison) -> list[ResultRow]:
    """Select the rows that gate, and the rows that improved or regressed, in their order; maybe
    empty.
    """
    return [
        row
        for row in reading_order(comparison.rows)
        if row.gates or row.judged.verdict in ("improved", "regressed")
    ]


def _names(checked: Checked) -> str:
    return f"{', '.join(run['name'] for run in checked.comparison.new)} against {checked.baseline}"


def _row(row: ResultRow) -> str:
    reason = f" ({row.judged.reason})" if row.judged.reason else ""
    change = f"{' -> '.join(numbers((row.base, row.new), row))}, {change_words(row)}"
    return f"{about_with_whole(row)}: {change}, {row.judged.verdict}{reason}"


def _interval(row: ResultRow) -> str:
    words = interval_words(row)
    return f"; 95 % interval {words}" if words else ""


def _table_line(row: ResultRow) -> str:
    verdict = row.judged.verdict + (f": {row.judged.reason}" if row.judged.reason else "")
    both = numbers((row.base, row.new), row)
    cells = (about_with_whole(row), *both, change_words(row), verdict)
    return f"| {' | '.join(map(_escape, cells))} |"


def _setup_lines(comparison: Comparison) -> list[str]:
    return [f"setup: {row['key']}: {row['base']} -> {row['new']}" for row in comparison.setup]


def _parts_lines(comparison: Comparison) -> list[str]:
    """List the sentence about the parts of a step, if they are known."""
    sentence = parts_sentence(comparison.parts)
    return [f"  {sentence}"] if sentence else []


def _lane_lines(comparison: Comparison) -> list[str]:
    """Name at most _MAX_LANES (6) tracks that only one side has, a line per side."""
    lines = []
    for side, names in zip(("base", "new"), comparison.lanes or (), strict=False):
        if names:
            lines.append(f"only in {side}: {first_names(names, _MAX_LANES)}")
    return lines


def _cause_lines(comparison: Comparison) -> list[str]:
    """List the _MAX_CAUSES (20) largest causes, and the number of further causes."""
    causes = comparison.attribution
    lines = [_cause(cause) for cause in causes[:_MAX_CAUSES]]
    left = len(causes) - len(lines)
    return [*lines, f"and {count_text(left, 'smaller cause')}"] if left > 0 else lines


def _cause(cause: Cause) -> str:
    return f"{cause_words(cause)}: {amount_words(cause)}"


def _plain(words: str) -> str:
    """Replace control, format, surrogate and line separator characters by spaces, so that the text
    is a single line.
    """
    return "".join(
        " " if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in words
    )


def _escape(words: str) -> str:
    """Escape text so that Markdown shows it unchanged."""
    return _MARKS.sub(r"\\\1", _plain(words))
