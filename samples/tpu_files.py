"""Write a compile as files of TPU-MLIR: the log of layer groups, its cache, and a profile.

Fields are put together from parts, so that a loader does not take this module for a log.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from samples.tpu_compile import Attempt
from samples.tpu_network import BANK_BYTES, BANKS, EU_BYTES, LANES, LMEM_BYTES, NETWORK
from samples.tpu_profile import bmodel, commands, profile_text
from samples.tpu_schedule import Cost, ScheduledBuffer

_BACKSPACE = "\b"
_TABLE, _SLACK = "timestep_with_cycle", "cycle_slack"


def log_text(attempts: Sequence[Attempt]) -> str:
    """Return the log.

    The end of a progress bar precedes its first line, as in logs of the compiler.
    """
    lines = [line for attempt in attempts for line in _attempt_lines(attempt)]
    return f"[          ] 0%{_BACKSPACE * 2}[#####     ] 50%" + "\n".join(lines) + "\n"


def _attempt_lines(attempt: Attempt) -> Iterator[str]:
    if attempt.tables:
        yield from _table(attempt)
        yield from _slack(attempt)
    # Each attempt begins with the memory of the chip; readers split the log there.
    yield _line(
        "lmem_spec", "stamp", "show local memory spec of current chip", lmem_eu_bytes=EU_BYTES,
        lmem_npu_num=LANES, lmem_bytes=LMEM_BYTES, lmem_banks=BANKS, lmem_bank_bytes=BANK_BYTES,
    )  # fmt: skip
    for block in attempt.blocks:
        yield _result(block, attempt.hsecs)
    yield _finish(attempt)


def _fields(step: str, tag: str, remark: str, **values: object) -> str:
    text = "".join(f"; {key} = {value}" for key, value in values.items())
    return f'; step = {step}; tag = {tag}; remark = "{remark}"{text}'


def _head(action: str) -> str:
    return f"; action = {action}; debug_range = given"


def _line(step: str, tag: str, remark: str, **values: object) -> str:
    return _head("lmem_assign") + _fields(step, tag, remark, **values)


def _secs(hsecs: int) -> str:
    return f"1,1,1,{hsecs},1"


def _result(block: ScheduledBuffer, hsecs: int) -> str:
    placed = block.address is not None
    remark = "allocate available address for membuf"
    return _line(
        "dump_lmem_assign_result", "iteration_result",
        remark if placed else "early return since appear mem buffer can't find available lmem space",
        status="success" if placed else "failed", lmem_type=f"LMEM_{block.kind}", op_type=block.op_type,
        op_name=block.name, addr=f"0x{block.address:08x}" if placed else "-1", size=block.size,
        timestep_start=block.start, timestep_end=block.end,
        timestep_mode="TIMESTEP_LOAD" if block.kind == "WEIGHT" else "TIMESTEP_LDST_UNKNOWN",
        hold_in_lmem=int(block.hold), allow_bank_conflict=0, one_loop=int(hsecs == 1), shape_secs=_secs(hsecs),
    )  # fmt: skip


def _finish(attempt: Attempt) -> str:
    remark = "assign lmem address for all mem buffers "
    if attempt.fits:
        utilization = f"{100 * attempt.used_bytes / LMEM_BYTES:e}%"
        return _line(
            "assignLmemAddr_finish",
            "success",
            f"{remark}success",
            total_lmem_used=attempt.used_bytes,
            utilization=utilization,
        )
    failed = sum(block.address is None for block in attempt.blocks)
    # The compiler prints a % after this number, although it is bytes.
    used = f"{attempt.used_bytes}%"
    return _line(
        "assignLmemAddr_finish",
        "failed",
        f"{remark}failed",
        membuf_allocate_failed=failed,
        lmem_already_used=used,
    )


def _table(attempt: Attempt) -> Iterator[str]:
    """Yield the cycles of the time steps; only the first line of a table names the action."""
    for rank, cost in enumerate(attempt.costs):
        values = {
            "action": _TABLE,
            "timestep": cost.step,
            "timestep_type": cost.lane,
            "op": cost.op_type,
        }
        values |= {"tensor_name": cost.name} | (_concerning(cost) if cost.lane == "gdma" else {})
        values |= {"cycle": cost.cycles, "shape_secs": _secs(attempt.hsecs)}
        fields = _fields(_TABLE, "result", _of(cost), **values)
        yield fields if rank else _head(_TABLE) + fields


def _concerning(cost: Cost) -> dict[str, str]:
    return {"concerning_op": cost.of.op_type, "concerning_op_name": cost.of.output.name}


def _of(cost: Cost) -> str:
    return "gdma cycle of tensor" if cost.lane == "gdma" else "layer cycle of operation"


def _slack(attempt: Attempt) -> Iterator[str]:
    """Yield the same costs in the format of another pass, and the slack of each time step.

    The slack is the number of cycles by which computation exceeds transfers.
    """
    left = dict.fromkeys(range(attempt.steps), 0)
    for cost in attempt.costs:
        left[cost.step] += cost.cycles if cost.lane == "layer" else -cost.cycles
        values = {
            "timestep": cost.step,
            "timestep_type": cost.lane,
            "tensor_name": cost.name,
            "cycle": cost.cycles,
        }
        yield _head(_SLACK) + _fields(
            "timestep_cycle", "result", _of(cost), action="timestep_cycle", **values
        )
    for step, cycles in left.items():
        values = {"action": "timestep_cycle_slack", "timestep": step, "cycle_slack": cycles}
        fields = _fields("timestep_cycle_slack", "result", "slack of the time step", **values)
        yield fields if step else _head(_SLACK) + fields


def group_cache(finals: Sequence[Attempt]) -> str:
    """Return layer_group_cache.json: the layers of each group and its number of slices."""
    begins = [sum(map(len, NETWORK[:rank])) for rank in range(len(NETWORK) + 1)]
    groups = []
    for rank, attempt in enumerate(finals):
        first = begins[rank]
        last = begins[rank + 1] - 1
        places = {"base_group_idx": 0, "start_idx": first, "end_idx": last}
        places |= {"func_start_idx": first, "func_end_idx": last}
        cost = attempt.hsecs * sum(cost.cycles for cost in attempt.costs)
        locs = [layer.output.name for layer in NETWORK[rank]]
        groups.append(
            {
                **places,
                "group_cost": cost,
                "index": rank,
                "locs": locs,
                "shape_secs": [1, 1, 1, attempt.hsecs, 1],
            }
        )
    content = {
        "opt": 2,
        "total subfunc": 1,
        "subfunc_0": {"subfunc idx": 0, "GroupLayer": groups, "GlobalLayer": []},
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def write_compile(folder: Path, stem: str, attempts: Sequence[Attempt]) -> Path:
    """Write the log `<stem>.log` and its companion files; return the log's path."""
    finals = [
        [attempt for attempt in attempts if attempt.group == rank][-1]
        for rank in range(len(NETWORK))
    ]
    model = stem.partition("_")[0]
    files = {
        f"{stem}.log": log_text(attempts),
        f"{stem}.layer_group_cache.json": group_cache(finals),
        f"{model}.bmodel.json": bmodel(finals),
        "compiler_profile_0.txt": profile_text(commands(finals)),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8", newline="")
    return folder / f"{stem}.log"
