"""Texts about the things in a store that need attention, and the caption of the overview."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from components.jobs.jobs_list import duration_words
from components.numbers import count_text, shorten, size
from components.runs.list_address import list_address
from services.store.attention import Attention, Kind
from services.store.backups import BackupState
from services.store.overview import Overview

_MAX_REASON_LENGTH = 200
"""Maximum length of a reason in characters."""
_JUST_NOW_S = 60
"""Ages below this number of seconds are "just now"."""


def age_text(seconds: float) -> str:
    """Format an age in seconds in its two largest units, such as `3 h 5 min ago`; `just now` below
    _JUST_NOW_S (60 s).
    """
    return "just now" if seconds < _JUST_NOW_S else f"{duration_words(seconds)} ago"


def store_sentence(overview: Overview, attention: Sequence[Attention]) -> str:
    """Return the caption of the overview: that the store is well, or the number of things that need
    attention and the first of them; then size and last backup.

    A store whose backups are off is never well, even if no problem was found.
    """
    held = overview.size
    backup = backup_words(overview.backups)
    lately = f"{size(held.last_week.bytes)} of it from the last 7 days"
    well = f"{size(held.bytes)} in {count_text(held.runs, 'run')}, {lately}"
    well = well if held.runs else "no runs"
    if not attention and not overview.backups.to:
        # One lost disk takes everything: such a store is not called well.
        return f"No problem was found, but {backup}. The store has {well}."
    if not attention:
        return f"The store is well: {well}; {backup}; nothing needs attention."
    things = "1 thing needs" if len(attention) == 1 else f"{len(attention)} things need"
    return f"{things} attention, first: {attention_words(attention[0])}. The store has {well}; {backup}."


def backup_words(backups: BackupState) -> str:
    """Return how old the last backup is, `no backup yet` without any, or `backups are off` if no
    place is set.
    """
    if backups.age_s is not None:
        return f"last backup {age_text(backups.age_s)}"
    return "no backup yet" if backups.to else "backups are off"


def attention_words(attention: Attention) -> str:
    """Describe a thing that needs attention, as a sentence without a full stop."""
    return _WORDS[attention.kind](attention)


def attention_page(kind: Kind) -> str:
    """Return the address with details of this kind of problem: `#SECTION` of the overview page, or
    the path of another page.
    """
    return _PAGES[kind]


def _reason(attention: Attention) -> str:
    return f": {shorten(attention.about, _MAX_REASON_LENGTH)}" if attention.about else ""


def _count(noun: str, verb: str) -> Callable[[Attention], str]:
    return lambda attention: f"{count_text(attention.count or 0, noun)} {verb}{_reason(attention)}"


_WORDS: Mapping[Kind, Callable[[Attention], str]] = MappingProxyType(
    {
        "runs damaged": _count("run", "with a row that cannot be read"),
        "disk full": lambda attention: f"the disk of the frames has {size(attention.count)} left",
        "backup missing": lambda _: "no backup was made yet",
        "backup failed": lambda attention: f"the last backup failed{_reason(attention)}",
        "backup late": lambda _: "the last backup is more than two intervals old",
        "backup damaged": _count("problem", "of the store in the last backup"),
        "workers missing": lambda _: "the Dask scheduler has no workers",
        "scheduler silent": lambda attention: (
            f"the Dask scheduler does not respond{_reason(attention)}"
        ),
        "jobs silent": _count("job", "running without a heartbeat"),
        "watcher gone": lambda attention: (
            f"folder {shorten(attention.about, _MAX_REASON_LENGTH)} is no longer watched"
        ),
        "watcher failing": lambda attention: f"a watched folder has a problem{_reason(attention)}",
        "messages given up": _count("message", "of alerts given up"),
        "uploads failed": _count("upload", "failed in the last 7 days"),
        "uploads stalled": _count("upload", "in parts without progress for an hour"),
        "jobs failed": _count("job", "failed in the last 7 days"),
        "tokens expiring": _count("token", "about to expire within 7 days"),
        "orphans": _count("prefix", "of files that no run refers to"),
        "leftovers": _count("prefix", "of files that a dead process left"),
    }
)
_PAGES: Mapping[Kind, str] = MappingProxyType(
    {
        "runs damaged": list_address(),
        "disk full": "#admin-size",
        "backup missing": "#admin-backups",
        "backup failed": "#admin-backups",
        "backup late": "#admin-backups",
        "backup damaged": "#admin-backups",
        "workers missing": "#admin-jobs",
        "scheduler silent": "#admin-jobs",
        "jobs silent": "/jobs",
        "watcher gone": "#admin-watched",
        "watcher failing": "#admin-watched",
        "messages given up": "/alerts",
        "uploads failed": "#admin-uploads",
        "uploads stalled": "#admin-uploads",
        "jobs failed": "/jobs",
        "tokens expiring": "#admin-tokens",
        "orphans": "#admin-orphans",
        "leftovers": "#admin-orphans",
    }
)
