"""Who each core waits for: the chain of waits, followed to the core that did not wait itself."""

from __future__ import annotations

import numpy as np

from analysis.aie.pace.coupling import LAUNCH, Coupling
from schema.array_types import Floats, Ints

NOBODY = -1
"""A wait for late data of a core's own stream, or a stall of its own."""


def find_culprits(coupling: Coupling) -> Ints:
    """Find the core that each core waited for before each kernel, NOBODY without one.

    rows x cores x kernels. The chain goes from a core to the core that let its block go last, as
    long as that core waited itself. It ends at a stream if the stream's own pace or the launch
    holds it up, or if moves and kernels of one stream follow each other.
    """
    families = coupling.structure.families
    count = len(families)
    shape = coupling.cause.shape
    rows = np.arange(shape[0])[:, None]
    core = np.broadcast_to(np.arange(shape[1]), shape[:2])
    releasers = [family.latest_core(coupling.times.end) for family in families]
    end_core = np.zeros(shape, np.int64)
    end_family = np.full(shape, NOBODY)
    for kernel in range(shape[2]):
        cause = coupling.cause[..., kernel]
        at_core = core.copy()
        at_family = np.where(cause >= count, cause - count, np.where(cause == LAUNCH, 0, NOBODY))
        for at, (family, depth) in enumerate(zip(families, coupling.structure.depths, strict=True)):
            before = kernel - depth
            if before < 0:
                continue
            other = releasers[at][..., before]
            their_cause = coupling.cause[rows, other, before]
            waits = coupling.is_bound[rows, other, before]
            follows = waits & (their_cause == at) & (family.word != "all")
            chosen = np.where(waits & ~follows, end_core[rows, other, before], other)
            stream = np.where(follows, at, np.where(waits, end_family[rows, other, before], NOBODY))
            at_core = np.where(cause == at, chosen, at_core)
            at_family = np.where(cause == at, stream, at_family)
        end_core[..., kernel] = at_core
        end_family[..., kernel] = at_family
    return _blame(coupling, end_core, end_family)


def _blame(coupling: Coupling, end_core: Ints, end_family: Ints) -> Ints:
    """Return the core at the end of each chain; NOBODY if it is the core or its own stream."""
    core = np.arange(end_core.shape[1])[:, None]
    own = ~coupling.is_bound | (end_core == core)
    for at, family in enumerate(coupling.structure.families):
        own |= (end_family == at) & (family.of_core[end_core] == family.of_core[core])
    return np.where(own, NOBODY, end_core)


def waits_for(coupling: Coupling) -> Floats:
    """Sum the time that each core waits for each other core, rows x cores x cores, ticks."""
    culprits = find_culprits(coupling)
    rows, cores, _ = culprits.shape
    at = np.flatnonzero(culprits.ravel() != NOBODY)
    waiting = at // culprits.shape[2]
    key = waiting * cores + culprits.ravel()[at]
    sums = np.bincount(
        key, weights=coupling.times.stall.ravel()[at], minlength=rows * cores * cores
    )
    return sums.astype(np.float64).reshape(rows, cores, cores)
