"""Page of a bisection: its sentence, the next commit, the plot and the table of commits."""

from __future__ import annotations

from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

from analysis.bisection.address import LIST_PATH
from analysis.bisection.result import Bisection
from app.context import AppContext
from app.pages.page import PageRequest
from app.request.user import may_edit
from components.aria import aria
from components.bisection.plot import bisection_figure, plot_summary
from components.bisection.table import SKIP, commits_table
from components.bisection.words import (
    bisection_sentence,
    effort_sentence,
    impossible_sentence,
    next_commands,
    verdict_sentence,
)
from components.comparison.trend_names import key_names
from components.comparison.trend_words import commit_text
from components.graph import graph
from components.numbers import tame
from services.bisection.bisections import find_bisection
from services.bisection.errors import BisectionError
from storage.run_list import RunList

BODY, SHOWN, CLOCK = "bisection-body", "bisection-shown", "bisection-clock"
_EVERY_MS = 5_000


def layout(context: AppContext, request: PageRequest) -> html.Div:
    """Lay out the page of a bisection, whose content follows the runs of the store."""
    shown = [request.run_id, request.theme, version(context)]
    return html.Div(
        [
            html.H1("Bisection", className="visually-hidden"),
            dcc.Store(id=SHOWN, data=shown),
            dcc.Interval(id=CLOCK, interval=_EVERY_MS),
            html.P(id="bisection-error", className="ts-trouble", role="alert"),
            html.Div(
                body(context, request.run_id, request.theme), id=BODY, className="ts-trends-body"
            ),
        ],
        className="ts-trends ts-bisect",
    )


def version(context: AppContext) -> str:
    """Return a text that changes whenever a run of the store changes."""
    return RunList(context.repository.catalogue).version()


def body(context: AppContext, bisection_id: str, theme: str) -> list[Component]:
    """Lay out the content of the page, or an error as a sentence."""
    try:
        bisection = find_bisection(context.repository.catalogue, bisection_id)
    except BisectionError as error:
        sentence = html.P(f"{tame(str(error))}.", className="ts-answer ts-trouble", role="alert")
        return [html.Section([sentence, _to_list()], className="ts-panel ts-part")]
    return [
        html.Section(_head(bisection, theme), className="ts-panel ts-part"),
        html.Section(
            [
                html.Div(html.H2("Commits", className="ts-panel-title"), className="ts-panel-head"),
                commits_table(bisection, is_editor=may_edit()),
            ],
            className="ts-panel ts-part",
        ),
    ]


def _to_list() -> html.P:
    return html.P(dcc.Link("All bisections", href=LIST_PATH), className="ts-line")


def _head(bisection: Bisection, theme: str) -> list[Component]:
    name = key_names([bisection.key])[0]
    ends = f"{commit_text(bisection.good)}…{commit_text(bisection.bad)}"
    lines = [
        verdict_sentence(bisection),
        effort_sentence(bisection),
        impossible_sentence(bisection),
    ]
    return [
        html.Div(
            [
                html.H2(
                    f"{bisection.metric.label}, {tame(name)}, {tame(ends)}",
                    className="ts-panel-title",
                ),
                html.P(
                    "shaded: commits that may be the culprit; dotted line: the next commit",
                    className="ts-panel-hint",
                ),
            ],
            className="ts-panel-head",
        ),
        html.P(
            tame(bisection_sentence(bisection)),
            id="bisection-answer",
            className="ts-answer",
            **aria(live="polite"),
        ),
        *(html.P(tame(line), className="ts-line ts-muted") for line in lines if line),
        *_next(bisection),
        graph("bisection-plot", bisection_figure(bisection, theme), plot_summary(bisection)),
        _to_list(),
    ]


def _next(bisection: Bisection) -> list[Component]:
    """Lay out the commands that measure the next commit, and for editors the button to skip it."""
    commit = bisection.next_commit
    if commit is None:
        return []
    text = "\n".join(next_commands(bisection)) or tame(commit)
    copied: Any = {"data-copy": text}
    buttons: list[Component] = [
        html.Button("Copy", className="ts-button", title="Copy the commands", **copied)
    ]
    if may_edit():
        buttons.append(
            html.Button(
                "It gives no result",
                id={"type": SKIP, "commit": commit},
                className="ts-button",
                title="Skip this commit, for example because it does not build",
            )
        )
    return [
        html.Div(
            [html.Pre(text), html.Div(buttons, className="ts-actions")], className="ts-bisect-next"
        )
    ]
