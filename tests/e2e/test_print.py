"""Pages on paper: what is on the sheet, how wide plots are drawn, and that the page is as before afterwards."""

import contextlib
import datetime
import re
import zlib

import pytest
from playwright.sync_api import expect

from components.theme import PALETTES
from tests.e2e.axe import in_theme
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
    sentence: document.querySelector("#iterations .ts-answer").innerText,
    shown: [...document.querySelectorAll("button,input,select,textarea,nav")]
        .filter((one) => one.checkVisibility()).length }))"""
SHOWN = "() => document.querySelectorAll('.ts-graph:not(.ts-nothing) .main-svg').length"
BEYOND = """() => [...document.querySelectorAll("main table, main .ag-root-wrapper")]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right
        > document.body.getBoundingClientRect().right + 1).length"""


def printed(page):
    """Print the page; return the PDF, and the measures of the page while it was printed."""
    page.evaluate(PRINTED.replace("WIDTHS", f"({WIDTHS})"))
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    return pdf, page.evaluate("() => window.printed")


@pytest.mark.slow
def test_every_plot_is_drawn_at_the_width_of_the_sheet_and_back(page):
    open_run(page, "128x64x64", "run-iterations")
    wait_until_still(page)
    before, count = page.evaluate(WIDTHS), page.evaluate(SHOWN)
    assert max(drawn for _, drawn in before) > SHEET_PX
    _, sheet = printed(page)
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


@pytest.mark.slow
def test_the_sheet_has_title_date_and_address_no_controls_and_words_that_can_be_searched(page):
    open_run(page, "128x64x64", "run-iterations")
    wait_until_still(page)
    assert "efficiency" in page.inner_text("main")
    linked = page.locator("#iterations .ts-answer .ts-jump").first.inner_text()
    assert linked
    # The day may end while the page is printed.
    days = [datetime.date.today()]
    pdf, sheet = printed(page)
    days.append(datetime.date.today())
    assert linked in sheet["sentence"]
    assert LIGATURE.findall(b"".join(pdf_streams(pdf))) == []
    title, date, address, *_ = filter(None, sheet["text"].splitlines())
    assert title == page.title().removesuffix(" · Tilescope")
    assert any(day.isoformat() in date for day in days)
    assert address == page.url
    assert sheet["shown"] == 0
    expect(page.locator(".ts-print-head")).to_have_count(0)
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()


def pdf_streams(data):
    """Yield the compressed streams of a PDF, among them the characters of its glyphs."""
    for begin in re.finditer(rb"stream\r?\n", data):
        with contextlib.suppress(zlib.error):
            yield zlib.decompressobj().decompress(data[begin.end() :])


@pytest.mark.slow
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


COLOURS = """() => [...document.querySelectorAll(".js-plotly-plot")].filter((plot) => plot.clientWidth)
    .map(({_fullLayout}) => _fullLayout.paper_bgcolor).filter((colour) => colour !== "rgba(0,0,0,0)")"""
PRINTED_INK = f"rgb({', '.join(str(part) for part in bytes.fromhex(PALETTES['light'].ink[1:]))})"
INK = "() => getComputedStyle(document.querySelector('#run-headline')).color"


@pytest.mark.slow
def test_a_dark_page_is_printed_in_the_light_theme_and_is_dark_again(page):
    open_run(page, "128x64x64", "run-iterations")
    in_theme(page, "dark")
    wait_until_still(page)
    dark = page.evaluate(COLOURS)
    assert set(dark) == {PALETTES["dark"].panel}
    page.evaluate(
        f"() => addEventListener('beforeprint', () => (window.sheet = [({COLOURS})(), ({INK})()]))"
    )
    assert page.pdf(format="A4").startswith(b"%PDF")
    colours, ink = page.evaluate("() => window.sheet")
    assert set(colours) == {PALETTES["light"].panel}
    assert ink == PRINTED_INK
    wait_until_equal(lambda: page.evaluate(COLOURS), dark)
    expect(page.locator("html[data-bs-theme=dark]")).to_be_attached()
    page.evaluate("localStorage.clear()")
