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

OK, FAILED = 0, 1
UNDECIDED, CHECK_ERROR = 2, 3
_NO_RATES = "settings_unknown"
"""Code of the finding about a run without rates; its message names the missing settings."""


def main_exit() -> NoReturn:
    """Run the command and exit with its code."""
    sys.exit(main())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        given = parser().parse_args(words)
    except UsageError as error:
        return _fail(error, CHECK_ERROR if "check" in words else FAILED)
    except SystemExit as end:  # of --help
        return int(end.code or OK)
    client = Client(given.url, os.environ.get("TILESCOPE_TOKEN", ""), tries=max(1, given.tries))
    error_code = CHECK_ERROR if given.command == "check" else FAILED
    try:
        client.transport.knock()
        return _COMMANDS[given.command](client, given)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the flush at exit must not fail
        return error_code
    except (ApiError, Unreachable, OSError, ValueError) as error:
        return _fail(error, error_code)
    except KeyboardInterrupt:
        return _fail("interrupted", error_code)


def _fail(error: object, code: int) -> int:
    print(f"Error: {line(str(error))}", file=sys.stderr)
    return code


def _push(client: Client, given: argparse.Namespace) -> int:
    answer = client.push(given.paths, dict(given.settings), given.name, given.resume)
    for run in answer["runs"]:
        for finding in run["diagnostics"]:
            if finding["severity"] == "info":
                continue
            loud = "WARNING" if finding["code"] == _NO_RATES else "Note"
            print(f"{loud}: {line(run['name'])}: {line(finding['message'])}", file=sys.stderr)
    print(json.dumps(answer) if given.json else "\n".join(client.link(run["run_id"]) for run in answer["runs"]))
    return OK


def _runs(client: Client, given: argparse.Namespace) -> int:
    found = []
    for run in client.runs(**_filters(given), **({"q": given.q} if given.q else {})):
        found.append(run)
        if not given.json:
            print(_run_line(run))
        if len(found) == given.limit:
            break
    if given.json:
        print(json.dumps(found))
    return OK


def _query(client: Client, given: argparse.Namespace) -> int:
    sql = sys.stdin.read() if given.sql == "-" else given.sql
    named = {"runs": given.runs, "limit": given.limit, "seconds": given.seconds}
    chosen = {**_filters(given), **{name: value for name, value in named.items() if value is not None}}
    if given.format != "table":
        _write(client.query_file(sql, given.format, **chosen), given.output)
        return OK
    answer = client.query(sql, **chosen)
    _write((text_table([one["name"] for one in answer["columns"]], answer["rows"]) + "\n").encode(), given.output)
    cut = [f"only the first {len(answer['rows'])} rows are shown"] if answer.get("truncated") else []
    for note in [*cut, *answer.get("notes", ())]:
        print(line(note), file=sys.stderr)
    return OK


def _frame(client: Client, given: argparse.Namespace) -> int:
    _write(client.frame_file(given.run, given.frame, given.format, given.method), given.output)
    return OK


def _check(client: Client, given: argparse.Namespace) -> int:
    found = client.check(given.runs, given.baseline, given.thresholds, given.format)
    print("\n".join(map(line, found["text"].splitlines())))
    code = int(found["code"])
    return OK if code == UNDECIDED and given.undecided == "pass" else code


def _annotate(client: Client, given: argparse.Namespace) -> int:
    tags = None if given.tags is None else list(dict.fromkeys([*client.run(given.run)["tags"], *given.tags]))
    named = {"notes": given.note, "tags": tags, "pinned": given.pinned}
    run = client.annotate(given.run, **{name: value for name, value in named.items() if value is not None})
    pinned = "  pinned" if run["pinned"] else ""
    print(json.dumps(run) if given.json else f"{_run_line(run)}  tags: {line(' '.join(run['tags'])) or 'none'}{pinned}")
    return OK


def _derive(client: Client, given: argparse.Namespace) -> int:
    named = {"runs": given.runs} if given.runs else {}
    return _print_job(client.wait(client.start("derive", **named)["id"]), given)


def _wait(client: Client, given: argparse.Namespace) -> int:
    return _print_job(client.wait(given.job), given)


def _print_job(job: Mapping[str, Any], given: argparse.Namespace) -> int:
    failed = f", {job['failed']} failed" if job["failed"] else ""
    text = f"{job['id']}  {job['kind']}  {job['state']}  {job['done']} of {job['total']}{failed}"
    print(json.dumps(job) if given.json else line(text))
    return OK if job["state"] == "done" else FAILED


def _filters(given: argparse.Namespace) -> dict[str, list[str]]:
    named = {name: getattr(given, name) for name in FILTERS}
    return {name: values for name, values in named.items() if values}


def _write(content: bytes, output: Path | None) -> None:
    if output is not None:
        output.write_bytes(content)
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def _run_line(run: Mapping[str, Any]) -> str:
    """Format a run on one line: id, date, hwid, name, and GMAC/s of a capture."""
    rate = run.get("gmacs_mean")
    parts = [run["run_id"][:12], str(run.get("taken_at") or run.get("created_at") or "")[:19], run.get("hwid") or ""]
    return line("  ".join(filter(None, [*parts, run["name"], "" if rate is None else f"{rate:.4g} GMAC/s"])))


_COMMANDS = {
    **{"push": _push, "runs": _runs, "query": _query, "frame": _frame},
    **{"check": _check, "annotate": _annotate, "derive": _derive, "wait": _wait},
}
