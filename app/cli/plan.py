"""Command `plan`: memory of all operators of a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import ByteSizes
from app.cli.records import command_errors, print_record
from app.cli.run_options import with_run
from schema.decimals import share_percent
from schema.plurals import plural

if TYPE_CHECKING:
    from storage.repository import Repository


@click.command()
@with_run
@click.option(
    "--level",
    metavar="NAME",
    help="Memory level (default: all levels, and the two innermost levels together).",
)
@click.option(
    "--capacities", type=ByteSizes(), default=(), help="Capacities to try, such as 64KiB,128KiB."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, with every operator and every capacity."
)
def plan(
    repository: Repository,
    run_id: str,
    *,
    level: str | None,
    capacities: tuple[int, ...],
    as_json: bool,
) -> None:
    """Print the bytes that all operators of a network move at each memory level, and the smallest
    capacity that they fit.

    RUN is an id or its beginning. Its operators must be cut into tiles, as those of a run of
    Deeploy are.
    """
    from schema.choices import METHODS
    from services.run.data_cache import RunDataCache
    from services.run.plan import plan_mapping

    with command_errors():
        mapping = plan_mapping(
            RunDataCache(repository).get(run_id, METHODS[0], {}), level, capacities
        )
    print_record(mapping, _lines(mapping), as_json=as_json)


def _lines(mapping: dict[str, Any]) -> Iterator[str]:
    """Yield lines for each level: traffic in bytes, smallest capacity, operators that move most
    with their share of all known bytes, tried capacities.
    """
    for level in mapping["levels"]:
        yield f"{level['level']}: {_traffic_words(level)}"
        yield f"  smallest capacity {_capacity_words(level)}"
        if level["capacity_note"]:
            yield f"  {level['capacity_note']}"
        if level["worst"]:
            yield "  operators that move most, with their share of all known bytes:"
        for row in level["worst"]:
            yield f"  {share_percent(row['share']):>7}  {row['bytes_in']} in, {row['bytes_out']} out  {row['name']}"
        for row in level["sweep"]:
            yield f"  capacity {row['capacity']}: {_swept_words(row, level)}"


def _traffic_words(level: Mapping[str, Any]) -> str:
    count = len(level["operators"])
    operators = plural(count, "operator")
    if level["unknown"] == count:
        return f"bytes moved by {operators} are not known"
    lacking = f", {level['unknown']} of {operators} unknown" if level["unknown"] else ""
    return f"{plural(level['bytes_in'], 'byte')} in, {level['bytes_out']} out{lacking}"


def _capacity_words(level: Mapping[str, Any]) -> str:
    least = level["least_capacity"]
    now = "" if level["capacity"] is None else f", now {level['capacity']}"
    static = level["added_static"]
    code = f"; the generated code adds {plural(static, 'byte')} to each" if static else ""
    return f"{plural(least['any'], 'byte')}, as tiled {least['chosen']}{now}{code}"


def _swept_words(row: Mapping[str, Any], level: Mapping[str, Any]) -> str:
    """Write how many operators fit, or the bytes moved if all of them do and any are known."""
    count = len(level["operators"])
    if not row["feasible"]:
        return _fitting_words(row["fitting"], count)
    if level["unknown"] == count:
        return f"{_fitting_words(count, count)}, bytes moved are not known"
    lacking = (
        f" without {level['unknown']} of {plural(count, 'operator')}" if level["unknown"] else ""
    )
    return f"{plural(row['bytes'], 'byte')} moved{lacking}"


def _fitting_words(fitting: int, operators: int) -> str:
    if operators == 1:
        return "the operator fits" if fitting else "the operator does not fit"
    return f"{fitting} of {plural(operators, 'operator')} {'fits' if fitting == 1 else 'fit'}"
