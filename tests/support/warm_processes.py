"""Processes of the project without what starting one costs: forked off one that has imported what they import.

Each still is a process of its own, with its own limits, environment and output, and may be killed. Importing pandas
anew takes most of the time of reading a sample, and importing the application most of that of a small server; the tests
start many hundreds of readers, and dozens of servers and of queries. That they start otherwise is tested by
`tests/unit/data_loaders/reading/test_isolated.py`, by the server of the rolling upgrade and by the command line.

`python -m tests.support.warm_processes SOCKET MODULE...` is the process that others are forked off.
"""

import atexit
import contextlib
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import IO, Any

from data_loaders.reading.isolated import end_with_starter
from tests.support import late_threads

ROOT = Path(__file__).parents[2]
READERS = {
    "data_loaders.tinygrad.child": "data_loaders.tinygrad.run",
    "data_loaders.tinygrad.machine.child": "data_loaders.tinygrad.machine.program",
    "data_loaders.tinygrad.machine.trace_child": "data_loaders.tinygrad.machine.waves",
    "ingest.graph_snapshots_child": "analysis.program.snapshots",
}
"""Module of a reader of untrusted files -> modules that it imports."""
QUERY = (
    "data_loaders.reading.limits",
    "duckdb",
    "services.query.child_tables",
    "services.query.refusals",
    "services.query.results",
    "services.query.statement",
)
"""Modules that a query process imports."""
SERVER = ("app.cli.main", "app.server.factory", "app.server.gunicorn", "app.server.worker")
"""Modules that `python -m app serve` imports."""
_PATIENCE_S = 120
_TEMPORARY = tempfile.gettempdir()
"""Folder for sockets, which need short paths: a test may set a temporary folder with a long path."""


