"""Findings about a tinygrad capture: skipped and missing data, and private contents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from data_loaders.tinygrad.capture import Capture
from data_loaders.tinygrad.programs import Program
from data_loaders.tinygrad.stacks import Stacks
from data_loaders.tinygrad.timeline import Timeline
from schema.diagnostics import Diagnostic, occurrences
from schema.plurals import plural

_MAX_KINDS = 20
_MAX_NAMES = 5


def unknown_findings(names: Sequence[str], file: str) -> list[Diagnostic]:
    """Return a list with a warning that counts classes of tinygrad that no table contains, and
    names five; empty without names.

    They are read as opaque records.
    """
    if not names:
        return []
    shown = ", ".join(names[:_MAX_NAMES]) + (" ..." if len(names) > _MAX_NAMES else "")
    text = f"it contains classes of an unknown tinygrad version, which are ignored: {shown}"
    return [Diagnostic("warning", "unknown_classes", text, file, len(names))]


def skipped_findings(skipped: Counter[str], file: str) -> list[Diagnostic]:
    """Report skipped entries in a finding per reason, the most frequent first.

    Reasons after the 20th share the last finding. Empty if all counts are 0.
    """
    kinds = [(reason, count) for reason, count in skipped.most_common() if count]
    shown = kinds[:_MAX_KINDS]
    rest = sum(count for _, count in kinds[_MAX_KINDS:])
    return [
        Diagnostic(
            "warning", "events_skipped", f"{plural(count, 'entry')} skipped: {reason}", file, count
        )
        for reason, count in [*shown, *([("of other kinds", rest)] if rest else [])]
    ]


def timeline_findings(line: Timeline) -> list[Diagnostic]:
    """Report in a finding each how many intervals end before they begin or are still open at the
    end; empty if there are none.
    """
    unclosed = int((~line.closed).sum())
    backwards = "end before they begin: shown with duration 0"
    still_open = "still open when the capture ended: closed at its end"
    return [
        *occurrences("warning", "interval_backwards", line.backwards, "interval", backwards),
        *occurrences("info", "open_at_end", unclosed, "event", still_open),
    ]


def kernel_findings(kernels: pd.DataFrame, launched: int, rewrites: bool) -> list[Diagnostic]:
    """Report why times, operations or exact sizes of kernels are missing.

    Empty if they are complete. `launched` is the number of launches without copies, `rewrites`
    whether a rewrites.pkl was read.
    """
    timed = kernels[~kernels["copy"]]
    findings = []
    if launched and timed.empty:
        text = "no kernel has a time: tinygrad 0.14 times kernels of the CPU only with HCQ2=1"
        findings.append(Diagnostic("info", "kernels_untimed", text, "", launched))
    if len(timed) and not rewrites:
        text = "operations and source text of kernels need rewrites.pkl in the same folder, which VIZ=-1 writes"
        findings.append(Diagnostic("info", "rewrites_missing", text, "", len(timed)))
    batched = int((timed["batched"] & timed["operations"].notna()).sum())
    batched_text = "ran in graphs: variable sizes are those of the graph's first run"
    return findings + occurrences("info", "batched_sizes", batched, "kernel", batched_text)


def content_findings(
    stacks: Stacks, programs: Sequence[Program], capture: Capture, strip: bool
) -> list[Diagnostic]:
    """Report which of the user's code and paths the run contains.

    Empty if it contains no such data. If `strip`, source lines and paths were left out, and the
    number of dropped call stacks is reported.
    """
    parts = []
    if len(stacks):
        parts.append(
            f"{plural(len(stacks), 'call stack')} with source lines of {plural(stacks.files(), 'file')}"
        )
    sources = sum(bool(program.source) for program in programs)
    if sources:
        parts.append(f"source text of {plural(sources, 'kernel')}")
    binaries = sum(bool(program.binary) for program in programs)
    if binaries:
        parts.append(f"machine code of {plural(binaries, 'kernel')}")
    disks = sum(name.startswith("DISK:") for name in capture.devices)
    if disks:
        parts.append(f"names of {plural(disks, 'file')} on disk")
    findings = []
    if parts:
        personal = not strip and (len(stacks) or disks)
        hint = (
            "; strip_tracebacks=true, a checkbox in the upload dialog, omits source lines and paths"
            if personal
            else ""
        )
        text = f"it contains {', '.join(parts)}{hint}"
        findings.append(Diagnostic("info", "capture_contents", text))
    stripped_text = "without source lines and paths (setting strip_tracebacks)"
    return findings + occurrences(
        "info", "tracebacks_stripped", stacks.dropped, "call stack", stripped_text
    )


def profile_missing() -> Diagnostic:
    """Return a warning that a rewrites.pkl has no profile.pkl."""
    text = "the file has only rewrites: put profile.pkl of the same run into its folder for events, kernels and buffers"
    return Diagnostic("warning", "profile_missing", text)


def export_finding() -> Diagnostic:
    """Return an info finding that an export of JSON lines has no buffers and launches."""
    text = "an export of tinygrad's command line has no buffers and no launches: ingest profile.pkl for them"
    return Diagnostic("info", "export_partial", text)
