"""Sentences about the runs of a comparison that lack data: a change of their numbers may come from
the missing data.
"""

from __future__ import annotations

from collections.abc import Sequence

from schema.finding import Diagnostic
from schema.incomplete import POSSIBLY, incomplete_findings
from services.comparison.compared_runs import ComparedRun
from services.run.capabilities import Capability


def incomplete_words(base: Sequence[ComparedRun], new: Sequence[ComparedRun]) -> list[str]:
    """Say of each side how many of its runs lack data, with the first finding about it; [] if no
    run does.
    """
    words = []
    for name, side in (("base", base), ("new side", new)):
        found = [finding for run in side if (finding := _first_finding(run)) is not None]
        if found:
            runs = "the run" if len(side) == 1 else f"{len(found)} of {len(side)} runs"
            lack = "lacks" if len(found) == 1 else "lack"
            verb = "may lack" if found[0].code in POSSIBLY else lack
            words.append(f"{runs} of the {name} {verb} data: {found[0].message}")
    return words


def _first_finding(run: ComparedRun) -> Diagnostic | None:
    """Return the first finding about missing data of a run, `None` without one.

    Only files of results have such findings that are no warnings. So the findings of most runs are
    not read.
    """
    has_some = run.stored.errors or run.stored.warnings
    if not has_some and not run.run_frames.contents.can(Capability.RESULTS):
        return None
    return next(iter(incomplete_findings(run.frames["diagnostics"])), None)
