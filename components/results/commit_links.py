"""Links between results and traces of the same commit."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from dash import dcc, html
from dash.development.base_component import Component

from components.numbers import count_text, shorten
from storage.same_commit import CommitRun

_MAX_LINKS = 6
_MAX_NAME = 40


def commit_links(runs: Sequence[CommitRun], commit: str) -> list[Component]:
    """Lay out a line with a link to each run of the other kind; of more than 6 (_MAX_LINKS) the
    first, and a link to the list with all. Empty without runs.
    """
    if not runs:
        return []
    lead = "Results of this commit: " if runs[0].has_results else "Traces of this commit: "
    links: list[Component | str] = []
    for run in runs[:_MAX_LINKS]:
        name = shorten(run.name, _MAX_NAME)
        link = dcc.Link(f"{name} ({run.source})", href=f"/run/{quote(run.run_id)}")
        links += [", ", link] if links else [link]
    left = len(runs) - _MAX_LINKS
    if left > 0:
        every = dcc.Link(
            f"{count_text(left, 'more run')}", href=f"/runs?commit={quote(commit, safe='')}"
        )
        links += [", ", every]
    return [html.P([lead, *links], className="ts-line ts-muted ts-commit-links")]
