"""The record of the program page."""

from __future__ import annotations

from app.pages.page import POINTER_KEYS, Page
from app.pages.program import callbacks, exports, page
from app.views.program.registry import PROGRAM

PROGRAM_PAGE = Page(
    name=PROGRAM.name,
    path="/run/<run_id>/program",
    title="Programs of {run}",
    layout=page.layout,
    register=callbacks.register,
    views=PROGRAM,
    views_title="Programs of a run",
    keys_title="programs of a run",
    keys=POINTER_KEYS,
    snapshot=exports.SNAPSHOT,
    exports=exports.EXPORTS,
)
