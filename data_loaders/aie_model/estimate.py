"""Read `estimate.json` of IRON: predicted cycles of groups of operators."""

from __future__ import annotations

from data_loaders.aie_model.terms import Prediction, make_terms, parse_cycles


def read_estimate(content: object) -> list[Prediction]:
    """Read the terms of an estimate; of several groups only the total, as they follow each other."""
    if not isinstance(content, dict):
        return []
    total = parse_cycles(content.get("cycles"))
    groups = content.get("groups")
    latencies = [
        group.get("latency")
        for group in (groups.values() if isinstance(groups, dict) else ())
        if isinstance(group, dict)
    ]
    if len(latencies) != 1 or not isinstance(latencies[0], dict):
        return make_terms(None, None, total)
    each = parse_cycles(latencies[0].get("per_iteration"))
    overlap = parse_cycles(latencies[0].get("overlap_between_iterations"))
    step = each - overlap if each is not None and overlap is not None else None
    return make_terms(step, overlap, total)
