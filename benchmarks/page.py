"""A run's page in headless Chromium: fresh server, fresh browser, until the timeline's bars are drawn."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

from benchmarks.report import check, note, spread_text
from benchmarks.serving import ROOT, serve_store

_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_BARS = "#run-timeline .barlayer .point path"
_TARGET_S = 1.2


def run(store: Path, repeats: int) -> None:
    """Print how long the page takes, cold and again on the warm server."""
    browser = next((path for path in map(shutil.which, _BROWSERS) if path), None)
    if browser is None:
        note(f"page: not measured, no browser ({', '.join(_BROWSERS)})")
        return
    run_id, cold, warm = _only_run(store), [], []
    for _ in range(repeats):
        with serve_store(store) as address:
            cold.append(_until_drawn(browser, f"{address}/run/{run_id}"))
            warm.append(_until_drawn(browser, f"{address}/run/{run_id}"))
    note(f"page, fresh server and browser: {spread_text(cold, 's')}; fresh browser only: {spread_text(warm, 's')}")
    check("page until the timeline is drawn", median(cold), _TARGET_S, "s")


def _only_run(store: Path) -> str:
    """Return the id of the only run of a store."""
    listing = [sys.executable, "-m", "app", "runs", "--data", str(store), "--json"]
    done = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True)
    return str(json.loads(done.stdout)[0]["run_id"])


def _until_drawn(browser: str, url: str) -> float:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1440, "height": 900})
        begin = time.perf_counter()
        page.goto(url, wait_until="commit")
        page.locator(_BARS).first.wait_for(state="attached", timeout=60_000)
        took = time.perf_counter() - begin
        chromium.close()
    return took


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    run(given.store, given.repeats)
