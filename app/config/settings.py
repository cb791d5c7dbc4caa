"""All settings of the installation, from arguments, environment, `tilescope.toml` and defaults.

Arguments take precedence over the environment, and the environment over the file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError, model_validator

from app.config.access_settings import AccessSettings
from app.config.alert_settings import AlertSettings
from app.config.backup_settings import BackupSettings
from app.config.compact_settings import CompactSettings
from app.config.link_settings import LinkSettings
from app.config.server_settings import ServerSettings
from app.config.sources import environment_settings, file_settings
from app.config.work_limits import WorkLimits

if TYPE_CHECKING:
    from services.alerts.config import AlertConfig
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
_SPARE_CONNECTIONS = 2
"""Database connections in addition to one per thread, for heartbeats and for jobs."""


class ConfigurationError(Exception):
    """A setting has an invalid value; the message is one sentence for users."""


class Settings(
    ServerSettings,
    WorkLimits,
    LinkSettings,
    AccessSettings,
    AlertSettings,
    BackupSettings,
    CompactSettings,
):
    """All settings; made by `load_settings`, which turns validation errors into sentences."""

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
    dask_scheduler: str = Field(
        "",
        description=(
            "Address of a Dask scheduler, such as `tcp://scheduler:8786`, whose workers "
            "ingest and derive. Empty: processes of this machine do this."
        ),
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

    @property
    def frames_folder(self) -> Path | None:
        """Folder of the frames of object storage that servers keep, limited by setting `frames_mb`;
        None if that is 0.
        """
        return self.lab_folders[0] / "frame-bytes" if self.frames_mb else None

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
            self.github_token,
            self.github_api,
            self.gitlab_token,
            self.gitlab_api,
        )

    @property
    def is_open(self) -> bool:
        """Whether everybody on the network may do everything: no sign-in, and the host is not a
        loopback address.
        """
        return self.auth == "none" and self.host.lower() not in LOOPBACK


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
    given = {key: value for key, value in arguments.items() if value is not None}
    try:
        values = file_settings(Path(CONFIG_FILE))
    except ValueError as error:
        raise ConfigurationError(f"settings cannot be read from {CONFIG_FILE}: {error}") from error
    values |= environment_settings(ENV_PREFIX, Settings.model_fields)
    try:
        return Settings.model_validate(values | given)
    except ValidationError as error:
        raise ConfigurationError(_complaint(error)) from error


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
