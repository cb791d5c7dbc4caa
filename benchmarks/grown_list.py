"""Give lists and statuses a longer history in PostgreSQL by copies of the rows that they read."""

from __future__ import annotations

from sqlalchemy import Table, text, update

from benchmarks.rebuilt_indexes import without_indexes
from storage import combinations, listing
from storage.repository import Repository
from storage.rule_tables import RULE_VERDICTS, SETTLED
from storage.tables import LISTING, OBSERVATIONS

GROWN = (LISTING, OBSERVATIONS, RULE_VERDICTS)
"""Tables of runs that lists, filters, searches and statuses read, except `runs`, of which they read
the rows of a page and of the last run of each key.
"""
_COPY = """INSERT INTO {table} ({names}) SELECT {values}
FROM {table} t, generate_series(1, {copies}) g"""
# With the 12 digits of a real id, two of ten million ids are equal with a probability of 16 %.
_ID = "substr(md5(t.run_id || '-' || g), 1, 16)"
_DATES = ("date", "created_at", "taken_at", "observed_at")
_EARLIER = """CASE WHEN t.{name} = '' THEN '' ELSE
to_char(left(t.{name}, 19)\\:\\:timestamp - g * interval '1 year', 'YYYY-MM-DD"T"HH24\\:MI\\:SS')
|| '+00\\:00' END"""


def grow_list(repository: Repository, copies: int) -> None:
    """Copy each run's rows of GROWN, `copies` times, with another id and 1 to `copies` years earlier.

    The keys stay the same. The newest page, the last run of each key and statuses of the last year
    have the runs that were there before, because copies have no row in table `runs`. All verdicts
    become final, like those of runs whose predecessors were deleted: copies have no content to
    compare. Raises RuntimeError if the tables have other indexes afterwards.

    Only this process may use the catalogue afterwards: a process that opens it deletes rows of the
    list without a row in table `runs`.
    """
    repository.catalogue.is_created()
    with repository.catalogue.begin() as connection:
        connection.execute(update(RULE_VERDICTS).values(against=SETTLED))
        for table in GROWN:
            with without_indexes(connection, table.name):
                connection.execute(text(_copy(table, copies)))
        combinations.count_all(connection)
    with repository.catalogue.begin() as connection:
        listing.gather_statistics(connection)


def _copy(table: Table, copies: int) -> str:
    columns = [column.name for column in table.columns]
    names = ", ".join(f'"{name}"' for name in columns)
    values = ", ".join(_value(table, name) for name in columns)
    return _COPY.format(table=table.name, names=names, values=values, copies=copies)


def _value(table: Table, column: str) -> str:
    """Return the SQL of a column of a copied row."""
    own = {"run_id": _ID, "prefix": f"{_ID} || '/0123456789abcdef'"}
    own |= {name: _EARLIER.format(name=name) for name in _DATES}
    if table is LISTING:
        # The rows of `simulated_runs` end with characters of their id.
        own["searched"] = f"left(t.searched, -6) || left({_ID}, 6)"
    return own.get(column, f't."{column}"')
