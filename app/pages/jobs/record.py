"""The record of the jobs page."""

from __future__ import annotations

from app.pages.jobs import callbacks, page
from app.pages.page import Page

JOBS_PAGE = Page(
    name="jobs",
    path="/jobs",
    title="Jobs",
    layout=page.layout,
    register=callbacks.register,
    navigation="Jobs",
    has_state=False,
    is_slow=False,
)
