"""File formats in which a run is exported for Perfetto."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import BinaryIO

from services.run.perfetto.content import build_trace
from services.run.perfetto.json_events import write_json
from services.run.perfetto.trace import Trace
from services.run.perfetto.track_events import write_protobuf
from storage.repository import Repository


@dataclass(frozen=True)
class TraceFormat:
    """A file format: suffix, media type, and the function that writes a trace."""

    suffix: str
    mimetype: str
    write: Callable[[Trace, BinaryIO], None]


FORMATS: Mapping[str, TraceFormat] = MappingProxyType(
    {
        "json": TraceFormat("json.gz", "application/gzip", write_json),
        "proto": TraceFormat("pftrace", "application/octet-stream", write_protobuf),
    }
)
"""Formats by name."""


def write_trace(repository: Repository, run_id: str, fmt: str, stream: BinaryIO) -> None:
    """Write a run to `stream` in a format of FORMATS (`json` or `proto`).

    Raises RunNotFound, KeyError if the format is unknown, and ValueError if the format cannot hold
    the times.
    """
    FORMATS[fmt].write(build_trace(repository, run_id), stream)
