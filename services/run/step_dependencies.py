"""Dependencies between the steps of a run, for every change of their order."""

from __future__ import annotations

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.step_order import MAX_STEPS, Precedence, precedence
from schema.sources import source_of
from services.run.memory import MemoryData


def step_dependencies(memory: MemoryData, source: str, amap: AttemptMap) -> Precedence | None:
    """Compute which steps of an attempt must run before which steps, from their operands.

    None if the dependencies are not completely known: several devices, no operands, more than
    MAX_STEPS steps, or a source with control flow, which orders the steps beyond their operands.
    """
    if memory.facts.devices or not len(memory.uses) or amap.length > MAX_STEPS:
        return None
    if source_of(source).keeps_order:
        return None
    return precedence(memory.allocations, memory.uses, amap.length)
