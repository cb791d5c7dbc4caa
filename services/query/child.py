"""Process of one query: `python -m services.query.child FOLDER`.

It knows nothing of the store: it reads the query in the folder, writes the names of its tables to
its output, waits for their files, disables all other access, and only then runs the text. It ends
with the process that started it.
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from data_loaders.reading.isolated import end_with_starter
from data_loaders.reading.limits import Limits, limit_memory, limit_processor, release_reserve
from services.query.child_tables import create_view, mapped_files
from services.query.place import place_of
from services.query.refusals import (
    Refusal,
    convert_error,
    error_parts,
    first_word,
    nested_too_deeply,
    unwritable,
)
from services.query.results import MAX_RESULT_MB, ResultSizeError, write_rows
from services.query.statement import StatementError, named_tables
from storage.failures import is_disk_error

TASK, OUTCOME, ROWS = "task.json", "outcome.json", "rows"
"""Files in the folder of a query."""
THREADS = 2
"""Number of DuckDB's threads."""
_OWN_S = 5.0
"""Seconds of processor time for imports and parsing, in addition to the query."""
_COUNT_S = 2.0
"""Seconds in which the rows beyond the limit are counted."""
_BATCH = 8_192
"""Rows of a batch."""
_SOFT_SHARE = 0.8
"""Share of the allowed memory that DuckDB may use before it reports that it ran out of memory."""


def main(folder: Path) -> None:
    """Run the query of the folder and write its rows and outcome; if there are no rows, the outcome
    has the kind of `error` and a sentence.
    """
    end_with_starter()
    task = json.loads((folder / TASK).read_text(encoding="utf-8"))
    try:
        connection = connect(task)
        _bind(task, {})
        named = tables_named(connection, task)
        tables = _exchange({"tables": named})
        _bind(task, tables)
        _open(connection, tables)
        _run_query(connection, folder, task, named)
    except Refusal as refused:
        _write(folder, {"error": refused.kind, "sentence": str(refused)})
    except (MemoryError, duckdb.OutOfMemoryException, pa.ArrowMemoryError):
        # frees memory that was held back for writing the outcome
        release_reserve()
        _write(folder, {"error": "memory", "sentence": ""})
    except OSError as error:
        if not is_disk_error(error):
            raise
        # makes room for the outcome on a full disk
        (folder / ROWS).unlink(missing_ok=True)
        _write(folder, {"error": "disk", "errno": error.errno})


def connect(task: Mapping[str, Any]) -> duckdb.DuckDBPyConnection:
    """Open a database in memory that does not read or write files or extensions on its own."""
    connection = duckdb.connect(":memory:", config={"threads": THREADS})
    for statement in (
        # errors as JSON have the position in the text
        "SET errors_as_json = true",
        # without a temporary directory DuckDB does not write to disk
        "SET temp_directory = ''",
        "SET secret_directory = ''",
        "SET autoinstall_known_extensions = false",
        "SET autoload_known_extensions = false",
        "SET TimeZone = 'UTC'",
        f"SET memory_limit = '{int(task['memory_mb'] * _SOFT_SHARE)}MiB'",
    ):
        connection.execute(statement)
    return connection


def tables_named(connection: duckdb.DuckDBPyConnection, task: Mapping[str, Any]) -> list[str]:
    """Return the names of the known tables that the query names, in their order.

    Raises Refusal unless the text is exactly one allowed query.
    """
    text = task["sql"]
    try:
        statements = connection.extract_statements(text)
        if not statements:
            raise StatementError("there is no query", 0)
        if len(statements) > 1:
            raise StatementError(
                "there is more than one statement", len(statements[0].query.encode())
            )
        if not _is_query(statements[0]):
            raise StatementError(
                "only a query is allowed: SELECT, WITH, FROM or VALUES", first_word(text)
            )
        [(serialized,)] = connection.execute(
            "SELECT json_serialize_sql(?::VARCHAR)", [text]
        ).fetchall()
        tree = json.loads(serialized)
        if tree.get("error"):
            raise StatementError(
                "only a query is allowed: SELECT, WITH, FROM or VALUES", first_word(text)
            )
        return named_tables(tree, dict.fromkeys(task["tables"]))
    except StatementError as error:
        raise Refusal("refused", f"{place_of(text, error.offset)}: {error}") from error
    except duckdb.Error as error:
        raise convert_error(error, task, []) from error
    # DuckDB's parser accepts more nested queries than Python's JSON parser accepts levels
    except RecursionError as error:
        raise nested_too_deeply(text) from error


def _is_query(statement: duckdb.Statement) -> bool:
    try:
        return bool(statement.type == duckdb.StatementType.SELECT)
    # DuckDB has statements that its Python package does not know, such as UPDATE EXTENSIONS
    except ValueError:
        return False


def _exchange(message: Mapping[str, Any]) -> dict[str, Any]:
    """Send a message as a line of JSON to the parent process, wait for its line, and return the
    response: name of each table -> its files, see `services.query.loaded.LoadedTable.record`.
    """
    _send(message)
    response: dict[str, Any] = json.loads(sys.stdin.readline())
    return response


