"""Sentences about a peak: its parts, the advice that lowers it, and the advice that is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from analysis.allocators.listed import strategy_label
from analysis.memory.attempt_map import AttemptMap
from analysis.peak import advice as advice_kinds
from analysis.peak import changes
from analysis.peak.advice import (
    ALLOCATOR,
    FAILED,
    NO_ORDER,
    NO_USES,
    REORDER,
    TILE,
    TOO_LARGE,
    PeakAdvice,
)
from analysis.peak.changes import FREE, MOVE
from analysis.peak.parts import EXTENT, PeakParts
from analysis.peak.replay import MAX_PARTS, SETTLE
from analysis.peak.report import FreedBlock, PeakReport
from components.memory.buffer_words import moment
from components.numbers import count_text, integer, percent, shorten, size
from schema.command import COMMAND
from schema.time_units import NANOSECONDS

PART_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "persistent": "persistent",
        "intermediate": "intermediate",
        "scratch": "scratch",
        "placement": "waste of placement",
        "alignment": "waste of alignment",
        "unknown": "unknown",
    }
)
"""Part of a peak -> label."""
PART_MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "persistent": "weights, constants, and blocks alive in all steps",
        "intermediate": "activations, variables, and buffers that are freed again",
        "scratch": "working memory of operators, and stacks of cores",
        "placement": "free bytes below the highest address at this step",
        "alignment": "free bytes below aligned addresses, and rounded sizes",
        "unknown": "the file does not record the content",
    }
)
"""Part of a peak -> what it holds."""
_LACKING: Mapping[str, str] = MappingProxyType(
    {
        NO_USES: "The file does not record the uses of blocks, so the steps after which they could "
        "be freed are unknown.",
        TOO_LARGE: f"The map has more than {integer(MAX_PARTS)} lifetimes, too many to replay changes of it; "
        f"{COMMAND} allocate places it again.",
        FAILED: "Some blocks have no place, so the map has no peak that changes could lower.",
        NO_ORDER: "The lab reorders the steps: they are too many here, or blocks wrap or have gaps.",
    }
)
_MAX_NAME = 50


def peak_sentence(report: PeakReport) -> str:
    """Describe the parts of a peak, the largest first, and the advice that gains most.

    `Peak of L1 is 9.08 KiB at step 4: intermediate 7.97 KiB (87.7 %), persistent 1.11 KiB
    (12.3 %). Free “a” (2.00 KiB) after step 3: the peak falls by 2.00 KiB to 7.08 KiB.`
    """
    return " ".join([parts_sentence(report.amap, report.parts), *(advice_lines(report)[:1])])


def parts_sentence(amap: AttemptMap, parts: PeakParts) -> str:
    """Describe the parts of a map's peak that have bytes, the largest first."""
    largest = sorted(parts.parts.items(), key=lambda part: -part[1])
    listed = [
        f"{PART_LABELS[name]} {size(part)} ({percent(part / parts.peak)})"
        for name, part in largest
        if part
    ]
    label = shorten(amap.label, _MAX_NAME)
    kind = "" if parts.kind == EXTENT else " alive"
    time = f"at {_step(amap, parts.step)}"
    return f"Peak of {label} is {size(parts.peak)}{kind} {time}: {', '.join(listed)}."


def advice_lines(report: PeakReport) -> list[str]:
    """Describe each piece of advice in a sentence with its gain."""
    return [advice_sentence(report, advice) for advice in report.advice.advice]


def advice_sentence(report: PeakReport, advice: PeakAdvice) -> str:
    """Describe a change and the bytes that it gains."""
    return f"{_change_words(report, advice)}: {_gain_words(report, advice)}."


def lacking_sentences(report: PeakReport) -> Iterator[str]:
    """Yield a sentence for each kind of advice that could not be looked for."""
    for reason in report.advice.lacking:
        yield _LACKING[reason]


def _change_words(report: PeakReport, advice: PeakAdvice) -> str:
    match advice.kind:
        case changes.FREE:
            return _free_words(report, advice)
        case changes.MOVE:
            block = report.freed_block(advice.freed[0])
            return (
                f"Move {_block_words(block)} out after {_last(report.amap, block.begin)} and back before "
                f"{_step(report.amap, block.end)}, or recompute it"
            )
        case advice_kinds.REORDER:
            return "Run the steps in another order, which their operands permit"
        case advice_kinds.TILE:
            return f"Choose the tiles for a capacity of {size(advice.capacity)}"
    banks = ", without regard to its banks" if report.amap.whole("banks") else ""
    if advice.strategy == SETTLE:
        return f"Place each block as low as possible, in the order of their addresses{banks}"
    return f"Place the blocks by {strategy_label(advice.strategy)}{banks}"


def _free_words(report: PeakReport, advice: PeakAdvice) -> str:
    if len(advice.freed) > 1:
        total = sum(report.freed_block(one).size for one in advice.freed)
        return (
            f"Free {count_text(len(advice.freed), 'block')} ({size(total)}) after their last uses"
        )
    block = report.freed_block(advice.freed[0])
    return (
        f"Free {_block_words(block)} after its last use in {_last(report.amap, block.begin)}, not after "
        f"{_last(report.amap, block.end)}"
    )


def _gain_words(report: PeakReport, advice: PeakAdvice) -> str:
    beyond = advice.kind != ALLOCATOR and report.gained_by_allocator > 0
    further = f"below the {size(report.base)} of a new placement, " if beyond else ""
    moved = ""
    if advice.moved is None:
        moved = "; the bytes moved are unknown"
    elif advice.moved:
        moved = f"; {size(advice.moved)} more are moved"
    return f"{further}the peak falls by {size(advice.gain)} to {size(advice.peak)}{moved}"


def _block_words(block: FreedBlock) -> str:
    name = shorten(block.name, _MAX_NAME) or f"block {block.block}"
    return f"“{name}” ({size(block.size)})"


def _last(amap: AttemptMap, end: int) -> str:
    """Name the last step before `end`; if times are ns, `end` itself."""
    return _step(amap, end if amap.facts.unit == NANOSECONDS else end - 1)


def _step(amap: AttemptMap, step: int) -> str:
    is_time = amap.facts.unit == NANOSECONDS
    return moment(step, amap.length) if is_time else f"step {integer(step)}"


KIND_LABELS: Mapping[str, str] = MappingProxyType(
    {
        FREE: "free earlier",
        MOVE: "move or recompute",
        REORDER: "reorder",
        ALLOCATOR: "other allocator",
        TILE: "smaller tile",
    }
)
"""Kind of advice -> label."""
