"""What a server is asked for."""

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
"""A file that is larger is sent in parts of this size, and goes on where a connection broke."""


class Client:
    """The API of a server. What fails for a moment is tried again, with growing pauses or as long as it asks for."""

    def __init__(self, url: str, token: str = "", timeout_s: float = 300, tries: int = TRIES) -> None:
        self.transport = Transport(url, token, timeout_s, tries)

    @property
    def url(self) -> str:
        """Return the server's address."""
        return self.transport.url

    def me(self) -> dict[str, Any]:
        """Return who one is here."""
        return dict(self.transport.ask("GET", "/me").json)

    def push(
        self, paths: Sequence[str | Path], settings: Mapping[str, str] | None = None, name: str = "", resume: str = ""
    ) -> dict[str, Any]:
        """Ingest files and return {"runs": [..], "skipped": [..]}; several are sent as one form: they belong together.

        A folder stands for its files. `name` is that of a single file as the server is to know it, folders included.
        `resume` is the id of a push that was given up.
        """
        files, given = files_of(paths), dict(settings or {})
        if len(files) != 1:
            return self._send_form(files, given)
        ((own_name, file),) = files.items()
        if resume or file.stat().st_size > PART_BYTES:
            return self._send_parts(file, given, name or own_name, resume)
        query = urllib.parse.urlencode({"name": name or own_name, **given})
        kind = {"Content-Type": "application/octet-stream"}
        return dict(self.transport.ask("POST", f"/runs?{query}", file.read_bytes(), kind).json)

    def runs(self, **filters: Any) -> Iterator[Run]:
        """Yield runs, newest first; filters are source, hwid, M, K, N, tag (texts or lists of them), q and so on."""
        cursor = None
        while cursor != "":
            asked = {**filters, "limit": 200, **({"cursor": cursor} if cursor else {})}
            page = self.transport.ask("GET", f"/runs?{urllib.parse.urlencode(asked, doseq=True)}").json
            yield from (self._run(columns) for columns in page["runs"])
            cursor = page["next"] or ""

    def run(self, run_id: str) -> Run:
        """Return a run."""
        return self._run(self.transport.ask("GET", f"/runs/{_quoted(run_id)}").json)

    def link(self, run_id: str) -> str:
        """Return the address of a run's page."""
        return f"{self.url}/run/{_quoted(run_id)}"

    def frame(self, run_id: str, name: str, method: str = "robust") -> Any:
        """Return a frame: of pandas where that is installed, else a list of rows."""
        if importlib.util.find_spec("pandas") is None:
            return self.rows(run_id, name, method)
        import pandas

        if importlib.util.find_spec("pyarrow") is None:
            return pandas.DataFrame(self.rows(run_id, name, method))
        return pandas.read_parquet(io.BytesIO(self.frame_file(run_id, name, "parquet", method)))

    def rows(self, run_id: str, name: str, method: str = "robust") -> list[dict[str, Any]]:
        """Return the rows of a frame."""
        return list(self._frame(run_id, name, "json", method).json)

    def frame_file(self, run_id: str, name: str, form: str, method: str = "robust") -> bytes:
        """Return a frame as the bytes of a file: json, csv, parquet or arrow."""
        return bytes(self._frame(run_id, name, form, method).body)

    def query(self, sql: str, **chosen: Any) -> dict[str, Any]:
        """Return columns and rows of a query; `chosen` are runs, source, hwid, M, K, N, tag (lists), limit, seconds."""
        return dict(self.transport.send("POST", "/query", {**chosen, "sql": sql}).json)

    def query_file(self, sql: str, form: str, **chosen: Any) -> bytes:
        """Return the answer to a query as the bytes of a file: json, csv, parquet or arrow."""
        return self.transport.send("POST", "/query", {**chosen, "sql": sql, "format": form}).body

    def annotate(self, run_id: str, **changes: Any) -> Run:
        """Change notes, tags (a list, in place of those that are there) or pinned of a run, and return it."""
        return self._run(self.transport.send("PATCH", f"/runs/{_quoted(run_id)}", changes).json)

    def check(
        self, runs: str | Sequence[str], baseline: str, thresholds: Sequence[str] = (), form: str = "text"
    ) -> dict[str, Any]:
        """Return runs against a baseline as command `check` has it: "verdict", exit "code" and "text" in a format."""
        asked = {"run": [runs] if isinstance(runs, str) else runs, "threshold": thresholds, "format": form}
        query = urllib.parse.urlencode({**asked, "baseline": baseline}, doseq=True)
        return dict(self.transport.ask("GET", f"/check?{query}").json)

    def start(self, kind: str, **arguments: Any) -> dict[str, Any]:
        """Begin a job and return it."""
        return dict(self.transport.send("POST", "/jobs", {"kind": kind, **arguments}).json)

    def wait(self, job_id: str, pause_s: float = 2) -> dict[str, Any]:
        """Return a job when it is over."""
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
        return dict(self.transport.ask("POST", f"/runs?{urllib.parse.urlencode(settings)}", form, head).json)

    def _send_parts(self, file: Path, settings: Mapping[str, str], name: str, upload_id: str) -> dict[str, Any]:
        size = file.stat().st_size
        if not upload_id:
            new = {"name": name, "size": size, "sha256": _sha256(file), "settings": dict(settings)}
            upload_id = str(self.transport.send("POST", "/uploads", new).json["id"])
        place = f"/uploads/{_quoted(upload_id)}"
        try:
            with file.open("rb") as stream:
                offset = self._offset(place)
                while offset < size:
                    stream.seek(offset)
                    offset = self._send_part(place, offset, stream.read(PART_BYTES))
            return dict(self.transport.ask("POST", f"{place}/finish").json)
        except (Unreachable, KeyboardInterrupt) as error:
            raise Unreachable(f"{error or 'interrupted'} (go on with --resume {upload_id})") from error

    def _send_part(self, place: str, offset: int, part: bytes) -> int:
        """Send a part and return where the next one begins: what came of one whose answer was lost is asked for."""
        head = {"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
        try:
            return int(self.transport.ask("PATCH", place, part, head).headers["Upload-Offset"])
        except ApiError as error:
            if error.status != 409:
                raise
            return self._offset(place)

    def _offset(self, place: str) -> int:
        return int(self.transport.ask("HEAD", place).headers["Upload-Offset"])


def files_of(paths: Sequence[str | Path]) -> dict[str, Path]:
    """Return the files by their names, those of folders below the name of the folder; raises OSError."""
    found: dict[str, Path] = {}
    for path in map(Path, paths):
        if not path.is_dir():
            found[path.name] = path
            continue
        above = path.resolve().parent
        for file in sorted(one for one in path.resolve().rglob("*") if one.is_file()):
            found[file.relative_to(above).as_posix()] = file
    if not found:
        raise FileNotFoundError(f"{', '.join(map(str, paths))}: there is no file in it")
    return found


def _quoted(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        for piece in iter(lambda: stream.read(2**20), b""):
            digest.update(piece)
    return digest.hexdigest()
