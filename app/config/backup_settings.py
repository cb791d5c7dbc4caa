"""Settings of backups: where they are stored, how often they are made, how many are kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, field_validator

from app.config.part import SettingsPart

if TYPE_CHECKING:
    from services.store.backups import BackupPlan

_UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
MIN_INTERVAL_S = 60
MAX_INTERVAL_S = 366 * 86_400
"""Minimum and maximum interval between backups in seconds."""


class BackupSettings(SettingsPart):
    """Place, interval and number of backups; a base class of `Settings`."""

    backup_to: str = Field(
        "",
        description=(
            "Folder, or address of object storage such as `s3://bucket/tilescope`, where "
            "backups are stored. It must exist. Empty: no scheduled backups."
        ),
    )
    backup_every: str = Field(
        "1d",
        description="How often one of the servers makes a backup: a number of minutes, hours, days or weeks, such as "
        "`30m`, `24h`, `1d` or `1w`. Empty: only `backup` without FILE makes backups.",
    )
    backup_keep: int = Field(
        7,
        ge=1,
        le=1_000,
        description="Number of backups of this store to keep in `backup_to`; the newest backup without a problem is always kept.",
    )

    @field_validator("backup_to")
    @classmethod
    def _check_backup_place(cls, value: str) -> str:
        """Return a folder as an absolute path, an address in object storage without the slash at
        its end; "" stays.

        Raises ValueError if the scheme is not supported or the bucket is missing.
        """
        scheme, address, rest = value.partition("://")
        if address:
            from storage.files import OBJECT_STORES  # noqa: PLC0415 - pyarrow is not needed to start

            if scheme not in OBJECT_STORES or not re.match(r"[^/\s]+(/|$)", rest):
                raise ValueError(
                    f"it must be a folder, or a bucket with one of {', '.join(OBJECT_STORES)}"
                )
            return value.rstrip("/")
        # Absolute, so that the working directory may change.
        return str(Path(value).expanduser().absolute()) if value else ""

    @field_validator("backup_every")
    @classmethod
    def _check_backup_every(cls, value: str) -> str:
        if value and not MIN_INTERVAL_S <= parse_seconds(value) <= MAX_INTERVAL_S:
            raise ValueError("it must be a time from 1m to 366d, such as 30m, 24h, 1d or 1w")
        return value

    def backup_plan(self) -> BackupPlan:
        """Return the plan of backups: place, interval in seconds (0 if they are not scheduled), and
        number to keep.
        """
        from services.store.backups import BackupPlan  # noqa: PLC0415 - few commands make one

        every_s = parse_seconds(self.backup_every) if self.backup_to and self.backup_every else 0.0
        return BackupPlan(self.backup_to, every_s, self.backup_keep)


def parse_seconds(text: str) -> float:
    """Parse a time such as `24h` into seconds; 0 if it is not a valid time."""
    match = re.fullmatch(r"([0-9]{1,6})\s?([mhdw])", text, re.ASCII)
    return float(match[1]) * _UNITS[match[2]] if match else 0.0
