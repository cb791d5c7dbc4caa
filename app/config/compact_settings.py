"""Setting of the monthly files that SQL reads: how often they are written."""

from __future__ import annotations

from pydantic import Field, field_validator

from app.config.backup_settings import MAX_INTERVAL_S, MIN_INTERVAL_S, parse_seconds
from app.config.part import SettingsPart


class CompactSettings(SettingsPart):
    """Interval of the compaction; a base class of `Settings`."""

    compact_every: str = Field(
        "1d",
        description="How often one of the servers writes the monthly files that SQL reads in place of the packs of "
        "runs: a time such as `6h`, `1d` or `1w`. Empty: only `compact` and jobs write them.",
    )

    @field_validator("compact_every")
    @classmethod
    def _check_compact_every(cls, value: str) -> str:
        if value and not MIN_INTERVAL_S <= parse_seconds(value) <= MAX_INTERVAL_S:
            raise ValueError("it must be a time from 1m to 366d, such as 6h, 1d or 1w")
        return value

    @property
    def compact_every_s(self) -> float:
        """Seconds between two compactions; 0 if they are not scheduled."""
        return parse_seconds(self.compact_every)
