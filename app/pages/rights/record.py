"""The record of the page of rights."""

from __future__ import annotations

from app.pages.page import Page
from app.pages.rights import page

RIGHTS_PAGE = Page(
    name="rights",
    path="/rights",
    title="Who may do what",
    layout=page.layout,
    has_state=False,
    is_slow=False,
)
