"""Memory maps in banks, and events that say what their steps compute and move."""

from schema.frames import complete
from tests.support.memory import amap, steps

CYCLES = 10
BANK = 100
CHIP = {"banks": 4, "bank_bytes": BANK}


def events(*rows, track="attempt 0"):
    """Return events of rows (step, lane, name), each for half of its step."""
    lanes = {"lane": [lane for _, lane, _ in rows], "name": [name for _, _, name in rows]}
    start = [CYCLES * step for step, _, _ in rows]
    times = {"start": start, "end": [begin + CYCLES // 2 for begin in start]}
    return complete("events", lanes | times | {"track": [track] * len(rows)})


def step_times(length):
    """Return frame `steps` of so many steps, one after the other."""
    return steps([""] * length, begin=[CYCLES * step for step in range(length)])


def shown(*rows, length=4, **more):
    """Return a map in four banks of 100 bytes, whose steps have times."""
    return amap(rows, steps=step_times(length), length=length, **(CHIP | more))
