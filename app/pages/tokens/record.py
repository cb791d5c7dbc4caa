"""The record of the page of a user's own tokens."""

from __future__ import annotations

from app.pages.page import Page
from app.pages.tokens import callbacks, page

TOKENS_PAGE = Page(
    name="tokens",
    path="/tokens",
    title="Your tokens",
    layout=page.layout,
    register=callbacks.register,
    has_state=False,
    is_slow=False,
)
