"""A run's page in headless Chromium: fresh server, fresh browser, until the timeline's bars are drawn."""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

from benchmarks.report import check, note, spread

ROOT = Path(__file__).resolve().parent.parent
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_BARS = "#run-timeline .barlayer .point path"
_TARGET_S = 3.0


def run(store: Path, repeats: int) -> None:
    """Print how long the page takes, cold and again on the warm server."""
    browser = next((path for path in map(shutil.which, _BROWSERS) if path), None)
    if browser is None:
        note(f"page: not measured, no browser ({', '.join(_BROWSERS)})")
        return
    cold, warm = [], []
    for _ in range(repeats):
        with _server(store) as (address, run_id):
            cold.append(_until_drawn(browser, f"{address}/run/{run_id}"))
            warm.append(_until_drawn(browser, f"{address}/run/{run_id}"))
    note(f"page, fresh server and browser: {spread(cold, 's')}; fresh browser only: {spread(warm, 's')}")
    check("page until the timeline is drawn", median(cold), _TARGET_S, "s")


@contextmanager
def _server(store: Path) -> Iterator[tuple[str, str]]:
    """Serve a store on a free port; give the address and the id of its only run."""
    listing = [sys.executable, "-m", "app", "runs", "--data", str(store), "--json"]
    run_id = json.loads(subprocess.run(listing, cwd=ROOT, check=True, capture_output=True).stdout)[0]["run_id"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "app", "serve", "--data", str(store), "--port", str(port), "--workers", "1"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/health")
            yield f"http://127.0.0.1:{port}", run_id
        finally:
            process.terminate()


def _wait(url: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - our own server
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"{url} does not answer")


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
