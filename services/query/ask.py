"""Execution of a query: select the runs, start the process, load its tables, and return the rows
that it wrote.
"""

from __future__ import annotations

import json
import logging
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO

from data_loaders.reading.isolated import ROOT, end_of
from data_loaders.reading.scratch import scratch_folder
from schema.plurals import plural
from services.query.errors import (
    QueryError,
    QueryFailedError,
    QueryLengthError,
    QueryLimitError,
    QueryRefusedError,
    QueryTextError,
)
from services.query.load import TableLoader
from services.query.loaded import LoadedTables
from services.query.question import MAX_QUERY_CHARACTERS, QueryLimits, QueryQuestion
from services.query.tables import QUERY_TABLES
from storage.repository import Repository
from storage.run_choice import RunChoice
from storage.text import is_plain

TASK, OUTCOME, ROWS = "task.json", "outcome.json", "rows"
"""Files in the folder of a query."""
_LOG = logging.getLogger("tilescope")
_START_S = 30.0
"""Seconds for the start of the process and the parsing of the text."""
_GRACE_S = 0.5
"""Seconds beyond the limit in which the process can report that the time is over."""
_COUNT_S = 3.0
"""Seconds in which the process counts the rows beyond the limit."""
_LINE = 2**20
"""Maximum bytes of a line from the process."""
_MEMORY_ERRORS = ("MemoryError", "bad_alloc", "annot allocate", "OutOfMemory")
"""Words in the error output of a process that ran out of memory."""


@dataclass(frozen=True)
class QueryResult:
    """Result of a query: its columns with their types, the number of rows, and the file that has
    them.

    `truncated`: there are more rows. `seconds` is the time of the query without loading, `runs` the
    number of selected runs, `notes` sentences about rows and runs that were left out.
    """

    columns: list[dict[str, str]]
    given: int
    truncated: bool
    seconds: float
    runs: int
    notes: list[str]
    file: Path
    format: str

    def write(self, stream: BinaryIO) -> None:
        """Write the result to `stream`: as a JSON object with columns, rows and notes if the format
        is JSON, else the rows as a file of their format.
        """
        if self.format != "json":
            self._copy(stream)
            return
        stream.write(b'{"columns": ' + json.dumps(self.columns).encode() + b', "rows": ')
        self._copy(stream)
        details = {name: getattr(self, name) for name in ("truncated", "seconds", "runs", "notes")}
        stream.write(b", " + json.dumps(details).encode()[1:] + b"\n")

    def record(self) -> dict[str, Any]:
        """Return the result of a JSON query as a dict: columns, rows (lists of values), truncated,
        seconds, runs, notes, as `query --format json` prints it.
        """
        rows = json.loads(self.file.read_bytes())
        details = {name: getattr(self, name) for name in ("truncated", "seconds", "runs", "notes")}
        return {"columns": self.columns, "rows": rows, **details}

    def _copy(self, stream: BinaryIO) -> None:
        with self.file.open("rb") as file:
            shutil.copyfileobj(file, stream)


@contextmanager
def ask_query(
    repository: Repository, question: QueryQuestion, limits: QueryLimits
) -> Iterator[QueryResult]:
    """Run a query and provide its result; the file of the rows exists within the block only.

    Raises QueryError with a sentence if the query is invalid or exceeds a limit, and RunNotFound if
    a run of the question does not exist.
    """
    _check_text(question.sql)
    choice = choose_runs(repository, question)
    with scratch_folder() as folder:
        yield _QueryProcess(repository, question, limits, choice, folder).run()


def _check_text(sql: str) -> None:
    if len(sql) > MAX_QUERY_CHARACTERS:
        raise QueryLengthError(
            f"the text has {len(sql):,} characters, the limit of a query is {MAX_QUERY_CHARACTERS:,}"
        )
    if not is_plain(sql):
        raise QueryTextError("the text contains an invalid character")
    # an empty text needs no process
    if not sql.strip():
        raise QueryRefusedError("line 1, column 1: there is no query")


def choose_runs(repository: Repository, question: QueryQuestion) -> RunChoice:
    """Return the choice of the runs that fit the filter of the question and are among its ids (any
    if it has no ids).

    Raises RunNotFound if an id is unknown.
    """
    run_ids = tuple(repository.resolve(run) for run in question.runs)
    return RunChoice(repository.catalogue, question.fits, run_ids)


