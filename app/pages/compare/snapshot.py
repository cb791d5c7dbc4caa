"""Write a comparison as a single HTML file that works offline."""

from __future__ import annotations

from collections.abc import Sequence

from app.pages.snapshot_file import page_part, write_parts
from app.views.comparison.registry import COMPARE
from app.views.comparison.selection_words import selection_words
from app.views.comparison.state import CompareState
from components.comparison.words import first_words
from components.numbers import shorten, tame
from components.runs.run_facts import file_fact, origin_facts, shape_facts
from components.verdicts import verdict_words
from services.comparison.compared_runs import ComparedRun
from services.comparison.data import CompareData


def comparison_html(data: CompareData, state: CompareState, notes: Sequence[str] = ()) -> str:
    """Return the text of an HTML file of a comparison with a view state; the file makes no network
    requests.
    """
    result = data.result
    names = [_names(side) for side in (data.base, data.new)]
    facts = [("base", names[0]), ("new", names[1]), ("source", result.source)]
    sides = (("base", data.base), ("new", data.new))
    facts += [(f"{side} run", _facts_text(run)) for side, runs in sides for run in runs]
    facts.append(("verdict", verdict_words(result.verdict)))
    drawn = page_part(
        COMPARE,
        data,
        state,
        id=f"{_ids(data.base)} → {_ids(data.new)}",
        name=first_words(result.parts, result.rows, result.attribution, result.verdict),
        facts=facts,
        selection=list(selection_words(data, state).values()),
        health=tame("; ".join([*result.reasons, *notes])),
    )
    return write_parts([drawn], f"{shorten(names[0])} and {shorten(names[1])}")


def _names(side: Sequence[ComparedRun]) -> str:
    return ", ".join(tame(str(run.stored.run["name"])) for run in side)


def _facts_text(run: ComparedRun) -> str:
    columns = run.stored.run
    return " · ".join([*origin_facts(columns), *shape_facts(columns), file_fact(columns)])


def _ids(side: Sequence[ComparedRun]) -> str:
    return ", ".join(run.stored.run_id for run in side)
