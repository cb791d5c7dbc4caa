"""The timeline of a large run in a real browser: frames under a hand, first bars, tiles, memory.

`python -m benchmarks.timeline_hand STORE`: the only run of STORE is a large capture or profile. Times
of scripts and of the server are processor time, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from playwright.sync_api import Browser, CDPSession, Page, Request, sync_playwright

from benchmarks.browser_trace import script_of_frames
from benchmarks.page import find_browser
from benchmarks.report import check, note
from benchmarks.serving import Served, running
from benchmarks.timeline_tiles import measure_tiles

_MAX_FRAME_MS = 16.0
_MAX_FIRST_BARS_S = 0.8
_OPENINGS = 5
"""Openings of the run from the list; the first bars are those of their median."""
_MAX_SELECTION_S = 0.12
_MAX_BROWSER_MB = 150.0
_TURNS = 40
"""Steps of each movement of the hand."""
_WINDOWS = 8
"""Windows that are selected, each by a key and a pause."""
_DRAWS = '"output":"run-changes.data"'
"""Part of the request that draws the views of a page."""
_BARS = "#run-timeline .ts-bars[data-window]"
_AREA = "#run-timeline .nsewdrag"
_CLICKED = """(selector) => {
    const clicked = performance.now();
    window.barsAfter = new Promise((done) => new MutationObserver(
        () => document.querySelector(selector) && done((performance.now() - clicked) / 1e3),
    ).observe(document, {childList: true, subtree: true, attributes: true}));
}"""


@dataclass(frozen=True)
class _Hand:
    """A hand on the timeline of an open page; place and width of its area are in pixels."""

    page: Page
    x: float
    y: float
    width: float

    def place(self, share: float) -> tuple[float, float]:
        """Return the place of a share of the width, below the first lanes."""
        return self.x + share * self.width, self.y + 60

    def zoom(self) -> None:
        """Zoom to the finest level and out again by the wheel."""
        self.page.mouse.move(*self.place(0.37))
        self.page.keyboard.down("Control")
        for pixels in [-150] * _TURNS + [150] * _TURNS:
            self.page.mouse.wheel(0, pixels)
        self.page.keyboard.up("Control")

    def press(self) -> None:
        """Zoom and pan by keys."""
        for key in "wwwwwwww" + "d" * 12 + "a" * 12 + "ssssssss":
            self.page.keyboard.press(key)

    def drag(self) -> None:
        """Pan by dragging over most of the width, after a zoom."""
        for _ in range(4):
            self.page.keyboard.press("w")
        self.page.mouse.move(*self.place(0.9))
        self.page.mouse.down()
        for turn in range(_TURNS):
            self.page.mouse.move(*self.place(0.9 - 0.8 * (turn + 1) / _TURNS))
        self.page.mouse.up()


def run(store: Path, what: str) -> None:
    """Print the numbers of the timeline of the only run of a store; `what` is its size in words."""
    path = find_browser()
    if path is None:
        note("timeline under a hand: not measured, no browser")
        return
    note(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with running(store) as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        run_id = _only_run(served)
        tiles: dict[str, int] = {}
        # The first page makes the server warm; a trace would count as memory of a page.
        with _open_from_list(browser, served, run_id, tiles) as opened:
            _hand(opened.page).zoom()
            _memory(browser, opened.session, what)
        openings = []
        for _ in range(_OPENINGS):
            with _open_from_list(browser, served, run_id, tiles) as opened:
                openings.append(opened)
        _first_bars(openings, what)
        with _open_from_list(browser, served, run_id, tiles) as opened:
            _frames(browser, opened.page, what)
            _selection(opened, served, what)
        measure_tiles(served, tiles, what)
        browser.close()


def _only_run(served: Served) -> str:
    with urllib.request.urlopen(f"{served.address}/api/v1/runs") as response:  # noqa: S310 - our own server
        return str(json.load(response)["runs"][0]["run_id"])


@dataclass(frozen=True)
class _Opened:
    """An open page of a run, and the seconds from the click in the list to the first bars: by the
    clock, and of the processor in server and page.
    """

    page: Page
    session: CDPSession
    clock_s: float
    server_s: float
    page_s: float


@contextmanager
def _open_from_list(
    browser: Browser, served: Served, run_id: str, tiles: dict[str, int]
) -> Iterator[_Opened]:
    """Open the run by a click in the list; `tiles` collects the bytes of its tiles by address."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.on("requestfinished", lambda request: _note_tile(tiles, request))
    page.goto(f"{served.address}/runs")
    link = page.locator(f"a[href*='{run_id}']").first
    link.wait_for()
    page.wait_for_load_state("networkidle")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.evaluate(_CLICKED, _BARS)
    server_s = served.processor_s()
    page_s = _metric(session, "TaskDuration")
    link.click()
    clock_s = page.evaluate("barsAfter")
    server_s = served.processor_s() - server_s
    yield _Opened(page, session, clock_s, server_s, _metric(session, "TaskDuration") - page_s)
    page.close()


