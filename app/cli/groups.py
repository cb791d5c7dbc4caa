"""Command `groups`: layer groups of a compiler's log, and why attempts failed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import COUNT, printable, with_settings
from app.cli.records import command_errors
from schema.plurals import plural

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.command()
@with_settings
@click.argument("run_id", metavar="RUN")
@click.option(
    "--effort",
    type=COUNT,
    help="Placements to try for each failed attempt (default: 20,000).",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every attempt.")
def groups(settings: Settings, run_id: str, *, effort: int | None, as_json: bool) -> None:
    """Print the layer groups of a log: the number of attempts, outcome and reason of the last, and whether its blocks
    can be placed by a search.

    RUN is an id or its beginning.
    """
    repository = settings.repository()
    run_id = repository.resolve(run_id)
    from analysis.allocators.listed import DEFAULT
    from services.lab.allocate import memory_of, prepare
    from services.lab.groups import known_failures, list_groups
    from services.lab.server import open_searches
    from services.run.data_cache import RunDataCache
    from services.run.group_failures import EFFORT
    from services.run.memory import has_failures

    tried = EFFORT if effort is None else effort
    with command_errors(ValueError, RuntimeError):
        memory = memory_of(RunDataCache(repository), run_id)
        version = repository.version(run_id)
        cache = open_searches(
            settings.lab_folders, settings.lab_clock_s, settings.lab_memory_mb
        ).groups.kept
        # Compiling takes seconds, and results that are cached need no search.
        if has_failures(memory) and cache.read(version, tried) is None:
            prepare(DEFAULT, lambda sentence: click.echo(sentence, err=True))
        listed = list_groups(memory, run_id, known_failures(memory, cache, version, tried))
    click.echo(
        json.dumps(listed) if as_json else "\n".join(map(printable, _lines(listed["groups"])))
    )


_VERDICTS = {
    "optimal": "the search fits it",
    "feasible": "the search fits it",
    "infeasible": "proved impossible",
    "not_found": "the search found no placement",
}
_REASONS = {"too_big": "too big", "bank_rule": "a bank rule", "fragmentation": "fragmentation"}
_NO_RULE = "a block fits into a free range, and bank conflicts were allowed"


def _lines(listed: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a line per layer group: number of attempts, the last attempt and its outcome, and if it
    failed the reason.
    """
    for group in listed:
        last = group["curve"][-1]
        tried = len(group["attempts"])
        head = (
            f"{group['group'] or '-'}  attempts: {tried}, last {group['last']}: {group['outcome']}"
        )
        yield head + (f", {_failure_words(last)}" if last["failed"] else "")


def _failure_words(last: dict[str, Any]) -> str:
    words = [f"{plural(last['failed'], 'block')} failed"]
    if last["reason"] is not None:
        more = (
            f", {plural(last['excess'], 'byte')} too many in step {last['step']}"
            if last["excess"] is not None
            else ""
        )
        is_ruled = last["reason"] != "bank_rule" or last["allow_bank_conflict"] != 1
        words.append(f"{_REASONS[last['reason']] if is_ruled else _NO_RULE}{more}")
    if last["lab"] is not None:
        words.append(_VERDICTS[last["lab"]["status"]])
    return "; ".join(words)
