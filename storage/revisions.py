"""The chain of the catalogue's revisions in `migrations/versions`, available without importing
Alembic.
"""

REVISIONS = tuple(f"{number:04}" for number in range(1, 19))
"""All revisions, oldest first."""
FIRST = REVISIONS[0]
HEAD = REVISIONS[-1]
WORKS_BESIDE: tuple[str, ...] = ()
"""Older revisions whose releases may use the current tables while servers are replaced one by one.

From 0018 on, a revision belongs here as long as every later migration only adds tables, indexes and
nullable columns, and the older release can read everything that this release writes.
"""
