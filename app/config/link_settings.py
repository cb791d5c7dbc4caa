"""Settings of addresses outside of Tilescope that pages link to."""

from __future__ import annotations

import re

from pydantic import Field, field_validator

from app.config.part import SettingsPart


class LinkSettings(SettingsPart):
    """Addresses of commits and of Perfetto; a base class of `Settings`."""

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
