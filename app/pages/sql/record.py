"""The record of the SQL page."""

from __future__ import annotations

from app.pages.page import Page
from app.pages.sql import callbacks, exports, page

SQL_PAGE = Page(
    name="sql",
    path="/sql",
    title="SQL",
    layout=page.layout,
    register=callbacks.register,
    navigation="SQL",
    keys_title="SQL",
    keys=(("Ctrl+Enter", "run the query in the editor"),),
    exports=exports.EXPORTS,
    is_slow=False,
    # Only the result of a query may take long: it waits for a process.
    exceptions=("sql-answer",),
    asks=("sql-answer",),
)
