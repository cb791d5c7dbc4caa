"""Table of the status: per key a sparkline, latest run, verdict, and begin of a regression."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

from analysis.bisection.address import start_address
from analysis.comparison.status_row import CommitMoment, StatusPoint, StatusRow
from components.aria import aria
from components.button_rows import ROWS, name_cells
from components.comparison.status_links import since_address
from components.comparison.status_words import (
    acknowledged_words,
    change_words,
    incomparable_reason,
    value_words,
)
from components.comparison.trend_names import key_names
from components.comparison.trend_words import commit_text, date_text
from components.numbers import count_text, shorten, tame
from components.verdicts import look, tone, verdict_words
from schema.result_metrics import find_compared

MAX_ROWS = 500
"""Maximum number of keys in the table; a line below counts the keys that are left out."""
_HEADS = (
    "key",
    "verdict",
    "change",
    "last runs",
    "value",
    "metric",
    "latest run",
    "commit",
    "since",
    "acknowledged",
)
_MAX_RULE_LENGTH = 24
_MAX_METRIC_LENGTH = 40
_WIDTH, _HEIGHT, _EDGE = 120, 24, 3


def status_table(
    rows: Sequence[StatusRow], rule: str, *, is_editor: bool, badges: Sequence[str] = ()
) -> html.Div:
    """Lay out the rows in order; editors get a field and a button to acknowledge regressions.

    `rule` is the name of the rule whose base the changes are relative to. `badges` has the address
    of the badge of each row, or is empty.
    """
    if not rows:
        return html.Div(html.P("No rows.", className="ts-answer ts-muted"))
    names = key_names([row.key for row in rows])
    body = [
        _row(row, names[at], is_editor=is_editor, badge=badges[at] if badges else "")
        for at, row in enumerate(rows[:MAX_ROWS])
    ]
    change = f"change vs {shorten(tame(rule), _MAX_RULE_LENGTH)}"
    name_cells([change if head == "change" else head for head in _HEADS], body)
    heads = [html.Th(text, scope="col") for text in _HEADS]
    title = f"from the base of rule {tame(rule)}"
    heads[_HEADS.index("change")] = html.Th(change, scope="col", title=title)
    classes = f"ts-changes ts-status-rows {ROWS}"
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody(body)], className=classes)
    more = len(rows) - MAX_ROWS
    line = f"{count_text(more, 'more key')} not listed: filter to see them." if more > 0 else ""
    return html.Div(
        [html.Div(table, className="ts-changes-frame"), html.P(line, className="ts-line ts-muted")]
    )


def _row(row: StatusRow, name: str, *, is_editor: bool, badge: str) -> html.Tr:
    colour = tone(row.verdict)
    compared = find_compared(row.metric)
    metric = shorten(compared.label, _MAX_METRIC_LENGTH) if compared else ""
    run = dcc.Link(
        date_text(row.run.taken_at), href=f"/run/{row.run.run_id}", title=tame(row.run.name)
    )
    return html.Tr(
        [
            html.Th([html.Bdi(tame(name)), *_badge_link(badge, name)], scope="row"),
            html.Td(_verdict(row, colour), title=tame(row.reason)),
            html.Td(change_words(row), className=f"ts-number {colour}"),
            html.Td(_sparkline(row.points)),
            html.Td(value_words(row), className="ts-number"),
            html.Td(metric, className="ts-nowrap"),
            html.Td(run, className="ts-number"),
            html.Td(
                commit_text(tame(row.run.commit)), className="ts-mono", title=tame(row.run.commit)
            ),
            html.Td(_since(row)),
            html.Td(_acknowledgement(row, is_editor=is_editor)),
        ]
    )


def _verdict(row: StatusRow, colour: str) -> list[Component]:
    """Lay out the verdict, and why numbers cannot be compared: the row then has no number."""
    verdict = html.Span(verdict_words(row.verdict), className=f"ts-nowrap {colour}")
    reason = incomparable_reason(row)
    return [verdict, html.Small(tame(reason), className="ts-reason")] if reason else [verdict]


def _badge_link(address: str, name: str) -> list[Component | str]:
    """Lay out a link to the badge of a key; empty without an address."""
    if not address:
        return []
    return [" ", badge_link(address, f"Badge of {tame(name)}")]


def badge_link(address: str, label: str) -> html.A:
    """Lay out a link to a badge, whose address people copy into a README or wiki."""
    title = f"{label}: copy this address into a README or wiki"
    shown: Any = {"data-badge": address} | aria(label=label)
    return html.A("badge", href=address, className="ts-badge-link", title=title, **shown)


def _since(row: StatusRow) -> list[Component | str]:
    """Lay out when a regression began, its number of runs, links that compare the runs around it and
    bisect the commits between them, and the commits.

    Empty if the key is not regressed; without link and commits if no good run precedes it.
    """
    if row.since is None:
        return []
    first = row.since.first_bad
    good = row.since.last_good
    parts: list[Component | str] = [
        f"{date_text(first.taken_at)}, {count_text(row.since.runs, 'run')} "
    ]
    if good is None:
        return parts
    parts += [
        dcc.Link(
            "compare",
            href=since_address(row.since),
            title="the last good run with the first bad one",
        ),
        " ",
    ]
    if address := start_address(row):
        title = "find the commit between both that made the number worse"
        parts += [dcc.Link("bisect", href=address, title=title), " "]
    # A range with two dashes would look like commits.
    has_commits = good.commit or first.commit
    return [*parts, _commits(row.since.url, good, first)] if has_commits else parts


def _commits(url: str | None, good: CommitMoment, first: CommitMoment) -> Component:
    text = f"{commit_text(tame(good.commit))}…{commit_text(tame(first.commit))}"
    if url is None:
        return html.Span(text, className="ts-mono")
    return html.A(text, href=url, className="ts-mono", target="_blank", rel="noopener noreferrer")


def _acknowledgement(row: StatusRow, *, is_editor: bool) -> list[Component | str]:
    """Lay out the acknowledgement of a row; for editors with a button to withdraw it.

    When there is no acknowledgement, editors get field and button to make it if the row is
    regressed. Empty in all other cases.
    """
    run = row.run.run_id
    if row.acknowledged is not None:
        text = html.Span(shorten(acknowledged_words(row), 200), title=tame(row.acknowledged.note))
        undo = html.Button(
            "Take back", id={"type": "status-withdraw", "run": run}, className="ts-button"
        )
        return [text, " ", undo] if is_editor else [text]
    if row.verdict != "regressed" or not is_editor:
        return []
    note = dcc.Input(
        id={"type": "status-note", "run": run}, type="text", placeholder="note", maxLength=2_000
    )
    button = html.Button(
        "Acknowledge", id={"type": "status-acknowledge", "run": run}, className="ts-button"
    )
    label = html.Span(f"Note on {row.run.name}", className="visually-hidden")
    return [html.Label([label, note]), " ", button]


def _sparkline(points: Sequence[StatusPoint]) -> Component | str:
    """Draw the last numbers of a key as a line, with regressed runs as dots; "" if fewer than 2
    points have a number.
    """
    values = [
        (at, point.value, point.verdict)
        for at, point in enumerate(points)
        if point.value is not None
    ]
    if len(values) < 2:
        return ""
    low = min(value for _, value, _ in values)
    high = max(value for _, value, _ in values)
    reach = (high - low) or 1.0
    last = max(len(points) - 1, 1)

    def place(at: int, value: float) -> tuple[float, float]:
        # Equal numbers are drawn at half the height.
        across = at / last
        up = (value - low) / reach if high > low else 0.5
        return _EDGE + across * (_WIDTH - 2 * _EDGE), _HEIGHT - _EDGE - up * (_HEIGHT - 2 * _EDGE)

    line = " ".join("{:.1f},{:.1f}".format(*place(at, value)) for at, value, _ in values)
    bad = [place(at, value) for at, value, verdict in values if verdict == "regressed"]
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2"/>' for x, y in bad)
    label = f"{count_text(len(values), 'run')}, {len(bad)} of them regressed"
    layers = [
        _layer(f'<polyline points="{line}" fill="none" stroke="#000" stroke-width="1.5"/>', "muted")
    ]
    layers += [_layer(dots, look("regressed"))] if bad else []
    return html.Span(layers, className="ts-sparkline", role="img", **aria(label=label))


def _layer(drawn: str, role: str) -> html.Span:
    """Lay out an SVG drawing as the CSS mask of a box in the theme's colour `role`, because an SVG
    image cannot use the colours of the theme itself.
    """
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">{drawn}</svg>'
    source = f"url(data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()})"
    style = {"backgroundColor": f"var(--ts-{role})", "maskImage": source}
    return html.Span(style=style)
