"""Answers of the lab that are kept with a run, in words and as addresses: nobody takes one for the file's."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from analysis.allocators.listed import strategy_label
from analysis.memory.attempt_map import attempt_words
from app.request.user import EVERYONE
from app.views.verdict import verdict
from components.numbers import count_text, integer, shorten
from services.run.memory import MemoryData
from services.run.saved_placements import Kept

_TITLE, _NAME = 60, 40
_DAY = len("2026-01-31")


def kept_words(kept: Kept) -> str:
    """Return what was found, by whom it was kept, and when."""
    found = []
    if kept.answer is not None and kept.asked is not None:
        found = [strategy_label(kept.answer.strategy), verdict(kept.answer, fits=_fits(kept))]
        found += ["with changes"] if kept.asked.changes.any else []
    by = "" if kept.row.kept_by == EVERYONE.name else f"by {shorten(kept.row.kept_by, _NAME)} "
    return ", ".join([*found, f"kept {by}on {kept.row.kept_at[:_DAY]}"])


def _fits(kept: Kept) -> bool | None:
    """Return whether a kept answer ends within the capacity asked for; None without a capacity or a placement."""
    capacity = None if kept.asked is None else kept.asked.capacity
    if capacity is None or kept.amap is None:
        return None
    return (kept.amap.whole("extent") or 0) + (kept.amap.whole("static_bytes") or 0) <= capacity


def kept_title(kept: Kept) -> str:
    """Return its title in quotes after a space, nothing without one."""
    return f" “{shorten(kept.row.title, _TITLE)}”" if kept.row.title else ""


def origin_sentence(memory: MemoryData, attempt: int | None) -> str:
    """Return where a shown attempt is from if it is not the file's, else nothing."""
    kept = memory.kept_at(attempt)
    if kept is None:
        return ""
    asked = f" to {base_label(memory, kept)}" if len(memory.attempts) > 1 else ""
    what = f"{kept.label[0].upper()}{kept.label[1:]}{kept_title(kept)}"
    return f"{what} is not the file's: an answer of the lab{asked}, {kept_words(kept)}. "


def base_label(memory: MemoryData, kept: Kept) -> str:
    """Return what people call the attempt of the file that a kept answer was asked about."""
    levels = memory.attempts.loc[memory.attempts["attempt"] == kept.base, "level"].dropna().tolist()
    return str(levels[0]) if levels else attempt_words(kept.base)


def kept_count(kept: Sequence[Kept]) -> str:
    """Return how many kept answers there are, and how many of them fit no longer; nothing without any."""
    if not kept:
        return ""
    lost = sum(one.amap is None for one in kept)
    gone = f"; {integer(lost)} of them no longer fit and are not shown" if lost else ""
    return f"{count_text(len(kept), 'answer')} of the lab kept with the run{gone}."


def question_address(run_id: str, kept: Kept) -> str:
    """Return where the lab shows a kept answer, with its question."""
    return f"/run/{quote(run_id)}/lab?{kept.row.query}"


def compare_url(run_id: str, kept: Kept) -> str:
    """Return where a run's page sets a kept answer against the attempt of the file that it is of."""
    return f"/run/{quote(run_id)}?attempt={kept.attempt}&against={kept.base}#map"
