"""Frames of a compiled model's DDR memory, built from the addresses of its tensors.

A tensor is alive from the operator that produces it to the last operator that uses it, in the order
of the file. A step is an operator of a function; a layer group counts as a single operator.
Addresses are relative to the memory of activations (`neuron`). Weights are constants with addresses
relative to the memory of `coeff`. Inputs and outputs with a memory of their own are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from data_loaders.tpu_mlir.module import Function, Module, Operator, Tensor
from schema.frames import complete
from schema.memory import MAX_BYTES

LEVEL = "DDR"
_NO_STEP = ("top.Weight", "top.None", "top.Input")


@dataclass
class _Block:
    """A tensor with its address, size and lifetime.

    `storage` is the index of the block that provides its bytes, `None` if it has its own.
    """

    name: str
    op_type: str
    tensor: Tensor
    address: int
    size: int
    constant: bool
    start: int
    end: int
    storage: int | None = None


@dataclass
class _Lives:
    """Blocks, steps (operators) and uses (block, step -> access), in the order of the file."""

    module: Module
    blocks: list[_Block] = field(default_factory=list)
    steps: list[tuple[str, str]] = field(default_factory=list)
    uses: dict[tuple[int, int], str] = field(default_factory=dict)
    last_at: dict[tuple[int, bool], int] = field(default_factory=dict)
    elsewhere: int = 0

    def function(self, function: Function) -> None:
        """Add the blocks, steps and uses of a function of the module to the collected blocks.

        SSA values are local to it.
        """
        values = {
            value: block
            for value, tensor in function.arguments
            if (block := self._at(tensor)) is not None
        }
        for operator in function.operators:
            if operator.op_type not in _NO_STEP:
                self.steps.append((operator.names[0] if operator.names else "", operator.op_type))
            self._operator(operator, values)
        for value in function.returned & values.keys():
            self.blocks[values[value]].end = max(self.blocks[values[value]].end, len(self.steps))

    def _at(self, tensor: Tensor) -> int | None:
        """Return the rank of the last block at a tensor's address, which is the storage of a
        function's argument.

        Returns `None` if there is no such block, or the tensor is in neither memory of the model.
        """
        place = self._place(tensor)
        return self.last_at.get((place[0], place[2])) if place else None

    def _operator(self, operator: Operator, values: dict[str, int]) -> None:
        step = max(0, len(self.steps) - 1)
        used = sorted(values[value] for value in operator.uses & values.keys())
        for rank in used:
            self.blocks[rank].end = step + 1
            self.uses[rank, step] = "r"
        for order, (value, tensor) in enumerate(operator.results):
            place = self._place(tensor)
            if place is None:
                self.elsewhere += tensor.address is not None
                continue
            address, size, constant = place
            names = operator.names or [""]
            name = names[min(order, len(names) - 1)]
            values[value] = self.last_at[address, constant] = len(self.blocks)
            self.blocks.append(
                _Block(name, operator.op_type, tensor, address, size, constant, step, step + 1)
            )
            if not constant:
                self.uses[values[value], step] = "w"
                self._share(values[value], used)

    def _place(self, tensor: Tensor) -> tuple[int, int, bool] | None:
        """Return a tensor's address in its memory of the model, its size (both in bytes) and
        whether it is a weight.

        `None` if it is in neither memory or has no address.
        """
        size = tensor_bytes(tensor)
        for memory, constant in (("neuron", False), ("coeff", True)):
            begin, length = self.module.regions.get(memory, (0, 0))
            if (
                tensor.address is not None
                and begin <= tensor.address < begin + length
                and size < MAX_BYTES
            ):
                return tensor.address - begin, size, constant
        return None

    def _share(self, result_rank: int, used: list[int]) -> None:
        """Set `storage` of the result's block, or of an operand's, if its address range is inside
        the other's: it reuses its bytes.

        `used` are the ranks of the operands; constants are ignored.
        """
        result = self.blocks[result_rank]
        for rank in used:
            operand = self.blocks[rank]
            if operand.constant:
                continue
            if operand.address <= result.address and _end(result) <= _end(operand):
                result.storage = rank
            elif (
                result.address <= operand.address
                and _end(operand) <= _end(result)
                and operand.storage is None
            ):
                operand.storage = result_rank


def _end(block: _Block) -> int:
    return block.address + block.size


def tensor_bytes(tensor: Tensor) -> int:
    """Compute the bytes of a tensor, rounded up, from element type (`i8`) and shape.

    0 if the type has no width.
    """
    bits = re.search(r"[0-9]+", tensor.dtype)
    elements = 1
    for size in tensor.shape:
        elements *= size
    return -(-elements * int(bits[0]) // 8) if bits else 0


def ddr_frames(module: Module, attempt: int) -> tuple[dict[str, pd.DataFrame], int]:
    """Build frames attempts, allocations, steps and buffer_uses of the DDR memory, as attempt
    number `attempt`.

    Also returns the number of tensors with an address outside of the model's memories. The dict is
    empty if no tensor has an address in these memories.
    """
    lives = _Lives(module)
    for function in module.functions:
        lives.function(function)
    if not lives.blocks:
        return {}, lives.elsewhere
    frames = {
        "attempts": _attempt(module, lives, attempt),
        "allocations": _allocations(lives, attempt),
    }
    names, op_types = zip(*lives.steps, strict=True) if lives.steps else ((), ())
    steps = {
        "attempt": attempt,
        "step": np.arange(len(names)),
        "name": list(names),
        "op_type": list(op_types),
    }
    return frames | {
        "steps": complete("steps", steps),
        "buffer_uses": _uses(lives, attempt),
    }, lives.elsewhere


def _attempt(module: Module, lives: _Lives, attempt: int) -> pd.DataFrame:
    columns = {
        "attempt": [attempt],
        "level": [LEVEL],
        "outcome": ["success"],
        "steps": [max(1, len(lives.steps))],
        "static_bytes": [module.regions.get("coeff", (0, 0))[1]],
    }
    return complete("attempts", columns)


def _allocations(lives: _Lives, attempt: int) -> pd.DataFrame:
    blocks = lives.blocks
    count = max(1, len(lives.steps))
    columns = {
        "attempt": attempt,
        "level": LEVEL,
        "block": np.arange(len(blocks)),
        "name": [block.name for block in blocks],
        "op_type": [block.op_type for block in blocks],
        "kind": ["constant" if block.constant else "activation" for block in blocks],
        "dtype": [block.tensor.dtype for block in blocks],
        "shape": ["x".join(map(str, block.tensor.shape)) for block in blocks],
        "tensor_bytes": [block.size for block in blocks],
        "address": [block.address for block in blocks],
        "size": [block.size for block in blocks],
        "start": [0 if block.constant else block.start for block in blocks],
        "end": [count if block.constant else block.end for block in blocks],
        "hold": [block.constant for block in blocks],
        "status": ["placed" if block.storage is None else "shared" for block in blocks],
        "alias_of": pd.array([block.storage for block in blocks], dtype="Int64"),
    }
    return complete("allocations", columns)


def _uses(lives: _Lives, attempt: int) -> pd.DataFrame:
    rows = [
        (block, step, access)
        for (block, step), access in sorted(lives.uses.items())
        if not lives.blocks[block].constant
    ]
    blocks, steps, accesses = zip(*rows, strict=True) if rows else ((), (), ())
    columns = {
        "attempt": attempt,
        "block": list(blocks),
        "kernel": list(steps),
        "access": list(accesses),
    }
    return complete("buffer_uses", columns | {"start": list(steps)})
