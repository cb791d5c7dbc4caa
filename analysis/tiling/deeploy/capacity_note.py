"""Explain how the capacity that a network was made with compares with what a level needs.

Rule: Deeploy's tiler fits tiles and the constants of the network into the capacity. Code generation
adds static bytes afterwards, such as tables of tile counts, and does not check the capacity again.
"""

from __future__ import annotations

from analysis.tiling.deeploy.network import LevelPlan


def capacity_note(plan: LevelPlan) -> str:
    """Return a sentence if the operators as tiled, or these with the static bytes of the code, need
    more bytes than the run's own capacity of the level; "" if they fit or the capacity is unknown.
    """
    capacity = plan.capacity
    if capacity is None:
        return ""
    if plan.too_large:
        operator = plan.too_large[0]
        return (
            f"{len(plan.too_large)} of {len(plan.operators)} operators do not fit into the run's {capacity} bytes of "
            f"{plan.level} with their tiles: {operator.found.operator.name} needs {operator.need(operator.own)}."
        )
    needed = plan.least_as_tiled + plan.added_static
    if needed <= capacity:
        return ""
    return (
        f"{plan.level} needs {needed} bytes, {needed - capacity} more than the run's {capacity}: the generated code "
        f"adds {plan.added_static} static bytes that the tiler does not count."
    )
