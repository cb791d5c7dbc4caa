"""Arguments of the command."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import NoReturn

from tilescope_client.transport import TRIES

_FORMATS = ("json", "csv", "parquet", "arrow")
FILTERS = ("source", "hwid", "M", "K", "N", "tag")


class UsageError(Exception):
    """The arguments are not valid; the message is a sentence."""


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError, so that its errors are printed like all other errors."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the message and a hint at --help."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def parser() -> Parser:
    """Create the parser of all commands."""
    root = Parser(
        prog="tilescope-client",
        description="A client of Tilescope. TILESCOPE_URL is the server, TILESCOPE_TOKEN the token.",
    )
    root.add_argument("--url", default=os.environ.get("TILESCOPE_URL", "http://127.0.0.1:8050"))
    root.add_argument(
        "--tries",
        type=int,
        default=TRIES,
        help="number of attempts of a request that fails temporarily",
    )
    commands = root.add_subparsers(dest="command", required=True, parser_class=Parser)
    _add_push(commands)
    _add_reading(commands)
    _add_check(commands)
    _add_changing(commands)
    return root


def run_id(text: str) -> str:
    """Return the id of a run from its id or from the address of its page."""
    return text.rstrip("/").rpartition("/run/")[2].partition("?")[0]


def _add_push(commands: argparse._SubParsersAction[Parser]) -> None:
    push = commands.add_parser(
        "push", help="ingest files that belong together and print the page address of each run"
    )
    push.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    push.add_argument(
        "--set", dest="settings", action="append", type=_pair, default=[], metavar="KEY=VALUE"
    )
    push.add_argument(
        "--name", default="", help="name of a single file on the server, with folders"
    )
    push.add_argument("--resume", default="", metavar="ID", help="resume an interrupted push")
    push.add_argument("--json", action="store_true", help="print the complete response")


def _add_reading(commands: argparse._SubParsersAction[Parser]) -> None:
    command = commands.add_parser("runs", help="print runs, newest first, one per line")
    _add_filters(command)
    command.add_argument("--search", dest="q", metavar="WORDS", help="words that must all match")
    command.add_argument("--limit", type=int, default=0)
    command.add_argument("--json", action="store_true", help="print a JSON list with every column")
    command = commands.add_parser("query", help="run an SQL query")
    command.add_argument("sql", metavar="SQL", help="a SELECT; - reads it from stdin")
    command.add_argument(
        "--run", dest="runs", action="append", type=run_id, metavar="RUN", help="only this run"
    )
    _add_filters(command)
    command.add_argument("--limit", type=int, metavar="ROWS")
    command.add_argument("--seconds", type=float)
    command.add_argument("--format", default="table", choices=["table", *_FORMATS])
    command.add_argument("--output", type=Path, metavar="FILE")
    command = commands.add_parser("frame", help="write a frame of a run to a file")
    command.add_argument("run", metavar="RUN", type=run_id)
    command.add_argument("frame")
    command.add_argument("--format", default="csv", choices=_FORMATS)
    command.add_argument("--method", default="robust", choices=["robust", "reference"])
    command.add_argument("--output", type=Path, metavar="FILE")


def _add_check(commands: argparse._SubParsersAction[Parser]) -> None:
    check = commands.add_parser("check", help="compare runs with a baseline, as the gate does")
    check.add_argument("runs", nargs="+", metavar="RUN", type=run_id)
    check.add_argument("--baseline", required=True)
    check.add_argument(
        "--threshold",
        dest="thresholds",
        action="append",
        default=[],
        metavar="METRIC=PERCENT",
        help="least change",
    )
    check.add_argument("--format", default="text", choices=["text", "json", "junit", "markdown"])
    check.add_argument(
        "--undecided", default="fail", choices=["fail", "pass"], help="exit code 2 or 0"
    )


def _add_changing(commands: argparse._SubParsersAction[Parser]) -> None:
    command = commands.add_parser("annotate", help="change notes, tags or pin of a run")
    command.add_argument("run", metavar="RUN", type=run_id)
    command.add_argument("--note", metavar="TEXT", help="replaces the present notes")
    command.add_argument("--tag", dest="tags", action="append", metavar="T", help="a tag to add")
    command.add_argument("--pin", dest="pinned", action="store_true", default=None)
    command.add_argument("--unpin", dest="pinned", action="store_false")
    command.add_argument("--json", action="store_true", help="print the run as JSON")
    command = commands.add_parser(
        "derive", help="recompute the numbers of runs and wait for the job"
    )
    command.add_argument("runs", nargs="*", metavar="RUN", type=run_id)
    command.add_argument("--json", action="store_true", help="print the job as JSON")
    command = commands.add_parser("wait", help="wait until a job ends")
    command.add_argument("job")
    command.add_argument("--json", action="store_true", help="print the job as JSON")


def _add_filters(command: argparse.ArgumentParser) -> None:
    for name in FILTERS:
        command.add_argument(f"--{name}", action="append", help="repeatable")


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form KEY=VALUE")
    return key, value
