"""Script that Alembic runs: it applies the migrations on the connection and in the transaction of
`storage.versions`.
"""

from __future__ import annotations

from alembic import context

from storage.tables import METADATA, VERSION

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION.name,
)
context.run_migrations()
