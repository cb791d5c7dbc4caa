"""The record of the status page."""

from __future__ import annotations

from app.pages.page import Page
from app.pages.status import callbacks, exports, page

STATUS_PAGE = Page(
    name="status",
    path="/status",
    title="Status",
    layout=page.layout,
    register=callbacks.register,
    navigation="Status",
    keys_title="status",
    keys=(("click", "a run: open it; a change: compare the last good and the first bad run"),),
    exports=exports.EXPORTS,
)