def _metric(session: CDPSession, name: str) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == name))


def _note_tile(tiles: dict[str, int], request: Request) -> None:
    response = request.response() if "/timeline/" in request.url else None
    if response is not None:
        tiles[request.url] = len(response.body())


def _first_bars(openings: Sequence[_Opened], what: str) -> None:
    """Print the medians of several openings, of which single ones differ by a factor of two."""
    clock_s = median(opened.clock_s for opened in openings)
    note(f"timeline, first bars after the click in the list: {clock_s:.2f} s by the clock")
    # By the clock other work on the machine counts; on two idle processors it is at most this.
    check(
        f"timeline of {what}, first bars after the click, processor of server and page",
        median(opened.server_s + opened.page_s for opened in openings),
        _MAX_FIRST_BARS_S,
        "s",
    )


def _hand(page: Page) -> _Hand:
    """Find the timeline's area, and put the pointer on it until its first tiles are there."""
    area = page.locator(_AREA).first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    if box is None:
        raise RuntimeError("the timeline has no area")
    hand = _Hand(page, box["x"], box["y"], box["width"])
    page.mouse.move(*hand.place(0.5))
    page.wait_for_load_state("networkidle")
    return hand


def _frames(browser: Browser, page: Page, what: str) -> None:
    """Move the timeline by wheel, keys and drag, and print the script's time of each frame."""
    hand = _hand(page)
    frames: list[float] = []
    for move in (hand.zoom, hand.press, hand.drag):
        page.wait_for_load_state("networkidle")
        browser.start_tracing(page=page, categories=["devtools.timeline", "toplevel"])
        move()
        frames += script_of_frames(json.loads(browser.stop_tracing())["traceEvents"])
    late = quantiles(frames, n=20)[-1]
    note(
        f"timeline, script of {len(frames)} frames of zoom and pan: median {median(frames):.1f} ms"
    )
    check(f"timeline of {what}, script of a frame, 95th percentile", late, _MAX_FRAME_MS, "ms")


def _selection(opened: _Opened, served: Served, what: str) -> None:
    """Print the processor time of server and page for a window that all other views follow."""
    page = opened.page
    hand = _hand(page)
    spent: dict[str, list[float]] = {"server": [], "page": []}
    for turn in range(_WINDOWS):
        page.wait_for_load_state("networkidle")
        server_s = served.processor_s()
        page_s = _metric(opened.session, "TaskDuration")
        with page.expect_response(lambda r: _DRAWS in (r.request.post_data or "")):
            page.mouse.move(*hand.place(0.2 + 0.6 * turn / _WINDOWS))
            page.keyboard.press("w" if turn < _WINDOWS // 2 else "s")
        page.wait_for_load_state("networkidle")
        spent["server"].append(served.processor_s() - server_s)
        spent["page"].append(_metric(opened.session, "TaskDuration") - page_s)
    note(f"timeline, a selection, processor of the page: {median(spent['page']):.2f} s")
    check(
        f"timeline of {what}, a selection with all other views, processor of the server",
        median(spent["server"]),
        _MAX_SELECTION_S,
        "s",
    )


def _memory(browser: Browser, session: CDPSession, what: str) -> None:
    """Print what the page's scripts hold, and note the memory of its process with Chromium's own."""
    session.send("HeapProfiler.collectGarbage")
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    pages = [_proportional_mb(p["id"]) for p in processes if p["type"] == "renderer"]
    note(f"timeline, the process of its page with Chromium's own memory: {max(pages):.0f} MB")
    held = _metric(session, "JSHeapUsedSize") / 1e6
    check(f"timeline of {what}, memory of the page's scripts", held, _MAX_BROWSER_MB, "MB")


def _proportional_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1e3


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("--what", default="1.1 M entries", help="size of the run in words")
    options = parser.parse_args()
    begin = time.monotonic()
    run(options.store, options.what)
    note(f"{time.monotonic() - begin:.0f} s")
