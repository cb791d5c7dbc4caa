"""Follow chains of waits between cores to the core that did not wait itself."""

from __future__ import annotations

import numpy as np

from analysis.aie.pace.coupling import LAUNCH, Coupling
from schema.array_types import Floats, Ints

NOBODY = -1
"""A wait for late data of a core's own stream, or a stall of its own."""


def find_culprits(coupling: Coupling) -> Ints:
    """Find the index of the core that each core waited for before each kernel, shape rows x cores x
    kernels; NOBODY (-1) if it waited for no core.

    The chain leads from a core to the last core that released its block, as long as that core
    waited itself. It ends at a stream if the stream's own pace or the launch delays it, or if moves
    and kernels of one stream alternate.
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
    """Return the index of the core at the end of each chain of waits, rows x cores x kernels;
    NOBODY (-1) if the chain ends at the waiting core or at its own stream.
    """
    core = np.arange(end_core.shape[1])[:, None]
    own = ~coupling.is_bound | (end_core == core)
    for at, family in enumerate(coupling.structure.families):
        own |= (end_family == at) & (family.of_core[end_core] == family.of_core[core])
    return np.where(own, NOBODY, end_core)


def waits_for(coupling: Coupling) -> Floats:
    """Sum the ticks that each core (second axis) waits for each other core (third axis) in each
    row: rows x cores x cores; 0 if it does not wait for it.
    """
    culprits = find_culprits(coupling)
    rows, cores, _ = culprits.shape
    at = np.flatnonzero(culprits.ravel() != NOBODY)
    waiting = at // culprits.shape[2]
    key = waiting * cores + culprits.ravel()[at]
    sums = np.bincount(
        key, weights=coupling.times.stall.ravel()[at], minlength=rows * cores * cores
    )
    return sums.astype(np.float64).reshape(rows, cores, cores)