class _QueryProcess:
    """The process of a query, and its communication."""

    def __init__(
        self,
        repository: Repository,
        question: QueryQuestion,
        limits: QueryLimits,
        choice: RunChoice,
        folder: Path,
    ) -> None:
        self._repository, self._question, self._limits = repository, question, limits
        self._choice, self._folder = choice, folder
        self._runs = choice.count()
        self._seconds = limits.seconds if question.seconds is None else question.seconds
        self._limit = min(question.limit, limits.rows)

    def run(self) -> QueryResult:
        """Run the process, end it, and return the result. Raises QueryError if the query is
        refused, fails or exceeds a limit, OSError if the disk of its folder fails or is full.
        """
        self._write_task()
        with TemporaryFile() as complaints:
            process = _start(self._folder, complaints)
            try:
                loaded = self._converse(process)
            finally:
                # also if the caller was interrupted
                process.kill()
                process.communicate()
            outcome = self._outcome()
            if outcome is None:
                raise self._lost_error(process.returncode, end_of(complaints))
        if "error" in outcome:
            raise self._error(outcome)
        return self._read(outcome, loaded)

    def _write_task(self) -> None:
        task = {
            "sql": self._question.sql,
            "limit": self._limit,
            "format": self._question.format,
            "seconds": self._seconds,
            "memory_mb": self._limits.memory_mb,
            "tables": {
                name: [column.name for column in table.columns]
                for name, table in QUERY_TABLES.items()
            },
        }
        (self._folder / TASK).write_text(json.dumps(task), encoding="utf-8")

    def _converse(self, process: subprocess.Popen[bytes]) -> LoadedTables:
        """Load the tables that the process names, and wait until it has written its rows or its
        time is over; no tables if the process ended before it named them.
        """
        named = self._read_line(process, _START_S)
        if not named:
            return LoadedTables()
        loader = TableLoader(
            self._repository, self._choice, self._folder, self._limits.load_mb, self._seconds
        )
        loaded = loader.load(json.loads(named)["tables"])
        files = {name: table.record() for name, table in loaded.tables.items()}
        try:
            process.stdin.write(json.dumps(files).encode() + b"\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
        except BrokenPipeError:
            return loaded
        if self._read_line(process, self._seconds + _GRACE_S):
            # the process sends no second line: it ends when it has counted the rows, or is killed
            self._read_line(process, _COUNT_S)
        return loaded

    def _read_line(self, process: subprocess.Popen[bytes], seconds: float) -> bytes:
        """Return a line of the process's output, b"" if it ended or has written its outcome.

        Raises QueryLimitError if no line comes within `seconds`.
        """
        until = time.monotonic() + seconds
        line = b""
        output = process.stdout.fileno()  # type: ignore[union-attr]
        while not line.endswith(b"\n") and len(line) < _LINE:
            left = until - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                # the rows are written; only counting the others took too long
                if self._outcome() is not None:
                    return b""
                raise self._too_long()
            part = os.read(output, 65_536)
            if not part:
                process.wait(max(left, 1.0))
                return b""
            line += part
        return line

    def _outcome(self) -> dict[str, Any] | None:
        try:
            outcome: dict[str, Any] = json.loads(
                (self._folder / OUTCOME).read_text(encoding="utf-8")
            )
        except FileNotFoundError:
            return None
        return outcome

    def _lost_error(self, code: int, complaints: str) -> QueryError:
        """Return the error for a process that ended with exit code `code` without an outcome: a
        limit of time or memory killed it, or it failed (the log has its error output).
        """
        if -code == signal.SIGXCPU:
            return self._too_long()
        if code > 0 and not any(word in complaints for word in _MEMORY_ERRORS):
            _LOG.warning("the process of a query ended with %d: %s", code, complaints)
            return QueryFailedError(
                "the process of the query failed; the server log has the reason"
            )
        _LOG.debug("a query ended with %d: %s", code, complaints)
        return self._too_large()

    def _error(self, outcome: Mapping[str, Any]) -> QueryError | OSError:
        if outcome["error"] == "disk":
            code = outcome["errno"]
            return OSError(code, os.strerror(code), str(self._folder))
        if outcome["error"] == "refused":
            return QueryRefusedError(outcome["sentence"])
        return (
            self._too_large()
            if outcome["error"] == "memory"
            else QueryLimitError(outcome["sentence"])
        )

    def _too_long(self) -> QueryLimitError:
        return QueryLimitError(
            f"the query took longer than {self._seconds:g} seconds (setting query_seconds)"
        )

    def _too_large(self) -> QueryLimitError:
        return QueryLimitError(
            f"this needs more than the {self._limits.memory_mb:,} MiB of memory available to a query (setting query_memory_mb)"
        )

    def _read(self, outcome: Mapping[str, Any], loaded: LoadedTables) -> QueryResult:
        row_count = outcome["rows"]
        more = bool(outcome["more"])
        notes = [*loaded.notes]
        if more:
            all_of_them = (
                f"{outcome['known']:,}"
                if outcome["counted"]
                else f"more than {outcome['known'] - 1:,}"
            )
            notes.append(f"The first {plural(row_count, 'row')} of {all_of_them} are given.")
        file = self._folder / ROWS
        seconds = round(outcome["seconds"], 6)
        return QueryResult(
            outcome["columns"],
            row_count,
            more,
            seconds,
            self._runs,
            notes,
            file,
            self._question.format,
        )


def _start(folder: Path, complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    environment = {
        "LANG": "C.UTF-8",
        # a query can read DuckDB's settings, which contain the home folder
        "HOME": "/nonexistent",
        "TMPDIR": str(folder),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }
    inherited = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return subprocess.Popen(  # noqa: S603 - the command is our own
        # -P: nothing is imported from the working directory
        [sys.executable, "-P", "-m", "services.query.child", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=complaints,
        cwd=folder,
        env=environment | inherited,
    )
