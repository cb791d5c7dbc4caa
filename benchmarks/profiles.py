"""Ingest a tinygrad capture of 1.17 million events.

`python -m benchmarks.profiles [--tinygrad PYTHON]`

The capture repeats the training sample. Time and memory are measured for the child that opens it
and for the whole command. Latencies of a server during the ingest are compared with its latencies
at rest. If a Python with tinygrad 0.12 is given, the child is compared with tinygrad's own viewer.
"""

from __future__ import annotations

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from benchmarks.measure import Usage, measure
from benchmarks.report import check, note, spread_text
from benchmarks.serving import ROOT, serve_store
from data_loaders.reading.limits import Limits

_PAUSE_S = 0.05
"""Seconds between two requests."""
_AT_REST = 100
"""Requests to the server at rest."""
_PAGES = ("/health", "/_dash-layout")
"""Paths whose latencies are measured."""


def run(work: Path, repeats: int, tinygrad: str | None) -> None:
    """Print the measurements of whole processes, then of the views."""
    capture = work / "capture"
    capture.mkdir()
    measure([sys.executable, "-m", "benchmarks.large_profile", str(capture)], ROOT)
    note(
        f"capture of {(capture / 'profile.pkl').stat().st_size / 1e6:.0f} MB, {repeats} runs of each"
    )
    ours = [_child(capture) for _ in range(repeats)]
    _print_usage("child that opens it", ours)
    check(
        "tinygrad, 1.17 M intervals, child, processor",
        median(usage.cpu_s for usage in ours),
        8.0,
        "s",
    )
    check("child, peak memory", max(usage.peak_mib for usage in ours), 2500.0, "MiB")
    stores = [work / f"store-{turn}" for turn in range(repeats)]
    command = [sys.executable, "-m", "app", "ingest", str(capture), "--data"]
    whole = [measure([*command, str(store)], ROOT) for store in stores]
    _print_usage("ingest, whole command", whole)
    check(
        "tinygrad, 1.17 M intervals, whole ingest, processor",
        median(usage.cpu_s for usage in whole),
        7.0,
        "s",
    )
    _viewer(capture / "profile.pkl", work, ours, repeats, tinygrad)
    _meanwhile(capture, work / "served")
    for views in (
        ["benchmarks.pages", str(stores[0]), "--large", "1.17 M intervals"],
        ["benchmarks.timeline_hand", str(stores[0]), "--what", "1.17 M intervals"],
        ["benchmarks.profile_views", str(stores[0])],
    ):
        subprocess.run([sys.executable, "-m", *views], cwd=ROOT, check=True)


def _child(capture: Path) -> Usage:
    """Open the capture in a child process, as an ingest does."""
    with TemporaryDirectory(prefix="tilescope-") as folder:
        files = [str(capture / name) for name in ("profile.pkl", "rewrites.pkl")]
        child = [
            sys.executable,
            "-m",
            "data_loaders.tinygrad.child",
            folder,
            "0",
            Limits().text(),
            *files,
        ]
        usage = measure(child, ROOT)
        result = json.loads((Path(folder) / "answer.json").read_text())
    if "refused" in result:
        raise RuntimeError(f"the capture was refused: {result['refused']}")
    return usage


def _viewer(profile: Path, work: Path, ours: list[Usage], repeats: int, python: str | None) -> None:
    if python is None:
        note(
            "tinygrad's own viewer: not installed (--tinygrad names a Python that has tinygrad 0.12)"
        )
        return
    result = work / "viewer.json"
    command = [python, str(ROOT / "benchmarks" / "tinygrad_viewer.py"), str(profile), str(result)]
    theirs = []
    results = []
    for _ in range(repeats):
        theirs.append(measure(command, work))
        results.append(json.loads(result.read_text()))
    for part, what in (("load_s", "unpickling"), ("encode_s", "encoding")):
        note(
            f"tinygrad's own viewer, {what}: {spread_text([times[part] for times in results], 's')}"
        )
    _print_usage("tinygrad's own viewer, whole process", theirs)
    for field, what in (("cpu_s", "processor time"), ("peak_mib", "peak memory")):
        ratio = median(getattr(u, field) for u in ours) / median(getattr(u, field) for u in theirs)
        note(f"child, {what} against the viewer's whole process: {ratio:.2f} x")


def _meanwhile(capture: Path, store: Path) -> None:
    """Compare a server's latencies while it ingests the capture with its latencies at rest."""
    with serve_store(store) as address:
        asks = {page: partial(_ask, f"{address}{page}") for page in _PAGES}
        rest = {page: [_time_on_clock(ask) for _ in range(_AT_REST)] for page, ask in asks.items()}
        busy: dict[str, list[float]] = {page: [] for page in _PAGES}
        upload = threading.Thread(target=_upload, args=(address, capture))
        upload.start()
        while upload.is_alive():
            for page, ask in asks.items():
                busy[page].append(_time_on_clock(ask))
    for page in _PAGES:
        note(
            f"{page}: at rest {_times_text(rest[page])}; while a capture is ingested {_times_text(busy[page])}"
        )
        note(
            f"{page}, median during the ingest against at rest: {median(busy[page]) / median(rest[page]):.2f} x"
        )


def _times_text(times: list[float]) -> str:
    ms = [1e3 * took for took in times]
    return f"{median(ms):.1f} ms, 95 % below {quantiles(ms, n=20)[-1]:.0f} ms, at most {max(ms):.0f} ms"


def _time_on_clock(ask: Callable[[], object]) -> float:
    """Return the seconds of wall time of a request.

    Only its ratio to another request of the same run is printed.
    """
    time.sleep(_PAUSE_S)
    begin = time.perf_counter()
    ask()
    return time.perf_counter() - begin


def _ask(url: str) -> None:
    with urllib.request.urlopen(url, timeout=60) as response:  # noqa: S310 - our own server
        response.read()


def _upload(address: str, capture: Path) -> None:
    """Send both files as a browser does."""
    parts = []
    for name in ("profile.pkl", "rewrites.pkl"):
        head = f'--cut\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        parts += [head.encode(), (capture / name).read_bytes(), b"\r\n"]
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=300)
    connection.request(
        "POST",
        "/api/upload",
        b"".join([*parts, b"--cut--\r\n"]),
        {"Content-Type": "multipart/form-data; boundary=cut"},
    )
    response = connection.getresponse()
    body = response.read()
    connection.close()
    if response.status != 200:
        raise RuntimeError(f"the upload was answered with {response.status}: {body[:500]!r}")


def _print_usage(what: str, usages: list[Usage]) -> None:
    times = [usage.cpu_s for usage in usages]
    peaks = [usage.peak_mib for usage in usages]
    note(f"{what}: {spread_text(times, 's')}, peak {spread_text(peaks, 'MiB', 0)}")


def main() -> None:
    """Measure in a folder that is removed afterwards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tinygrad", metavar="PYTHON", help="a Python that has tinygrad 0.12, to compare with"
    )
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilescope-benchmark-") as folder:
        run(Path(folder), options.repeats, options.tinygrad)


if __name__ == "__main__":
    main()
