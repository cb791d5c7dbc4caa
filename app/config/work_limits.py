"""Settings that bound the work on one file, one search of the lab, and one query."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from pydantic import Field

from app.config.part import SettingsPart
from app.config.server_settings import Seconds
from data_loaders.reading.limits import Limits
from schema.run_settings import MAX_ARRAY_TILES

if TYPE_CHECKING:
    from services.query.question import QueryLimits

_READER = Limits()
"""The defaults of a process that reads a file."""


class WorkLimits(SettingsPart):
    """Time, memory and sizes of readers, searches and queries; a base class of `Settings`."""

    max_array_tiles: int = Field(
        MAX_ARRAY_TILES,
        ge=1,
        le=2**20,
        description="Most cores (`rows` x `cols`) that may share the work of a run, in files, settings and addresses.",
    )
    max_content_mb: int = Field(
        4096,
        ge=1,
        description="Largest file in MiB of uncompressed content that is read, from uploads, commands and watched folders.",
    )
    reader_memory_mb: int = Field(
        _READER.memory_mb,
        ge=64,
        le=2**20,
        description="MiB that a process that reads a file may use beyond its own modules.",
    )
    reader_processor_s: Seconds = Field(
        _READER.processor_s,
        gt=0,
        description="Seconds of processor time that a loader may take for any file.",
    )
    reader_processor_s_per_mb: Seconds = Field(
        _READER.processor_s_per_mb,
        ge=0,
        description="Additional seconds for each MiB of uncompressed content.",
    )
    reader_clock_s: Seconds = Field(
        _READER.clock_s,
        gt=0,
        description=(
            "Seconds of wall-clock time after which a reader of a pickle is stopped, for any file; "
            "the whole ingest of a file may take four times as long plus a minute."
        ),
    )
    reader_clock_s_per_mb: Seconds = Field(
        _READER.clock_s_per_mb,
        ge=0,
        description="Additional seconds of wall-clock time for each MiB of its files, as stored.",
    )
    reader_graph_nodes: int = Field(
        _READER.graph_nodes,
        ge=0,
        description="Maximum number of nodes of a compiler's graphs in a capture; above it the graphs are not stored.",
    )
    lab_clock_s: Seconds = Field(
        60.0, gt=0, description="Seconds that a search of the lab may take."
    )
    lab_memory_mb: int = Field(
        1500,
        ge=64,
        description="MiB of memory that a search of the lab may take, beyond Tilescope's own modules.",
    )
    query_seconds: Seconds = Field(30.0, gt=0, description="Seconds that a query in SQL may take.")
    query_memory_mb: int = Field(
        1024,
        ge=128,
        le=2**20,
        description="MiB of memory that a query in SQL may take, beyond its own modules and its tables.",
    )
    query_rows: int = Field(
        100_000, ge=1, le=10_000_000, description="Maximum number of rows of a query result."
    )
    query_load_mb: int = Field(
        1024,
        ge=1,
        le=2**20,
        description="MiB of tables that a query in SQL may read, over the selected runs.",
    )

    def query_limits(self) -> QueryLimits:
        """Return the limits of an SQL query: seconds, MiB of memory, rows, MiB of tables."""
        from services.query.question import QueryLimits  # noqa: PLC0415 - few commands ask

        return QueryLimits(
            self.query_seconds, self.query_memory_mb, self.query_rows, self.query_load_mb
        )

    def reader_limits(self) -> Limits:
        """Return the limits of a process that opens untrusted files, from the settings
        `reader_...`.
        """
        return Limits(
            **{field.name: getattr(self, f"reader_{field.name}") for field in fields(Limits)}
        )

    @property
    def max_content_bytes(self) -> int:
        """Maximum size of uncompressed content that is read, in bytes."""
        return self.max_content_mb * 2**20
