"""A finding about skipped, repaired or doubtful data.

Without pandas, so that a process that reads a large file can import it late.
"""

from __future__ import annotations

from dataclasses import dataclass

from schema.plurals import plural


@dataclass(frozen=True)
class Diagnostic:
    """A finding: severity (error, warning, info), stable code, sentence, place and count."""

    severity: str
    code: str
    message: str
    location: str = ""
    count: int = 1


def occurrences(severity: str, code: str, count: int, noun: str, what: str) -> list[Diagnostic]:
    """Build a list with one finding of this severity, code and count, whose message is `COUNT NOUNS
    WHAT`, such as `3 words left out`; an empty list if `count` is 0.
    """
    return (
        [Diagnostic(severity, code, f"{plural(count, noun)} {what}", count=count)] if count else []
    )
