"""Pages on paper: what is on the sheet, how wide plots are drawn, and that the page is as before afterwards."""

import contextlib
import datetime
import re
import zlib

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import open_run, wait_until_idle
from tests.e2e.readings import wait_until_equal, wait_until_still

pytestmark = pytest.mark.e2e

LIGATURE = re.compile(rb"<FB0[0-6]>", re.IGNORECASE)
"""A glyph of a PDF that stands for several letters, such as ffi."""
SHEET_PX = 186 / 25.4 * 96
"""Width of an A4 sheet between its margins."""
WIDTHS = """() => [...document.querySelectorAll(".js-plotly-plot")].filter((plot) => plot.clientWidth)
    .map((plot) => [plot.clientWidth, plot.querySelector(".main-svg").getBoundingClientRect().width])"""
PRINTED = """() => addEventListener("beforeprint", () => (window.printed = {
    widths: WIDTHS(), text: document.body.innerText,
    shown: [...document.querySelectorAll("button,input,select,textarea,nav")]
        .filter((one) => one.checkVisibility()).length }))"""
SHOWN = "() => document.querySelectorAll('.ts-graph:not(.ts-nothing) .main-svg').length"
BEYOND = """() => [...document.querySelectorAll("main table, main .ag-root-wrapper")]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right
        > document.body.getBoundingClientRect().right + 1).length"""


def printed(page):
    """Print the page to a PDF; returns what it was like when the sheets were drawn."""
    page.evaluate(PRINTED.replace("WIDTHS", f"({WIDTHS})"))
    assert page.pdf(format="A4").startswith(b"%PDF")
    return page.evaluate("() => window.printed")


def test_every_plot_is_drawn_at_the_width_of_the_sheet_and_back(page):
    open_run(page, "128x64x64", "run-iterations")
    wait_until_still(page)
    before, count = page.evaluate(WIDTHS), page.evaluate(SHOWN)
    assert max(drawn for _, drawn in before) > SHEET_PX
    sheet = printed(page)
    assert len(sheet["widths"]) == len(before)
    for room, drawn in sheet["widths"]:
        assert drawn == pytest.approx(room, abs=1)
        assert drawn <= SHEET_PX
    wait_until_equal(lambda: page.evaluate(WIDTHS), before)
    wait_until_equal(lambda: page.evaluate(SHOWN), count)
    page.set_viewport_size({"width": 1100, "height": 900})
    page.wait_for_function(
        f"([was]) => ({WIDTHS})().every(([room, drawn]) => drawn <= was)", arg=[1100]
    )


def test_the_sheet_begins_with_title_date_and_address_and_has_no_controls(page):
    open_run(page, "128x64x64", "run-iterations")
    wait_until_idle(page)
    # The day may end while the page is printed.
    days = [datetime.date.today()]
    sheet = printed(page)
    days.append(datetime.date.today())
    title, date, address, *_ = filter(None, sheet["text"].splitlines())
    assert title == page.title().removesuffix(" · Tilescope")
    assert any(day.isoformat() in date for day in days)
    assert address == page.url
    assert sheet["shown"] == 0
    expect(page.locator(".ts-print-head")).to_have_count(0)
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()


def test_words_of_the_sheet_can_be_searched(page):
    open_run(page, "128x64x64", "run-iterations")
    wait_until_still(page)
    assert "efficiency" in page.inner_text("main")
    assert LIGATURE.findall(b"".join(pdf_streams(page.pdf(format="A4")))) == []


def pdf_streams(data):
    """Yield the compressed streams of a PDF, among them the characters of its glyphs."""
    for begin in re.finditer(rb"stream\r?\n", data):
        with contextlib.suppress(zlib.error):
            yield zlib.decompressobj().decompress(data[begin.end() :])


@pytest.mark.parametrize("path", ["/", "/jobs"])
def test_the_print_medium_cuts_off_no_table(page, path):
    page.goto(path)
    wait_until_idle(page)
    page.emulate_media(media="print")
    page.wait_for_function("() => document.documentElement.classList.contains('ts-printing')")
    wait_until_equal(lambda: page.evaluate(BEYOND), 0)
    page.emulate_media(media="screen")
    page.wait_for_function("() => !document.documentElement.classList.contains('ts-printing')")
    page.wait_for_function("""() => !document.querySelector("main").innerHTML.includes("zoom")""")
