"""All settings of the installation, from arguments, environment, `tilescope.toml` and defaults.

Arguments take precedence over the environment, and the environment over the file.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from app.config.access_settings import AccessSettings
from app.config.alert_settings import AlertSettings
from app.config.backup_settings import BackupSettings
from data_loaders.reading.limits import Limits
from schema.run_settings import MAX_ARRAY_TILES

if TYPE_CHECKING:
    from services.alerts.config import AlertConfig
    from services.query.question import QueryLimits
    from storage.catalogue import Catalogue
    from storage.repository import Repository
    from storage.stored_run import StoredRun

CONFIG_FILE = "tilescope.toml"
ENV_PREFIX = "TILESCOPE_"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Host names and addresses that only this machine can reach."""
OPEN_TO_ALL = "Sign-in is off: everyone who can reach this server may change and delete all data."
"""Warning if everybody who reaches the server is admin."""
_CATALOGUE = "catalogue.db"
_READER = Limits()
_SPARE_CONNECTIONS = 2
"""Database connections in addition to one per thread, for heartbeats and for jobs."""
Seconds = Annotated[float, Field(le=86_400, allow_inf_nan=False)]


class ConfigurationError(Exception):
    """A setting has an invalid value; the message is one sentence for users."""


class Settings(AccessSettings, AlertSettings, BackupSettings):
    """All settings; made by `load_settings`, which turns validation errors into sentences."""

    model_config = SettingsConfigDict(
        # `forbid`, because a misspelt setting of the file would be ignored silently otherwise.
        env_prefix=ENV_PREFIX,
        toml_file=CONFIG_FILE,
        extra="forbid",
        frozen=True,
    )

    data: Path = Field(
        Path("data"), description="Folder of the embedded store: the database and the frames."
    )
    database_url: str = Field(
        "",
        description="SQLAlchemy URL of the run catalogue. Empty: the SQLite file `catalogue.db` in `data`.",
    )
    frames_url: str = Field(
        "",
        description="Folder, or any URL that fsspec opens, of the Parquet files. Empty: `frames` in `data`.",
    )
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
    dask_scheduler: str = Field(
        "",
        description=(
            "Address of a Dask scheduler, such as `tcp://scheduler:8786`, whose workers "
            "ingest and derive. Empty: processes of this machine do this."
        ),
    )
    max_array_tiles: int = Field(
        MAX_ARRAY_TILES,
        ge=1,
        le=2**20,
        description="Most cores (`rows` x `cols`) that may share the work of a run, in files, settings and addresses.",
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
            "Local folder where server processes share cached responses, results of the lab and the list of "
            "its searches. Empty: each has its own cache, and the lab stores its files with the data."
        ),
    )
    max_upload_mb: int = Field(
        512, ge=1, description="Largest file in MiB that is accepted over HTTP, as sent."
    )
    max_export_mb: int = Field(
        1024,
        ge=1,
        description="Largest export or snapshot over HTTP in MiB, uncompressed.",
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
    stale_ingest_hours: float = Field(
        0.25,
        gt=0,
        description=(
            "Hours without a heartbeat after which an unfinished ingest of another host counts as dead and "
            "its files are removed. Files of a dead process of this host are removed immediately."
        ),
    )
    clock_hz: float | None = Field(
        None,
        gt=0,
        description="Clock of new runs whose files and settings have no clock, in Hz. Empty: the loader's preset.",
    )
    mac_dtype: Literal["int16", "bf16", "int8"] | None = Field(
        None,
        description="Data type that sets the peak of new runs that have no mac_dtype. Empty: the loader's preset.",
    )
    boundary_factor: float | None = Field(
        None,
        gt=0,
        description="Length, in median kernels, of a lock stall that ends an iteration, "
        "for new runs that have no boundary_factor. "
        "Empty: the loader's preset.",
    )

    commit_url: str = Field(
        "",
        max_length=2_000,
        description=(
            "Address of the difference between two commits, with `{base}` and `{new}` as placeholders, such "
            "as `https://git.example.org/compare/{base}...{new}`: pages and commands link to it if a number regressed."
        ),
    )

    perfetto_url: str = Field(
        "https://ui.perfetto.dev",
        max_length=2_000,
        description=(
            "Address of the Perfetto instance in which run pages open a run; traces are sent "
            "to it only inside the browser. Empty: pages have no such link."
        ),
    )

    @field_validator("perfetto_url")
    @classmethod
    def _check_perfetto_url(cls, value: str) -> str:
        if value and not re.match(r"https?://[^/\s]+", value):
            raise ValueError("an address begins with http:// or https:// and a host")
        return value

    @field_validator("commit_url")
    @classmethod
    def _check_commit_url(cls, value: str) -> str:
        # No braces in the host: commits come from files, and must not choose the server of a link.
        if value and not re.match(r"https?://[^/{}\s]+/", value):
            raise ValueError("an address begins with http:// or https:// and a host")
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        *_others: PydanticBaseSettingsSource,
        **_more: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources of settings by precedence: arguments, environment, file CONFIG_FILE."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)

    @model_validator(mode="before")
    @classmethod
    def _resolve_embedded_paths(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Return the values with `data` as an absolute path, so that the working directory may
        change, and the addresses of the embedded store if they are not set.
        """
        data = Path(values.get("data") or cls.model_fields["data"].default).expanduser().absolute()
        return (
            values
            | {"data": data}
            | {key: values.get(key) or url for key, url in embedded_urls(data).items()}
        )

    @property
    def lab_folders(self) -> list[Path]:
        """Folders for the files of the lab, the preferred folder first: `answers_folder` if set,
        then `data`; the lab uses the first writable folder.
        """
        return [folder for folder in (self.answers_folder, self.data) if folder is not None]

    def repository(self) -> Repository:
        """Make a repository of the configured storage; it is connected or created when it is first
        used.
        """
        from storage.repository import Repository  # noqa: PLC0415 - pandas is not needed to start

        return Repository(
            self.database_url,
            self.frames_url,
            self.cache_mb * 2**20,
            stale_after_s=self.stale_ingest_hours * 3600,
            max_array_tiles=self.max_array_tiles,
            connections=self.threads + _SPARE_CONNECTIONS,
        )

    def catalogue(self) -> Catalogue:
        """Make the run catalogue without the frame store, which would import pandas; it is
        connected when it is first used.
        """
        from storage.catalogue import Catalogue  # noqa: PLC0415 - SQLAlchemy is not needed to start

        return Catalogue(self.database_url)

    def runs(self, filters: Mapping[str, object], limit: int | None = None) -> Iterator[StoredRun]:
        """Yield the runs that match `filters` in the order of `Catalogue.each`, at most `limit`
        (None: all).

        The embedded store is read without SQLAlchemy, which is slow to import.
        """
        from storage import embedded  # noqa: PLC0415

        path = self.data / _CATALOGUE
        # A catalogue of another revision needs SQLAlchemy, which upgrades it or reports the error.
        if self.database_url == f"sqlite:///{path}" and embedded.is_readable(path):
            return embedded.each_run(path, filters, limit)
        return self.catalogue().each(filters, limit)

    def loader_defaults(self) -> dict[str, str]:
        """Return the settings of new runs for which neither the file nor the user has a value, name
        -> text; settings that are not set are left out.
        """
        values = {
            "clock_hz": self.clock_hz,
            "mac_dtype": self.mac_dtype,
            "boundary_factor": self.boundary_factor,
        }
        return {key: str(value) for key, value in values.items() if value is not None}

    def alert_config(self) -> AlertConfig:
        """Return the settings for sending alerts as the services use them."""
        from services.alerts.config import AlertConfig  # noqa: PLC0415 - few commands send

        return AlertConfig(
            self.alert_hosts,
            self.alert_secret,
            self.alert_timeout_s,
            self.alert_retry_s,
            self.alert_attempts,
            self.smtp_url,
            self.smtp_from,
            self.public_url,
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
    def is_open(self) -> bool:
        """Whether everybody on the network may do everything: no sign-in, and the host is not a
        loopback address.
        """
        return self.auth == "none" and self.host.lower() not in LOOPBACK

    @property
    def max_content_bytes(self) -> int:
        """Maximum size of uncompressed content that is read, in bytes."""
        return self.max_content_mb * 2**20


def embedded_urls(data: Path) -> dict[str, str]:
    """Return `database_url` and `frames_url` of the embedded store in folder `data`."""
    return {"database_url": f"sqlite:///{data / _CATALOGUE}", "frames_url": str(data / "frames")}


_RENAMED = MappingProxyType({"trusted_proxy": "trusted_proxies"})
"""Old name of a setting -> new name.

Without this check an old name in the environment would be ignored silently.
"""


def load_settings(**arguments: object) -> Settings:
    """Load the settings; arguments that are None count as not set.

    Raises ConfigurationError if a setting is invalid or has its name of an earlier release.
    """
    for old, new in _RENAMED.items():
        if os.environ.get(f"{ENV_PREFIX}{old.upper()}"):
            raise ConfigurationError(
                f"{ENV_PREFIX}{old.upper()} was renamed to {ENV_PREFIX}{new.upper()}"
            )
    values: dict[str, Any] = {key: value for key, value in arguments.items() if value is not None}
    try:
        return Settings(**values)
    except ValidationError as error:
        raise ConfigurationError(_complaint(error)) from error
    # A ValidationError is a ValueError too, so this branch for unreadable files comes second.
    except (SettingsError, ValueError) as error:
        raise ConfigurationError(
            f"settings cannot be read from {CONFIG_FILE} and the environment: {error}"
        ) from error


def _complaint(error: ValidationError) -> str:
    """Describe the first error as a sentence with the name of the setting and its value, cut to 80
    characters.

    An error about several settings together has no value in it, because there are secrets among
    them.
    """
    first = error.errors()[0]
    if not first["loc"]:
        return f"settings: {first['msg'].removeprefix('Value error, ')}"
    name = ".".join(str(part) for part in first["loc"])
    # A value may be of any length.
    return f"setting {name}: {first['msg']}, not {str(first['input'])[:80]!r}"


def markdown() -> str:
    """Write the page `docs/settings.md` as text, with a row for each setting."""
    lines = [
        "# Settings",
        "",
        "Generated by `python -m app.config.settings`.",
        "",
        f"Arguments of a command take precedence over the environment, and the environment over `{CONFIG_FILE}` in the",
        "working directory. [hosting.md](hosting.md) lists the settings to set for one person, a team, and many machines.",
        "",
        "| setting | environment | default | meaning |",
        "|---|---|---|---|",
    ]
    for name, info in Settings.model_fields.items():
        default = "" if info.default is None else str(info.default)
        lines.append(
            f"| `{name}` | `{ENV_PREFIX}{name.upper()}` | {default or '-'} | {info.description} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(markdown())
