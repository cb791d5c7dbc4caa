"""Table of predicted and measured cycles of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import html

from components.numbers import MINUS, integer, percent
from schema.plurals import plural

HEADS = (
    (
        "term",
        "compute: a kernel; wait: for locks per kernel; period: between kernel starts; total: the whole call",
    ),
    ("predicted, cycles", "cycles that the model predicted"),
    ("from", "name of the value in the model's file"),
    ("measured, cycles", "cycles that were measured"),
    ("from", "source of the measurement"),
    ("residual vs measured", "(predicted - measured) / measured"),
    ("reason", "why there is no residual"),
)
"""Labels and meanings of the columns."""
_NUMBERS = (1, 3, 5)
_UNKNOWN = "unknown"


def plan_cells(term: Mapping[str, Any]) -> list[str]:
    """Write a term of `services.run.predict.run_prediction` as texts in the order of HEADS."""
    return [
        term["term"],
        _UNKNOWN if term["predicted"] is None else integer(term["predicted"]),
        term["predicted_from"] or "",
        _UNKNOWN if term["measured"] is None else integer(term["measured"]),
        term["measured_from"] or "",
        residual_text(term["residual"]),
        term["reason"] or "",
    ]


def residual_text(residual: float | None) -> str:
    """Write a residual in per cent with its sign; `unknown` if it is `None`."""
    if residual is None:
        return _UNKNOWN
    sign = MINUS if residual < 0 else "+"
    return f"{sign}{percent(abs(residual))}"


def plan_table(terms: Sequence[Mapping[str, Any]]) -> html.Div:
    """Lay out a row per term."""
    heads = [
        html.Th(label, scope="col", title=meaning, className=_cell_class(rank))
        for rank, (label, meaning) in enumerate(HEADS)
    ]
    body = []
    for term in terms:
        name, *cells = plan_cells(term)
        columns = [
            html.Td(text, className=_cell_class(rank)) for rank, text in enumerate(cells, start=1)
        ]
        body.append(html.Tr([html.Th(name, scope="row"), *columns]))
    table = html.Table(
        [html.Thead(html.Tr(heads)), html.Tbody(body)], className="ts-stalls ts-plan"
    )
    return html.Div(table, className="ts-scroll", tabIndex=0)


def _cell_class(rank: int) -> str:
    return "ts-number" if rank in _NUMBERS else ""


def plan_caption(prediction: Mapping[str, Any]) -> str:
    """Write the residuals that are known, the largest first, and the planned schedule."""
    known = [term for term in prediction["terms"] if term["residual"] is not None]
    known.sort(key=lambda term: -abs(term["residual"]))
    words = [f"{term['term']} {residual_text(term['residual'])}" for term in known]
    first = f"Model against measurement: {', '.join(words)}." if words else _NO_RESIDUAL
    plan = prediction["plan"]
    if plan is None:
        return first
    return (
        f"{first} The plan has {plural(plan['events'], 'event')} on {plan['resources']} resources."
    )


_NO_RESIDUAL = "No term is both predicted and measured."
