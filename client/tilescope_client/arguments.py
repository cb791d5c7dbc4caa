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
    """The arguments are not valid; the message is one sentence."""


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError, so that its errors are printed like all others."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the message and a hint at --help."""
        raise UsageError(f"{message} ({self.prog} --help lists what there is)")


def parser() -> Parser:
    """Create the parser of all commands."""
    made = Parser(
        prog="tilescope-client",
        description="A client of Tilescope. TILESCOPE_URL is the server, TILESCOPE_TOKEN the token.",
    )
    made.add_argument("--url", default=os.environ.get("TILESCOPE_URL", "http://127.0.0.1:8050"))
    made.add_argument("--tries", type=int, default=TRIES, help="how often what fails for a moment is tried")
    commands = made.add_subparsers(dest="command", required=True, parser_class=Parser)
    _add_push(commands)
    _add_reading(commands)
    _add_check(commands)
    _add_changing(commands)
    return made


def run_id(text: str) -> str:
    """Return the id of a run from its id or from the address of its page."""
    return text.rstrip("/").rpartition("/run/")[2].partition("?")[0]


def _add_push(commands: argparse._SubParsersAction[Parser]) -> None:
    one = commands.add_parser("push", help="ingest files that belong together; print the address of each run's page")
    one.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    one.add_argument("--set", dest="settings", action="append", type=_pair, default=[], metavar="KEY=VALUE")
    one.add_argument("--name", default="", help="of a single file, with folders, as the server is to know it")
    one.add_argument("--resume", default="", metavar="ID", help="go on with a push that was given up")
    one.add_argument("--json", action="store_true", help="print the whole answer")


def _add_reading(commands: argparse._SubParsersAction[Parser]) -> None:
    one = commands.add_parser("runs", help="print runs, newest first, one a line")
    _add_filters(one)
    one.add_argument("--search", dest="q", metavar="WORDS", help="words that all fit")
    one.add_argument("--limit", type=int, default=0)
    one.add_argument("--json", action="store_true", help="print a JSON list with every column")
    one = commands.add_parser("query", help="ask by SQL")
    one.add_argument("sql", metavar="SQL", help="a SELECT; - reads it from stdin")
    one.add_argument("--run", dest="runs", action="append", type=run_id, metavar="RUN", help="only this run")
    _add_filters(one)
    one.add_argument("--limit", type=int, metavar="ROWS")
    one.add_argument("--seconds", type=float)
    one.add_argument("--format", default="table", choices=["table", *_FORMATS])
    one.add_argument("--output", type=Path, metavar="FILE")
    one = commands.add_parser("frame", help="write a frame of a run")
    one.add_argument("run", metavar="RUN", type=run_id)
    one.add_argument("frame")
    one.add_argument("--format", default="csv", choices=_FORMATS)
    one.add_argument("--method", default="robust", choices=["robust", "reference"])
    one.add_argument("--output", type=Path, metavar="FILE")


def _add_check(commands: argparse._SubParsersAction[Parser]) -> None:
    one = commands.add_parser("check", help="compare runs with a baseline, as the gate does")
    one.add_argument("runs", nargs="+", metavar="RUN", type=run_id)
    one.add_argument("--baseline", required=True)
    one.add_argument(
        "--threshold", dest="thresholds", action="append", default=[], metavar="METRIC=PERCENT", help="least change"
    )
    one.add_argument("--format", default="text", choices=["text", "json", "junit", "markdown"])
    one.add_argument("--undecided", default="fail", choices=["fail", "pass"], help="exit code 2 or 0")


def _add_changing(commands: argparse._SubParsersAction[Parser]) -> None:
    one = commands.add_parser("annotate", help="change what people add to a run")
    one.add_argument("run", metavar="RUN", type=run_id)
    one.add_argument("--note", metavar="TEXT", help="in place of the notes that are there")
    one.add_argument("--tag", dest="tags", action="append", metavar="T", help="a tag to add")
    one.add_argument("--pin", dest="pinned", action="store_true", default=None)
    one.add_argument("--unpin", dest="pinned", action="store_false")
    one.add_argument("--json", action="store_true", help="print the run as JSON")
    one = commands.add_parser("derive", help="derive numbers of runs again, and wait for it")
    one.add_argument("runs", nargs="*", metavar="RUN", type=run_id)
    one.add_argument("--json", action="store_true", help="print the job as JSON")
    one = commands.add_parser("wait", help="wait for a job")
    one.add_argument("job")
    one.add_argument("--json", action="store_true", help="print the job as JSON")


def _add_filters(one: argparse.ArgumentParser) -> None:
    for name in FILTERS:
        one.add_argument(f"--{name}", action="append", help="may be given several times")


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form KEY=VALUE")
    return key, value
