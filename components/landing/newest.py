"""Section of the landing page with the newest run of each source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import dcc, html

from components.aria import aria
from components.comparison.trend_words import date_text
from components.headline import headline_help, headline_text
from components.landing.sections import section_data
from components.landing.when import when_words
from components.numbers import DASH, count_text, integer, tame
from components.runs.list_address import list_address
from schema.headlines import RunHeadline

_HEADS = ("source", "newest run", "headline", "when", "runs")


@dataclass(frozen=True)
class NewestRun:
    """Newest run of a source: `date` is that of its capture, else of its ingest (ISO 8601; "" if
    its row is damaged), `headline` is None if the run has none of the numbers, `runs` is the number
    of all runs of the source.
    """

    source: str
    title: str
    run_id: str
    name: str
    headline: RunHeadline | None
    date: str
    runs: int


def newest_panel(newest: Sequence[NewestRun], as_of: str) -> html.Section:
    """Lay out the newest run of each source in order, with a link to all runs of the source."""
    heads = [html.Th(text, scope="col") for text in _HEADS]
    table = html.Table(
        [html.Thead(html.Tr(heads)), html.Tbody([_row(run, as_of) for run in newest])],
        className="ts-changes",
    )
    heading = html.H2(
        [
            html.Span(integer(len(newest)), className="ts-landing-count"),
            " source: its newest run" if len(newest) == 1 else " sources: newest run of each",
        ],
        id="landing-newest",
        className="ts-panel-title",
    )
    return html.Section(
        [
            html.Div(heading, className="ts-panel-head"),
            html.Div(table, className="ts-changes-frame"),
        ],
        className="ts-panel ts-part ts-landing-newest",
        **section_data("newest", len(newest)),
        **aria(labelledby="landing-newest"),
    )


def _row(run: NewestRun, as_of: str) -> html.Tr:
    href = list_address({"source": run.source})
    every = dcc.Link(count_text(run.runs, "run"), href=href, title=f"all runs of {tame(run.title)}")
    return html.Tr(
        [
            html.Th(tame(run.title), scope="row"),
            html.Td(dcc.Link(html.Bdi(tame(run.name)), href=f"/run/{run.run_id}")),
            html.Td(
                headline_text(run.headline),
                className="ts-landing-headline",
                title=headline_help(run.headline),
            ),
            _when(run, as_of),
            html.Td(every, className="ts-nowrap"),
        ]
    )


def _when(run: NewestRun, as_of: str) -> html.Td:
    if not run.date:
        return html.Td(DASH, title="the stored row of this run is damaged")
    words = when_words(run.date, as_of)
    return html.Td(words, className="ts-nowrap", title=f"{date_text(run.date)} UTC")
