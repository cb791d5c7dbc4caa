"""A run's page in headless Chromium: seconds until first sentence and timeline are visible."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

from benchmarks.report import check, note, spread_text
from benchmarks.serving import ROOT, serve_store

_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Commands of Chromium in order of preference."""
_SEEN = {
    "first sentence is there": (
        ".ts-early p:nth-of-type(2):not(:last-of-type), #run-sentence",
        0.6,
    ),
    "timeline is drawn": ("#run-timeline .ts-bars", 1.2),
}
"""Event -> the selector of its element, and the budget in seconds."""
_NOTE = """{
    const waited = %s;
    window.seenAt = {};
    new MutationObserver(() => {
        for (const [what, selector] of Object.entries(waited)) {
            if (!(what in seenAt) && document.querySelector(selector)) { seenAt[what] = performance.now(); }
        }
    }).observe(document, {childList: true, subtree: true});
}"""
"""Script that records when each element of `_SEEN` first exists."""


def run(store: Path, repeats: int) -> None:
    """Print the seconds until a page is visible, on a fresh server and again on the warm server."""
    browser = find_browser()
    if browser is None:
        note(f"page: not measured, no browser ({', '.join(_BROWSERS)})")
        return
    run_id = _only_run(store)
    cold = []
    warm = []
    for _ in range(repeats):
        # A server is fresh for one page only, so that each repetition starts its own.
        with serve_store(store) as address:
            cold.append(_seconds_until(browser, f"{address}/run/{run_id}"))
            warm.append(_seconds_until(browser, f"{address}/run/{run_id}"))
    for what, (_, budget) in _SEEN.items():
        for server, times in (("fresh server", cold), ("warm server", warm)):
            seconds = [opening[what] for opening in times]
            note(f"page until the {what}, {server}: {spread_text(seconds, 's')}")
            check(f"page until the {what}, {server}", median(seconds), budget, "s")


def find_browser() -> str | None:
    """Return the path of Chromium, None without one."""
    return next((path for path in map(shutil.which, _BROWSERS) if path), None)


def _only_run(store: Path) -> str:
    """Return the id of the only run of a store."""
    listing = [sys.executable, "-m", "app", "runs", "--data", str(store), "--json"]
    done = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True)
    return str(json.loads(done.stdout)[0]["run_id"])


def _seconds_until(browser: str, url: str) -> dict[str, float]:
    """Return the seconds after which each element of `_SEEN` exists.

    The page itself records the times: polling it from outside would slow it down.
    """
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(
            _NOTE % json.dumps({what: selector for what, (selector, _) in _SEEN.items()})
        )
        page.goto(url, wait_until="commit")
        for selector, _ in _SEEN.values():
            # `attached`, because the script notes elements that exist, visible or not.
            page.locator(selector).first.wait_for(state="attached", timeout=60_000)
        milliseconds: dict[str, float] = page.evaluate("seenAt")
        chromium.close()
    return {what: at / 1e3 for what, at in milliseconds.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    run(options.store, options.repeats)
