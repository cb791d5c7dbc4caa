"""The catalogue's revisions: the chain in `migrations/versions`, looked up without Alembic."""

REVISIONS = ("0001", "0002", "0018")
"""Oldest first. Revisions 0003 to 0017 were those of development versions between 0.2.0 and 0.3.0."""
FIRST, HEAD = REVISIONS[0], REVISIONS[-1]
WORKS_BESIDE: tuple[str, ...] = ()
"""Older revisions whose releases may work on today's tables beside this one, while servers are replaced one by one.

From 0018 on a revision is one of them as long as every later migration only adds tables, indexes, and columns that may
be null, and what this release writes is what that release can read.
"""
