"""The chain of the catalogue's revisions in `migrations/versions`, available without importing
Alembic.
"""

_UP_TO_0_3 = ("0001", "0002", "0018", "0019")
_UP_TO_0027 = ("0020", "0021", "0022", "0023", "0024", "0025", "0026", "0027")
REVISIONS = (*_UP_TO_0_3, *_UP_TO_0027, "0028", "0029", "0030", "0031")
"""All revisions, oldest first."""
FIRST = REVISIONS[0]
HEAD = REVISIONS[-1]
_DEVELOPMENT = frozenset(f"{number:04}" for number in range(3, 18))
"""Revisions of development versions between 0.2.0 and 0.3.0, which no release can upgrade."""
WORKS_BESIDE: tuple[str, ...] = ()
"""Older revisions whose releases may use the current tables while servers are replaced one by one.

From 0018 on, a revision belongs here as long as every later migration only adds tables, indexes and
nullable columns or widens a text, and the older release can read everything that this release
writes. No revision does beside 0031: a server of an older version would sort plans that are partly
placed otherwise, those before 0030 would count rates above the peak, and those before 0029 have no
counts of combinations (`storage.combinations`).
"""


def describe_writer(revision: str) -> str:
    """Name the version that wrote tables of a revision that is not in REVISIONS, as a noun phrase:
    "a development version of Tilescope before 0.3.0" or "a later release of Tilescope".
    """
    if revision in _DEVELOPMENT:
        return "a development version of Tilescope before 0.3.0"
    return "a later release of Tilescope"
