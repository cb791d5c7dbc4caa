"""The record of the landing page."""

from __future__ import annotations

from app.pages.landing import callbacks, page
from app.pages.landing.forward import forward_address
from app.pages.page import Page

LANDING_PAGE = Page(
    name="landing",
    path="/",
    title="What broke last night?",
    layout=page.layout,
    register=callbacks.register,
    has_state=False,
    forward=forward_address,
    # An ingest of the samples takes longer than a render process may.
    in_server=("landing-samples",),
)
