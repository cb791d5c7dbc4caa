"""Command `advise`: best tile size of a GEMM, from the sizes that were measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from app.cli.records import command_errors, print_record
from app.cli.run_options import with_run
from schema.plurals import plural

if TYPE_CHECKING:
    from analysis.tiling.advice import Advice, Size
    from storage.repository import Repository

_MAX_SHOWN = 12
"""Maximum number of predicted and of refused sizes that are printed as text."""


@click.command()
@with_run
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every size.")
def advise(repository: Repository, run_id: str, *, as_json: bool) -> None:
    """Print which tile size m x k x n is best for the GEMM of a capture: measured sizes, and
    predictions of other sizes.

    RUN is an id or its beginning. All runs of the same GEMM, data type and grid on the same
    hardware count.
    """
    from services.run.advice import advice_mapping, find_advice

    with command_errors():
        advice = find_advice(repository, run_id)
    print_record(advice_mapping(advice), _lines(advice), as_json=as_json)


def _lines(advice: Advice) -> Iterator[str]:
    """Yield the caption, then lines about the sizes in GMAC/s: of each measured size, then of at most _MAX_SHOWN (12)
    predictions and as many refused sizes, with the reason, and the number of sizes left out.
    """
    from components.tiling.advice_captions import advice_caption

    yield advice_caption(advice)
    for measured in advice.measured:
        several = measured.runs > 1
        runs = f"median of {plural(measured.runs, 'run')}, best {measured.run_id}"
        origin = runs if several else f"run {measured.run_id}"
        yield f"measured   {_text(measured.size):>14}  {measured.gmacs:>8.1f} GMAC/s  {origin}"
    for guess in advice.predicted[:_MAX_SHOWN]:
        interval = f"95 %: {guess.low:.1f} to {guess.high:.1f}"
        yield f"predicted  {_text(guess.size):>14}  {guess.gmacs:>8.1f} GMAC/s  {interval}"
    if advice.shared_reason:
        yield f"refused    {plural(len(advice.refused), 'size')}: {advice.shared_reason}"
    refused = () if advice.shared_reason else advice.refused
    for refusal in refused[:_MAX_SHOWN]:
        yield f"refused    {_text(refusal.size):>14}  {refusal.reason}"
    more = len(advice.predicted[_MAX_SHOWN:]) + len(refused[_MAX_SHOWN:])
    if more:
        yield f"{plural(more, 'more size')}: --json prints all"


def _text(size: Size) -> str:
    return " x ".join(map(str, size))
