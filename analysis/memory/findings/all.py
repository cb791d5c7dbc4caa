"""All findings about memory maps: a diagnostic per kind, with a count and a description of the
worst case.
"""

from __future__ import annotations

import pandas as pd

from analysis.memory.allocator import reserved_findings
from analysis.memory.findings.addresses import placement
from analysis.memory.findings.capacity import limits
from analysis.memory.findings.lifetimes import lifetimes
from analysis.memory.findings.overlaps import block_overlap
from analysis.memory.lives import MAX_SUM
from analysis.memory.survey import Surveyed
from schema.allocated_findings import allocated_findings
from schema.diagnostics import Diagnostic
from schema.plurals import plural


def map_findings(
    numbers: pd.DataFrame, allocations: pd.DataFrame, uses: pd.DataFrame, surveyed: Surveyed
) -> list[Diagnostic]:
    """Collect the findings about all attempts, levels or problems of a run; [] if there are none.

    `numbers` is frame attempts with its numbers, `uses` is frame buffer_uses, `surveyed` the survey
    of the blocks.
    """
    return [
        *block_overlap(surveyed),
        *limits(numbers, surveyed),
        *placement(numbers, surveyed),
        *lifetimes(allocations, uses, surveyed),
        *_bounds_of_the_analysis(numbers, surveyed),
    ]


def allocator_findings(
    numbers: pd.DataFrame, device_memory: pd.DataFrame, surveyed: Surveyed
) -> list[Diagnostic]:
    """Collect the findings about the devices of a caching allocator; [] if there are none.

    Rules about addresses do not apply, as its addresses are no plan, but no byte has two owners.
    """
    return [
        *block_overlap(surveyed),
        *reserved_findings(numbers, device_memory),
        *allocated_findings(device_memory),
        *_bounds_of_the_analysis(numbers, surveyed),
    ]


def _bounds_of_the_analysis(numbers: pd.DataFrame, surveyed: Surveyed) -> list[Diagnostic]:
    """Report limits of the analysis, at most two findings: steps that were skipped, and sums that
    exceed int64.
    """
    findings = []
    cells = len(surveyed.looked)
    looked = int(surveyed.looked.sum())
    if looked < cells:
        sums = "fragmentation is" if surveyed.exact else "fragmentation and overlaps are"
        text = f"{sums} computed at {looked} of {plural(cells, 'step')} with a change only, as many blocks are alive at once"
        findings.append(Diagnostic("info", "steps_sampled", text, "", cells - looked))
    over = int((numbers["requested_peak"] == MAX_SUM).sum())
    if over:
        text = "more bytes are alive at once than a 64-bit integer holds: sums stop at 2^63 - 1"
        findings.append(Diagnostic("warning", "numbers_saturated", text, "", over))
    return findings
