"""List of baselines in the dialog: name, meaning, deleted runs, and a button to delete the
baseline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dash import html
from dash.development.base_component import Component

from components.aria import aria
from components.numbers import count_text, tame


@dataclass(frozen=True)
class ShownBaseline:
    """A baseline in words.

    `kind` is its kind in words, `key` the key of its runs, `runs` maps run ids to names, `deleted`
    names runs that were deleted.
    """

    name: str
    kind: str
    key: str
    changed_at: str
    runs: Mapping[str, str]
    deleted: Sequence[str]


def baseline_list(baselines: Sequence[ShownBaseline]) -> list[Component]:
    """Build a list with a row per baseline in the given order; a paragraph if there are no
    baselines.
    """
    if not baselines:
        return [html.P("There is no baseline yet.", className="ts-muted")]
    return [html.Ul([_row(baseline) for baseline in baselines], className="ts-baselines")]


def _row(baseline: ShownBaseline) -> html.Li:
    button = html.Button(
        "Delete",
        id={"type": "runs-baseline-delete", "name": baseline.name},
        className="ts-button ts-danger",
        **aria(label=f"Delete baseline {tame(baseline.name)}"),
    )
    parts = [
        html.Strong(tame(baseline.name), className="ts-mono"),
        html.Span(
            f"{baseline.kind}, set {baseline.changed_at[:16].replace('T', ' ')}",
            className="ts-muted",
        ),
        html.Div(
            tame(baseline.key) or "the runs that gave its key were deleted",
            className="ts-baseline-key ts-muted",
        ),
        *_members(baseline),
    ]
    return html.Li([html.Div(parts), button])


def _members(baseline: ShownBaseline) -> list[Component]:
    links = [
        html.Li(html.A(tame(name), href=f"/run/{run_id}")) for run_id, name in baseline.runs.items()
    ]
    listed = html.Details(
        [html.Summary(count_text(len(links), "run")), html.Ul(links)], className="ts-baseline-runs"
    )
    empty = html.Div("no run is left", className="ts-caution")
    deleted_words = f"{count_text(len(baseline.deleted), 'deleted run')}, left out: {', '.join(map(tame, baseline.deleted))}"
    deleted = (
        [html.Div(deleted_words, className="ts-caution ts-baseline-key")]
        if baseline.deleted
        else []
    )
    return [listed if links else empty, *deleted]
