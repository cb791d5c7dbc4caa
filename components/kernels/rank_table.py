"""Table of the ranks of a distributed job, with links to their runs."""

from __future__ import annotations

from urllib.parse import quote

from dash import html
from dash.development.base_component import Component

from analysis.kernels.ranks import Ranks, RankTimes
from components.kernels.rank_words import HEADS, rank_cells
from schema.plurals import plural

MAX_ROWS = 64
"""Maximum number of ranks in the table, those with the lowest numbers."""


def ranks_table(ranks: Ranks, run_id: str) -> html.Div:
    """Build a row per rank; the rank of another run links to it."""
    head = html.Thead(html.Tr([html.Th(text, scope="col") for text in HEADS]))
    cells = rank_cells(ranks)[:MAX_ROWS]
    rows = [
        html.Tr([html.Td(_rank(rank, run_id)), *(html.Td(text) for text in texts[1:])])
        for rank, texts in zip(ranks.ranks, cells, strict=False)
    ]
    table = html.Table([head, html.Tbody(rows)], className="ts-changes")
    left_out = len(ranks.ranks) - len(rows)
    note = f"and {plural(left_out, 'more rank')}" if left_out > 0 else ""
    return html.Div(
        [
            html.Div(table, className="ts-changes-frame"),
            html.P(note, className="ts-line ts-muted"),
        ]
    )


def _rank(rank: RankTimes, run_id: str) -> Component | str:
    if rank.run_id == run_id:
        return str(rank.rank)
    return html.A(f"rank {rank.rank}", href=f"/run/{quote(rank.run_id)}", title=rank.name)
