"""An index of the texts that a search looks through, so that a word is found without reading every run.

SQLite has them in an FTS5 table of trigrams, PostgreSQL in an index of its extension pg_trgm. Both find parts of texts
of three characters or more, exactly those that LIKE finds; a database that has neither goes on with LIKE.
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
"""What searches are answered from, "" for the list alone."""
LEAST = 3
"""Characters of a trigram: a shorter word is in no index."""
_MOST = 100
"""Characters of the longest word that is looked up: each of its trigrams takes memory."""
# case is not folded: `searched` and words are in small letters, and letters that only folding makes equal differ
_TOKENS = "content='', tokenize='trigram case_sensitive 1'"
_MAKE_FTS5 = text(f"CREATE VIRTUAL TABLE listing_search USING fts5(searched, {_TOKENS})")
_MAKE_PG_TRGM = (
    text("CREATE EXTENSION IF NOT EXISTS pg_trgm"),
    text("CREATE INDEX IF NOT EXISTS ix_listing_searched ON listing USING gin (searched gin_trgm_ops)"),
)
_HAS_FTS5 = text("SELECT 1 FROM sqlite_master WHERE name = 'listing_search'")
_HAS_PG_TRGM = text("SELECT to_regclass('ix_listing_searched') IS NOT NULL")

_FTS5 = table("listing_search", column("rowid"), column("searched"), column("listing_search"))
_ID = LISTING.c.search_id
_ROWID: ColumnElement[int] = literal_column("rowid", BigInteger)
_LAST = select(_FTS5.c.rowid).order_by(_FTS5.c.rowid.desc()).limit(1)
_FIRST_MISSING = select(func.min(_ROWID)).select_from(LISTING).where(_ID.is_(None))
_ANY = select(_ID).where(_ID.is_not(None)).limit(1)
_ANY_MISSING = select(LISTING.c.run_id).where(_ID.is_(None)).limit(1)
_GIVE_IDS = update(LISTING).where(_ID.is_(None)).values(search_id=_ROWID + bindparam("above", type_=BigInteger))
_TAKE_IDS = update(LISTING).where(_ID.is_not(None)).values(search_id=None)
_ADD = insert(_FTS5).from_select(
    ["rowid", "searched"],
    select(_ID, LISTING.c.searched).where(bindparam("last") < _ID).order_by(_ID),
)
# a table that keeps no texts is told what it forgets
_FORGET = insert(_FTS5).from_select(
    ["listing_search", "rowid", "searched"],
    select(text("'delete'"), _ID, LISTING.c.searched).where(
        LISTING.c.run_id.in_(bindparam("ids", expanding=True)), _ID.is_not(None)
    ),
)
_FORGET_ALL = insert(_FTS5).values(listing_search="delete-all")


@lru_cache(maxsize=1)
def has_trigrams() -> bool:
    """Return whether Python's SQLite has FTS5 with its tokenizer of trigrams, as releases from 3.34 on may."""
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute(f"CREATE VIRTUAL TABLE listing_search USING fts5(searched, {_TOKENS})")
        except sqlite3.OperationalError:
            return False
    return True


def kind_of(connection: Connection) -> Kind:
    """Return the index that a catalogue of today's revision has for this process."""
    if _is_fts5(connection):
        return "fts5"
    is_postgresql = connection.dialect.name == "postgresql"
    return "pg_trgm" if is_postgresql and connection.scalar(_HAS_PG_TRGM) else ""


def make(connection: Connection) -> None:
    """Make the index where the database can have one and has none."""
    if _is_fts5(connection):
        if connection.scalar(_HAS_FTS5) is None:
            connection.execute(_MAKE_FTS5)
            connection.execute(_TAKE_IDS)
        elif connection.scalar(_ANY) is None:
            connection.execute(_FORGET_ALL)
    elif connection.dialect.name == "postgresql":
        with suppress(DBAPIError), connection.begin_nested():
            for statement in _MAKE_PG_TRGM:
                connection.execute(statement)


def is_behind(connection: Connection) -> bool:
    """Return whether a process that does not know the index, or cannot have it, may have changed the list."""
    if not _is_fts5(connection):
        return False
    return connection.scalar(_HAS_FTS5) is None or connection.scalar(_ANY_MISSING) is not None


def add_missing(connection: Connection) -> None:
    """Take in the runs of the list that are not in the index; the caller holds the lock of writers."""
    first = connection.scalar(_FIRST_MISSING) if _is_fts5(connection) else None
    if first is not None:
        # rows that another process took out of the list alone are still in the index, and no other one may be there
        last = connection.scalar(_LAST) or 0
        connection.execute(_GIVE_IDS, {"above": last + 1 - first})
        connection.execute(_ADD, {"last": last})


def forget(connection: Connection, ids: Sequence[str]) -> None:
    """Take runs out of the index that are about to be taken out of the list."""
    if _is_fts5(connection):
        connection.execute(_FORGET, {"ids": ids})


def can_find(word: str) -> bool:
    """Return whether an index has a word, as the database is given it."""
    return LEAST <= len(word) <= _MOST


def phrase(word: str) -> str:
    """Return a word as FTS5 takes it: nothing within the quotes means anything but itself."""
    return '"' + word.replace('"', '""') + '"'


def ids_matching(name: str) -> Select[Any]:
    """Return the question for the `search_id` of the texts that contain the phrase of a parameter."""
    return select(_FTS5.c.rowid).where(_FTS5.c.searched.op("MATCH", is_comparison=True)(bindparam(name)))


def _is_fts5(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite" and has_trigrams()
