"""The record of the trends page."""

from __future__ import annotations

from app.pages.page import POINTER_KEYS, Page
from app.pages.trends import callbacks, exports, page

TRENDS_PAGE = Page(
    name="trends",
    path="/trends",
    title="Trends",
    layout=page.layout,
    register=callbacks.register,
    navigation="Trends",
    keys_title="trends",
    keys=(("click", "a run: open it; a change: compare before and after"), POINTER_KEYS[0]),
    exports=exports.EXPORTS,
)