class ForkedProcess:
    """A process that was forked off another process, with the methods of subprocess.Popen that
    tests use.
    """

    stdin: IO[bytes]
    stdout: IO[bytes]

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.returncode: int | None = None
        self._told = b""
        self.pid = int(self._line(_PATIENCE_S))

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit code; raises TimeoutError after `timeout` s."""
        if self.returncode is None:
            self.returncode = int(self._line(timeout))
            self._connection.close()
        return self.returncode

    def poll(self) -> int | None:
        """Return the exit code, None while the process runs."""
        with contextlib.suppress(TimeoutError):
            self.wait(0.001)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self) -> None:
        """Close the pipes, if it has any, and wait for its end."""
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()
        self.stdout.close()
        self.wait()

    def _line(self, timeout: float | None) -> bytes:
        self._connection.settimeout(timeout)
        while b"\n" not in self._told:
            part = self._connection.recv(100)
            if not part:
                raise RuntimeError("the process that others are forked off is gone")
            self._told += part
        line, _, self._told = self._told.partition(b"\n")
        return line


class WarmProcess:
    """A process that has imported some modules and forks further processes; it starts with the
    first of them.
    """

    def __init__(self, imports: Sequence[str]) -> None:
        self._imports = imports
        self._folder: TemporaryDirectory[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def fork(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        *files: IO[bytes],
        folder: Path = ROOT,
    ) -> ForkedProcess:
        """Fork a process, in a group of its own, that runs `python -m *arguments`.

        Its output goes to the first two open files; it reads from the third, if there is one.
        """
        with self._lock:
            if self._folder is None:
                self._folder = self._start(environment)
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(_socket_in(self._folder))
        asked = {
            "arguments": list(arguments),
            "environment": dict(environment),
            "folder": str(folder),
        }
        request = json.dumps(asked).encode() + b"\n"
        socket.send_fds(connection, [request[:1]], [file.fileno() for file in files])
        connection.sendall(request[1:])
        return ForkedProcess(connection)

    def close(self) -> None:
        """End the process and all processes that it forked."""
        if self._process is not None and self._folder is not None:
            self._process.communicate()
            self._folder.cleanup()
            self._process = self._folder = None

    def _start(self, environment: Mapping[str, str]) -> TemporaryDirectory[str]:
        folder = TemporaryDirectory(prefix="tilescope-warm-", dir=_TEMPORARY)
        command = [sys.executable, "-P", "-m", __name__, _socket_in(folder), *self._imports]
        common = {
            name: text for name, text in environment.items() if not name.startswith("TILESCOPE_")
        }
        common["PYTHONPATH"] = str(ROOT)
        self._process = subprocess.Popen(
            command, env=common, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        atexit.register(self.close)
        until = time.monotonic() + _PATIENCE_S
        while not Path(_socket_in(folder)).exists():
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the process that others are forked off does not start")
            time.sleep(0.02)
        return folder


def _socket_in(folder: TemporaryDirectory[str]) -> str:
    return f"{folder.name}/socket"


@contextlib.contextmanager
def warm_readers() -> Iterator[SimpleNamespace]:
    """Context with a replacement for module `subprocess` that starts readers of untrusted files."""
    warm = WarmProcess(sorted(set(READERS.values())))

    def run(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        if command[0] != sys.executable or command[3] not in READERS:
            return subprocess.run(command, **options)  # noqa: PLW1510 - the options say so
        until = time.monotonic() + options["timeout"]
        with Path(os.devnull).open("wb") as output:
            process = warm.fork(command[3:], options["env"], output, options["stderr"])
        try:
            code = process.wait(options["timeout"])
            if (
                time.monotonic() > until
            ):  # it may have ended before this process, on a busy machine, began to wait
                raise TimeoutError
            return subprocess.CompletedProcess(command, code)
        except TimeoutError as error:
            process.kill()
            process.wait()
            raise subprocess.TimeoutExpired(command, options["timeout"]) from error

    with contextlib.closing(warm):
        yield SimpleNamespace(
            run=run, DEVNULL=subprocess.DEVNULL, TimeoutExpired=subprocess.TimeoutExpired
        )


@contextlib.contextmanager
def warm_queries() -> Iterator[SimpleNamespace]:
    """Context with a replacement for module `subprocess` that starts query processes."""
    warm = WarmProcess(QUERY)

    def start(command: Sequence[str], **options: Any) -> ForkedProcess:
        (given, to_process), (from_process, output) = os.pipe(), os.pipe()
        with open(output, "wb") as said, open(given, "rb") as read:  # noqa: PTH123 - of pipes
            process = warm.fork(
                command[3:], options["env"], said, options["stderr"], read, folder=options["cwd"]
            )
        process.stdin, process.stdout = open(to_process, "wb"), open(from_process, "rb")  # noqa: PTH123, SIM115
        return process

    with contextlib.closing(warm):
        yield SimpleNamespace(Popen=start, PIPE=subprocess.PIPE)


def _serve(place: Path) -> None:
    """Fork a process for each request, which forks the requested process and waits for it."""
    with socket.socket(socket.AF_UNIX) as listener:
        unready = place.with_suffix(".unready")
        listener.bind(str(unready))
        listener.listen(50)
        unready.rename(place)  # whoever sees it may connect
        forked = 0
        # its input ends with the tests; the thread that started it may end before
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            connection, _ = listener.accept()
            while forked and os.waitpid(-1, os.WNOHANG)[0]:
                forked -= 1
            if not os.fork():
                listener.close()
                end_with_starter()
                _answer(connection)
                os._exit(0)
            forked += 1
            connection.close()


def _answer(connection: socket.socket) -> None:
    request, files, _, _ = socket.recv_fds(connection, 1, 3)
    while not request.endswith(b"\n"):
        request += connection.recv(2**16)
    given = json.loads(request)
    process = os.fork()
    if not process:
        os.chdir(given["folder"])
        _become(given["arguments"], given["environment"], *files)
    with contextlib.suppress(OSError):  # whoever asked may be gone
        connection.sendall(b"%d\n" % process)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        connection.sendall(b"%d\n" % code)


def _become(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    output: int,
    errors: int,
    given: int | None = None,
) -> None:
    """Execute the requested module with this environment, these files and arguments, and exit as it
    does.
    """
    code = 1
    try:
        end_with_starter()
        os.setsid()
        with Path(os.devnull).open("rb") as nothing:
            os.dup2(nothing.fileno() if given is None else given, sys.stdin.fileno())
        os.dup2(output, sys.stdout.fileno())
        os.dup2(errors, sys.stderr.fileno())
        os.closerange(3, 100)
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None  # what the environment says
        if (mode := environment.get(late_threads.VARIABLE)) in late_threads.MODES:
            late_threads.install(mode, is_child=True)
        sys.argv[1:] = arguments[1:]
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    for name in sys.argv[2:]:
        importlib.import_module(name)
    _serve(Path(sys.argv[1]))
