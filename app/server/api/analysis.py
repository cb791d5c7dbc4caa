"""Analysis of a run over the API: limiters of its pace, advice on tile sizes of its GEMM, memory
of devices, the design of its array, and the prediction of a model.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import BinaryIO

from flask import Response
from pydantic import BaseModel, Field

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


def _get_advice(server: ApiServer, run_id: str) -> Response:
    repository = server.context.repository
    return respond_record(
        server,
        f"{run_id[:12]}-advice.json",
        lambda: advice_mapping(find_advice(repository, run_id)),
    )


def _get_pace(server: ApiServer, run_id: str) -> Response:
    repository = server.context.repository
    return respond_record(
        server,
        f"{run_id[:12]}-pace.json",
        lambda: pace_mapping(find_pace(repository, run_id, METHODS[0], {})),
    )


def _get_memory(server: ApiServer, run_id: str) -> Response:
    repository = server.context.repository
    return respond_record(
        server,
        f"{run_id[:12]}-memory.json",
        lambda: memory_record(find_run_memory(repository, run_id)),
    )


def _get_design(server: ApiServer, run_id: str) -> Response:
    repository = server.context.repository
    return respond_record(
        server, f"{run_id[:12]}-design.json", lambda: find_design_record(repository, run_id)
    )


def _get_prediction(server: ApiServer, run_id: str) -> Response:
    return respond_record(
        server,
        f"{run_id[:12]}-prediction.json",
        lambda: predict_mapping([server.context.data.get(run_id, METHODS[0], {})]),
    )


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


GET_ADVICE = Operation(
    "GET",
    f"{RUN_ROUTE}/advice",
    "getAdvice",
    "Get the advice on tile sizes for the GEMM of a capture, as `advise --json` prints it.",
    _get_advice,
    {200: Advice},
)
GET_PACE = Operation(
    "GET",
    f"{RUN_ROUTE}/pace",
    "getPace",
    "Get what sets the pace of a capture, as `pace --json` prints it.",
    _get_pace,
    {200: Pace},
)
GET_MEMORY = Operation(
    "GET",
    f"{RUN_ROUTE}/memory",
    "getDeviceMemory",
    "Get the memory of the devices of a run, as `memory --json` prints it.",
    _get_memory,
    {200: DeviceMemory},
)
GET_DESIGN = Operation(
    "GET",
    f"{RUN_ROUTE}/design",
    "getDesign",
    "Get the design of the array of a run, as `design --json` prints it.",
    _get_design,
    {200: DesignRecord},
)
GET_PREDICTION = Operation(
    "GET",
    f"{RUN_ROUTE}/predict",
    "getPrediction",
    "Get predicted and measured cycles of a capture, as `predict --json` prints them.",
    _get_prediction,
    {200: Prediction},
)
