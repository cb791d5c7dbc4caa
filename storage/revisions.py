"""The catalogue's revisions: the chain in `migrations/versions`, looked up without Alembic."""

REVISIONS = tuple(f"{number:04}" for number in range(1, 19))
"""Oldest first."""
FIRST, HEAD = REVISIONS[0], REVISIONS[-1]
WORKS_BESIDE: tuple[str, ...] = ()
"""Older revisions whose releases may work on today's tables beside this one, while servers are replaced one by one.

From 0018 on a revision is one of them as long as every later migration only adds tables, indexes, and columns that may
be null, and what this release writes is what that release can read.
"""
