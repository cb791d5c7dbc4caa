#!/usr/bin/env python3
"""A client of Tilescope's HTTP API in one file, for Python 3.9 or later and nothing else.

As a command, with the server in TILESCOPE_URL and a token in TILESCOPE_TOKEN:
  python tilescope_client.py upload trace.json --set hwid=npu2 --set commit=0123abc
  python tilescope_client.py check RUN --baseline main

Exit codes are those of the command line: 0 done; 1 an error or a job that failed; 2 wrong usage. Those of `check`: 0 no
run regressed, 1 one did, 2 that cannot be decided, 3 an error or wrong usage. An error is one line on stderr.

As a module:
  client = Client("https://tiles.example.org", token)
  for run in client.upload(["trace.json"], {"hwid": "npu2"})["runs"]:
      kernels = client.frame(run["run_id"], "kernels")
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from pathlib import Path
from typing import IO, Any, Iterator, Mapping, Sequence

ROOT = "/api/v1"
PART_BYTES = 8 * 2**20
"""A file that is larger is sent in parts of this size, and goes on where a connection broke."""
TRIES, LONGEST_WAIT_S = 8, 60
OK, FAILED, USAGE = range(3)
REGRESSED, UNDECIDED, CHECK_ERROR = 1, 2, 3
BUSY = (429, 502, 503, 504)
VERDICTS = {"regressed": REGRESSED, "undecided": UNDECIDED, "incomparable": UNDECIDED}


class ApiError(Exception):
    """The server refuses; `status` and `problem` are those of its answer. The message is one line."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {problem.get('detail') or problem.get('title') or 'no reason was given'}")
        self.status, self.problem = status, problem


class Unreachable(Exception):
    """The server does not answer, or is busy for longer than one waits. The message is one line."""


