"""Profiles over the API: time, idle time and operators of devices, and ranks of a job."""

from __future__ import annotations

from flask import Response
from pydantic import BaseModel, Field

from app.run_records import (
    breakdown_record,
    find_run_operators,
    idle_record,
    operators_record,
    ranks_record,
)
from app.server.api.analysis import RUN_ROUTE, record_operation, respond_record
from app.server.api.operation import ApiServer, Operation, QueryString
from services.run.breakdown import find_breakdown
from services.run.ranks import find_ranks

_UNKNOWN = "Codes of numbers that the file lacks."


class StepsQuery(QueryString):
    """Which annotations are the steps."""

    steps: str = Field(
        "", max_length=200, description="Annotations whose names begin so; default: the profiler's."
    )


class DeviceTimes(BaseModel):
    """Time of each device in ns by class of work, of the whole trace, its steps and the counted steps."""

    unit: str
    devices: list[dict[str, object]]
    steps: list[dict[str, object]]
    step_ns: int | None = Field(description="Typical duration of a step.")
    step_rank: str | None = Field(description="The slowest rank, of which it is, in a merged file.")
    said: list[str] = Field(description=_UNKNOWN)
    sentence: str


class IdleTimes(BaseModel):
    """Idle time of each device in ns by reason, and its longest gaps."""

    unit: str
    devices: list[dict[str, object]]
    sentence: str


class OperatorTimes(BaseModel):
    """Operators with their time on the host and on devices, ns; of ONNX Runtime types of nodes."""

    unit: str
    ops: list[dict[str, object]]
    unattributed: dict[str, int] = Field(description="Executions without an operator.")
    said: list[str] | None = Field(None, description=_UNKNOWN)
    runs: int | None = Field(None, description="Runs of a model of ONNX Runtime.")
    sentence: str


class JobRanks(BaseModel):
    """Times of each rank of a distributed job, its collectives, and the rank that others wait for."""

    unit: str
    world_size: int | None
    missing: list[int] | None = Field(description="Ranks without a trace.")
    left_out: int = Field(description="Ranks with a trace whose times are not computed.")
    ranks: list[dict[str, object]]
    collectives: list[dict[str, object]]
    straggler: dict[str, object] | None
    said: list[str] = Field(description=_UNKNOWN)
    sentence: str


def _get_breakdown(server: ApiServer, run_id: str, query: StepsQuery) -> Response:
    repository = server.context.repository
    return respond_record(
        server,
        f"{run_id[:12]}-breakdown.json",
        lambda: breakdown_record(find_breakdown(repository, run_id, query.steps)),
    )


GET_BREAKDOWN = Operation(
    "GET",
    f"{RUN_ROUTE}/breakdown",
    "getBreakdown",
    "Get where the time of a profile's devices goes, as `breakdown --json` prints it.",
    _get_breakdown,
    {200: DeviceTimes},
    StepsQuery,
)
GET_IDLE = record_operation(
    "idle",
    "getIdle",
    "Get why the devices of a profile idle, as `idle --json` prints it.",
    lambda context, run_id: idle_record(find_breakdown(context.repository, run_id)),
    IdleTimes,
)
GET_OPERATORS = record_operation(
    "ops",
    "getOperators",
    "Get the operators of a profile, as `ops --json` prints them.",
    lambda context, run_id: operators_record(find_run_operators(context.repository, run_id)),
    OperatorTimes,
)
GET_RANKS = record_operation(
    "ranks",
    "getRanks",
    "Get the ranks of the job of a run, as `ranks --json` prints them.",
    lambda context, run_id: ranks_record(find_ranks(context.repository, run_id)),
    JobRanks,
)
