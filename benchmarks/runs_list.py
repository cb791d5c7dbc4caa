"""Processor time of the list of runs, small and large: `python -m benchmarks.runs_list`.

The requests go to the application in this process, and responses are compressed. A browser's other
requests (the page's frame, scripts) are not included.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from flask.testing import FlaskClient

from app.server.factory import create_app
from benchmarks.many_runs import HWIDS, make_catalogue, many_runs
from benchmarks.report import check
from benchmarks.requests import callback_body
from components.runs.list_address import LIST_PATH
from storage.catalogue import Catalogue

COUNTS = (313, 20_000)
"""Numbers of runs."""
BUDGET_S = 0.05
"""Budget of processor seconds for each request."""
_REPEATS = 7
_VIEW = "runs-view.data"
_SHOWN = ("runs-grid.rowData", "runs-grid.columnDefs", "runs-scatter.figure")
"""Outputs of the callbacks that run when the state of the page changes."""


def measure(counts: tuple[int, ...] = COUNTS, repeats: int = _REPEATS) -> dict[str, float]:
    """Return the median processor seconds by request and number of runs."""
    measured: dict[str, float] = {}
    for runs in counts:
        with tempfile.TemporaryDirectory(prefix="tilescope-runs-") as folder:
            settings = make_catalogue(Path(folder), runs)
            catalogue = settings.catalogue()
            page = _Page(create_app(settings).server.test_client())
            requests = _requests(page, _run_inserter(catalogue, runs))
            for what, request in requests.items():
                measured[f"{what}, {runs} runs"] = _processor_s(request, repeats)
            catalogue.close()
    return measured


class _Page:
    """The page of runs as a browser requests it."""

    def __init__(self, http: FlaskClient) -> None:
        self._http = http
        self._callbacks: list[dict[str, Any]] = http.get("/_dash-dependencies").get_json()

    def open(self, query: str = "") -> None:
        """Request the page and its plot."""
        place = {"_pages_location.pathname": LIST_PATH, "_pages_location.search": f"?{query}"}
        self.ask("_pages_content.children", place)
        self.ask("runs-scatter.figure", {_VIEW: query, "theme.data": "light"})

    def follow(self, query: str) -> None:
        """Request all outputs for another state of the page."""
        for output in _SHOWN:
            self.ask(output, {_VIEW: query, "theme.data": "light", "runs-grid.columnDefs": []})

    def ask(
        self, output: str, values: Mapping[str, Any], *, compressed: bool = True
    ) -> dict[str, Any]:
        """Run the callback of an output; return its response, empty if it is compressed."""
        body = callback_body(self._callbacks, output, values)
        headers = {"Accept-Encoding": "gzip, br"} if compressed else {}
        response = self._http.post("/_dash-update-component", json=body, headers=headers)
        if response.status_code != 200:
            raise RuntimeError(f"{output} answers {response.status_code}")
        return {} if compressed else dict(response.get_json()["response"])


def _run_inserter(catalogue: Catalogue, runs: int) -> Callable[[], None]:
    """Return a function that inserts another run, so that no cached response is valid any more."""
    ranks = count(runs)

    def change() -> None:
        (stored,) = many_runs(1, next(ranks))
        catalogue.insert(stored)

    return change


def _requests(page: _Page, change: Callable[[], None]) -> dict[str, Callable[[], Iterator[None]]]:
    """Return the measured acts by name, as generators.

    Each generator prepares its act, yields once, and then performs the part that is measured.
    """
    values = iter(f"hwid={hwid}&M={size}" for size in (64, 128, 256, 512) for hwid in HWIDS)
    words = (f"q=gemm+{rank}" for rank in count())
    orders = (
        f"sort={sign}{column}"
        for sign in ("", "-")
        for column in ("name", "gmacs_mean", "M", "peak_memory")
    )

    def opened_first() -> Iterator[None]:
        change()
        yield
        page.open()

    def opened_again() -> Iterator[None]:
        page.open()
        yield
        page.open()

    def filter_list(queries: Iterator[str]) -> Callable[[], Iterator[None]]:
        def follow() -> Iterator[None]:
            page.open()
            query = next(queries)
            yield
            page.follow(query)

        return follow

    def turn_page() -> Iterator[None]:
        change()
        # Uncompressed, because the test client does not decompress the body, which is read here.
        following = page.ask("runs-grid.rowData", {_VIEW: ""}, compressed=False)["runs-next"][
            "data"
        ]
        yield
        page.ask("runs-added.data", {"runs-more.data": following})

    return {
        "open, after a change": opened_first,
        "open, again": opened_again,
        "filter by two facets": filter_list(values),
        "search": filter_list(words),
        "sort": filter_list(orders),
        "next page": turn_page,
    }


def _processor_s(ask: Callable[[], Iterator[None]], repeats: int) -> float:
    """Return the median processor seconds of generators after their `yield`.

    The first of them is not counted.
    """
    took = []
    for _ in range(repeats + 1):
        steps = ask()
        next(steps)
        begin = time.process_time()
        # Without the default, the end of the generator would raise StopIteration.
        next(steps, None)
        took.append(time.process_time() - begin)
    return median(took[1:])


def main() -> None:
    """Print every number with its budget."""
    for what, seconds in measure().items():
        check(f"list of runs: {what}, processor", seconds, BUDGET_S, "s")


if __name__ == "__main__":
    main()
