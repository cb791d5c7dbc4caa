"""Table and caption of the candidates for bank conflicts of an attempt."""

from __future__ import annotations

import pandas as pd
from dash import html

from components.numbers import count_text, integer, shorten

_MAX_ROWS = 200
"""Maximum number of candidates in the table."""
_NAME = 44


def conflict_list(conflicts: pd.DataFrame) -> html.Details:
    """Lay out the first 200 rows of `memory_conflicts.bank_conflicts` as a table, folded away at
    first; a line below counts the rest.
    """
    shown = conflicts.head(_MAX_ROWS)
    heads = html.Tr(
        [html.Th(name, scope="col") for name in ("step", "bank", "computed with", "moved")]
    )
    rows = [
        html.Tr(
            [
                html.Td(integer(int(step))),
                html.Td(f"bank {bank}"),
                html.Td(_name(compute)),
                html.Td(_name(transfer)),
            ]
        )
        for step, bank, compute, transfer in shown.itertuples(index=False)
    ]
    more = (
        [html.P(f"and {count_text(len(conflicts) - len(shown), 'more candidate')}")]
        if len(conflicts) > _MAX_ROWS
        else []
    )
    table = html.Table([html.Thead(heads), html.Tbody(rows)])
    return html.Details([html.Summary("Step by step"), table, *more], className="ts-conflicts")


def conflicts_caption(conflicts: pd.DataFrame) -> str:
    """Write how many pairs of blocks may conflict, in how many steps, and in which bank most;
    without rows, that no conflict is known.
    """
    if not len(conflicts):
        return "No step computes and moves in one bank, according to the log."
    # When two blocks share several banks, they are still a single pair.
    pairs = conflicts.drop_duplicates(["step", "compute", "transfer"])
    steps = int(conflicts["step"].nunique())
    return (
        f"{count_text(len(pairs), 'pair')} of blocks, one computed with and one moved, share a bank in "
        f"{count_text(steps, 'step')}; bank {int(conflicts['bank'].mode().iloc[0])} most often."
    )


def _name(text: object) -> html.Bdi:
    return html.Bdi(shorten(str(text), _NAME), title=str(text)[:400])
