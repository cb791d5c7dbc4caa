"""The installation that sends messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from analysis.bisection.address import start_address
from analysis.comparison.status_row import StatusRow


@dataclass(frozen=True)
class MessageOrigin:
    """Facts about the installation that its messages have.

    `site` is its id in the markers of posts, `public_url` its address ("" if it is not set), and
    `find_bisection` returns the path of the bisection of a row, "" without a good and a bad commit.
    """

    site: str = ""
    public_url: str = ""
    find_bisection: Callable[[StatusRow], str] = start_address
