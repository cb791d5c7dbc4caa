"""Sections of the overview, each with a sentence and tables, for page and command alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.overview.attention_words import age_text, backup_words
from app.overview.orphan_words import orphan_sentence
from app.text_table import TextTable
from components.numbers import DASH, count_text, integer, percent, shorten, size
from services.store.overview import MAX_AUTHORS, Overview
from services.store.store_size import Amount, StoreSize
from services.store.workers import Workers
from storage.jobs import QUEUED, RUNNING, STATES

_MAX_CELL_LENGTH = 80
_MAX_TOKENS = 200
"""Maximum number of tokens in the table."""


@dataclass(frozen=True)
class OverviewPart:
    """A section of the overview; `tables` has only tables with rows."""

    name: str
    title: str
    sentence: str
    tables: tuple[TextTable, ...] = ()


def overview_parts(overview: Overview) -> list[OverviewPart]:
    """Build the ten sections of the overview in reading order, size first and settings last."""
    return [
        _size_part(overview.size),
        OverviewPart("orphans", "Orphans", orphan_sentence(overview.orphans)),
        _holds_part(overview),
        _backups_part(overview),
        _uploads_part(overview),
        _authors_part(overview),
        _jobs_part(overview),
        _watched_part(overview),
        _tokens_part(overview),
        _settings_part(overview),
    ]


def _size_part(held: StoreSize) -> OverviewPart:
    before = f", {size(held.before.bytes)} in the 7 days before"
    grown = f"{count_text(held.last_week.runs, 'run')} and {size(held.last_week.bytes)} were added in the last 7 days{before}"
    catalogue = (
        f" The catalogue has {size(held.catalogue_bytes)}."
        if held.catalogue_bytes is not None
        else ""
    )
    free = (
        f" {size(held.free_bytes)} are free on the disk of the frames."
        if held.free_bytes is not None
        else ""
    )
    old = (
        f" {count_text(held.unknown, 'run')} of an older release not counted."
        if held.unknown
        else ""
    )
    # Weeks at the end without any run are left out.
    last = max((rank for rank, week in enumerate(held.weeks) if week.runs), default=-1)
    weeks = held.weeks[: last + 1]
    tables = (
        _amounts("source", held.sources, held.bytes),
        _amounts(
            "week from", weeks, max((week.bytes for week in weeks), default=0), "of the largest"
        ),
        _amounts("age", held.ages, held.bytes),
    )
    return OverviewPart("size", "Size", f"{grown}.{catalogue}{free}{old}", _with_rows(tables))


def _amounts(head: str, amounts: Sequence[Amount], whole: int, share: str = "of all") -> TextTable:
    # A store without runs has 0 bytes.
    shares = tuple(amount.bytes / whole if whole else 0.0 for amount in amounts)
    rows = tuple(
        (amount.name, integer(amount.runs), size(amount.bytes), percent(part))
        for amount, part in zip(amounts, shares, strict=True)
    )
    return TextTable((head, "runs", "bytes", share), rows, 3, shares)


def _holds_part(overview: Overview) -> OverviewPart:
    holds = overview.holds
    reasons = [count_text(holds.pinned, "pinned run")] if holds.pinned else []
    for noun, names in (
        ("baseline", holds.baselines),
        ("baseline rule", holds.rules),
        ("alert", holds.alerts),
    ):
        listed = f" ({shorten(', '.join(names), _MAX_CELL_LENGTH)})"
        reasons += [f"{count_text(len(names), noun)}{listed}"] if names else []
    # Without a reason a sentence of counts would name four things that the store does not have.
    excluded = (
        f"Excluded from retention by {', '.join(reasons)}."
        if reasons
        else "No run is excluded from retention."
    )
    sentence = f"Runs are only deleted by retention jobs. {excluded}"
    return OverviewPart("retention", "Retention", sentence)


def _backups_part(overview: Overview) -> OverviewPart:
    state = overview.backups
    if not state.to:
        return OverviewPart("backups", "Backups", "Backups are off: setting backup_to is empty.")
    last = backup_words(state)
    last = f"{last[0].upper()}{last[1:]}"
    runs = "" if state.runs is None else f", {count_text(state.runs, 'run')}"
    held = f": {size(state.size)}{runs}" if state.last_at else ""
    newest = "backup is" if state.keep == 1 else f"{state.keep} backups are"
    place = f"The newest {newest} kept in {shorten(state.to, _MAX_CELL_LENGTH)}"
    due = (
        "a backup is being made"
        if state.running
        else f"the next backup is due {_moment(state.next_at)}"
    )
    due = due if state.running or state.next_at else "backups are only made on request"
    failed = (
        f" The newest attempt failed {_moment(state.last_error_at)}: {state.last_error}."
        if state.last_error
        else ""
    )
    note = f" {state.note}" if state.note else ""
    return OverviewPart("backups", "Backups", f"{last}{held}. {place}; {due}.{failed}{note}")


def _uploads_part(overview: Overview) -> OverviewPart:
    uploads = overview.uploads
    failed_count = count_text(uploads.failed, "upload") if uploads.failed else "No upload"
    open_count = "no upload in parts is under way"
    if uploads.incomplete:
        parts = f"{count_text(uploads.incomplete, 'upload')} in parts"
        verb = "is" if uploads.incomplete == 1 else "are"
        stalled = f", {integer(uploads.stalled)} stalled" if uploads.stalled else ""
        open_count = f"{parts} {verb} under way with {size(uploads.incomplete_bytes)}{stalled}"
    counts = f"{failed_count} failed in the last 7 days; {open_count}."
    failed = tuple(
        (_moment(upload.at), _short(upload.user), _short(upload.name), shorten(upload.reason, 200))
        for upload in uploads.last_failed
    )
    quiet = tuple(
        (
            _short(upload.user),
            _short(upload.name),
            age_text(upload.quiet_s),
            size(upload.received),
            size(upload.size),
        )
        for upload in uploads.quietest
    )
    tables = (
        TextTable(("time, UTC", "user", "file", "reason"), failed),
        TextTable(("user", "file in parts", "last part", "received", "of"), quiet, 2),
    )
    return OverviewPart("uploads", "Uploads", counts, _with_rows(tables))


def _authors_part(overview: Overview) -> OverviewPart:
    rows = tuple(
        (
            _short(author.user) or "unknown",
            _moment(author.last_at),
            integer(author.runs),
            size(author.bytes),
        )
        for author in overview.authors
    )
    table = TextTable(("brought by", "last, UTC", "runs", "bytes"), rows, 2)
    listed = count_text(len(rows), "user")
    # When the list is full, there may be more users.
    counted = f"{listed} ingested the runs." if rows else "No run was ingested yet."
    sentence = f"The {listed} with most runs." if len(rows) == MAX_AUTHORS else counted
    return OverviewPart("authors", "Users who ingested runs", sentence, _with_rows((table,)))


def _jobs_part(overview: Overview) -> OverviewPart:
    jobs = overview.jobs
    messages = overview.messages
    oldest = f", the oldest since {_moment(jobs.oldest_queued)}" if jobs.oldest_queued else ""
    counts = f"{count_text(jobs.by_state.get(QUEUED, 0), 'job')} queued{oldest}, {jobs.by_state.get(RUNNING, 0)} running"
    failed = f"{integer(jobs.failed_since)} failed in the last 7 days"
    message_counts = f"Messages of alerts: {integer(messages.waiting)} waiting, {integer(messages.given_up)} given up."
    sentence = f"{counts}; {failed}. {_workers_words(overview.workers)} {message_counts}"
    rows = tuple(
        (kind, *(integer(states.get(state, 0)) for state in STATES))
        for kind, states in jobs.by_kind.items()
    )
    table = TextTable(("jobs of kind", *STATES), rows, len(STATES))
    return OverviewPart("jobs", "Jobs and workers", sentence, _with_rows((table,)))


def _workers_words(workers: Workers) -> str:
    if not workers.scheduler:
        return "Work runs in processes of the servers."
    if workers.error:
        return f"The Dask scheduler {workers.scheduler} does not respond: {workers.error}."
    threads = count_text(workers.threads, "thread")
    return f"{count_text(workers.workers, 'worker')} with {threads} at {workers.scheduler}."


def _watched_part(overview: Overview) -> OverviewPart:
    rows = tuple(
        (
            _short(folder.folder),
            _short(folder.host),
            "no longer watched" if folder.is_gone else _short(folder.problem) or "watched",
            age_text(folder.quiet_s),
            integer(folder.runs),
            integer(folder.refused),
        )
        for folder in overview.watched
    )
    table = TextTable(("folder", "host", "state", "last look", "runs", "refused"), rows, 2)
    sentence = f"{count_text(len(rows), 'folder')} watched." if rows else "No folder is watched."
    return OverviewPart("watched", "Watched folders", sentence, _with_rows((table,)))


def _tokens_part(overview: Overview) -> OverviewPart:
    rows = tuple(
        (
            _short(token.name),
            token.scope,
            token.state,
            _moment(token.created_at),
            _short(token.created_by),
            _moment(token.expires_at),
            _moment(token.used_at),
        )
        for token in overview.tokens[:_MAX_TOKENS]
    )
    valid = sum(token.state == "valid" for token in overview.tokens)
    unused = sum(token.state == "valid" and token.used_at is None for token in overview.tokens)
    sentence = _tokens_words(valid, unused) if rows else "No tokens."
    sentence += (
        f" The newest {_MAX_TOKENS} are listed." if len(overview.tokens) > _MAX_TOKENS else ""
    )
    heads = ("token", "scope", "state", "made, UTC", "by", "expires, UTC", "last used, UTC")
    return OverviewPart("tokens", "Tokens", sentence, _with_rows((TextTable(heads, rows),)))


def _tokens_words(valid: int, unused: int) -> str:
    if not valid:
        return "No valid token."
    if not unused:
        return f"{count_text(valid, 'valid token')}."
    of_them = "" if valid == 1 else f"{integer(unused)} of them " if unused < valid else "all "
    return f"{count_text(valid, 'valid token')}, {of_them}never used."


def _settings_part(overview: Overview) -> OverviewPart:
    # Settings with a value other than the default come first.
    ordered = sorted(overview.settings, key=lambda setting: setting.is_default)
    rows = tuple(
        (setting.name, shorten(setting.value, 200) or DASH, "" if setting.is_default else "set")
        for setting in ordered
    )
    changed = sum(not setting.is_default for setting in overview.settings)
    sentence = f"The catalogue has revision {overview.revision or 'none'}, the newest is {overview.newest_revision}. "
    sentence += f"{count_text(changed, 'setting')} with another value than the default."
    tables = (TextTable(("setting", "value", "origin"), rows),)
    return OverviewPart("settings", "Settings and migrations", sentence, tables)


def _with_rows(tables: Sequence[TextTable]) -> tuple[TextTable, ...]:
    return tuple(table for table in tables if table.rows)


def _moment(text: str | None) -> str:
    # Times are ISO 8601; 16 characters are date, hour and minute.
    return text[:16].replace("T", " ") if text else "never"


def _short(text: str) -> str:
    return shorten(text, _MAX_CELL_LENGTH)
