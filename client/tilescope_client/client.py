"""The client: methods for the operations of the API that scripts need."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import time
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tilescope_client.form import Form
from tilescope_client.run import Run
from tilescope_client.transport import TRIES, ApiError, Transport, Unreachable

PART_BYTES = 8 * 2**20
"""Bytes of a part.

A larger file is sent in parts, so that it can resume after a lost connection.
"""


class Client:
    """The API of the server at `url`.

    Temporary failures (no connection, status 429, 502, 503 or 504) are retried up to `tries` times,
    after the time in the header Retry-After or with growing pauses. Methods raise ApiError if the
    server refuses a request, and Unreachable if it gives no response. `timeout_s` limits each
    request.
    """

    def __init__(
        self, url: str, token: str = "", timeout_s: float = 300, tries: int = TRIES
    ) -> None:
        self.transport = Transport(url, token, timeout_s, tries)

    @property
    def url(self) -> str:
        """The server's address."""
        return self.transport.url

    def me(self) -> dict[str, Any]:
        """Return name and role of the current user: {"user": .., "role": ..}."""
        return dict(self.transport.ask("GET", "/me").json)

    def push(
        self,
        paths: Sequence[str | Path],
        settings: Mapping[str, str] | None = None,
        name: str = "",
        resume: str = "",
    ) -> dict[str, Any]:
        """Ingest files and return {"runs": [..], "skipped": [..]}.

        Several files are sent as a form, and files that belong together become one run. A folder
        means all files in it. `settings` are loader settings. `name` replaces the name of a single
        file and may contain folders. `resume` is the id of an interrupted push. Raises OSError if a
        file cannot be read, or if there is none.
        """
        files = list_files(paths)
        own_settings = dict(settings or {})
        if len(files) != 1:
            return self._send_form(files, own_settings)
        ((own_name, file),) = files.items()
        if resume or file.stat().st_size > PART_BYTES:
            return self._send_parts(file, own_settings, name or own_name, resume)
        query = urllib.parse.urlencode({"name": name or own_name, **own_settings})
        kind = {"Content-Type": "application/octet-stream"}
        return dict(self.transport.ask("POST", f"/runs?{query}", file.read_bytes(), kind).json)

    def runs(self, **filters: Any) -> Iterator[Run]:
        """Yield all matching runs, newest first.

        Filters are the query parameters of GET /api/v1/runs: source, hwid, M, K, N and tag (a text
        or a list of texts), q (search words), since, until, branch, commit and further parameters.
        """
        cursor = None
        # The first request has no cursor; an empty cursor in a response marks the last page.
        while cursor != "":
            parameters = {**filters, "limit": 200, **({"cursor": cursor} if cursor else {})}
            page = self.transport.ask(
                "GET", f"/runs?{urllib.parse.urlencode(parameters, doseq=True)}"
            ).json
            yield from (self._run(columns) for columns in page["runs"])
            cursor = page["next"] or ""

    def run(self, run_id: str) -> Run:
        """Return a run by its id; raises ApiError with status 404 if it does not exist."""
        return self._run(self.transport.ask("GET", f"/runs/{_quoted(run_id)}").json)

    def link(self, run_id: str) -> str:
        """Return the address of a run's page."""
        return f"{self.url}/run/{_quoted(run_id)}"

    def frame(self, run_id: str, name: str, method: str = "robust") -> Any:
        """Return a frame of a run as a pandas DataFrame, or as a list of rows without pandas.

        `method` is robust or reference, the method of derived numbers.
        """
        # pandas and pyarrow are optional: the client itself needs only the standard library.
        if importlib.util.find_spec("pandas") is None:
            return self.rows(run_id, name, method)
        import pandas

        if importlib.util.find_spec("pyarrow") is None:
            return pandas.DataFrame(self.rows(run_id, name, method))
        return pandas.read_parquet(io.BytesIO(self.frame_file(run_id, name, "parquet", method)))

    def rows(self, run_id: str, name: str, method: str = "robust") -> list[dict[str, Any]]:
        """Return the rows of a frame, each as a dict by column."""
        return list(self._frame(run_id, name, "json", method).json)

    def frame_file(self, run_id: str, name: str, form: str, method: str = "robust") -> bytes:
        """Return a frame as the bytes of a file; `form` is json, csv, parquet or arrow."""
        return bytes(self._frame(run_id, name, form, method).body)

    def query(self, sql: str, **chosen: Any) -> dict[str, Any]:
        """Run an SQL query and return its result.

        The result is a dict: columns, rows, truncated (whether there are more rows), seconds, runs,
        notes. `chosen` limits the runs that the tables contain: runs (ids), source, hwid, M, K, N,
        tag (lists). It may also have limit (rows) and seconds.
        """
        return dict(self.transport.send("POST", "/query", {**chosen, "sql": sql}).json)

    def query_file(self, sql: str, form: str, **chosen: Any) -> bytes:
        """Run an SQL query and return its rows as a file's bytes: json, csv, parquet or arrow."""
        return self.transport.send("POST", "/query", {**chosen, "sql": sql, "format": form}).body

    def annotate(self, run_id: str, **changes: Any) -> Run:
        """Change notes, tags or pinned of a run, and return the run.

        Tags are a list that replaces the run's tags.
        """
        return self._run(self.transport.send("PATCH", f"/runs/{_quoted(run_id)}", changes).json)

    def check(
        self,
        runs: str | Sequence[str],
        baseline: str,
        thresholds: Sequence[str] = (),
        form: str = "text",
    ) -> dict[str, Any]:
        """Check runs against a baseline like the command `check`.

        Returns {"verdict": .., "code": .., "text": ..}: `code` is the command's exit code, `text`
        its output in the format `form` (text, json, junit or markdown). `thresholds` are
        METRIC=PERCENT.
        """
        parameters = {
            "run": [runs] if isinstance(runs, str) else runs,
            "threshold": thresholds,
            "format": form,
        }
        query = urllib.parse.urlencode({**parameters, "baseline": baseline}, doseq=True)
        return dict(self.transport.ask("GET", f"/check?{query}").json)

    def start(self, kind: str, **arguments: Any) -> dict[str, Any]:
        """Start a job (kind derive, retention or orphans) and return its record."""
        return dict(self.transport.send("POST", "/jobs", {"kind": kind, **arguments}).json)

    def wait(self, job_id: str, pause_s: float = 2) -> dict[str, Any]:
        """Wait until a job is done, failed or cancelled, and return its record.

        Checks every `pause_s` s.
        """
        while True:
            job = dict(self.transport.ask("GET", f"/jobs/{_quoted(job_id)}").json)
            if job["state"] in ("done", "failed", "cancelled"):
                return job
            time.sleep(pause_s)

    def _run(self, columns: Mapping[str, Any]) -> Run:
        return Run(columns, self.link(columns["run_id"]))

    def _frame(self, run_id: str, name: str, form: str, method: str) -> Any:
        query = urllib.parse.urlencode({"format": form, "method": method})
        return self.transport.ask("GET", f"/runs/{_quoted(run_id)}/frames/{_quoted(name)}?{query}")

    def _send_form(self, files: Mapping[str, Path], settings: Mapping[str, str]) -> dict[str, Any]:
        form = Form(files)
        head = {"Content-Type": form.content_type, "Content-Length": str(form.size)}
        return dict(
            self.transport.ask("POST", f"/runs?{urllib.parse.urlencode(settings)}", form, head).json
        )

    def _send_parts(
        self, file: Path, settings: Mapping[str, str], name: str, upload_id: str
    ) -> dict[str, Any]:
        size = file.stat().st_size
        if not upload_id:
            new = {"name": name, "size": size, "sha256": _sha256(file), "settings": dict(settings)}
            upload_id = str(self.transport.send("POST", "/uploads", new).json["id"])
        place = f"/uploads/{_quoted(upload_id)}"
        try:
            with file.open("rb") as stream:
                # A push that is resumed continues after the bytes that the server has received.
                offset = self._offset(place)
                while offset < size:
                    stream.seek(offset)
                    offset = self._send_part(place, offset, stream.read(PART_BYTES))
            return dict(self.transport.ask("POST", f"{place}/finish").json)
        # The server keeps the received parts, so that the message has to name the upload.
        except (Unreachable, KeyboardInterrupt) as error:
            raise Unreachable(
                f"{error or 'interrupted'} (continue with --resume {upload_id})"
            ) from error

    def _send_part(self, place: str, offset: int, part: bytes) -> int:
        """Send a part and return the offset of the next part.

        If the response to an earlier try was lost, the server refuses the part (409) because it has
        it already; its offset is then requested.
        """
        head = {"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
        try:
            return int(self.transport.ask("PATCH", place, part, head).headers["Upload-Offset"])
        except ApiError as error:
            if error.status != 409:
                raise
            return self._offset(place)

    def _offset(self, place: str) -> int:
        return int(self.transport.ask("HEAD", place).headers["Upload-Offset"])


def list_files(paths: Sequence[str | Path]) -> dict[str, Path]:
    """Map names to files; the name of a file in a folder begins with the folder's name.

    Raises OSError if there is no file.
    """
    files: dict[str, Path] = {}
    for path in map(Path, paths):
        if not path.is_dir():
            files[path.name] = path
            continue
        # Resolved, because the folder `.` has no name otherwise.
        above = path.resolve().parent
        for file in sorted(entry for entry in path.resolve().rglob("*") if entry.is_file()):
            files[file.relative_to(above).as_posix()] = file
    if not files:
        raise FileNotFoundError(f"{', '.join(map(str, paths))}: the folder contains no file")
    return files


def _quoted(text: str) -> str:
    # A slash in a name must not become another part of the path.
    return urllib.parse.quote(text, safe="")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        for piece in iter(lambda: stream.read(2**20), b""):
            digest.update(piece)
    return digest.hexdigest()
