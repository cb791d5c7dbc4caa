import pytest
from dash import html

from components.health import health, message_parts
from schema.diagnostics import Diagnostic, diagnostics_frame
from tests.support.components import THIN, every, words


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("3208 kernels against 3584", f"3{THIN}208 kernels against 3{THIN}584"),
        ("a stall of 1234567 cycles.", f"a stall of 1{THIN}234{THIN}567 cycles."),
        ("run harbour.81920 of 2026-11-22 at 0x12345, L1_10000, 1234.5", None),
        ("999 kernels", None),
        ("version 0.12.1000", None),
        (f"ended with {'error: minimalloc --capacity=47856 -n 12345'!r}", None),
        ("1205 % of the peak", f"1{THIN}205{THIN}% of the peak"),
        ("run `minimalloc 47856`", "run minimalloc 47856"),
        ('Command "stat 47856" failed', None),
        ("give --capacity 47856 or -c 47856, capacity=47856", None),
        ("read 1234.csv, #1234, %1234 and $1234", None),
        ("the core's 1234 kernels, the tile's 5", f"the core's 1{THIN}234 kernels, the tile's 5"),
        ("in 1234 steps - 5678 more", f"in 1{THIN}234 steps - 5{THIN}678 more"),
    ],
)
def test_long_numbers_have_thin_spaces_and_names_do_not(message, shown):
    assert words(message_parts(message)) == (shown or message)


def test_names_between_backticks_are_code():
    parts = message_parts("set `step = 12345` first, then `b`")
    assert [part.children for part in parts if isinstance(part, html.Code)] == ["step = 12345", "b"]
    assert "`" not in words(parts)


def shown(message, count):
    return words(health(diagnostics_frame([Diagnostic("info", "code", message, "", count)])))


def test_a_count_has_a_noun_and_is_said_once():
    assert "(3 occurrences)" in shown("markers were lost", 3)
    assert "×" not in shown("markers were lost", 3)
    assert "occurrence" not in shown("3 markers were lost", 3)
    assert "(3 occurrences)" in shown("13 markers were lost", 3)
    assert "occurrence" not in shown("a marker was lost", 1)


def test_a_finding_is_an_item_with_its_code_in_the_tooltip():
    (item,) = every(
        health(diagnostics_frame([Diagnostic("error", "bad", "broken", "here", 1)])), "Li"
    )
    assert item.id == {"type": "finding", "index": 0}
