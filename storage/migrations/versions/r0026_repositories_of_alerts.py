"""An alert may name repositories on GitHub and GitLab, and the kinds of posts there; null in rows of
older releases.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """Add the columns `github`, `gitlab` and `posts` to table `alerts`."""
    op.add_column("alerts", sa.Column("github", sa.Text))
    op.add_column("alerts", sa.Column("gitlab", sa.Text))
    op.add_column("alerts", sa.Column("posts", sa.JSON))