class Answer:
    """Status, headers and body of an answer."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """The API of a server. What fails for a moment is tried again, with growing pauses or as long as it asks for."""

    def __init__(self, url: str, token: str = "", timeout_s: float = 300, tries: int = TRIES) -> None:
        self.url, self._token, self._timeout_s, self._tries = url.rstrip("/"), token, timeout_s, tries

    def me(self) -> dict[str, Any]:
        """Return who one is here."""
        return dict(self._ask("GET", "/me").json)

    def upload(
        self, paths: Sequence[str | Path], settings: Mapping[str, str] | None = None, name: str = "", resume: str = ""
    ) -> dict[str, Any]:
        """Ingest files and return {"runs": [..], "skipped": [..]}; several are sent as one form: they belong together.

        `name` is that of a single file as the server is to know it, folders included. `resume` is the id of an upload
        that was given up.
        """
        files, given = [Path(path) for path in paths], dict(settings or {})
        if len(files) > 1:
            return self._send_form(files, given)
        file = files[0]
        if resume or file.stat().st_size > PART_BYTES:
            return self._send_parts(file, given, name or file.name, resume)
        query = urllib.parse.urlencode({"name": name or file.name, **given})
        kind = {"Content-Type": "application/octet-stream"}
        return dict(self._ask("POST", f"/runs?{query}", file.read_bytes(), kind).json)

    def runs(self, **filters: str) -> Iterator[dict[str, Any]]:
        """Yield runs, newest first; filters are source, hwid, M, K, N, tag and q."""
        cursor = None
        while cursor != "":
            query = urllib.parse.urlencode({**filters, "limit": 200, **({"cursor": cursor} if cursor else {})})
            page = self._ask("GET", f"/runs?{query}").json
            yield from page["runs"]
            cursor = page["next"] or ""

    def run(self, run_id: str) -> dict[str, Any]:
        """Return a run."""
        return dict(self._ask("GET", f"/runs/{_quoted(run_id)}").json)

    def frame(self, run_id: str, name: str, form: str = "json", method: str = "robust") -> Any:
        """Return a frame: rows of JSON, else the bytes of csv, parquet or arrow."""
        query = urllib.parse.urlencode({"format": form, "method": method})
        answer = self._ask("GET", f"/runs/{_quoted(run_id)}/frames/{_quoted(name)}?{query}")
        return answer.json if form == "json" else answer.body

    def annotate(self, run_id: str, **changes: Any) -> dict[str, Any]:
        """Change notes, tags (a list) or pinned of a run, and return it."""
        return dict(self._send("PATCH", f"/runs/{_quoted(run_id)}", changes).json)

    def check(self, run_id: str, baseline: str) -> dict[str, Any]:
        """Return a run against a baseline, with "verdict" and "reasons", as command `check` has it."""
        query = urllib.parse.urlencode({"baseline": baseline, "new": run_id})
        return dict(self._ask("GET", f"/comparison/all.json?{query}", root="").json)

    def start(self, kind: str, **arguments: Any) -> dict[str, Any]:
        """Begin a job and return it."""
        return dict(self._send("POST", "/jobs", {"kind": kind, **arguments}).json)

    def wait(self, job_id: str, pause_s: float = 2) -> dict[str, Any]:
        """Return a job when it is over."""
        while True:
            job = dict(self._ask("GET", f"/jobs/{_quoted(job_id)}").json)
            if job["state"] in ("done", "failed", "cancelled"):
                return job
            time.sleep(pause_s)

    def _send_form(self, files: Sequence[Path], settings: Mapping[str, str]) -> dict[str, Any]:
        form = _Form(files)
        head = {"Content-Type": form.content_type, "Content-Length": str(form.size)}
        return dict(self._ask("POST", f"/runs?{urllib.parse.urlencode(settings)}", form, head).json)

    def _send_parts(self, file: Path, settings: Mapping[str, str], name: str, upload_id: str) -> dict[str, Any]:
        size = file.stat().st_size
        if not upload_id:
            new = {"name": name, "size": size, "sha256": _sha256(file), "settings": dict(settings)}
            upload_id = str(self._send("POST", "/uploads", new).json["id"])
        place = f"/uploads/{_quoted(upload_id)}"
        try:
            with file.open("rb") as stream:
                offset = self._offset(place)
                while offset < size:
                    stream.seek(offset)
                    offset = self._send_part(place, offset, stream.read(PART_BYTES))
            return dict(self._ask("POST", f"{place}/finish").json)
        except (Unreachable, KeyboardInterrupt) as error:
            raise Unreachable(f"{error or 'interrupted'} (go on with --resume {upload_id})") from error

    def _send_part(self, place: str, offset: int, part: bytes) -> int:
        """Send a part and return where the next one begins: what came of one whose answer was lost is asked for."""
        head = {"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
        try:
            return int(self._ask("PATCH", place, part, head).headers["Upload-Offset"])
        except ApiError as error:
            if error.status != 409:
                raise
            return self._offset(place)

    def _offset(self, place: str) -> int:
        return int(self._ask("HEAD", place).headers["Upload-Offset"])

    def _send(self, method: str, path: str, content: Mapping[str, Any]) -> Answer:
        return self._ask(method, path, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def _ask(
        self,
        method: str,
        path: str,
        body: bytes | _Form | None = None,
        headers: Mapping[str, str] | None = None,
        root: str = ROOT,
    ) -> Answer:
        """Return an answer; raises ApiError, Unreachable."""
        head = {"Accept": "application/json, */*", **(headers or {})}
        head.update({"Authorization": f"Bearer {self._token}"} if self._token else {})
        reason = ""
        for tried in range(self._tries):
            content: bytes | IO[bytes] | Iterator[bytes] | None = body.pieces() if isinstance(body, _Form) else body
            request = urllib.request.Request(self.url + root + path, content, head, method=method)
            wait_s = min(2.0**tried / 2, LONGEST_WAIT_S)
            try:
                with urllib.request.urlopen(request, timeout=self._timeout_s) as found:
                    return Answer(found.status, found.headers, found.read())
            except urllib.error.HTTPError as error:
                problem = _problem(error)
                if error.code not in BUSY:
                    raise ApiError(error.code, problem) from error
                reason = f"the server answers {ApiError(error.code, problem)}"
                wait_s = _seconds(error.headers.get("Retry-After"), wait_s)
            except (OSError, urllib.error.URLError) as error:
                reason = f"{self.url} cannot be reached: {getattr(error, 'reason', None) or error}"
            if tried + 1 < self._tries:
                time.sleep(wait_s)
        raise Unreachable(" ".join(reason.split()))


class _Form:
    """Several files as multipart/form-data, read while they are sent."""

    def __init__(self, files: Sequence[Path]) -> None:
        boundary = uuid.uuid4().hex
        self.content_type = f"multipart/form-data; boundary={boundary}"
        self._files = [(self._head(boundary, path).encode(), path) for path in files]
        self._end = f"\r\n--{boundary}--\r\n".encode()
        self.size = sum(len(head) + path.stat().st_size for head, path in self._files) + len(self._end)

    @staticmethod
    def _head(boundary: str, path: Path) -> str:
        name = path.name.replace("\\", "_").replace('"', "_").replace("\r", "_").replace("\n", "_")
        kind = "Content-Type: application/octet-stream"
        return f'\r\n--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n{kind}\r\n\r\n'

    def pieces(self) -> Iterator[bytes]:
        for head, path in self._files:
            yield head
            with path.open("rb") as stream:
                while piece := stream.read(2**20):
                    yield piece
        yield self._end


def _quoted(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _seconds(text: str | None, otherwise: float) -> float:
    try:
        return min(max(float(text or ""), 0.1), LONGEST_WAIT_S)
    except ValueError:
        return otherwise


def _problem(error: urllib.error.HTTPError) -> dict[str, Any]:
    try:
        found = json.loads(error.read())
    except (OSError, ValueError):
        found = None
    return found if isinstance(found, dict) else {"title": error.reason}


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(2**20):
            digest.update(piece)
    return digest.hexdigest()


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form KEY=VALUE")
    return key, value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="A client of Tilescope; TILESCOPE_URL and TILESCOPE_TOKEN are read.")
    parser.add_argument("--url", default=os.environ.get("TILESCOPE_URL", "http://127.0.0.1:8050"))
    parser.add_argument("--tries", type=int, default=TRIES, help="how often what fails for a moment is tried")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser(
        "upload", help="ingest a file, or several that belong together; print the ids of the runs"
    )
    one.add_argument("files", nargs="+", type=Path)
    one.add_argument("--set", dest="settings", action="append", type=_pair, default=[], metavar="KEY=VALUE")
    one.add_argument("--name", default="", help="of a single file, with folders, as the server is to know it")
    one.add_argument("--resume", default="", metavar="ID", help="go on with an upload that was given up")
    one.add_argument("--json", action="store_true", help="print the whole answer")
    one = commands.add_parser("runs", help="print runs, newest first, one a line")
    one.add_argument("--where", action="append", type=_pair, default=[], metavar="KEY=VALUE", help="such as hwid=npu2")
    one.add_argument("--limit", type=int, default=0)
    one.add_argument("--json", action="store_true", help="print one JSON object a line")
    one = commands.add_parser("frame", help="write a frame of a run")
    one.add_argument("run")
    one.add_argument("frame")
    one.add_argument("--format", default="csv", choices=["json", "csv", "parquet", "arrow"])
    one.add_argument("--method", default="robust", choices=["robust", "reference"])
    one.add_argument("--output", type=Path)
    one = commands.add_parser("annotate", help="change what people add to a run")
    one.add_argument("run")
    one.add_argument("--notes")
    one.add_argument("--tag", dest="tags", action="append", help="all tags that the run is to have")
    one.add_argument("--pin", dest="pinned", action="store_true", default=None)
    one.add_argument("--unpin", dest="pinned", action="store_false")
    one.add_argument("--json", action="store_true", help="print the run as JSON")
    one = commands.add_parser("check", help="compare each run with a baseline, as the gate does")
    one.add_argument("runs", nargs="+", metavar="RUN")
    one.add_argument("--baseline", required=True)
    one = commands.add_parser("derive", help="derive numbers of runs again, and wait for it")
    one.add_argument("runs", nargs="*", metavar="RUN")
    one.add_argument("--json", action="store_true", help="print the job as JSON")
    one = commands.add_parser("wait", help="wait for a job")
    one.add_argument("job")
    one.add_argument("--json", action="store_true", help="print the job as JSON")
    return parser


def _upload(client: Client, given: argparse.Namespace) -> int:
    answer = client.upload(given.files, dict(given.settings), given.name, given.resume)
    for run in answer["runs"]:
        for finding in run["diagnostics"]:
            if finding["severity"] == "warning":
                print(f"Warning: {run['name']}: {' '.join(finding['message'].split())}", file=sys.stderr)
    print(json.dumps(answer) if given.json else "\n".join(run["run_id"] for run in answer["runs"]))
    return OK


def _runs(client: Client, given: argparse.Namespace) -> int:
    for count, run in enumerate(client.runs(**dict(given.where)), 1):
        print(json.dumps(run) if given.json else _run_line(run))
        if count == given.limit:
            break
    return OK


def _frame(client: Client, given: argparse.Namespace) -> int:
    found = client.frame(given.run, given.frame, given.format, given.method)
    content = json.dumps(found).encode() if given.format == "json" else found
    if given.output:
        given.output.write_bytes(content)
    else:
        sys.stdout.buffer.write(content)
    return OK


def _annotate(client: Client, given: argparse.Namespace) -> int:
    named = {"notes": given.notes, "tags": given.tags, "pinned": given.pinned}
    run = client.annotate(given.run, **{name: value for name, value in named.items() if value is not None})
    pinned = "  pinned" if run["pinned"] else ""
    tags = _line(" ".join(run["tags"])) or "none"
    print(json.dumps(run) if given.json else f"{_run_line(run)}  tags: {tags}{pinned}")
    return OK


def _run_line(run: Mapping[str, Any]) -> str:
    """Return a run as one short line: id, date, hwid, name and what gates of a capture."""
    rate = run.get("gmacs_mean")
    parts = [run["run_id"][:12], str(run.get("taken_at") or run.get("created_at") or "")[:19], run.get("hwid") or ""]
    return _line("  ".join(filter(None, [*parts, run["name"], "" if rate is None else f"{rate:.4g} GMAC/s"])))


def _line(text: str) -> str:
    """Return text that may come from a file as one line without control characters."""
    return "".join(character if character.isprintable() else " " for character in text)


def _check(client: Client, given: argparse.Namespace) -> int:
    codes = []
    for run in given.runs:
        found = client.check(run, given.baseline)
        print(_line(f"{run} against {given.baseline}: {'; '.join([found['verdict'], *found['reasons']])}"))
        codes.append(VERDICTS.get(found["verdict"], OK))
    return REGRESSED if REGRESSED in codes else max(codes)


def _derive(client: Client, given: argparse.Namespace) -> int:
    named = {"runs": given.runs} if given.runs else {}
    return _print_job(client.wait(client.start("derive", **named)["id"]), given)


def _wait(client: Client, given: argparse.Namespace) -> int:
    return _print_job(client.wait(given.job), given)


def _print_job(job: Mapping[str, Any], given: argparse.Namespace) -> int:
    failed = f", {job['failed']} failed" if job["failed"] else ""
    text = f"{job['id']}  {job['kind']}  {job['state']}  {job['done']} of {job['total']}{failed}"
    print(json.dumps(job) if given.json else _line(text))
    return OK if job["state"] == "done" else FAILED


COMMANDS = {
    **{"upload": _upload, "runs": _runs, "frame": _frame, "annotate": _annotate},
    **{"check": _check, "derive": _derive, "wait": _wait},
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        given = _parser().parse_args(words)
    except SystemExit as end:
        return CHECK_ERROR if end.code == USAGE and "check" in words else int(end.code or OK)
    error_code = CHECK_ERROR if given.command == "check" else FAILED
    client = Client(given.url, os.environ.get("TILESCOPE_TOKEN", ""), tries=max(1, given.tries))
    try:
        return COMMANDS[given.command](client, given)
    except (ApiError, Unreachable, OSError) as error:
        print(f"Error: {' '.join(str(error).split())}", file=sys.stderr)
        return error_code
    except KeyboardInterrupt:
        print("Error: interrupted", file=sys.stderr)
        return error_code


if __name__ == "__main__":
    sys.exit(main())
