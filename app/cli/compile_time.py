"""Command `compile-time`: time of a compiler by rewrite step, rule and traced range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from app.cli.records import command_errors, print_record
from app.cli.run_options import with_run

if TYPE_CHECKING:
    from analysis.program.compile_time import CompileTime
    from storage.repository import Repository

_MAX_ROWS = 15
"""Maximum number of steps, rules and ranges that are printed as text."""


@click.command("compile-time")
@with_run
@click.option("--json", "as_json", is_flag=True, help="Print JSON with all rows, times in ns.")
def compile_time(repository: Repository, run_id: str, *, as_json: bool) -> None:
    """Print where a compiler's time went: by rewrite step, by rule, and by the ranges that it traced of itself.

    RUN is an id or its beginning. Times of steps and rules are those of their matches.
    """
    from services.run.compile_time import compile_mapping, find_compile_time

    with command_errors():
        times = find_compile_time(repository, run_id)
    print_record(compile_mapping(times), _lines(times), as_json=as_json)


def _lines(times: CompileTime) -> Iterator[str]:
    from analysis.program.compile_time import ranges_by_name
    from components.kernels.step_words import time_text
    from components.program.compile_words import compile_sentence, rule_place

    yield compile_sentence(times)
    yield f"{'time':>10}  {'matches':>8}  step"
    for row in times.steps.head(_MAX_ROWS).to_dict("records"):
        yield f"{time_text(row['duration']):>10}  {row['matches']:>8}  {row['name']}"
    yield f"{'time':>10}  {'matches':>8}  rule"
    for row in times.rules.head(_MAX_ROWS).to_dict("records"):
        yield f"{time_text(row['duration']):>10}  {row['matches']:>8}  {rule_place(row['file'], row['line'])}"
    ranges = ranges_by_name(times.ranges).sort_values("own", ascending=False, kind="stable")
    yield f"{'own time':>10}  {'with inner':>10}  {'count':>6}  range"
    for row in ranges.head(_MAX_ROWS).to_dict("records"):
        yield f"{time_text(row['own']):>10}  {time_text(row['total']):>10}  {row['count']:>6}  {row['name']}"
