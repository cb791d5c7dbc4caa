"""A metric may be a named number of a file of results, whose key is longer than 64 characters, and
the list of runs counts these numbers. Its rows are deleted, and the catalogue computes them again.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"

_TABLES = ("key_trends", "checks", "rule_verdicts", "acknowledgements")


def upgrade() -> None:
    """Widen the columns with names of metrics, and add the column of the list."""
    for table in _TABLES:
        # SQLite cannot change the type of a column, so Alembic copies the table there.
        with op.batch_alter_table(table) as batch:
            batch.alter_column(
                "metric", type_=sa.Text(), existing_type=sa.String(64), existing_nullable=False
            )
    op.add_column("listing", sa.Column("named_numbers", sa.Float()))
    op.execute("DELETE FROM listing")
