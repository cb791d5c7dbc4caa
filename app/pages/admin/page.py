"""The administration page, for admins: state of the store, and problems that need attention."""

from __future__ import annotations

from collections.abc import Sequence

from dash import dcc, html
from dash.development.base_component import Component

from app.context import AppContext
from app.overview.attention_words import attention_page, attention_words, store_sentence
from app.overview.parts import OverviewPart, overview_parts
from app.overview.record import load_overview
from app.pages.admin import orphans, retention
from app.pages.admin.tables import text_table
from app.pages.page import PageRequest
from components.numbers import tame
from services.store.attention import Attention, needs_attention
from services.store.overview import Overview

_WIDE = ("size", "settings", "tokens", "uploads", "jobs", "watched")
"""Parts that take a full row."""
_FOLDED = ("settings",)
"""Parts whose tables are folded, because they are long and rarely needed."""


def layout(context: AppContext, _request: PageRequest) -> html.Div:
    """Lay out the administration page; its numbers are as old as the request."""
    overview = load_overview(context.settings, context.repository)
    attention = needs_attention(overview)
    return html.Div(
        [
            html.Div(
                [
                    html.H1("Administration", className="ts-page-title"),
                    html.Span(
                        f"as of {overview.at[:19].replace('T', ' ')} UTC", className="ts-muted"
                    ),
                ],
                className="ts-trends-controls",
            ),
            _caption(overview, attention),
            html.Div(
                [_part(part, overview) for part in overview_parts(overview)], className="ts-rows"
            ),
            *orphans.dialogs(),
            *retention.dialogs(),
        ],
        className="ts-trends ts-admin",
    )


def _caption(overview: Overview, attention: Sequence[Attention]) -> html.Section:
    """Lay out whether the store is well, and a list of the problems that need attention, if there
    are any, as links.
    """
    look = "ts-answer ts-trouble" if attention else "ts-answer"
    parts: list[Component] = [
        html.P(tame(store_sentence(overview, attention)), id="admin-answer", className=look)
    ]
    if attention:
        parts.append(
            html.Ul([*map(_item, attention)], id="admin-attention", className="ts-admin-attention")
        )
    return html.Section(parts, className="ts-panel ts-part")


def _item(one: Attention) -> html.Li:
    page = attention_page(one.kind)
    words = tame(attention_words(one))
    link = html.A(words, href=page) if page.startswith("#") else dcc.Link(words, href=page)
    return html.Li(link)


def _part(part: OverviewPart, overview: Overview) -> html.Section:
    heading = html.H2(part.title, id=f"admin-{part.name}", className="ts-panel-title")
    width = "ts-full" if part.name in _WIDE else "ts-half"
    body = _body(part, overview)
    return html.Section(
        [html.Div(heading, className="ts-panel-head"), *body], className=f"ts-panel ts-part {width}"
    )


def _body(part: OverviewPart, overview: Overview) -> list[Component]:
    sentence = html.P(tame(part.sentence), className="ts-answer")
    if part.name == "orphans":
        return orphans.section(overview.orphans)
    if part.name == "retention":
        return [sentence, *retention.form()]
    tables = [text_table(table) for table in part.tables]
    if part.name in _FOLDED:
        return [
            sentence,
            html.Details([html.Summary("All settings"), *tables], className="ts-admin-folded"),
        ]
    return [sentence, html.Div(tables, className="ts-admin-tables")] if tables else [sentence]
