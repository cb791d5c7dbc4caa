"""Cells of CSV files that a spreadsheet would run."""

import re
import unicodedata

import pandas as pd
import pytest

from schema.spreadsheet import FORMULA, guarded_cell

EVERY_CHARACTER = [*map(chr, [*range(0xD800), *range(0xE000, 0x110000)])]
SIGNS = [one for one in EVERY_CHARACTER if unicodedata.normalize("NFKC", one)[0] in "=+-@"]
BLANKS = [
    one
    for one in EVERY_CHARACTER
    if one.isspace() or unicodedata.category(one) in ("Cc", "Zs", "Zl", "Zp")
]
UNSEEN = ["\u200b", "\ufeff", "\u2060", "\u00ad", "\u202e"]
HOSTILE = [
    *(f"{sign}1+1" for sign in SIGNS),
    *(f"{blank}=1+1" for blank in [*BLANKS, *UNSEEN]),
    *(
        f"{blank}\n \u3000{sign}cmd|' /C calc'!A0"
        for blank in ("\n", "\r\n", "\t", " ", "\xa0")
        for sign in SIGNS
    ),
    *("\tx", "\rx", "\nx", "-", "=", "+a", "-b", "@c", "-1+1", "+1e5x", "-0x1F", "\n-5", "\uff0d5"),
]
NUMBERS = ["-5", "+5", "-5.25", "-.5", "-5.", "+1e-9", "-12E+3"]
HARMLESS = [
    "",
    " ",
    "x",
    "a=b",
    "x\n=1",
    "1-2",
    "5",
    "'=1",
    '"=1',
    "_=1",
    "e-mail@x",
    "\u00e9=",
    "--"[2:],
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_would_run_has_an_apostrophe(text):
    assert guarded_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", [*NUMBERS, *HARMLESS])
def test_numbers_and_other_text_stay(text):
    assert guarded_cell(text) == text


def test_pandas_finds_what_python_finds():
    texts = [*HOSTILE, *NUMBERS, *HARMLESS]
    found = pd.Series(texts, dtype="str").str.contains(FORMULA)
    assert found.tolist() == [re.match(FORMULA, text) is not None for text in texts]
