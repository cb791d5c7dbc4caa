"""The pace of a capture: its caption, and the table of its limiters."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from analysis.aie.pace.limiters import Limiter
from analysis.aie.pace.pace import Pace
from analysis.aie.pace.sentence import is_interval
from components.caption import Caption, Jump
from components.numbers import count_text, gmacs, grouped_digits, integer, percent, shorten

NO_PACE = "No complete perf iteration: the pace is not known."
_HEADS = (
    ("", "order of the gain if fixed after the limiters above it"),
    ("what", "the part of the time, or an iteration"),
    ("where", "the cores, or the iteration"),
    ("cycles", "excess time per iteration"),
    ("share", "cycles / elapsed time of an iteration"),
    ("GMAC/s if fixed", "rate without only this limiter"),
    ("with all above fixed", "GMAC/s without it and all limiters above it"),
)
"""Heading and tooltip of the columns of the limiters table."""
_MAX_NAME_CHARACTERS = 30
"""Characters of a tile's name or place at most."""


def pace_caption(pace: Pace | None) -> str:
    """Return the caption of the pace: the first two limiters and the gain without them.

    The place of a limiter links to its tile or iteration. NO_PACE, a sentence, if `pace` is None.
    """
    if pace is None:
        return NO_PACE
    sentence = grouped_digits(pace.sentence.replace(" -> ", " → "))
    first = sentence[:1].upper() + sentence[1:]
    jumps = []
    for rank, limiter in enumerate(pace.limiters[:2]):
        # The first limiter begins the sentence, so that its place is capitalised there.
        where = limiter.where if rank else limiter.where[:1].upper() + limiter.where[1:]
        jump = limiter_jump(limiter, where)
        if jump is not None:
            jumps.append(jump)
    return Caption(f"{first}.", *jumps)


def limiters_caption(limiters: Sequence[Limiter]) -> str:
    """Return the caption of the limiters table: the number of limiters and the rate without all of
    them, if it is known.

    A sentence that no part takes 1 % of the time more than usual, if there are no limiters.
    """
    if not limiters:
        return "No part of a core and no iteration takes 1 % of the time more than usual."
    rate = limiters[-1].cumulative_gmacs
    gain = (
        ""
        if rate is None
        else f": {gmacs(rate)} GMAC/s without {'it' if len(limiters) == 1 else 'all of them'}"
    )
    return f"{count_text(len(limiters), 'limiter')}{gain}."


def limiter_jump(limiter: Limiter, text: str) -> Jump | None:
    """Build a link with this text that selects the iteration of a limiter, else its tile.

    Returns None if the limiter covers all cores.
    """
    if limiter.iteration is not None:
        return Jump(text, "iteration", limiter.iteration)
    return None if limiter.track is None else Jump(text, "track", limiter.track)


def limiter_cells(rank: int, limiter: Limiter) -> list[str]:
    """Format a limiter as seven texts: rank, part of the time, place, cycles, share, rate without
    it, rate without it and all before it.

    `rank` counts from 1.
    """
    others = ", ".join(map(str, limiter.together))
    return [
        str(rank),
        limiter.what.replace("_", " ") + (f", together with {others}" if others else ""),
        shorten(limiter.where, _MAX_NAME_CHARACTERS),
        integer(limiter.cycles),
        percent(limiter.share),
        _format_gain(limiter),
        gmacs(limiter.cumulative_gmacs),
    ]


def _format_gain(limiter: Limiter) -> str:
    """Format the rate (GMAC/s) without a limiter; as an interval `low to high` if only its limits
    are known, a dash if it is unknown.
    """
    low = limiter.gmacs_if_fixed_low
    if low is None or not is_interval(limiter):
        return gmacs(limiter.gmacs_if_fixed)
    return f"{gmacs(low)} to {gmacs(limiter.gmacs_if_fixed)}"


def limiter_labels() -> list[tuple[str, str]]:
    """Return (heading, tooltip) of each column of the limiters table, of which the first is `rank`."""
    return [(label or "rank", meaning) for label, meaning in _HEADS]


def limiters_table(limiters: Sequence[Limiter], places: Sequence[Component | str]) -> html.Div:
    """Build the table of limiters in the given order, ranked from 1.

    `places` are the cells of the third column, with the place of each limiter. When there are no
    limiters, the table has no rows.
    """
    heads = [html.Th(label, scope="col", title=meaning) for label, meaning in _HEADS]
    rows = [
        _limiter_row(limiter_cells(rank, limiter), place)
        for rank, (limiter, place) in enumerate(zip(limiters, places, strict=True), start=1)
    ]
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody(rows)], className="ts-limiters")
    return html.Div(table, className="ts-scroll")


def _limiter_row(cells: Sequence[str], place: Component | str) -> html.Tr:
    rank, what, _, *numbers = cells
    shown = [html.Td(text, className="ts-number") for text in numbers]
    return html.Tr([html.Th(rank, scope="row"), html.Td(what), html.Td(place), *shown])
