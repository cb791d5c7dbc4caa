"""Readers of untrusted files without what starting one costs: forked off a process that has imported what they import.

Each still is a process of its own, with its own limits and environment, and may be killed. Importing pandas anew takes
most of the time of reading a sample, and the tests read samples many hundreds of times. What starts readers otherwise
is tested in `tests/unit/data_loaders/reading/test_isolated.py`, by the servers and by the command line.

`python -m tests.support.warm_readers SOCKET` is that process.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).parents[2]
IMPORTED = {
    "data_loaders.tinygrad.child": "data_loaders.tinygrad.run",
    "data_loaders.tinygrad.machine.child": "data_loaders.tinygrad.machine.program",
    "data_loaders.tinygrad.machine.trace_child": "data_loaders.tinygrad.machine.waves",
    "ingest.graph_snapshots_child": "analysis.program.snapshots",
}
"""Module of a reader -> what it imports."""
_PATIENCE_S = 60


@contextlib.contextmanager
def warm_readers(folder: Path) -> Iterator[SimpleNamespace]:
    """Give what stands in for module `subprocess` where readers are started; the process starts with the first."""
    place, started = folder / "readers", []

    def run(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        python, *_, module = command[:4]
        if module not in IMPORTED or python != sys.executable:
            return subprocess.run(command, **options)  # noqa: PLW1510 - the options say so
        if not started:
            started.append(_start(place, options["env"]))
        return _run_forked(place, command, options)

    try:
        yield SimpleNamespace(run=run, DEVNULL=subprocess.DEVNULL, TimeoutExpired=subprocess.TimeoutExpired)
    finally:
        for process in started:
            process.kill()
            process.wait()


def _start(place: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, str(place)],
        env=environment | {"PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    until = time.monotonic() + _PATIENCE_S
    while not place.exists():
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError("the process that readers are forked off does not start")
        time.sleep(0.02)
    return process


def _run_forked(place: Path, command: Sequence[str], options: dict[str, Any]) -> subprocess.CompletedProcess[bytes]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(place))
        request = json.dumps({"arguments": command[3:], "environment": options["env"]}).encode() + b"\n"
        socket.send_fds(connection, [request[:1]], [options["stderr"].fileno()])
        connection.sendall(request[1:])
        connection.settimeout(options["timeout"])
        try:
            answer = connection.recv(100)
        except TimeoutError as error:
            raise subprocess.TimeoutExpired(command, options["timeout"]) from error
    return subprocess.CompletedProcess(command, int(answer))


def _serve(place: Path) -> None:
    """Fork a process for each request, which forks the reader and waits for it."""
    with socket.socket(socket.AF_UNIX) as listener:
        unready = place.with_name(f"{place.name}.unready")
        listener.bind(str(unready))
        listener.listen(50)
        unready.rename(place)  # whoever sees it may connect
        forked = 0
        while True:
            connection, _ = listener.accept()
            while forked and os.waitpid(-1, os.WNOHANG)[0]:
                forked -= 1
            if not os.fork():
                listener.close()
                _answer(connection)
                os._exit(0)
            forked += 1
            connection.close()


def _answer(connection: socket.socket) -> None:
    request, (complaints,), _, _ = socket.recv_fds(connection, 1, 1)
    while not request.endswith(b"\n"):
        request += connection.recv(2**16)
    given = json.loads(request)
    reader = os.fork()
    if not reader:
        _read(given["arguments"], given["environment"], complaints)
    ended = os.pidfd_open(reader)
    ready, _, _ = select.select([ended, connection], [], [])
    if ended not in ready:  # whoever asked has waited long enough, or is gone
        os.kill(reader, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(reader, 0)[1])
    with contextlib.suppress(BrokenPipeError):
        connection.sendall(str(code).encode())


def _read(arguments: Sequence[str], environment: dict[str, str], complaints: int) -> None:
    """Become a reader, and end as it does."""
    code = 1
    try:
        os.dup2(complaints, sys.stderr.fileno())
        os.closerange(3, 100)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv[1:] = arguments[1:]
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


if __name__ == "__main__":
    import importlib

    from data_loaders.reading.isolated import end_with_starter

    end_with_starter()
    for name in set(IMPORTED.values()):
        importlib.import_module(name)
    _serve(Path(sys.argv[1]))
