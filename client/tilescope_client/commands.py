"""The command `tilescope-client`.

Its exit codes are those of the server's command line: 0 done, 1 error. For `check`: 0 no
regression, 1 regression, 2 undecided, 3 error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from tilescope_client.arguments import FILTERS, UsageError, parser
from tilescope_client.client import Client
from tilescope_client.text_table import line, text_table
from tilescope_client.transport import ApiError, Unreachable

OK = 0
FAILED = 1
UNDECIDED = 2
CHECK_ERROR = 3
_NO_RATES = "settings_unknown"
"""Code of the finding about a run without rates; its message names the missing settings."""


def main_exit() -> NoReturn:
    """Run the command and exit with its code."""
    sys.exit(main())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        options = parser().parse_args(words)
    except UsageError as error:
        # The arguments are invalid, so that only their words say which command was meant.
        return _fail(error, CHECK_ERROR if "check" in words else FAILED)
    except SystemExit as end:  # of --help
        return int(end.code or OK)
    client = Client(options.url, os.environ.get("TILESCOPE_TOKEN", ""), tries=max(1, options.tries))
    error_code = CHECK_ERROR if options.command == "check" else FAILED
    try:
        client.transport.knock()
        return _COMMANDS[options.command](client, options)
    except BrokenPipeError:
        # The flush at exit would fail again on the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return error_code
    except (ApiError, Unreachable, OSError, ValueError) as error:
        return _fail(error, error_code)
    except KeyboardInterrupt:
        return _fail("interrupted", error_code)


def _fail(error: object, code: int) -> int:
    print(f"Error: {line(str(error))}", file=sys.stderr)
    return code


def _push(client: Client, options: argparse.Namespace) -> int:
    result = client.push(options.paths, dict(options.settings), options.name, options.resume)
    for run in result["runs"]:
        for finding in run["diagnostics"]:
            if finding["severity"] == "info":
                continue
            loud = "WARNING" if finding["code"] == _NO_RATES else "Note"
            print(f"{loud}: {line(run['name'])}: {line(finding['message'])}", file=sys.stderr)
    print(
        json.dumps(result)
        if options.json
        else "\n".join(client.link(run["run_id"]) for run in result["runs"])
    )
    return OK


def _runs(client: Client, options: argparse.Namespace) -> int:
    runs = []
    for run in client.runs(**_filters(options), **({"q": options.q} if options.q else {})):
        runs.append(run)
        if not options.json:
            print(_run_line(run))
        # The default 0 never equals a number of runs, and so means no limit.
        if len(runs) == options.limit:
            break
    if options.json:
        print(json.dumps(runs))
    return OK


def _query(client: Client, options: argparse.Namespace) -> int:
    sql = sys.stdin.read() if options.sql == "-" else options.sql
    named = {"runs": options.runs, "limit": options.limit, "seconds": options.seconds}
    chosen = {
        **_filters(options),
        **{name: value for name, value in named.items() if value is not None},
    }
    if options.format != "table":
        _write(client.query_file(sql, options.format, **chosen), options.output)
        return OK
    result = client.query(sql, **chosen)
    table = text_table([column["name"] for column in result["columns"]], result["rows"])
    _write(f"{table}\n".encode(), options.output)
    cut = (
        [f"only the first {len(result['rows'])} rows are shown"] if result.get("truncated") else []
    )
    for note in [*cut, *result.get("notes", ())]:
        print(line(note), file=sys.stderr)
    return OK


def _frame(client: Client, options: argparse.Namespace) -> int:
    _write(
        client.frame_file(options.run, options.frame, options.format, options.method),
        options.output,
    )
    return OK


def _check(client: Client, options: argparse.Namespace) -> int:
    result = client.check(options.runs, options.baseline, options.thresholds, options.format)
    # Names from files may contain control characters, which a terminal obeys.
    print("\n".join(map(line, result["text"].splitlines())))
    code = int(result["code"])
    return OK if code == UNDECIDED and options.undecided == "pass" else code


def _annotate(client: Client, options: argparse.Namespace) -> int:
    tags = (
        None
        # The server replaces all tags, so that the present tags have to be sent too.
        if options.tags is None
        else list(dict.fromkeys([*client.run(options.run)["tags"], *options.tags]))
    )
    named = {"notes": options.note, "tags": tags, "pinned": options.pinned}
    run = client.annotate(
        options.run, **{name: value for name, value in named.items() if value is not None}
    )
    pinned = "  pinned" if run["pinned"] else ""
    print(
        json.dumps(run)
        if options.json
        else f"{_run_line(run)}  tags: {line(' '.join(run['tags'])) or 'none'}{pinned}"
    )
    return OK


def _derive(client: Client, options: argparse.Namespace) -> int:
    named = {"runs": options.runs} if options.runs else {}
    return _print_job(client.wait(client.start("derive", **named)["id"]), options)


def _wait(client: Client, options: argparse.Namespace) -> int:
    return _print_job(client.wait(options.job), options)


def _print_job(job: Mapping[str, Any], options: argparse.Namespace) -> int:
    failed = f", {job['failed']} failed" if job["failed"] else ""
    text = f"{job['id']}  {job['kind']}  {job['state']}  {job['done']} of {job['total']}{failed}"
    print(json.dumps(job) if options.json else line(text))
    return OK if job["state"] == "done" else FAILED


def _filters(options: argparse.Namespace) -> dict[str, list[str]]:
    named = {name: getattr(options, name) for name in FILTERS}
    return {name: values for name, values in named.items() if values}


def _write(content: bytes, output: Path | None) -> None:
    if output is not None:
        output.write_bytes(content)
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def _run_line(run: Mapping[str, Any]) -> str:
    """Format a run on one line: id, date, hwid, name, and GMAC/s of a capture, also if impossible."""
    rate = run.get("gmacs_mean")
    # Servers of older releases do not say which numbers are impossible.
    is_impossible = "gmacs_mean" in run.get("impossible", ())
    doubt = " (impossible: above the peak)" if is_impossible else ""
    parts = [
        run["run_id"][:12],
        str(run.get("taken_at") or run.get("created_at") or "")[:19],
        run.get("hwid") or "",
    ]
    return line(
        "  ".join(
            filter(None, [*parts, run["name"], "" if rate is None else f"{rate:.4g} GMAC/s{doubt}"])
        )
    )


_COMMANDS = {
    "push": _push,
    "runs": _runs,
    "query": _query,
    "frame": _frame,
    "check": _check,
    "annotate": _annotate,
    "derive": _derive,
    "wait": _wait,
}
