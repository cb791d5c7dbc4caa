"""Codes of findings about missing data, against the codes that loaders and analyses write."""

import re
from pathlib import Path

from ingest.reading_quality import UNEXPLAINED
from schema.diagnostics import Diagnostic, diagnostics_frame
from schema.incomplete import INCOMPLETE, incomplete_findings

_ROOT = Path(__file__).parents[3]
_CODE = re.compile(r'"([a-z]+(?:_[a-z]+)*)"')
_OF_LOSSES = re.compile(r"_(cut|skipped|unread|unreadable|full|damaged)$")
_OTHERS = {"level_nearly_full", "prediction_unread", "samples_cut", "tail_cut"}
"""Codes of other things, of companions, and of data that views mark."""


def _written_codes():
    folders = ("analysis", "data_loaders", "ingest")
    files = [path for folder in folders for path in (_ROOT / folder).rglob("*.py")]
    diagnostics = [text for path in files if "iagnostic" in (text := path.read_text())]
    return {code for text in diagnostics for code in _CODE.findall(text)}


def test_each_code_is_written():
    assert _written_codes() >= INCOMPLETE


def test_each_code_of_a_loss_is_classified():
    losses = {code for code in _written_codes() if _OF_LOSSES.search(code)}
    assert losses - INCOMPLETE - UNEXPLAINED - _OTHERS == set()


def test_findings_are_those_of_missing_data_in_their_order():
    cut = Diagnostic("warning", "file_cut", "the file ends inside a word", "a.txt")
    skipped = Diagnostic("warning", "rows_skipped", "1 row skipped", "a.csv, line 3")
    other = Diagnostic("info", "capacity_from_name", "the capacity is the name's")
    assert incomplete_findings(diagnostics_frame([cut, other, skipped])) == [cut, skipped]
    assert incomplete_findings(diagnostics_frame([other])) == []
    assert incomplete_findings(diagnostics_frame([])) == []
