"""What a process that reads an untrusted file returns: columns in files, and a few words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path

import pandas as pd
import pyarrow as pa

from data_loaders.protocol import LoadError
from schema.diagnostics import Diagnostic
from schema.frames import FRAMES, conform

ROOM_BYTES = 64 * 2**20
ROOM_PER_BYTE = 20
"""What an answer may take, for any file and for each byte of it; real captures need 2 to 3 for each byte.

One text of a pickle may stand in a million places, and in the columns it would stand a million times.
"""
_ANSWER, _BLOBS = "answer.json", "blobs.arrow"


@dataclass
class Reading:
    """What a capture gives: columns of frame `run`, frames by name and what was noticed.

    `blobs` are the bytes of thread traces by their number in frame `thread_traces`: they are decoded, and not kept.
    """

    metadata: dict[str, object] = field(default_factory=dict)
    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    blobs: Mapping[int, bytes] = field(default_factory=dict)


def write_answer(folder: Path, reading: Reading, content_bytes: int) -> None:
    """Put the frames that the schema has into the folder, an Arrow file each, then the answer that names them.

    Raises LoadError where they take more room than the content's bytes can be good for.
    """
    written = {name: conform(name, frame) for name, frame in reading.frames.items() if name in FRAMES}
    room = ROOM_BYTES + ROOM_PER_BYTE * content_bytes
    tables = ((f"{name}.arrow", pa.Table.from_pandas(frame, preserve_index=False)) for name, frame in written.items())
    for file, table in chain([(_BLOBS, _blob_table(reading.blobs))], tables):
        room -= table.nbytes
        if room < 0:
            raise LoadError(f"it unfolds to more than {ROOM_PER_BYTE} times its size, as no capture does")
        with pa.OSFile(str(folder / file), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    findings = [asdict(finding) for finding in reading.findings]
    _write_answer(folder, {"metadata": reading.metadata, "frames": list(written), "findings": findings})


def _blob_table(blobs: Mapping[int, bytes]) -> pa.Table:
    return pa.table({"trace": pa.array(list(blobs), pa.int64()), "blob": pa.array(blobs.values(), pa.large_binary())})


def write_refusal(folder: Path, why: str) -> None:
    """Record why there are no frames."""
    _write_answer(folder, {"refused": why})


def _write_answer(folder: Path, answer: Mapping[str, object]) -> None:
    (folder / _ANSWER).write_text(json.dumps(answer), encoding="utf-8")


def read_answer(folder: Path) -> Reading:
    """Return what was put into the folder; raises LoadError where the capture was refused."""
    answer = json.loads((folder / _ANSWER).read_text(encoding="utf-8"))
    if "refused" in answer:
        raise LoadError(answer["refused"])
    frames = {name: _frame(folder / f"{name}.arrow") for name in answer["frames"]}
    findings = [Diagnostic(**finding) for finding in answer["findings"]]
    blobs = _table(folder / _BLOBS).to_pydict()
    return Reading(answer["metadata"], frames, findings, dict(zip(blobs["trace"], blobs["blob"], strict=True)))


def _frame(path: Path) -> pd.DataFrame:
    return _table(path).to_pandas()


def _table(path: Path) -> pa.Table:
    with pa.OSFile(str(path), "rb") as source:
        return pa.ipc.open_file(source).read_all()
