"""Explain how the capacity that a network was made with compares with what a level needs.

Rule: Deeploy's tiler fits tiles and the constants of the network into the capacity. Code generation
adds static bytes afterwards, such as tables of tile counts, and does not check the capacity again.
"""

from __future__ import annotations

from analysis.tiling.deeploy.network import LevelPlan
from schema.plurals import plural


def capacity_note(plan: LevelPlan) -> str:
    """Return a sentence if the operators as tiled, or these with the static bytes of the code, need
    more bytes than the run's own capacity of the level; "" if they fit or the capacity is unknown.
    """
    capacity = plan.capacity
    if capacity is None:
        return ""
    if plan.too_large:
        operator = plan.too_large[0]
        lost = len(plan.too_large)
        verb = "does" if lost == 1 else "do"
        subject = f"{lost} of {plural(len(plan.operators), 'operator')} {verb}"
        if len(plan.operators) == 1:
            subject = "The only operator does"
        return (
            f"{subject} not fit into the run's {plural(capacity, 'byte')} of {plan.level} as tiled: "
            f"{operator.found.operator.name} needs {operator.need(operator.own)}."
        )
    needed = plan.least_as_tiled + plan.added_static
    if needed <= capacity:
        return ""
    return (
        f"{plan.level} needs {plural(needed, 'byte')}, {needed - capacity} more than the run's {capacity}: the generated code "
        f"adds {plural(plan.added_static, 'static byte')} that the tiler does not count."
    )
