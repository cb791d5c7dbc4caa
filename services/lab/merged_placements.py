"""Join found and saved placements."""

from __future__ import annotations

from collections.abc import Iterable

from services.run.placements import LabPlacement

Placements = tuple[LabPlacement, ...]


def placement_key(placement: LabPlacement) -> tuple[str, int, int, int]:
    """Return strategy, effort, seed and moved bytes (0 if it is not of the front), which identify
    and order the placements of a problem.
    """
    return placement.strategy, placement.asked_effort, placement.seed, placement.moved_bytes or 0


def merge_saved(
    placements: Placements, front: Placements, saved: Iterable[LabPlacement]
) -> tuple[Placements, Placements]:
    """Return the placements and the front of a problem with the saved placements that neither has.

    The placements are sorted by `placement_key`, the front by moved bytes, of which it has a
    placement each.
    """
    # A placement that is both cached and saved is listed once.
    known = {placement_key(placement) for placement in (*placements, *front)}
    added = [placement for placement in saved if placement_key(placement) not in known]
    merged = [*placements, *front, *added]
    searched = [placement for placement in merged if placement.moved_bytes is None]
    by_moved = {
        placement.moved_bytes: placement
        for placement in merged
        if placement.moved_bytes is not None
    }
    return tuple(sorted(searched, key=placement_key)), tuple(
        by_moved[moved] for moved in sorted(by_moved)
    )
