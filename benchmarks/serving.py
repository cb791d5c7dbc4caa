"""Run a Tilescope server on a store while it is measured."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Served:
    """A running server: its address, and the id of its first process."""

    address: str
    pid: int

    def processor_s(self) -> float:
        """Return the processor seconds of all its processes so far, with a resolution of 0.01 s."""
        return sum(_times(pid) for pid in self.process_ids()) / os.sysconf("SC_CLK_TCK")

    def memory_mib(self) -> float:
        """Return the memory of all its processes in MiB; a page that they share counts once.

        Forked processes share the modules of the server. Resident sizes would count these 180 MiB
        for each process, so that the sum would grow whenever one more process runs.
        """
        return sum(_memory_kib(pid) for pid in self.process_ids()) / 1024

    def process_ids(self) -> list[int]:
        """Return the ids of the server, its workers and its render processes."""
        pids = []
        waiting = [self.pid]
        while waiting:
            pid = waiting.pop()
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it may have ended
                # A child is listed only at the thread that started it.
                tasks = Path(f"/proc/{pid}/task").iterdir()
                waiting += [
                    int(child)
                    for task in tasks
                    for child in (task / "children").read_text().split()
                ]
                pids.append(pid)
        return pids


def process_status(pid: int) -> list[str]:
    """Return the fields of `/proc/PID/stat` in proc(5) from the third on, the state; [] if the
    process has ended.
    """
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        # The name of the command, the second field, may itself have spaces and parentheses.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return []


def _times(pid: int) -> int:
    """Return the clock ticks of a process and of its children that have ended."""
    # utime, stime, cutime and cstime, fields 14 to 17.
    return sum(map(int, process_status(pid)[11:15]))


def _memory_kib(pid: int) -> int:
    """Return the proportional set size: a page that n processes share counts 1/n for each."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it may have ended
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return 0


@contextmanager
def running(store: Path, **settings: object) -> Iterator[Served]:
    """Serve a store with a single worker on a free local port, with the given settings.

    Yield the server.
    """
    with socket.socket() as probe:
        # For port 0 the system chooses a free port.
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "app",
        "serve",
        "--data",
        str(store),
        "--port",
        str(port),
        "--workers",
        "1",
    ]
    # Pages that an earlier measurement drew would take no time.
    named = {"TILESCOPE_PAGES_MB": "0"} | {
        f"TILESCOPE_{name.upper()}": str(value) for name, value in settings.items()
    }
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, env=os.environ | named
    ) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/health")
            yield Served(f"http://127.0.0.1:{port}", process.pid)
        finally:
            process.terminate()


@contextmanager
def serve_store(store: Path) -> Iterator[str]:
    """Serve a store; yield the address."""
    with running(store) as server:
        yield server.address


def _wait(url: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - our own server
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"{url} does not answer")
