"""Texts and addresses for saved placements, which distinguish them from attempts of the file."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from analysis.allocators.listed import strategy_label
from analysis.memory.attempt_map import attempt_words
from app.request.user import EVERYONE
from app.views.verdict import verdict
from components.numbers import count_text, integer, shorten
from services.run.memory import MemoryData
from services.run.saved_placements import CheckedPlacement

_TITLE, _NAME = 60, 40
_DAY = len("2026-01-31")


def saved_words(saved: CheckedPlacement) -> str:
    """Return the strategy and verdict of a saved placement, "with changes" if its problem is
    changed, the name of the editor and the date, separated by commas.

    Strategy and verdict are left out if this release cannot read them.
    """
    parts = []
    if saved.answer is not None and saved.asked is not None:
        parts = [strategy_label(saved.answer.strategy), verdict(saved.answer, fits=_fits(saved))]
        parts += ["with changes"] if saved.asked.changes.any else []
    by = "" if saved.row.kept_by == EVERYONE.name else f"by {shorten(saved.row.kept_by, _NAME)} "
    return ", ".join([*parts, f"kept {by}on {saved.row.kept_at[:_DAY]}"])


def _fits(saved: CheckedPlacement) -> bool | None:
    """Return whether a saved placement ends within the requested capacity.

    The result is None if no capacity was requested or the placement no longer fits its attempt.
    """
    capacity = None if saved.asked is None else saved.asked.capacity
    if capacity is None or saved.amap is None:
        return None
    # A capacity includes the constants, an extent does not.
    return (saved.amap.whole("extent") or 0) + (saved.amap.whole("static_bytes") or 0) <= capacity


def saved_title(saved: CheckedPlacement) -> str:
    """Return the title of a saved placement in quotes after a space; "" if it is missing."""
    return f" “{shorten(saved.row.title, _TITLE)}”" if saved.row.title else ""


def origin_sentence(memory: MemoryData, attempt: int | None) -> str:
    """Compose a sentence about the origin of attempt `attempt` if it is a saved placement; "" if it
    is the file's own.
    """
    saved = memory.find_saved(attempt)
    if saved is None:
        return ""
    base = f" to {base_label(memory, saved)}" if len(memory.attempts) > 1 else ""
    what = f"{saved.label[0].upper()}{saved.label[1:]}{saved_title(saved)}"
    return f"{what} is not from the file: a placement of the lab{base}, {saved_words(saved)}. "


def base_label(memory: MemoryData, saved: CheckedPlacement) -> str:
    """Return the label of the file's attempt that a saved placement belongs to: its memory level,
    or its number if it has no level.
    """
    levels = (
        memory.attempts.loc[memory.attempts["attempt"] == saved.base, "level"].dropna().tolist()
    )
    return str(levels[0]) if levels else attempt_words(saved.base)


def saved_count(saved: Sequence[CheckedPlacement]) -> str:
    """Compose a sentence with the number of saved placements, and how many no longer fit.

    The text is empty if there are no saved placements.
    """
    if not saved:
        return ""
    lost = sum(placement.amap is None for placement in saved)
    gone = f"; {integer(lost)} of them no longer fit and are not shown" if lost else ""
    return f"{count_text(len(saved), 'answer')} of the lab kept with the run{gone}."


def question_address(run_id: str, saved: CheckedPlacement) -> str:
    """Return the address of the lab page that shows a saved placement with its problem."""
    return f"/run/{quote(run_id)}/lab?{saved.row.query}"


def compare_url(run_id: str, saved: CheckedPlacement) -> str:
    """Return the address of the run page that compares a saved placement with the file's attempt."""
    return f"/run/{quote(run_id)}?attempt={saved.attempt}&against={saved.base}#map"
