"""Page of all bisections, with the form to start one."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from urllib.parse import parse_qs

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from analysis.bisection.address import LIST_PATH
from analysis.comparison.series import SeriesKey
from app.context import AppContext
from app.pages.page import PageRequest
from app.request.user import may_edit
from components.bisection.table import ListedBisection, bisections_table
from components.comparison.trend_names import key_names
from components.numbers import shorten, tame
from schema.command import COMMAND
from schema.metrics import METRICS
from schema.result_metrics import MAX_KEY, find_metric
from services.bisection.bisections import MAX_LISTED, find_stored, find_subject
from services.bisection.commits import MAX_BYTES, MAX_NAME
from services.bisection.errors import BisectionError
from services.trends.named_metrics import named_metrics
from storage.bisections import Bisections
from storage.errors import StorageError

FIELDS = ("run", "good", "bad", "metric", "commits")
USUAL = "usual"
"""Value of the selector for the metric that decides verdicts: an empty value has no label."""
_LABELS = {"run": "run of the key", "good": "good commit", "bad": "bad commit"}
_MAX_FIELD = 200
_MAX_LABEL = 60
"""Maximum characters of a metric in the selector: named numbers have names of files."""


def field_id(name: str) -> str:
    """Return the id of a field of the form."""
    return f"bisect-field-{name}"


def layout(context: AppContext, request: PageRequest) -> html.Div:
    """Lay out the list of bisections, and for editors the form, filled in from the address."""
    given = {
        name: values[0][: MAX_KEY if name == "metric" else _MAX_FIELD]
        for name, values in parse_qs(request.query).items()
        if name in FIELDS
    }
    return html.Div(
        [
            html.Div(
                html.H1("Bisections", className="ts-page-title"), className="ts-trends-controls"
            ),
            *_existing(context, given),
            _form(context, given) if may_edit() else _command(given),
            _list(context),
            dcc.Location(id="bisect-goto", refresh=True),
        ],
        className="ts-trends ts-bisect",
    )


def _existing(context: AppContext, given: Mapping[str, str]) -> list[Component]:
    """Lay out a link to the bisection that the address is about, if there is any."""
    if not {"run", "good", "bad"} <= given.keys():
        return []
    repository = context.repository
    try:
        subject = find_subject(
            repository, repository.resolve(given["run"]), given.get("metric", "")
        )
        stored = find_stored(repository.catalogue, subject, given["good"], given["bad"])
    except (BisectionError, StorageError):
        return []
    if stored is None:
        return []
    link = dcc.Link("Open it", href=f"{LIST_PATH}/{stored.bisection_id}")
    sentence = html.P(["There is a bisection between these commits. ", link], className="ts-answer")
    return [html.Section(sentence, className="ts-panel ts-part")]


def _command(given: Mapping[str, str]) -> html.Section:
    """Lay out the command that starts a bisection."""
    return html.Section(
        [
            html.P("Editors start a bisection here, or by this command:", className="ts-line"),
            *_command_line(given),
        ],
        className="ts-panel ts-part ts-bisect-part",
    )


def _command_line(given: Mapping[str, str]) -> list[Component]:
    words = {"run": "RUN", "good": "COMMIT", "bad": "COMMIT"} | {
        name: value for name, value in given.items() if value.isalnum()
    }
    text = f"{COMMAND} bisect --key {words['run']} --good {words['good']} --bad {words['bad']}"
    metric = find_metric(given.get("metric", ""))
    if metric is not None:
        # Keys of named numbers have names of files.
        text += f" --metric {shlex.quote(tame(metric.name))}"
    return [html.Pre(text)]


def _metric_field(context: AppContext, chosen: str) -> html.Label:
    """Lay out the selector of the metric: metrics of the registry, and named numbers of the newest
    runs and of the address.
    """
    offered = {
        metric.name: metric
        for metric in (*METRICS.values(), *named_metrics(context.repository.catalogue))
    }
    from_address = find_metric(chosen)
    if from_address is not None:
        offered.setdefault(from_address.name, from_address)
    options = [{"label": "the metric of verdicts", "value": USUAL}] + [
        {"label": shorten(metric.label, _MAX_LABEL), "value": metric.name}
        for metric in offered.values()
        if metric.polarity
    ]
    select = dbc.Select(
        id=field_id("metric"),
        options=options,
        value=USUAL if from_address is None else from_address.name,
        size="sm",
        class_name="ts-select",
    )
    return html.Label([html.Span("metric"), select])


def _form(context: AppContext, given: Mapping[str, str]) -> html.Section:
    metric = _metric_field(context, given.get("metric", ""))
    commits = html.Label(
        [
            html.Span("commits, a line each, the oldest first"),
            dcc.Textarea(
                id=field_id("commits"),
                value="",
                maxLength=MAX_BYTES,
                placeholder="git log --first-parent --reverse --format='%H %s' GOOD..BAD",
                rows=6,
            ),
        ],
        className="ts-bisect-commits",
    )
    return html.Section(
        [
            html.Div(
                html.H2("Start a bisection", className="ts-panel-title"), className="ts-panel-head"
            ),
            html.P(
                "It plans which commits to measure until the commit that made the metric worse is proved.",
                className="ts-line ts-muted",
            ),
            html.Div(
                [*(_text(name, label, given) for name, label in _LABELS.items()), metric],
                className="ts-bisect-fields",
            ),
            commits,
            html.Div(
                [html.Button("Start", id="bisect-start", className="ts-button")],
                className="ts-actions",
            ),
            html.P(id="bisect-error", className="ts-trouble", role="alert"),
            html.P(
                "In the folder of a git repository, this command needs no list:",
                className="ts-line ts-muted",
            ),
            *_command_line(given),
        ],
        className="ts-panel ts-part ts-bisect-form",
    )


def _text(name: str, label: str, given: Mapping[str, str]) -> html.Label:
    control = dcc.Input(
        id=field_id(name),
        type="text",
        value=tame(given.get(name, "")),
        maxLength=MAX_NAME,
        autoComplete="off",
    )
    return html.Label([html.Span(label), control])


def metric_label(name: str) -> str:
    """Return the label of a stored bisection's metric; its name if it is unknown."""
    metric = find_metric(name)
    return name if metric is None else tame(metric.label)


def _list(context: AppContext) -> html.Section:
    stored = Bisections(context.repository.catalogue).newest(MAX_LISTED)
    if not stored:
        return html.Section(
            html.P("No bisection yet.", className="ts-answer ts-muted"),
            className="ts-panel ts-part",
        )
    names = key_names([SeriesKey(*item.key) for item in stored])
    listed = [
        ListedBisection(
            item.bisection_id,
            name,
            metric_label(item.metric),
            item.good,
            item.bad,
            len(item.commits) - 1,
            item.created_by,
            item.created_at,
        )
        for item, name in zip(stored, names, strict=True)
    ]
    return html.Section(bisections_table(listed), className="ts-panel ts-part")
