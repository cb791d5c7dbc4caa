"""The record of the page of the audit log."""

from __future__ import annotations

from app.pages.audit import callbacks, page
from app.pages.page import Page
from schema.roles import Role

AUDIT_PAGE = Page(
    name="audit",
    path="/audit",
    title="Audit log",
    layout=page.layout,
    register=callbacks.register,
    navigation="Audit log",
    role=Role.ADMIN,
    is_slow=False,
)
