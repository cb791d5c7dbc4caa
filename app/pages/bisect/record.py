"""The records of the pages of bisections."""

from __future__ import annotations

from app.pages.bisect import callbacks, page, start
from app.pages.page import Page

BISECT_PAGE = Page(
    name="bisect",
    path="/bisect",
    title="Bisections",
    layout=start.layout,
    register=callbacks.register_start,
    has_state=False,
)
BISECTION_PAGE = Page(
    name="bisection",
    path="/bisect/<run_id>",
    title="Bisection",
    layout=page.layout,
    register=callbacks.register,
    has_state=False,
)
