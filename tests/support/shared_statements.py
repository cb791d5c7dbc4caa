"""SQL statements of embedded catalogues, compiled once per process: thousands of tests open a
catalogue of their own.

SQLAlchemy keeps compiled statements per engine, by dialect object. All SQLite engines of the project
have the same settings, so that a statement compiled for one suits all.
"""

from sqlalchemy import create_engine
from sqlalchemy.util import LRUCache

_STATEMENTS = 4000
"""More than all tests of a process compile."""


class _Statements(LRUCache):
    """Compiled statements by the name of their dialect in place of the dialect object."""

    def get(self, key, default=None):
        return super().get(_without_object(key), default)

    def __setitem__(self, key, statement):
        super().__setitem__(_without_object(key), statement)


def _without_object(key):
    dialect, *statement = key
    return (dialect.name, dialect.driver, *statement)


_SHARED = _Statements(_STATEMENTS)


def create_sharing_engine(url, **options):
    """Create an engine as SQLAlchemy does; one of SQLite shares its compiled statements."""
    engine = create_engine(url, **options)
    if engine.dialect.name == "sqlite":
        engine._compiled_cache = _SHARED
    return engine
