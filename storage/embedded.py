"""Runs of an embedded catalogue, read with Python's own SQLite: a command that lists them starts without SQLAlchemy."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

from storage.failures import catalogue_failed
from storage.revisions import HEAD
from storage.sqlite import connected, parsed, text
from storage.stored_run import StoredRun, stored_run

_FILTERED = {"source": "source", "hwid": "hwid", "M": "gemm_m", "K": "gemm_k", "N": "gemm_n"}
"""What runs are filtered by -> its column."""
_PLAIN = ("run_id", "source", "hwid", "created_at", "prefix", "errors", "warnings", "gemm_m", "gemm_k", "gemm_n")
_JSON = ("run", "settings", "headline", "frames", "derived", "findings", "checksums")


def is_readable(path: Path) -> bool:
    """Return whether a file is a catalogue of today's revision; what else it is, is for the `Catalogue` to say."""
    if not path.is_file():
        return False
    try:
        with closing(connected(path)) as connection:
            return connection.execute("SELECT version_num FROM tilescope_version").fetchall() == [(HEAD,)]
    except sqlite3.Error:
        return False


def each_run(path: Path, filters: Mapping[str, object], limit: int | None) -> Iterator[StoredRun]:
    """Give the runs of a readable catalogue as `Catalogue.each` does: newest first, one by one, at most `limit`."""
    wanted = {_FILTERED[key]: value for key, value in filters.items() if value is not None}
    where = " AND ".join(["1", *(f"{column} = ?" for column in wanted)])
    query = f"SELECT {', '.join(_PLAIN + _JSON)} FROM runs WHERE {where} ORDER BY created_at DESC, run_id LIMIT ?"  # noqa: S608 - names of ours
    try:
        with closing(connected(path)) as connection:
            connection.text_factory = text
            for row in connection.execute(query, (*wanted.values(), -1 if limit is None else limit)):
                yield stored_run(_named(row))
    except sqlite3.Error as error:
        raise catalogue_failed(f"sqlite:///{path}", error) from error


def _named(row: tuple[object, ...]) -> SimpleNamespace:
    """Return a row by the names that table `runs` has in the application."""
    plain, json = row[: len(_PLAIN)], row[len(_PLAIN) :]
    named = dict(zip(_PLAIN, plain, strict=True)) | {
        name: None if value is None else parsed(value)  # type: ignore[arg-type]
        for name, value in zip(_JSON, json, strict=True)
    }
    return SimpleNamespace(**named, M=named["gemm_m"], K=named["gemm_k"], N=named["gemm_n"])
