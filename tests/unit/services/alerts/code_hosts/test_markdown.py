"""Names from files in the Markdown of a code host: never a mention, a link or another cell."""

import re

import pytest

from services.alerts.code_hosts.markdown import (
    MAX_NAME_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    code,
    link,
    title,
)

HOSTILE = (
    "@team",
    "fixes #12",
    "closes owner/name#3",
    "!7 ~label %milestone &epic $snippet :tada:",
    "https://example.org/x",
    "www.example.org",
    "[a](http://x)",
    "<img src=x onerror=y>",
    "--> <!-- tilescope issue",
    "a|b\\|c",
    "`@team`",
    "``` @team ```",
    "one\n/close\ntwo",
    "\u202eright to left",
    "\u2028@team",
    "lone \ud800 surrogate",
)


@pytest.mark.parametrize("at", range(len(HOSTILE)))
def test_a_name_is_one_code_span(at):
    span = code(HOSTILE[at])
    assert re.fullmatch(r"`[^`|\n]+`", span)
    span.encode()


@pytest.mark.parametrize("at", range(len(HOSTILE)))
def test_a_title_has_no_character_of_markup(at):
    words = title(f"Regression: {HOSTILE[at]}")
    assert words.startswith("Regression")
    assert not set(words) & set("@#!~%&$:/<>[]`|\\*_\n\u202e\u2028")


def test_an_empty_name_is_a_dash():
    assert [code(name) for name in (None, "", " \n ")] == ["-"] * 3


def test_names_and_titles_have_a_maximum_length():
    assert len(code("x" * 10_000)) == MAX_NAME_CHARACTERS + 2
    assert len(title("x" * 10_000)) == MAX_TITLE_CHARACTERS


def test_an_address_cannot_end_its_link_or_cell():
    made = link("run", "https://x/a)b|c<d> e")
    assert re.fullmatch(r"\[run\]\(https://x/[^()|<> ]+\)", made)
    assert link("run", None) == ""
