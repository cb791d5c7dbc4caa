"""Cells of tables, written in the browser, read as the same number elsewhere on a page."""

import json

import pytest

from app.config.assets import ASSETS
from components.numbers import (
    DASH,
    address,
    duration_text,
    integer,
    percent,
    rate_text,
    significant,
    size,
)
from tests.support.number_samples import finite_floats

pytestmark = pytest.mark.slow

SCRIPTS = ("dashAgGridFunctions.js", "memory.js", "profile.js")
TWINS = {
    "tsInteger": integer,
    "tsSignificant": significant,
    "tsPercent": percent,
    "tsBytes": size,
    "tsHex": lambda value: address(value).partition(" (")[0],
    "tsDuration": duration_text,
    "tsRate": lambda value: rate_text(value, "B/s"),
}
WRITE = """([name, numbers]) =>
    JSON.parse(numbers).map((number) => window.dashAgGridFunctions[name](number, "B/s"))"""


@pytest.fixture(scope="module")
def formatters(browser):
    """A page with nothing but the scripts that write cells."""
    page = browser.new_page()
    for name in SCRIPTS:
        page.add_script_tag(path=ASSETS / name)
    yield page
    page.close()


@pytest.fixture(scope="module")
def floats():
    return finite_floats()


@pytest.mark.parametrize("name", TWINS)
def test_cells_have_the_text_of_pages(formatters, floats, name):
    cells = formatters.evaluate(WRITE, [name, json.dumps(floats)])
    texts = [TWINS[name](value) for value in floats]
    differing = [found for found in zip(floats, cells, texts, strict=True) if found[1] != found[2]]
    assert differing == []


@pytest.mark.parametrize("name", [*TWINS, "tsTimes"])
def test_no_number_is_a_dash_in_cells(formatters, name):
    write = f"[null, undefined, '', NaN, Infinity, -Infinity].map((x) => window.dashAgGridFunctions.{name}(x, 'B/s'))"
    assert set(formatters.evaluate(write)) == {DASH}


def test_an_exact_number_has_no_exponent_of_a_program(formatters, floats):
    written = formatters.evaluate(WRITE, ["tsExact", json.dumps(floats)])
    texts = dict(zip(floats, written, strict=True))
    assert not any("e" in text for text in written)
    assert texts[0.5] == "0.5\u202fB/s"
    assert texts[2.0**53 + 2] == "9\u202f007\u202f199\u202f254\u202f740\u202f994\u202fB/s"
    assert texts[5e-324] == "4.94\u202f×\u202f10⁻³²⁴\u202fB/s"
    assert formatters.evaluate("window.dashAgGridFunctions.tsExact(NaN, 'B')") is None
