"""Trigram index of the searched texts, so that a word is found without reading every run.

SQLite uses an FTS5 table, PostgreSQL an index of its extension pg_trgm. Both find parts of texts of
three characters or more, exactly like LIKE. A database without either uses LIKE.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from functools import lru_cache
from typing import Any, Literal

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    bindparam,
    column,
    func,
    insert,
    literal_column,
    select,
    table,
    text,
    update,
)
from sqlalchemy.exc import DBAPIError

from storage.tables import LISTING

Kind = Literal["", "fts5", "pg_trgm"]
"""Kind of the search index, "" if there is none."""
MIN_WORD_LENGTH = 3
"""Minimum length of a word in characters: a shorter word has no trigram."""
_MAX_WORD_LENGTH = 100
"""Maximum length in characters of a word that is looked up: each of its trigrams takes memory."""
# Case is not folded: `searched` and the words are in lower case already, and folding would make
# letters equal that LIKE distinguishes.
_TOKENS = "content='', tokenize='trigram case_sensitive 1'"
_MAKE_FTS5 = text(f"CREATE VIRTUAL TABLE listing_search USING fts5(searched, {_TOKENS})")
_MAKE_PG_TRGM = (
    text("CREATE EXTENSION IF NOT EXISTS pg_trgm"),
    text(
        "CREATE INDEX IF NOT EXISTS ix_listing_searched ON listing USING gin (searched gin_trgm_ops)"
    ),
)
_HAS_FTS5 = text("SELECT 1 FROM sqlite_master WHERE name = 'listing_search'")
_HAS_PG_TRGM = text("SELECT to_regclass('ix_listing_searched') IS NOT NULL")

_FTS5 = table("listing_search", column("rowid"), column("searched"), column("listing_search"))
# SQLite may renumber the rows of `listing`, so rows of the index have numbers of their own.
_ID = LISTING.c.search_id
_ROWID: ColumnElement[int] = literal_column("rowid", BigInteger)
_LAST = select(_FTS5.c.rowid).order_by(_FTS5.c.rowid.desc()).limit(1)
_FIRST_MISSING = select(func.min(_ROWID)).select_from(LISTING).where(_ID.is_(None))
_ANY = select(_ID).where(_ID.is_not(None)).limit(1)
_ANY_MISSING = select(LISTING.c.run_id).where(_ID.is_(None)).limit(1)
_GIVE_IDS = (
    update(LISTING)
    .where(_ID.is_(None))
    .values(search_id=_ROWID + bindparam("above", type_=BigInteger))
)
_TAKE_IDS = update(LISTING).where(_ID.is_not(None)).values(search_id=None)
_ADD = insert(_FTS5).from_select(
    ["rowid", "searched"],
    select(_ID, LISTING.c.searched).where(bindparam("last") < _ID).order_by(_ID),
)
# A contentless FTS5 table needs the old text in order to delete a row.
_FORGET = insert(_FTS5).from_select(
    ["listing_search", "rowid", "searched"],
    select(text("'delete'"), _ID, LISTING.c.searched).where(
        LISTING.c.run_id.in_(bindparam("ids", expanding=True)), _ID.is_not(None)
    ),
)
_FORGET_ALL = insert(_FTS5).values(listing_search="delete-all")


@lru_cache(maxsize=1)
def has_trigrams() -> bool:
    """Whether Python's SQLite has FTS5 with the trigram tokenizer, available from SQLite 3.34 on."""
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute(
                f"CREATE VIRTUAL TABLE listing_search USING fts5(searched, {_TOKENS})"
            )
        except sqlite3.OperationalError:
            return False
    return True


def find_kind(connection: Connection) -> Kind:
    """Determine the search index that this process can use in a catalogue of the current revision:
    "fts5", "pg_trgm", or "" if there is no usable index.
    """
    if _is_fts5(connection):
        return "fts5"
    is_postgresql = connection.dialect.name == "postgresql"
    return "pg_trgm" if is_postgresql and connection.scalar(_HAS_PG_TRGM) else ""


def make(connection: Connection) -> None:
    """Create the search index if it is missing; without effect if the database supports no index.

    An FTS5 table to which no run refers is emptied. The caller must then call `add_missing`.
    """
    if _is_fts5(connection):
        if connection.scalar(_HAS_FTS5) is None:
            connection.execute(_MAKE_FTS5)
            connection.execute(_TAKE_IDS)
        elif connection.scalar(_ANY) is None:
            connection.execute(_FORGET_ALL)
    elif connection.dialect.name == "postgresql":
        # The database user may not be permitted to create the extension. The savepoint keeps the
        # transaction usable after the error; searches then use LIKE.
        with suppress(DBAPIError), connection.begin_nested():
            for statement in _MAKE_PG_TRGM:
                connection.execute(statement)


def is_behind(connection: Connection) -> bool:
    """Whether runs of the list are missing in the FTS5 index, because a process without support for
    it has changed the list; always False if the database is not SQLite with FTS5.
    """
    if not _is_fts5(connection):
        return False
    return connection.scalar(_HAS_FTS5) is None or connection.scalar(_ANY_MISSING) is not None


def add_missing(connection: Connection) -> None:
    """Add the listed runs that are not in the FTS5 index; the caller holds the writers' lock.

    Without effect for other databases, which maintain their index.
    """
    first = connection.scalar(_FIRST_MISSING) if _is_fts5(connection) else None
    if first is not None:
        # The index may still have rows that another process deleted only from the list, so new ids
        # begin after the last id of the index.
        last = connection.scalar(_LAST) or 0
        connection.execute(_GIVE_IDS, {"above": last + 1 - first})
        connection.execute(_ADD, {"last": last})


def forget(connection: Connection, ids: Sequence[str]) -> None:
    """Delete runs from the FTS5 index, before they are deleted from the list; without effect for
    other databases.
    """
    if _is_fts5(connection):
        connection.execute(_FORGET, {"ids": ids})


def can_find(word: str) -> bool:
    """Whether the index can find a word, because it has 3 to 100 characters (MIN_WORD_LENGTH,
    _MAX_WORD_LENGTH).
    """
    return MIN_WORD_LENGTH <= len(word) <= _MAX_WORD_LENGTH


def phrase(word: str) -> str:
    """Put a word in double quotes for FTS5, with quotes in it doubled, so that no character has a
    special meaning.
    """
    return '"' + word.replace('"', '""') + '"'


def ids_matching(name: str) -> Select[Any]:
    """Select the ids (column `search_id` of table `listing`) of texts in the FTS5 index that
    contain the phrase in parameter `name`.
    """
    return select(_FTS5.c.rowid).where(
        _FTS5.c.searched.op("MATCH", is_comparison=True)(bindparam(name))
    )


def _is_fts5(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite" and has_trigrams()
