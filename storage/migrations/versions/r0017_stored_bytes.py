"""The list of runs has the bytes of their files, so that a store is summed up without reading runs; watchers are known.

The list is not made anew: the bytes are in the checksums of the runs.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

_AT_ONCE = 500
_RUNS = sa.table("runs", sa.column("run_id", sa.String), sa.column("checksums", sa.JSON))
_LISTING = sa.table("listing", sa.column("run_id", sa.String), sa.column("stored_bytes", sa.BigInteger))
_FILL = (
    sa.update(_LISTING)
    .where(_LISTING.c.run_id == sa.bindparam("listed"))
    .values(stored_bytes=sa.bindparam("counted", type_=sa.BigInteger))
)


def upgrade() -> None:
    """Add the column with its index, fill it, and make the table of watchers."""
    op.add_column("listing", sa.Column("stored_bytes", sa.BigInteger))
    op.create_index("ix_listing_stored", "listing", ["source", "created_at", "stored_bytes"])
    op.create_table(
        "watchers",
        sa.Column("watcher_id", sa.String(64), primary_key=True),
        sa.Column("folder", sa.Text, nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("user_name", sa.Text, nullable=False),
        sa.Column("started_at", sa.String(40), nullable=False),
        sa.Column("interval_s", sa.Float, nullable=False),
        sa.Column("beat", sa.Float, nullable=False),
        sa.Column("runs", sa.Integer, nullable=False),
        sa.Column("refused", sa.Integer, nullable=False),
        sa.Column("problem", sa.Text, nullable=False),
    )
    _fill(op.get_bind())


def _fill(connection: sa.Connection) -> None:
    last = ""
    while True:
        some = sa.select(_RUNS).where(_RUNS.c.run_id > last).order_by(_RUNS.c.run_id).limit(_AT_ONCE)
        rows = connection.execute(some).all()
        if not rows:
            return
        counted = [{"listed": row.run_id, "counted": _bytes_of(row.checksums)} for row in rows]
        connection.execute(_FILL, counted)
        last = rows[-1].run_id


def _bytes_of(checksums: object) -> int | None:
    """Return the bytes that checksums name; None of an older release, and where a row is damaged."""
    if not isinstance(checksums, dict) or not checksums:
        return None
    sizes = [one[0] for one in checksums.values() if isinstance(one, list) and len(one) == 2 and type(one[0]) is int]
    return sum(sizes) if len(sizes) == len(checksums) else None
