"""Programs of a tinygrad capture: compiled kernels with source text and estimates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from data_loaders.reading.safe_pickle import Record
from data_loaders.tinygrad.capture import Fields
from data_loaders.tinygrad.columns import numbers, texts
from data_loaders.tinygrad.contexts import Context, Rewrites, Step
from data_loaders.tinygrad.estimates import Estimate, pickled_estimate, walked_estimate
from data_loaders.tinygrad.expressions import Values
from data_loaders.tinygrad.names import colours, function_name, plain, writable
from data_loaders.tinygrad.records import (
    KernelInfo,
    ProgramInfo,
    ProgramSpec,
    Target,
    list_items,
    record_fields,
    text_field,
)
from data_loaders.tinygrad.versions import UNKNOWN, Version, detect_version

MAX_SOURCE = 2_000_000
"""Longest source text of a kernel, in characters."""

Estimator = Callable[[Values], Estimate | None]


@dataclass(frozen=True)
class Program:
    """A compiled kernel.

    `context` is its context in rewrites.pkl, `None` if the program occurs only in profile.pkl.
    `name` contains colour codes; `function` is its name in the compiled code. `binary` is the
    machine code, `None` if missing; `target` is the machine it is for, "" if unknown. `estimate` is
    `None` if the capture does not describe the computation.
    """

    name: str
    function: str
    device: str
    context: int | None
    source: str
    global_size: str
    local_size: str
    binary: bytes | None
    estimate: Estimator | None
    target: str = ""
    options: object = None
    """Optimisations that were applied, as pickled."""


def read_programs(
    rewrites: Rewrites | None, compiled: Sequence[Fields]
) -> tuple[list[Program], Version]:
    """Read the programs of rewrites.pkl in the order of its contexts, then programs that only
    profile.pkl has; also returns the release.

    `compiled` are the events with a function's name and machine code.
    """
    version = detect_version(rewrites.nodes.values()) if rewrites else UNKNOWN
    binaries = {text_field(event, "name"): event for event in compiled if text_field(event, "name")}
    programs: list[Program] = []
    if rewrites:
        ranks = range(len(rewrites.contexts))
        contexts = [_context_program(rewrites, rank, version) for rank in ranks]
        programs = [_with_binary(program, binaries) for program in contexts if program]
    functions = {program.function for program in programs}
    events = [event for name, event in binaries.items() if name not in functions]
    return [*programs, *map(_event_program, events)], version


def _with_binary(program: Program, binaries: Mapping[str, Fields]) -> Program:
    event = binaries.get(program.function)
    if program.binary is not None or event is None:
        return program
    return replace(program, binary=_bytes(event.get("lib")))


def _event_program(event: Fields) -> Program:
    name = text_field(event, "name")
    return Program(
        name, name, text_field(event, "device"), None, "", "", "", _bytes(event.get("lib")), None
    )


def _bytes(value: object) -> bytes | None:
    return value if type(value) is bytes else None


def _context_program(rewrites: Rewrites, place: int, version: Version) -> Program | None:
    """Return the program that the context of rank `place` produced.

    `None` if the context is not a kernel or lacks its program.
    """
    context = rewrites.contexts[place]
    spec = record_fields(context.made, ProgramSpec)
    if spec is not None:
        return _spec_program(spec, place, version)
    return next(
        (_node_program(rewrites, step.sink, place, version) for step in _last_steps(context)), None
    )


def _last_steps(context: Context) -> Sequence[Step]:
    # Since 0.13 the sink of the last step, which has this name, is the node of the program.
    return [step for step in context.steps if step.name == "View Program"][-1:]


def _spec_program(spec: Fields, place: int, version: Version) -> Program:
    """Read a program in the format of 0.12, which includes its list of operations.

    Missing texts are "", a missing binary is `None`; without operations `estimate` is `None`.
    """
    name = text_field(spec, "name")
    operations = list_items(spec.get("uops"))

    def estimate(values: Values) -> Estimate | None:
        return walked_estimate(operations, values, version)

    return Program(
        name=name,
        function=text_field(spec, "function_name") or function_name(name),
        device=text_field(spec, "device"),
        context=place,
        source=text_field(spec, "src")[:MAX_SOURCE],
        global_size=_sizes(spec.get("global_size")),
        local_size=_sizes(spec.get("local_size")),
        binary=_bytes(spec.get("lib")),
        estimate=estimate if operations else None,
        options=_listed_options(operations),
    )


def _node_program(
    rewrites: Rewrites, number: object, place: int, version: Version
) -> Program | None:
    """Read a program in the format of 0.13 and later; `None` if the node is not a program.

    It is a node with the sources kernel, operations, source text and binary.
    """
    node = _node(rewrites, number)
    info = record_fields(node[3], ProgramInfo)
    if info is None:
        return None
    arguments = [_node(rewrites, source)[3] for source in list_items(node[2])]
    # In 0.13 the device is an argument before the source text; 0.14 has it in the target.
    texts = [argument for argument in arguments if type(argument) is str] or [""]
    kernels = (record_fields(argument, KernelInfo) for argument in arguments)
    kernel = next((fields for fields in kernels if fields), {})
    estimates = kernel.get("estimates")
    target = record_fields(info.get("target"), Target) or {}

    def estimate(values: Values) -> Estimate | None:
        return pickled_estimate(estimates, values, version)

    name = text_field(info, "name") or text_field(kernel, "name")
    return Program(
        name=name,
        function=function_name(name),
        device=text_field(target, "device") or "".join(texts[:-1][:1]),
        context=place,
        source=texts[-1][:MAX_SOURCE],
        global_size=_sizes(info.get("global_size")),
        local_size=_sizes(info.get("local_size")),
        binary=next((argument for argument in arguments if type(argument) is bytes), None),
        estimate=estimate if estimates is not None else None,
        target=text_field(target, "arch"),
        options=kernel.get("applied_opts"),
    )


def _listed_options(operations: Sequence[object]) -> object:
    """Return the pickled optimisations in the last operation of a list in the format of 0.12.

    `None` if there are none.
    """
    last = operations[-1] if operations else None
    info = (
        record_fields(last.args[3], KernelInfo)
        if isinstance(last, Record) and len(last.args) > 3
        else None
    )
    return info.get("applied_opts") if info else None


_NO_NODE: tuple[object, ...] = (None, None, (), None)


def _node(rewrites: Rewrites, number: object) -> tuple[object, ...]:
    node = rewrites.nodes.get(number) if type(number) is int else None
    return node if type(node) is tuple and len(node) >= 4 else _NO_NODE


def _sizes(value: object) -> str:
    """Return a grid as `2x1x1`, at most three sizes.

    A size that depends on a variable is a question mark. Returns "" without a grid.
    """
    return "x".join(
        str(size) if type(size) is int and abs(size) < 2**63 else "?"
        for size in list_items(value)[:3]
    )


def programs_frame(programs: Sequence[Program]) -> pd.DataFrame:
    """Build a row per program: rank, context (rank, null if unknown), name, function, source,
    sizes, estimates.

    Numbers are Int64. `operations`, `memory_bytes` and `moved_bytes` are null if they depend on
    variables or are unknown; `estimate` is `constant`, `symbolic` or `missing`.
    """
    fixed = [program.estimate({}) if program.estimate else None for program in programs]
    columns = {
        "program": range(len(programs)),
        "context": numbers(program.context for program in programs),
        "name": texts(plain(program.name) for program in programs),
        "colours": texts(colours(program.name) for program in programs),
        "function": texts(plain(program.function) for program in programs),
        "device": texts(plain(program.device) for program in programs),
        "source": texts(writable(program.source) for program in programs),
        "global_size": texts(program.global_size for program in programs),
        "local_size": texts(program.local_size for program in programs),
        "library_bytes": numbers(
            None if program.binary is None else len(program.binary) for program in programs
        ),
        "operations": numbers(estimate.operations if estimate else None for estimate in fixed),
        "memory_bytes": numbers(estimate.memory_bytes if estimate else None for estimate in fixed),
        "moved_bytes": numbers(estimate.moved_bytes if estimate else None for estimate in fixed),
        "estimate": texts(map(_estimate_kind, programs, fixed)),
    }
    return pd.DataFrame(columns)


def _estimate_kind(program: Program, fixed: Estimate | None) -> str:
    if fixed:
        return "constant"
    return "symbolic" if program.estimate else "missing"
