"""Result of a process that reads an untrusted file: an Arrow file per frame, and a JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from data_loaders.protocol import LoadError
from data_loaders.reading.refusal import RESULT_FILE, write_result_file
from schema.diagnostics import Diagnostic
from schema.frames import FRAMES, conform

BASE_RESULT_BYTES = 64 * 2**20
"""Bytes that a result may have for any file."""
RESULT_BYTES_PER_CONTENT_BYTE = 20
"""Further bytes that a result may have per byte of content; real captures need 2 to 3.

A limit is needed because a pickle can refer to a text a million times, and the columns would hold a
million copies of it.
"""
_MAX_WHOLE_BYTES = 4 * 2**20
"""Maximum size in bytes of an Arrow file that is read in one step.

A larger file is read column by column, so that at most one column is in memory twice.
"""
_BLOBS_FILE = "blobs.arrow"


@dataclass
class Reading:
    """Content of a capture: columns of frame `run`, frames by name, and findings.

    `blobs` maps numbers of frame `thread_traces` to the bytes of thread traces, which are decoded
    and not stored.
    """

    metadata: dict[str, object] = field(default_factory=dict)
    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    blobs: Mapping[int, bytes] = field(default_factory=dict)


def write_result(folder: Path, reading: Reading, content_bytes: int) -> None:
    """Write each frame of the schema to an Arrow file `NAME.arrow` in the folder, blobs to
    `blobs.arrow`, and metadata, frame names and findings to `answer.json`.

    Raises LoadError if the tables exceed 64 MiB plus 20 bytes per byte of content
    (`content_bytes`).
    """
    frames = {
        name: conform(name, frame) for name, frame in reading.frames.items() if name in FRAMES
    }
    bytes_left = BASE_RESULT_BYTES + RESULT_BYTES_PER_CONTENT_BYTE * content_bytes
    tables = (
        (f"{name}.arrow", pa.Table.from_pandas(frame, preserve_index=False))
        for name, frame in frames.items()
    )
    for file, table in chain([(_BLOBS_FILE, _blob_table(reading.blobs))], tables):
        bytes_left -= table.nbytes
        if bytes_left < 0:
            raise LoadError(
                f"its content expands to more than {RESULT_BYTES_PER_CONTENT_BYTE} times its size, the limit of a capture"
            )
        with (
            pa.OSFile(str(folder / file), "wb") as sink,
            pa.ipc.new_file(sink, table.schema) as writer,
        ):
            writer.write_table(table)
    findings = [asdict(finding) for finding in reading.findings]
    write_result_file(
        folder, {"metadata": reading.metadata, "frames": list(frames), "findings": findings}
    )


def _blob_table(blobs: Mapping[int, bytes]) -> pa.Table:
    return pa.table(
        {
            "trace": pa.array(list(blobs), pa.int64()),
            "blob": pa.array(blobs.values(), pa.large_binary()),
        }
    )


def read_result(folder: Path) -> Reading:
    """Load the result that `write_result` wrote into the folder.

    Raises LoadError with the reason if the file was refused.
    """
    result = json.loads((folder / RESULT_FILE).read_text(encoding="utf-8"))
    if "refused" in result:
        raise LoadError(result["refused"])
    frames = {name: _frame(folder / f"{name}.arrow") for name in result["frames"]}
    findings = [Diagnostic(**finding) for finding in result["findings"]]
    blobs = _table(folder / _BLOBS_FILE).to_pydict()
    return Reading(
        result["metadata"], frames, findings, dict(zip(blobs["trace"], blobs["blob"], strict=True))
    )


def _frame(path: Path) -> pd.DataFrame:
    """Read a frame with the columns and dtypes that were written."""
    if path.stat().st_size <= _MAX_WHOLE_BYTES:
        return _table(path).to_pandas()
    with pa.OSFile(str(path), "rb") as source:
        names = pa.ipc.open_file(source).schema.names
        columns = {name: _column(source, index) for index, name in enumerate(names)}
    return pd.DataFrame(columns, copy=False)


def _column(source: pa.OSFile, index: int) -> pd.api.extensions.ExtensionArray:
    """Read the values of one column of an Arrow file."""
    options = pa.ipc.IpcReadOptions(included_fields=[index])
    table = pa.ipc.open_file(source, options=options).read_all()
    if pa.types.is_string(table.schema.field(0).type):
        return _shared_texts(table.column(0))
    return table.to_pandas().iloc[:, 0].array


def _shared_texts(column: pa.ChunkedArray) -> pd.api.extensions.ExtensionArray:
    """Convert texts to a column of dtype str in which equal texts are one object.

    pandas would make an object per row: a million rows of a few words would take 60 MiB more.
    """
    encoded = column.combine_chunks().dictionary_encode()
    words = np.array([*encoded.dictionary.to_pylist(), np.nan], dtype=object)
    codes = encoded.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)
    return pd.array(words[codes], dtype="str", copy=False)


def _table(path: Path) -> pa.Table:
    with pa.OSFile(str(path), "rb") as source:
        return pa.ipc.open_file(source).read_all()
