"""Analysis of a run over the API: limiters of its pace, advice on tile sizes of its GEMM, memory
of devices, the design of its array, and the prediction of a model.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import BinaryIO

from flask import Response
from pydantic import BaseModel, Field

from app.context import AppContext
from app.request.errors import RequestError
from app.run_records import find_run_memory, memory_record
from app.server.api.operation import ApiServer, Operation
from schema.choices import METHODS, MIME_TYPES
from services.run.advice import advice_mapping, find_advice
from services.run.design_record import find_design_record
from services.run.pace import find_pace, pace_mapping
from services.run.predict import predict_mapping

RUN_ROUTE = "/runs/<run_id>"


class Advice(BaseModel):
    """Measured tile sizes, the model fitted to them, sizes that it predicts or refuses, and the
    best size.
    """

    measured: list[dict[str, object]]
    model: dict[str, object] | None
    predicted: list[dict[str, object]]
    refused: list[dict[str, object]]
    advice: dict[str, object] | None


class Pace(BaseModel):
    """Limiters in the order in which to fix them, and the time of each tile by part."""

    elapsed: float = Field(description="Cycles of an iteration.")
    gmacs: float | None
    limiters: list[dict[str, object]]
    tiles: list[dict[str, object]]
    sentence: str


class DeviceMemory(BaseModel):
    """Peaks of the devices of a profile or of a memory snapshot, in bytes, and failed requests; of a
    module of XLA the bytes of its allocations by kind and memory space.
    """

    unit: str
    devices: list[dict[str, object]] | None = None
    said: list[str] | None = Field(None, description="Codes of numbers that the file lacks.")
    sentence: str
    total_bytes: int | None = None
    file_total: int | None = None
    by_kind: dict[str, int] | None = None
    by_memory: dict[str, int] | None = None


class DesignRecord(BaseModel):
    """Design of an AIE array, and the stalls that it explains, by traced core."""

    run_id: str
    device: str | None
    devices: list[dict[str, object]]
    lowered: bool
    column_shift: int
    file: str
    slices: list[dict[str, object]]
    tiles: list[dict[str, object]]
    buffers: list[dict[str, object]]
    locks: list[dict[str, object]]
    dma: list[dict[str, object]]
    flows: list[dict[str, object]]
    host: list[dict[str, object]]
    objectfifos: list[dict[str, object]]
    memory_stalls: list[dict[str, object]]
    lock_stalls: list[dict[str, object]]


class Prediction(BaseModel):
    """Terms of a prediction in cycles, with what was measured."""

    runs: list[dict[str, object]]
    regret: list[dict[str, object]]


def respond_record(server: ApiServer, name: str, find: Callable[[], dict[str, object]]) -> Response:
    """Respond with the JSON of the record that `find` returns, as a file `name`; its ValueError
    becomes a RequestError (404).
    """

    def write(stream: BinaryIO) -> str:
        try:
            record = find()
        except ValueError as error:
            raise RequestError(f"{str(error)[:1].upper()}{str(error)[1:]}.", 404) from error
        stream.write(json.dumps(record, ensure_ascii=False).encode())
        return name

    return server.downloads.respond(write, MIME_TYPES["json"], waits=True)


def record_operation(
    name: str,
    operation_id: str,
    summary: str,
    find: Callable[[AppContext, str], dict[str, object]],
    model: type[BaseModel],
    *,
    file: str = "",
) -> Operation:
    """Build the operation that responds with a record of a run, as a file named by `name`, or by
    `file` if that is given. `find` returns the record; its ValueError becomes a response 404.
    """

    def respond(server: ApiServer, run_id: str) -> Response:
        return respond_record(
            server, f"{run_id[:12]}-{file or name}.json", lambda: find(server.context, run_id)
        )

    return Operation("GET", f"{RUN_ROUTE}/{name}", operation_id, summary, respond, {200: model})


GET_ADVICE = record_operation(
    "advice",
    "getAdvice",
    "Get the advice on tile sizes for the GEMM of a capture, as `advise --json` prints it.",
    lambda context, run_id: advice_mapping(find_advice(context.repository, run_id)),
    Advice,
)
GET_PACE = record_operation(
    "pace",
    "getPace",
    "Get what sets the pace of a capture, as `pace --json` prints it.",
    lambda context, run_id: pace_mapping(find_pace(context.repository, run_id, METHODS[0], {})),
    Pace,
)
GET_MEMORY = record_operation(
    "memory",
    "getDeviceMemory",
    "Get the memory of the devices of a run, as `memory --json` prints it.",
    lambda context, run_id: memory_record(find_run_memory(context.repository, run_id)),
    DeviceMemory,
)
GET_DESIGN = record_operation(
    "design",
    "getDesign",
    "Get the design of the array of a run, as `design --json` prints it.",
    lambda context, run_id: find_design_record(context.repository, run_id),
    DesignRecord,
)
GET_PREDICTION = record_operation(
    "predict",
    "getPrediction",
    "Get predicted and measured cycles of a capture, as `predict --json` prints them.",
    lambda context, run_id: predict_mapping([context.data.get(run_id, METHODS[0], {})]),
    Prediction,
    file="prediction",
)
