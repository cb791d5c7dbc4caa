"""The record of the comparison page."""

from __future__ import annotations

from app.pages.compare import callbacks, exports, page
from app.pages.compare.binding import stored_content
from app.pages.page import POINTER_KEYS, Page
from app.views.comparison.registry import COMPARE, parse


def _compared_runs(query: str) -> str:
    """Return the sides of the comparison in a query string; a selection does not change it."""
    state = parse(query)
    return f"compare {state.base} {state.baseline} {state.against} {state.new}"


COMPARE_PAGE = Page(
    name=COMPARE.name,
    path="/compare",
    title="Comparison",
    layout=page.layout,
    register=callbacks.register,
    views=COMPARE,
    views_title="A comparison",
    views_note="All runs that are compared need it.",
    keys_title="page of a comparison",
    keys=(("drag", "zoom both timelines, or both memory maps"), *POINTER_KEYS[1:]),
    snapshot=exports.SNAPSHOT,
    exports=exports.EXPORTS,
    content=stored_content,
    query_data=_compared_runs,
)
