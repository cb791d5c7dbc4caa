"""Ask a question in SQL: choose runs, have a process answer, and give what it wrote."""

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
from services.query.load import LoadedTables, TableLoader
from services.query.question import LONGEST_TEXT, QueryLimits, QueryQuestion
from services.query.tables import QUERY_TABLES
from storage.repository import Repository
from storage.run_list import RunList
from storage.stored_run import StoredRun
from storage.text import is_plain

TASK, OUTCOME, ROWS = "task.json", "outcome.json", "rows"
_LOG = logging.getLogger("tilescope")
_START_S = 30.0
"""Seconds for starting and reading the text."""
_GRACE_S = 0.5
_COUNT_S = 3.0
_LINE = 2**20
_OF_MEMORY = ("MemoryError", "bad_alloc", "annot allocate", "OutOfMemory")
"""In what a process writes that could get no more memory."""


@dataclass(frozen=True)
class QueryAnswer:
    """An answer: its columns with their types, how many rows are given, and the file that has them.

    `truncated`: there are more rows; `seconds` is what the query took, without loading; `runs` how many were chosen;
    `notes` are sentences on what was cut or left out.
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
        """Write the answer: JSON with all that is known of it, or the rows as a file of their format."""
        if self.format != "json":
            self._copy(stream)
            return
        stream.write(b'{"columns": ' + json.dumps(self.columns).encode() + b', "rows": ')
        self._copy(stream)
        known = {name: getattr(self, name) for name in ("truncated", "seconds", "runs", "notes")}
        stream.write(b", " + json.dumps(known).encode()[1:] + b"\n")

    def record(self) -> dict[str, Any]:
        """Return the answer as `query --format json` prints it."""
        rows = json.loads(self.file.read_bytes())
        known = {name: getattr(self, name) for name in ("truncated", "seconds", "runs", "notes")}
        return {"columns": self.columns, "rows": rows, **known}

    def _copy(self, stream: BinaryIO) -> None:
        with self.file.open("rb") as file:
            shutil.copyfileobj(file, stream)


@contextmanager
def ask_query(repository: Repository, question: QueryQuestion, limits: QueryLimits) -> Iterator[QueryAnswer]:
    """Give the answer to a question, whose file is there within the block.

    Raises QueryError with a sentence, and RunNotFound.
    """
    _check_text(question.sql)
    runs = choose_runs(repository, question)
    with scratch_folder() as folder:
        yield _Asking(repository, question, limits, runs, folder).answer()


def _check_text(sql: str) -> None:
    if len(sql) > LONGEST_TEXT:
        raise QueryLengthError(f"the text has {len(sql):,} characters, a query has at most {LONGEST_TEXT:,}")
    if not is_plain(sql):
        raise QueryTextError("the text contains a character that text may not have")
    if not sql.strip():  # told without a process
        raise QueryRefusedError("line 1, column 1: there is no query")


def choose_runs(repository: Repository, question: QueryQuestion) -> list[StoredRun]:
    """Return the runs that are asked about, newest first; raises RunNotFound."""
    wanted = {repository.resolve(run) for run in question.runs}
    fitting = RunList(repository.catalogue).each(question.fits)
    return [stored for stored in fitting if not wanted or stored.run_id in wanted]


class _Asking:
    """One question and the process that answers it."""

    def __init__(
        self,
        repository: Repository,
        question: QueryQuestion,
        limits: QueryLimits,
        runs: list[StoredRun],
        folder: Path,
    ) -> None:
        self._repository, self._question, self._limits = repository, question, limits
        self._runs, self._folder = runs, folder
        self._seconds = limits.seconds if question.seconds is None else question.seconds
        self._limit = min(question.limit, limits.rows)

    def answer(self) -> QueryAnswer:
        """Return the answer; raises QueryError."""
        self._write_task()
        with TemporaryFile() as complaints:
            process = _start(self._folder, complaints)
            try:
                loaded = self._converse(process)
            finally:
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
            "tables": {name: [column.name for column in table.columns] for name, table in QUERY_TABLES.items()},
        }
        (self._folder / TASK).write_text(json.dumps(task), encoding="utf-8")

    def _converse(self, process: subprocess.Popen[bytes]) -> LoadedTables:
        """Load what the process names, and wait until it has answered or its time is over."""
        named = self._read_line(process, _START_S)
        if not named:
            return LoadedTables()
        loader = TableLoader(self._repository, self._runs, self._folder, self._limits.load_mb, self._seconds)
        loaded = loader.load(json.loads(named)["tables"])
        files = {name: str(path) for name, path in loaded.files.items()}
        try:
            process.stdin.write(json.dumps(files).encode() + b"\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
        except BrokenPipeError:
            return loaded
        if self._read_line(process, self._seconds + _GRACE_S):
            self._read_line(process, _COUNT_S)  # nothing comes: it ends when it has counted, or is ended
        return loaded

    def _read_line(self, process: subprocess.Popen[bytes], seconds: float) -> bytes:
        """Return a line that the process says, b"" where it ends; raises QueryLimitError where it says none in time."""
        until, said = time.monotonic() + seconds, b""
        output = process.stdout.fileno()  # type: ignore[union-attr]
        while not said.endswith(b"\n") and len(said) < _LINE:
            left = until - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                if self._outcome() is not None:
                    return b""
                raise self._too_long()
            part = os.read(output, 65_536)
            if not part:
                process.wait(max(left, 1.0))
                return b""
            said += part
        return said

    def _outcome(self) -> dict[str, Any] | None:
        try:
            outcome: dict[str, Any] = json.loads((self._folder / OUTCOME).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return outcome

    def _lost_error(self, code: int, complaints: str) -> QueryError:
        """Return why a process left no outcome: it was ended by a limit, or fell over."""
        if -code == signal.SIGXCPU:
            return self._too_long()
        if code > 0 and not any(word in complaints for word in _OF_MEMORY):
            _LOG.warning("the process of a query ended with %d: %s", code, complaints)
            return QueryFailedError("the process of the query failed; the log says why")
        _LOG.debug("a query ended with %d: %s", code, complaints)
        return self._too_large()

    def _error(self, outcome: Mapping[str, Any]) -> QueryError:
        if outcome["error"] == "refused":
            return QueryRefusedError(outcome["sentence"])
        return self._too_large() if outcome["error"] == "memory" else QueryLimitError(outcome["sentence"])

    def _too_long(self) -> QueryLimitError:
        return QueryLimitError(
            f"this took longer than the {self._seconds:g} seconds that a query may take (query_seconds)"
        )

    def _too_large(self) -> QueryLimitError:
        return QueryLimitError(
            f"this needs more than the {self._limits.memory_mb:,} MiB of memory that a query may take (query_memory_mb)"
        )

    def _read(self, outcome: Mapping[str, Any], loaded: LoadedTables) -> QueryAnswer:
        given, more = outcome["rows"], bool(outcome["more"])
        notes = [*loaded.notes]
        if more:
            all_of_them = f"{outcome['known']:,}" if outcome["counted"] else f"more than {outcome['known'] - 1:,}"
            notes.append(f"The first {plural(given, 'row')} of {all_of_them} are given.")
        file = self._folder / ROWS
        seconds = round(outcome["seconds"], 6)
        return QueryAnswer(
            outcome["columns"], given, more, seconds, len(self._runs), notes, file, self._question.format
        )


def _start(folder: Path, complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    environment = {
        "LANG": "C.UTF-8",
        "HOME": "/nonexistent",  # settings of DuckDB tell it, as the folder of its secrets
        "TMPDIR": str(folder),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return subprocess.Popen(  # noqa: S603 - the command is our own
        [sys.executable, "-P", "-m", "services.query.child", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=complaints,
        cwd=folder,
        env=environment | kept,
    )
