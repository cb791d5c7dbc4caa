"""Make the list of runs in PostgreSQL longer by copies of the rows of table `listing`."""

from __future__ import annotations

from sqlalchemy import text

from storage import combinations, listing
from storage.repository import Repository
from storage.tables import LISTING

_COPY = """INSERT INTO listing ({names}) SELECT {values}
FROM listing t, generate_series(1, {copies}) g"""
_INDEXES = """SELECT indexname, indexdef FROM pg_indexes
WHERE schemaname = current_schema() AND tablename = 'listing' AND indexname <> 'listing_pkey'"""
_ID = "substr(md5(t.run_id || '-' || g), 1, 12)"
_EARLIER = (
    "to_char(left(t.{name}, 19)::timestamp - g * interval '1 year', "
    "'YYYY-MM-DD\"T\"HH24\\:MI\\:SS') || '+00\\:00'"
)


def grow_list(repository: Repository, copies: int) -> None:
    """Copy each row of the list, `copies` times, with another id and `copies` to 1 years earlier.

    The keys stay the same, and the newest page has the runs that were there before, because copies
    have no rows in other tables. List, filter, search and stored status read only this table, so
    that they can be measured with more runs than a machine can insert.
    """
    columns = [column.name for column in LISTING.columns]
    with repository.catalogue.begin() as connection:
        names = ", ".join(f'"{name}"' for name in columns)
        values = ", ".join(map(_value, columns))
        # Building an index is several times faster than adding the rows to it one by one.
        indexes = connection.execute(text(_INDEXES)).all()
        for name, _ in indexes:
            connection.execute(text(f'DROP INDEX "{name}"'))
        connection.execute(text(_COPY.format(names=names, values=values, copies=copies)))
        for _, definition in indexes:
            connection.execute(text(definition))
    with repository.catalogue.begin() as connection:
        combinations.count_all(connection)
        listing.gather_statistics(connection)


def _value(column: str) -> str:
    """Return the SQL of a column of a copied row."""
    own = {"run_id": _ID, "prefix": f"{_ID} || '/0123456789abcdef'"}
    own |= {name: _EARLIER.format(name=name) for name in ("date", "created_at")}
    # The rows of `simulated_runs` end with characters of their id.
    own["searched"] = f"left(t.searched, -6) || left({_ID}, 6)"
    return own.get(column, f't."{column}"')
