"""Results of commands: printed as JSON or as lines, and errors of services as errors of commands."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import click

from app.cli.common import printable


@contextmanager
def command_errors(*kinds: type[Exception]) -> Iterator[None]:
    """Turn an exception of these kinds (default: ValueError), whose message is a sentence for
    users, into a ClickException.
    """
    caught = kinds or (ValueError,)
    try:
        yield
    except caught as error:
        raise click.ClickException(str(error)) from error


def print_record(record: Mapping[str, object], lines: Iterable[str], *, as_json: bool) -> None:
    """Print the record as a line of JSON if `as_json`, else the lines with printable characters."""
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    for line in lines:
        click.echo(printable(line))
