"""Frames of a design: its device in `design_*`, and its memories as memory maps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from data_loaders.aie_design.arrays import STACK_NAME
from data_loaders.aie_design.blocks import MapBlock, device_blocks
from data_loaders.aie_design.design import Channel, DesignDevice, Fifo, Flow, Lock, LockUse, Tile
from schema.designs import DESIGN_FRAMES
from schema.frames import FRAMES, complete, conform

ALIGNMENT = {"core": 32, "memtile": 4}
"""Alignment of buffers in bytes by the kind of tile; mlir-aie's own for cores, the DMA's word."""
Row = Mapping[str, object]
Place2D = tuple[int | None, int | None]
"""Row and column of a tile."""


def design_frames(
    devices: Sequence[DesignDevice],
    chosen: DesignDevice,
    file: str,
    traced: Mapping[Place2D, str],
) -> dict[str, pd.DataFrame]:
    """Make the frames `design_*` of the chosen device that have rows, with the columns of the text.

    `traced` maps row and column of a tile to the kinds of its units that the design traces.
    """
    rows: dict[str, list[Row]] = {
        "design_devices": [
            _device_row(device, file) | {"chosen": device is chosen} for device in devices
        ],
        "design_tiles": [_tile_row(tile, traced) for tile in chosen.tiles],
        "design_accesses": [
            {"tile": buffer.tile.name, "buffer": buffer.name, "by": user}
            for buffer in chosen.buffers
            if buffer.tile
            for user in buffer.users
        ],
        "design_locks": [
            {"tile": lock.tile.name, "name": lock.name, "id": lock.id, "init": lock.init}
            for lock in chosen.locks
        ],
        "design_uses": [row for lock in chosen.locks for row in _use_rows(lock)],
        "design_descriptors": [
            row for channel in chosen.channels for row in _descriptor_rows(channel)
        ],
        "design_flows": [_flow_row(flow) for flow in chosen.flows],
        "design_fifos": [row for fifo in chosen.fifos for row in _fifo_rows(fifo)],
        "design_host": [
            {
                "symbol": host.symbol,
                "tile": host.tile,
                "direction": host.direction,
                "channel": host.channel,
            }
            for host in chosen.host
        ],
        "design_programs": list(_program_rows(chosen)),
    }
    blocks = device_blocks(chosen)
    rows["design_buffers"] = [_buffer_row(block) for block in blocks]
    rows["design_accesses"] += [
        {"tile": block.tile.name, "buffer": STACK_NAME, "by": block.tile.name}
        for block in blocks
        if block.kind == "stack"
    ]
    return {
        spec.name: _frame(spec.name, rows[spec.name]) for spec in DESIGN_FRAMES if rows[spec.name]
    }


def _device_row(device: DesignDevice, file: str) -> dict[str, object]:
    return {
        "device": device.model or "",
        "name": device.name or "",
        "cores": device.cores,
        "lowered": not device.fifos,
        "column_shift": 0,
        "file": file,
        "slice": "",
    }


def _flow_row(flow: Flow) -> Row:
    return {
        "kind": flow.kind,
        "id": flow.id,
        "source": flow.source.tile,
        "source_port": flow.source.port,
        "source_channel": flow.source.channel,
        "dest": flow.dest.tile,
        "dest_port": flow.dest.port,
        "dest_channel": flow.dest.channel,
    }


def _fifo_rows(fifo: Fifo) -> Iterator[Row]:
    """Yield a row for each consumer of an object FIFO; a FIFO without consumers has a single row."""
    for consumer in fifo.consumers or ("",):
        yield {
            "name": fifo.name,
            "producer": fifo.producer,
            "consumer": consumer,
            "depth": "" if fifo.depth is None else json.dumps(fifo.depth),
            "bytes": fifo.bytes,
        }


def _frame(name: str, rows: Sequence[Row]) -> pd.DataFrame:
    columns = {
        column.name: pd.array([row[column.name] for row in rows], dtype=column.dtype)
        for column in FRAMES[name].columns
    }
    return conform(name, pd.DataFrame(columns))


def _tile_row(tile: Tile, traced: Mapping[Place2D, str]) -> Row:
    return {
        "tile": tile.name,
        "kind": tile.kind,
        "row": tile.row,
        "col": tile.col,
        "core": tile.stack_bytes is not None,
        "memory": tile.memory.size,
        "banks": tile.memory.banks,
        "slice": "",
        "traced": traced.get((tile.row, tile.col), ""),
    }


def _buffer_row(block: MapBlock) -> Row:
    banks = block.banks
    return {
        "tile": block.tile.name,
        "name": block.name,
        "kind": block.kind,
        "address": block.address,
        "bytes": block.size,
        "first_bank": banks[0] if banks else None,
        "last_bank": banks[-1] if banks else None,
    }


def _use_rows(lock: Lock) -> Iterator[Row]:
    for (user, action, value), times in lock.uses.items():
        yield {
            "tile": lock.tile.name,
            "lock": lock.name,
            "by": user,
            "action": action,
            "value": value,
            "times": times,
        }


def _descriptor_rows(channel: Channel) -> Iterator[Row]:
    place: Row = {
        "tile": channel.tile.name,
        "direction": channel.direction,
        "channel": channel.channel,
        "loop": channel.loop,
    }
    if not channel.descriptors:
        yield {**place, **dict.fromkeys(("position", "offset", "length", "bytes", "bd_id"))} | {
            "buffer": "",
            **_lock_columns(None, None),
        }
    for position, descriptor in enumerate(channel.descriptors):
        yield {
            **place,
            "position": position,
            "buffer": descriptor.buffer.name if descriptor.buffer else "",
            "offset": descriptor.offset,
            "length": descriptor.length,
            "bytes": descriptor.bytes,
            "bd_id": descriptor.bd_id,
            **_lock_columns(descriptor.acquire, descriptor.release),
        }


def _lock_columns(acquire: LockUse | None, release: LockUse | None) -> Row:
    return {
        "acquire": acquire.lock.name if acquire else "",
        "acquire_action": acquire.action if acquire else "",
        "acquire_value": acquire.value if acquire else None,
        "release": release.lock.name if release else "",
        "release_value": release.value if release else None,
    }


def _program_rows(device: DesignDevice) -> Iterator[Row]:
    for tile, steps in device.programs.items():
        for position, step in enumerate(steps):
            lock = step.lock
            yield {
                "tile": tile,
                "position": position,
                "op": step.op,
                "operands": " ".join(step.operands),
                "lock_tile": lock.tile.name if isinstance(lock, Lock) else "",
                "lock": lock.name if isinstance(lock, Lock) else lock or "",
            }


def memory_frames(device: DesignDevice) -> dict[str, pd.DataFrame]:
    """Make `attempts`, one per tile with blocks, and `allocations`, a block of one step each.

    Blocks are buffers and stacks with an address and a size. Empty without such a block.
    """
    tiles: dict[str, list[MapBlock]] = {}
    for block in device_blocks(device):
        if block.address is not None and block.size is not None:
            tiles.setdefault(block.tile.name, []).append(block)
    if not tiles:
        return {}
    memories = [blocks[0].tile for blocks in tiles.values()]
    attempts = {
        "attempt": range(len(tiles)),
        "level": list(tiles),
        "outcome": "solved",
        "steps": 1,
        "capacity": pd.array([tile.memory.size or None for tile in memories], dtype="Int64"),
        "banks": pd.array([tile.memory.banks or None for tile in memories], dtype="Int64"),
        "bank_bytes": pd.array([tile.memory.bank_bytes for tile in memories], dtype="Int64"),
        "align_bytes": pd.array([ALIGNMENT.get(tile.kind) for tile in memories], dtype="Int64"),
    }
    listed = [
        (attempt, rank, block)
        for attempt, blocks in enumerate(tiles.values())
        for rank, block in enumerate(blocks)
    ]
    allocations = {
        "attempt": [attempt for attempt, _, _ in listed],
        "level": [block.tile.name for _, _, block in listed],
        "block": [rank for _, rank, _ in listed],
        "name": [block.name for _, _, block in listed],
        "kind": "buffer",
        "address": pd.array([block.address for _, _, block in listed], dtype="Int64"),
        "size": [block.size for _, _, block in listed],
        "start": 0,
        "end": 1,
        "status": "placed",
    }
    return {
        "attempts": complete("attempts", attempts),
        "allocations": complete("allocations", allocations),
    }
