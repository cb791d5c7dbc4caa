"""Settings of the server: its address, its processes and their caches, and the largest requests
that it accepts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from app.config.part import SettingsPart

Seconds = Annotated[float, Field(le=86_400, allow_inf_nan=False)]
"""The type of a setting in seconds: finite, at most a day."""


class ServerSettings(SettingsPart):
    """Address, processes, caches and sizes of the server; a base class of `Settings`."""

    host: str = Field(
        "127.0.0.1",
        description="Address that the server listens on. Set `auth` if it is not a loopback address.",
    )
    allowed_hosts: str = Field(
        "",
        description=(
            "Host names, separated by commas, that this server accepts. Empty: only the names "
            "of this machine if `host` is a loopback address, else any name."
        ),
    )
    port: int = Field(8050, ge=1, le=65535, description="Port that the server listens on.")
    workers: int = Field(
        1, ge=1, le=64, description="Server processes; each keeps a cache of its own."
    )
    threads: int = Field(
        8, ge=1, le=64, description="Threads of each server process for quick requests."
    )
    wait_seconds: Seconds = Field(
        20.0,
        gt=0,
        description="Seconds that a request waits for a render process or its turn before it is refused.",
    )
    render_processes: int = Field(
        2,
        ge=0,
        le=64,
        description=(
            "Render processes of each server process for long requests: pages of runs, comparisons and trends, "
            "and the same number for exports and snapshots. 0: the server process does this work."
        ),
    )
    render_processor_s: Seconds = Field(
        15.0,
        gt=0,
        description="Seconds of processor time that a page, or an update of it, may take.",
    )
    export_processor_s: Seconds = Field(
        120.0,
        gt=0,
        description="Seconds of processor time that an export or a snapshot over HTTP may take.",
    )
    render_memory_mb: int = Field(
        2000,
        ge=256,
        description="MiB that a render process may take beyond Tilescope's own modules.",
    )
    timeout_s: int = Field(
        120,
        ge=1,
        description="Seconds after which an unresponsive server process is replaced.",
    )
    client_timeout_s: int = Field(
        20,
        ge=1,
        le=3600,
        description=(
            "Seconds that a client has to send a request or to receive a response, plus "
            "one for each 16 KiB; also the limit of an idle connection."
        ),
    )
    log_format: Literal["text", "json"] = Field(
        "text",
        description="How the server writes its log: as lines of text, or as one JSON object per line.",
    )
    cache_mb: int = Field(
        512,
        ge=0,
        description=(
            "MiB of frames and derived data that a server process and its render "
            "processes cache; a larger frame is read each time."
        ),
    )
    answers_mb: int = Field(
        64,
        ge=0,
        description="MiB of compressed responses for pages of runs that each process caches.",
    )
    answers_folder: Path | None = Field(
        None,
        description=(
            "Local folder where server processes share responses, tiles, results of the lab and the list of "
            "its searches. Empty: these files are with the data."
        ),
    )
    pages_mb: int = Field(
        256,
        ge=0,
        description="MiB of compressed responses for pages that the servers of a folder share in `answers_folder`, "
        "else with the data, so that the first reader draws a page for all. 0: each process draws its own.",
    )
    frames_mb: int = Field(
        1024,
        ge=0,
        description="MiB of frames of object storage that the servers of a folder keep in `answers_folder`, else with "
        "the data. 0: each process reads them from object storage.",
    )
    tiles_mb: int = Field(
        256,
        ge=0,
        description="MiB of tiles of timelines that the servers of a folder keep in `answers_folder`, else with the "
        "data. 0: each tile is made when it is requested.",
    )
    max_upload_mb: int = Field(
        512, ge=1, description="Largest file in MiB that is accepted over HTTP, as sent."
    )
    max_export_mb: int = Field(
        1024,
        ge=1,
        description="Largest export or snapshot over HTTP in MiB, uncompressed.",
    )
