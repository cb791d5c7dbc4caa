"""Recognise tinygrad's captures by their first bytes, and explain rejections."""

from __future__ import annotations

import re

from schema.diagnostics import Diagnostic

# Opcode PROTO with protocol 4, which tinygrad writes, or 5.
_PICKLES = (b"\x80\x04", b"\x80\x05")
# `\x8c` is the opcode of a short string, followed by a byte with its length.
_MODULES = re.compile(rb"\x8c.tinygrad\.(?:helpers|device|uop\.ops|runtime\.ops_amd)", re.DOTALL)
_CLASSES = re.compile(rb"Profile(?:Range|Point|Device|Program|Graph|SQTT|PMC)Event|RewriteTrace")
_LINE_KEYS = (b'"device"', b'"name"', b'"st_ms"')
MAX_LINE_BYTES = 100_000
"""Bytes of the first JSON line that are examined."""


def refusal(head: bytes) -> str | None:
    """Return `None` if `head` begins a pickle that names tinygrad's profiler classes, or an export
    (JSON lines).

    Otherwise return the reason of the rejection.
    """
    if is_export(head):
        return None
    if not head:
        return "the file is empty"
    if not is_readable(head):
        return "neither a pickle of protocol 4 or 5 nor lines of tinygrad.viz.cli --json"
    if _MODULES.search(head) and _CLASSES.search(head):
        return None
    return "a pickle without profiler classes of tinygrad"


def is_readable(head: bytes) -> bool:
    """Whether `head` begins a pickle of protocol 4 or 5, or an export."""
    return head[:2] in _PICKLES or is_export(head)


def is_export(head: bytes) -> bool:
    """Whether the first line of `head` begins a JSON object and contains the keys device, name and
    st_ms.
    """
    first = head[:MAX_LINE_BYTES].lstrip().split(b"\n", 1)[0]
    return first.startswith(b"{") and all(key in first for key in _LINE_KEYS)


def rewrites_unread(reason: str) -> Diagnostic:
    """Return a warning that the rewrites.pkl of a run was left out for this reason."""
    return Diagnostic(
        "warning", "rewrites_unread", f"rewrites.pkl cannot be read and is ignored: {reason}"
    )
