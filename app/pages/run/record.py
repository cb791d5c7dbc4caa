"""The record of the page of a run."""

from __future__ import annotations

from app.pages.page import POINTER_KEYS, Page
from app.pages.run import callbacks, exports, page
from app.pages.run.binding import stored_content
from app.pages.run.group_clock import TOLD
from app.views.registry import RUN

RUN_PAGE = Page(
    name=RUN.name,
    path="/run/<run_id>",
    title="{run}",
    layout=page.layout,
    register=callbacks.register,
    views=RUN,
    views_title="A run",
    keys_title="page of a run (keys of the views that it has)",
    keys=POINTER_KEYS,
    snapshot=exports.SNAPSHOT,
    exports=exports.EXPORTS,
    # These callbacks only read the catalogue, or no data at all.
    exceptions=("run-notes", "run-setting"),
    # Starts the built-in search, which outlives a render process.
    in_server=(TOLD,),
    content=stored_content,
    user_parts=page.user_parts,
)
