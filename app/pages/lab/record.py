"""The record of the lab."""

from __future__ import annotations

from app.pages.lab import callbacks, exports, page
from app.pages.page import POINTER_KEYS, Page
from app.views.lab.registry import LAB

LAB_PAGE = Page(
    name=LAB.name,
    path="/run/<run_id>/lab",
    title="Lab: {run}",
    layout=page.layout,
    register=callbacks.register,
    views=LAB,
    views_title="The lab",
    keys_title="allocation lab",
    keys=POINTER_KEYS,
    snapshot=exports.SNAPSHOT,
    exports=exports.EXPORTS,
    # Starts a search, which outlives a render process.
    in_server=("lab-status",),
)
