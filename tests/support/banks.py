"""Memory maps in banks, with events of the computations and transfers of their steps."""

from schema.frames import complete
from tests.support.memory import amap, steps

CYCLES = 10
BANK = 100
CHIP = {"banks": 4, "bank_bytes": BANK}


def events(*rows, track="attempt 0"):
    """Build frame `events` from rows (step, lane, name); an event lasts for the first half of its
    step.
    """
    lanes = {"lane": [lane for _, lane, _ in rows], "name": [name for _, _, name in rows]}
    start = [CYCLES * step for step, _, _ in rows]
    times = {"start": start, "end": [begin + CYCLES // 2 for begin in start]}
    return complete("events", lanes | times | {"track": [track] * len(rows)})


def step_times(length):
    """Build frame `steps` with `length` steps of 10 cycles, one after the other."""
    return steps([""] * length, begin=[CYCLES * step for step in range(length)])


def shown(*rows, length=4, **more):
    """Build a map of these rows in four banks of 100 bytes; its steps have times."""
    return amap(rows, steps=step_times(length), length=length, **(CHIP | more))
