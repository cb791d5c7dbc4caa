"""Base class of the classes that together are `Settings`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class SettingsPart(BaseModel):
    """Some settings; only `Settings`, which joins all parts, is ever an object."""

    model_config = ConfigDict(
        # A misspelt setting of the file would be ignored silently otherwise.
        extra="forbid",
        frozen=True,
        validate_default=True,
        # Otherwise each import would build the validators of all seven parts, and only one is used.
        defer_build=True,
    )
