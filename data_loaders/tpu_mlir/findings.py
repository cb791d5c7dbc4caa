"""Findings about a TPU-MLIR log: unreadable lines, and missing or contradictory data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from data_loaders.tpu_mlir.attempts import Grouping
from data_loaders.tpu_mlir.blocks import MAX_LINE_BYTES
from data_loaders.tpu_mlir.cycles import ASSIGNED, Table, slack_mismatches
from data_loaders.tpu_mlir.groups import LayerGroup
from data_loaders.tpu_mlir.lines import LogLines
from schema.diagnostics import Diagnostic
from schema.plurals import plural

_ADVICE = "compile with OMP_NUM_THREADS=1, so that threads do not interleave their lines"


def line_findings(lines: LogLines, file: str) -> list[Diagnostic]:
    """Report lines that are unreadable, long or truncated, and names that are not UTF-8.

    Empty if there are none.
    """
    findings = []
    lost = lines.rows.results.unreadable
    if len(lost):
        count = plural(len(lost), "result line")
        text = f"{count} skipped: cut off, or interleaved by threads; if the file is complete, {_ADVICE}"
        place = f"{file}, line {lost.min()}" + (" and others" if len(lost) > 1 else "")
        findings.append(Diagnostic("warning", "lines_unreadable", text, place, len(lost)))
    if lines.unreadable:
        text = f"{plural(lines.unreadable, 'line')} about finished attempts or cycles could not be read: {_ADVICE}"
        findings.append(
            Diagnostic("warning", "other_lines_unreadable", text, file, lines.unreadable)
        )
    if lines.long:
        text = f"{plural(lines.long, 'line')} of more than {MAX_LINE_BYTES} bytes: read in pieces"
        findings.append(Diagnostic("warning", "lines_long", text, file, lines.long))
    if not lines.ended:
        text = "the last line is not terminated: the file was cut off, or saved without a final newline"
        findings.append(Diagnostic("warning", "file_cut", text, f"{file}, line {lines.last}"))
    replaced = sum("\ufffd" in name for name in lines.rows.distinct_names())
    if replaced:
        text = f"{plural(replaced, 'name')} with bytes that are not UTF-8: shown with a replacement character"
        findings.append(Diagnostic("info", "names_replaced", text, file, replaced))
    return findings


def attempt_findings(lines: LogLines, attempts: Grouping, file: str) -> list[Diagnostic]:
    """Report attempts with guessed boundaries, missing finish lines and missing result lines.

    Empty if there are none.
    """
    findings = []
    loose = int(np.count_nonzero(attempts.spec < 0))
    if loose:
        text = (
            f"{plural(loose, 'attempt')} separated only by settings and addresses: keep "
            "the lines with `step = lmem_spec` when you filter the log"
        )
        findings.append(Diagnostic("info", "attempts_guessed", text, file, loose))
    unfinished = int(np.count_nonzero(attempts.finish < 0))
    if unfinished and not lines.finishes:
        text = "no finish line: keep those with `step = assignLmemAddr_finish` to see which attempts succeeded"
        findings.append(Diagnostic("info", "finish_lines_missing", text, file, unfinished))
    elif unfinished:
        text = f"{plural(unfinished, 'attempt')} without a finish line: cut off, or mixed with attempts of other threads"
        findings.append(Diagnostic("warning", "attempts_unfinished", text, file, unfinished))
    if not len(lines.rows):
        message = "the log has attempts but no result lines, so there are no blocks"
        findings.append(Diagnostic("warning", "no_results", message, file))
    return findings


def capacity_findings(attempts: pd.DataFrame, file: str) -> list[Diagnostic]:
    """Return a list with a warning that counts the attempts with an unknown memory size.

    Empty if there are no such attempts.
    """
    unknown = int(attempts["capacity"].isna().sum())
    if not unknown:
        return []
    text = "the size of the local memory is not known: set the chip with --set hwid= or the size with --set capacity="
    return [Diagnostic("warning", "capacity_unknown", text, file, unknown)]


def cycle_findings(
    cost_tables: Sequence[Table], joined: Mapping[int, Table], attempts: Grouping, file: str
) -> list[Diagnostic]:
    """Report missing cost tables, tables of an early schedule, and contradictory slack.

    Empty if there are none. `joined` maps attempts to their tables.
    """
    findings = []
    if joined and not any(table.kind == ASSIGNED for table in cost_tables):
        text = "cycles are from before transfers were moved: add timestep_with_cycle to --debug-only for the final cycles"
        findings.append(Diagnostic("info", "cycles_before_moves", text, file))
    without = len(attempts) - len(joined)
    if cost_tables and without:
        text = f"{plural(without, 'attempt')} without cycles: no cycle table has the same number of time steps"
        findings.append(Diagnostic("info", "cycles_missing", text, file, without))
    differing = slack_mismatches(cost_tables)
    if differing:
        text = f"{plural(differing, 'time step')} whose slack is not layer cycles minus gdma cycles: {_ADVICE}"
        findings.append(Diagnostic("warning", "slack_differs", text, file, differing))
    return findings


def group_findings(
    groups: Sequence[LayerGroup], labels: Sequence[str], file: str
) -> list[Diagnostic]:
    """Return a list with a finding that names the first five layer groups whose label is not in
    `labels`, the labels of the attempts.

    Empty if all are.
    """
    missing = [group.label for group in groups if group.label not in labels]
    if not missing:
        return []
    text = (
        f"no attempt lays out {', '.join(missing[:5])}{' and others' if len(missing) > 5 else ''}"
    )
    return [Diagnostic("info", "groups_without_attempt", text, file, len(missing))]
