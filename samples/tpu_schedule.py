"""Time steps of a layer group in TPU-MLIR: lifetimes of buffers, and costs of each step.

Every step computes a layer; its inputs are loaded one step earlier, and outputs of the group are
stored one step later. The steps are a loop over slices of the input, so that a lifetime may wrap
around the end of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from samples.tpu_network import EU_BYTES, LANES, NETWORK, Activation, Layer, LayerGroup

_HELD_BYTES = 4096
"""Weights up to this size stay in local memory for all slices."""
_BYTES_PER_CYCLE = 48
"""Rate of transfers."""


@dataclass(frozen=True)
class ScheduledBuffer:
    """A buffer with inclusive steps; `end` is before `start` if its lifetime wraps around.

    Buffers with the same `storage` share an address.
    """

    name: str
    kind: str
    op_type: str
    size: int
    start: int
    end: int
    hold: bool
    storage: str
    address: int | None = None


@dataclass(frozen=True)
class Cost:
    """A transfer (lane gdma) or computation (lane layer) in a time step for the layer `of`."""

    step: int
    lane: str
    op_type: str
    name: str
    of: Layer
    cycles: int
    size: int


def buffers(group: LayerGroup, hsecs: int, step_of: Sequence[int]) -> list[ScheduledBuffer]:
    """Return the buffers of a slice of a group; `step_of` has the time step of every layer."""
    steps = step_of[-1] + 1
    blocks = [
        *_activations(group, hsecs, step_of),
        *_weights(group, hsecs, step_of),
        *_scratch(group, hsecs, step_of),
    ]
    return [replace(block, start=block.start % steps, end=block.end % steps) for block in blocks]


def costs(group: LayerGroup, hsecs: int, step_of: Sequence[int]) -> list[Cost]:
    """Return the costs of all transfers and computations of a slice, by step, transfers first."""
    return sorted(_costs(group, hsecs, step_of), key=lambda cost: (cost.step, cost.lane))


def _costs(group: LayerGroup, hsecs: int, step_of: Sequence[int]) -> Iterator[Cost]:
    steps = step_of[-1] + 1
    for rank, layer in enumerate(group):
        before = (step_of[rank] - 1) % steps
        after = (step_of[rank] + 1) % steps
        for tensor in _loaded_tensors(group):
            if _users(group, tensor)[0] == rank:
                yield _transfer(before, "tpu.Load", tensor.name, layer, _all_lanes(tensor, hsecs))
        for name, size in layer.weights():
            yield _transfer(
                before, "tpu.Load", name, layer, size * min(layer.output.channels, LANES)
            )
        yield Cost(
            step_of[rank], "layer", layer.op_type, layer.output.name, layer, layer.cycles(hsecs), 0
        )
        if layer.stored:
            yield _transfer(
                after, "tpu.Store", layer.output.name, layer, _all_lanes(layer.output, hsecs)
            )


def _transfer(step: int, op_type: str, name: str, of: Layer, size: int) -> Cost:
    return Cost(step, "gdma", op_type, name, of, 180 + size // _BYTES_PER_CYCLE, size)


def _all_lanes(tensor: Activation, hsecs: int) -> int:
    """Return the bytes of a slice in all lanes that contain a part of it."""
    return tensor.lane_bytes(hsecs) * min(tensor.channels, LANES)


def _loaded_tensors(group: LayerGroup) -> list[Activation]:
    """Return the tensors that the group reads but does not compute, in order of first use."""
    computed = {layer.output for layer in group}
    inputs = dict.fromkeys(tensor for layer in group for tensor in layer.inputs)
    return [tensor for tensor in inputs if tensor not in computed]


def _users(group: LayerGroup, tensor: Activation) -> list[int]:
    return [rank for rank, layer in enumerate(group) if tensor in layer.inputs]


def _activations(
    group: LayerGroup, hsecs: int, step_of: Sequence[int]
) -> Iterator[ScheduledBuffer]:
    """Yield inputs and outputs.

    Steps before the first or after the last are in another turn of the loop.
    """
    op_types = {layer.output: layer.op_type for other in NETWORK for layer in other}
    storage = {tensor: tensor.name for tensor in _loaded_tensors(group)}
    for tensor in _loaded_tensors(group):
        users = _users(group, tensor)
        op_type = op_types.get(tensor, "top.Input")
        start = step_of[users[0]] - 1
        end = step_of[users[-1]]
        yield _activation(tensor, op_type, hsecs, (start, end), tensor.name)
    for rank, layer in enumerate(group):
        tensor = layer.output
        operand = layer.inputs[0]
        takes_over = layer.in_place and _users(group, operand)[-1] == rank
        storage[tensor] = storage[operand] if takes_over else tensor.name
        end = max(
            [step_of[user] for user in _users(group, tensor)] + [step_of[rank] + layer.stored]
        )
        yield _activation(tensor, layer.op_type, hsecs, (step_of[rank], end), storage[tensor])


def _activation(
    tensor: Activation, op_type: str, hsecs: int, life: tuple[int, int], storage: str
) -> ScheduledBuffer:
    return ScheduledBuffer(
        tensor.name, "ACTIVATION", op_type, tensor.lane_bytes(hsecs), *life, False, storage
    )


def _weights(group: LayerGroup, hsecs: int, step_of: Sequence[int]) -> Iterator[ScheduledBuffer]:
    for rank, layer in enumerate(group):
        for name, size in layer.weights():
            hold = hsecs > 1 and size <= _HELD_BYTES
            step = step_of[rank]
            yield ScheduledBuffer(name, "WEIGHT", "top.Weight", size, step - 1, step, hold, name)


def _scratch(group: LayerGroup, hsecs: int, step_of: Sequence[int]) -> Iterator[ScheduledBuffer]:
    """Yield the working memory of operators.

    The compiler prints a stale name for it, the last weight's.
    """
    for rank, layer in enumerate(group):
        if layer.scratch:
            stale = layer.weights()[-1][0] if layer.kernel else layer.inputs[0].name
            size = layer.output.lane_bytes(hsecs) * layer.scratch // 8 + EU_BYTES
            step = step_of[rank]
            own = f"scratch of {layer.output.name}"
            yield ScheduledBuffer(
                stale,
                "OPERATION",
                layer.op_type,
                size // EU_BYTES * EU_BYTES,
                step,
                step,
                False,
                own,
            )
