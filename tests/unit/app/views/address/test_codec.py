"""Addresses that people may have saved open as they were read when they were recorded, and are written as then."""

import json
from pathlib import Path

import pytest

from app.pages.audit.state import parse as parse_audit
from app.pages.runs.state import parse as parse_runs
from app.pages.trends.state import parse as parse_trends
from app.views.comparison.registry import COMPARE
from app.views.lab.registry import LAB
from app.views.program.registry import PROGRAM
from app.views.registry import RUN

PARSERS = {
    "run": RUN.parse,
    "compare": COMPARE.parse,
    "lab": LAB.parse,
    "program": PROGRAM.parse,
    "audit": parse_audit,
    "runs": parse_runs,
    "trends": parse_trends,
}
SAVED = json.loads(Path(__file__).with_name("addresses.json").read_text())
"""Page -> queries, mostly hostile, each with its canonical one."""


@pytest.mark.parametrize("page", PARSERS)
def test_saved_addresses_are_written_as_ever(page):
    parse = PARSERS[page]
    assert [(query, parse(query).query()) for query, _ in SAVED[page]] == [
        (query, text) for query, text in SAVED[page]
    ]
    for _, canonical in SAVED[page]:
        assert parse(canonical) == parse("?" + canonical)
        assert parse(canonical).query() == canonical


@pytest.mark.parametrize("page", PARSERS)
def test_halves_of_surrogates_and_bytes_that_are_no_text_are_passed_over(page):
    parse = PARSERS[page]
    for query in ("find=\ud83d", "q=\ud83d&user=\udc00", "%ff=%fe&find=%ff", "&&=&", "?"):
        state = parse(query)
        assert parse(state.query()) == state
