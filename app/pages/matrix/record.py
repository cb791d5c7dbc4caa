"""The record of the page of allocators and runs."""

from __future__ import annotations

from app.pages.matrix import callbacks, exports, page
from app.pages.page import Page

MATRIX_PAGE = Page(
    name="matrix",
    path="/matrix",
    title="Allocators and runs",
    layout=page.layout,
    register=callbacks.register,
    keys_title="allocators and runs",
    keys=(("click", "a cell: open its problem in the lab; a run: open it"),),
    exports=exports.EXPORTS,
    # Starts searches, which outlive a render process.
    in_server=("matrix-status",),
)