def _send(message: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _bind(task: Mapping[str, Any], tables: Mapping[str, Any]) -> None:
    """Limit this process's memory, with room for the Arrow files of the tables, and its processor
    time, as the task says.
    """
    # Arrow files are mapped into memory, so they count as address space. Parquet files are read.
    paths = [path for table in tables.values() for path in mapped_files(table)]
    files = sum(Path(path).stat().st_size for path in paths)
    limits = Limits(
        memory_mb=task["memory_mb"] + files // 2**20, processor_s=THREADS * task["seconds"] + _OWN_S
    )
    # if the parent process has a lower limit, that limit applies here as well
    with contextlib.suppress(ValueError):
        limit_memory(limits)
    limit_processor(limits, 0)


def _open(connection: duckdb.DuckDBPyConnection, tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Create a view for each table, and disable all other access."""
    for name, files in tables.items():
        create_view(connection, name, files)
    close_doors(connection)


def close_doors(connection: duckdb.DuckDBPyConnection) -> None:
    """Disable all access but the tables: no files, network, Python objects or settings."""
    for statement in (
        "SET python_enable_replacements = false",
        "SET enable_external_access = false",
        # no text can change a setting back after this
        "SET lock_configuration = true",
    ):
        connection.execute(statement)


def _run_query(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    task: Mapping[str, Any],
    table_names: Sequence[str],
) -> None:
    """Run the text, write its rows and the outcome; if there are more rows than the limit, count
    them for _COUNT_S (2 s) and write the outcome again.

    Raises Refusal if the query fails or its result is too large, OSError if the disk of the folder
    fails or is full.
    """
    begin = time.monotonic()
    try:
        result = connection.sql(task["sql"])
        columns = [
            {"name": n, "type": str(t).strip('"')}
            for n, t in zip(result.columns, result.types, strict=True)
        ]
        reader = result.to_arrow_reader(_BATCH)
        first_rows = _FirstRows(reader, task["limit"])
        write_rows(first_rows.batches(), reader.schema, task["format"], folder / ROWS)
    except ResultSizeError as error:
        raise Refusal(
            "size", f"the result is larger than {MAX_RESULT_MB} MiB: select fewer rows or columns"
        ) from error
    except (MemoryError, duckdb.OutOfMemoryException):
        raise
    # Arrow raises errors that occur while rows are read as OSError
    except (duckdb.Error, OSError) as error:
        if isinstance(error, OSError) and is_disk_error(error):
            raise
        placed = _error_with_place(connection, task["sql"], error)
        raise convert_error(
            placed, task, [column for name in table_names for column in task["tables"][name]]
        ) from error
    except RecursionError as error:
        raise nested_too_deeply(task["sql"]) from error
    # values that Python or the file format cannot represent
    except (ValueError, OverflowError, pa.ArrowException) as error:
        raise unwritable(error, task) from error
    summary = {
        "columns": columns,
        "rows": first_rows.given,
        "seconds": time.monotonic() - begin,
        "more": first_rows.left > 0,
    }
    _write(folder, summary | {"known": first_rows.given + first_rows.left, "counted": False})
    if first_rows.left:
        _send({"answered": True})
        counted = first_rows.count(connection)
        _write(folder, summary | {"known": first_rows.given + first_rows.left, "counted": counted})


def _error_with_place(
    connection: duckdb.DuckDBPyConnection, text: str, error: Exception
) -> Exception:
    """Return the error with its position in the text: for some errors only `execute` has it, so the
    text is executed again; the given error if that does not fail.
    """
    if "position" not in error_parts(str(error)):
        try:
            connection.execute(text)
        except duckdb.Error as again:
            return again
    return error


class _FirstRows:
    """The first rows of a result. `given` counts them, `left` the known rows beyond the limit."""

    def __init__(self, reader: pa.RecordBatchReader, limit: int) -> None:
        self._reader, self._limit = reader, limit
        self.given = self.left = 0

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield batches with the rows of the result up to the limit; `given` and `left` are counted
        meanwhile.
        """
        for batch in self._reader:
            most = self._limit - self.given
            self.given += min(most, batch.num_rows)
            yield batch.slice(0, most)
            if batch.num_rows > most:
                self.left = batch.num_rows - most
                return

    def count(self, connection: duckdb.DuckDBPyConnection) -> bool:
        """Count the remaining rows for _COUNT_S (2 s), adding them to `left`; return whether all
        were counted.
        """
        until = time.monotonic() + _COUNT_S
        timer = threading.Timer(_COUNT_S, connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            for batch in self._reader:
                self.left += batch.num_rows
                if time.monotonic() > until:
                    return False
        except (duckdb.Error, pa.ArrowException, MemoryError, OSError):
            return False
        timer.cancel()
        return True


def _write(folder: Path, outcome: Mapping[str, Any]) -> None:
    """Write the outcome of the query to file OUTCOME atomically."""
    written = folder / f"{OUTCOME}.new"
    written.write_text(json.dumps(outcome), encoding="utf-8")
    written.rename(folder / OUTCOME)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
