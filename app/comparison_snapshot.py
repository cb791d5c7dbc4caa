"""A comparison as one HTML file that works offline."""

from __future__ import annotations

from collections.abc import Sequence

from app.pages.compare.head import selection_words
from app.snapshot import part, written
from app.views.comparison.registry import COMPARE
from app.views.comparison.state import CompareState
from components.comparison.words import headline
from components.numbers import shorten, tame
from components.verdicts import verdict_words
from services.compared_runs import ComparedRun
from services.comparisons import CompareData


def comparison_html(data: CompareData, state: CompareState, notes: Sequence[str] = ()) -> str:
    """Return a file that shows a comparison as a view state has it, and asks no network for anything."""
    answer = data.answer
    names = [_names(side) for side in (data.base, data.new)]
    facts = [("base", names[0]), ("new", names[1]), ("source", answer.source)]
    facts.append(("verdict", verdict_words(answer.verdict)))
    drawn = part(
        COMPARE,
        data,
        state,
        id=f"{_ids(data.base)} → {_ids(data.new)}",
        name=headline(answer.rows, answer.attribution, answer.verdict),
        facts=facts,
        selection=list(selection_words(data, state).values()),
        health=tame("; ".join([*answer.reasons, *notes])),
    )
    return written([drawn], f"{shorten(names[0])} and {shorten(names[1])}")


def _names(side: Sequence[ComparedRun]) -> str:
    return ", ".join(tame(str(run.stored.run["name"])) for run in side)


def _ids(side: Sequence[ComparedRun]) -> str:
    return ", ".join(run.stored.run_id for run in side)
