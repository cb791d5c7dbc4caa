"""Incidents of an installation while it is used, and the ingests during that time."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.rehearsal.installation import Installation
from benchmarks.small_captures import write

_BATCH = 10
"""Captures of an ingest."""
_USUAL = 540
"""Cycles of a kernel in most batches."""
_SLOW = 800
"""Cycles of a kernel in slow batches, which are regressions for alerts."""
_DELAY_S = 0.05
"""Delay of a request to the slow object storage."""
_FAILING = 0.01
"""Share of failed requests of the slow object storage."""


@dataclass
class Ingests:
    """Ids of the ingested runs, and errors of commands that were repeated until they succeeded."""

    run_ids: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)


def make_trouble(
    installation: Installation, seconds: float, tell: Callable[[str], None]
) -> list[float]:
    """Cause incidents at fixed shares of the time; return when a server or the database restarted.

    `tell` is called with a description of each incident. Processes that are started here end with
    the thread that calls this function.
    """

    def restart_server() -> None:
        installation.servers[0].kill()
        installation.servers[0].start()

    def kill_worker() -> None:
        installation.cluster.kill_worker()

    def restart_database() -> None:
        installation.database.stop()
        installation.database.start()

    def slow_down() -> None:
        installation.storage.delay_s = _DELAY_S
        installation.storage.failing = _FAILING

    def speed_up() -> None:
        installation.storage.delay_s = 0.0
        installation.storage.failing = 0.0

    plan: tuple[tuple[float, str, Callable[[], None]], ...] = (
        (0.15, "object storage slow, one request in a hundred fails", slow_down),
        (0.30, "a server is killed and started", restart_server),
        (0.50, "a worker is killed", kill_worker),
        (0.65, "the database is restarted", restart_database),
        (0.85, "object storage as before", speed_up),
    )
    restarts = []
    begin = time.monotonic()
    for part, what, act in plan:
        time.sleep(max(0.0, begin + part * seconds - time.monotonic()))
        tell(f"{time.monotonic() - begin:.0f} s: {what}")
        if act in (restart_server, restart_database):
            restarts.append(time.monotonic())
        act()
    return restarts


@contextmanager
def ingest_meanwhile(installation: Installation, seconds: float, first: int) -> Iterator[Ingests]:
    """Ingest new captures by the Dask workers for `seconds`.

    Captures before `first` exist already.
    """
    done = Ingests()
    until = time.monotonic() + seconds

    def follow() -> None:
        rank = first
        while time.monotonic() < until:
            folder = installation.folder / "new" / str(rank)
            compute = _SLOW if rank // _BATCH % 4 == 2 else _USUAL
            _ingest(
                installation, [str(path) for path in write(folder, _BATCH, rank, compute)], done
            )
            rank += _BATCH

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    yield done
    thread.join()


def _ingest(installation: Installation, captures: list[str], done: Ingests) -> None:
    """Ingest captures; repeat a failed command, as its user would."""
    for _ in range(10):
        command = installation.command("ingest", *captures, "--json")
        result = json.loads(command.stdout) if command.stdout.strip() else {}
        if command.returncode == 0 and not result.get("failed"):
            done.run_ids += [run["run_id"] for run in result["runs"]]
            return
        done.repeated.append((command.stderr.strip() or command.stdout)[:200])
        time.sleep(2)
    raise RuntimeError(
        f"captures in {Path(captures[0]).parent} cannot be ingested: {done.repeated[-1]}"
    )
