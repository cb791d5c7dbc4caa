"""The gate's answer as text, JSON, JUnit XML or Markdown. Names come from files: all are escaped."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType
from xml.etree import ElementTree as ET

from analysis.comparison.rows import Row
from schema.choices import GATE_FORMATS
from services.gate import Checked

_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~@&:/])")


def text(checked: Checked) -> str:
    """Return the verdict, its reasons, and a line for each number that gates or changed."""
    found = checked.comparison
    lines = [f"{_names(checked)}: {found.verdict}", *(f"  {note}" for note in checked.notes)]
    lines += [f"  {_row(row)}" for row in _told(checked)]
    lines += [f"  {cause.amount:+.6g} {cause.unit} by {cause.what} of {cause.where}" for cause in found.attribution]
    return "\n".join(map(_plain, lines))


def as_json(checked: Checked) -> str:
    """Return everything that was compared."""
    return json.dumps(checked.record(), indent=2)


def junit(checked: Checked) -> str:
    """Return a test case for each number that gates: a failure where it regressed, skipped where nothing is decided."""
    gates = [row for row in checked.comparison.rows if row.gates]
    suite = ET.Element("testsuite", name=_plain(f"tilescope: {checked.baseline}"), tests=str(len(gates)))
    verdicts = [row.judged.verdict for row in gates]
    suite.set("failures", str(verdicts.count("regressed")))
    suite.set("skipped", str(sum(verdict in ("undecided", "incomparable") for verdict in verdicts)))
    for row in gates:
        name = " ".join(filter(None, (row.metric.name, row.key)))
        case = ET.SubElement(suite, "testcase", classname=f"tilescope.{row.level}", name=_plain(name))
        if row.judged.verdict == "regressed":
            ET.SubElement(case, "failure", message=_plain(_row(row)))
        elif row.judged.verdict in ("undecided", "incomparable"):
            ET.SubElement(case, "skipped", message=_plain(_row(row)))
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode")


def markdown(checked: Checked) -> str:
    """Return a comment for a change request: the verdict, and a table of what gates or changed."""
    found = checked.comparison
    lines = [f"**{found.verdict}**: {_escaped(_names(checked))}", ""]
    lines += [f"- {_escaped(note)}" for note in checked.notes]
    lines += ["", "| number | base | new | change | verdict |", "|---|---|---|---|---|"]
    lines += [_table_line(row) for row in _told(checked)]
    if found.attribution:
        lines += ["", *(f"- {_escaped(f'{c.amount:+.6g} {c.unit}: {c.what} of {c.where}')}" for c in found.attribution)]
    return "\n".join(lines)


FORMATS: Mapping[str, Callable[[Checked], str]] = MappingProxyType(
    dict(zip(GATE_FORMATS, (text, as_json, junit, markdown), strict=True))
)
"""Format -> what writes the answer in it."""


def _told(checked: Checked) -> list[Row]:
    """Return the rows that gate, and those that changed."""
    rows = checked.comparison.rows
    return [row for row in rows if row.gates or row.judged.verdict in ("improved", "regressed")]


def _names(checked: Checked) -> str:
    return f"{', '.join(run['name'] for run in checked.comparison.new)} against {checked.baseline}"


def _row(row: Row) -> str:
    reason = f" ({row.judged.reason})" if row.judged.reason else ""
    change = f"{_number(row.base)} -> {_number(row.new)} {row.metric.unit}{_change(row)}"
    return f"{_about(row)}: {change}, {row.judged.verdict}{reason}"


def _table_line(row: Row) -> str:
    verdict = row.judged.verdict + (f": {row.judged.reason}" if row.judged.reason else "")
    cells = (_about(row), _number(row.base), _number(row.new), _change(row).strip(), verdict)
    return f"| {' | '.join(map(_escaped, cells))} |"


def _about(row: Row) -> str:
    return f"{row.metric.label} of {row.key}" if row.key else row.metric.label


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.6g}"


def _change(row: Row) -> str:
    return "" if row.relative is None else f" {100 * row.relative:+.2f} %"


def _plain(words: str) -> str:
    """Return text in one line without characters that control anything."""
    return "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in words)


def _escaped(words: str) -> str:
    """Return text that Markdown shows as it is."""
    return _MARKS.sub(r"\\\1", _plain(words))
