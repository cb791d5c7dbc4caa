"""Connections of a design: flows, objectfifos and the channels that the host uses."""

from __future__ import annotations

import re
from collections.abc import Mapping

from data_loaders.aie_design.channels import DIRECTIONS
from data_loaders.aie_design.design import End, Fifo, Flow, HostChannel
from data_loaders.aie_design.operands import (
    canonical,
    operands,
    parse_number,
    split_operands,
    value_names,
)
from data_loaders.aie_design.scopes import Scope
from data_loaders.aie_design.statements import Statement
from data_loaders.aie_design.types import parse_memref

_SYMBOL = re.compile(r'@("?)([\w$.-]{1,200}+)\1')
_PORT = re.compile(r'"?(\w{1,40})"?\s{0,9}:\s{0,9}(\w{1,20})')
_PACKET_ID = re.compile(r"\(\s{0,9}(\w{1,20})\s{0,9}\)")
_CASCADE = "Cascade"


def read_flows(statement: Statement, op: str, scope: Scope) -> list[Flow]:
    """Read the flows of a statement, one per pair of ends; empty if a tile is not known."""
    if op == "aie.packetflow":
        return _packet_flows(statement, scope)
    given = operands(statement)
    if op == "aie.cascadeflow":
        tiles = [scope.tile(text) for text in given[:2]]
        ends = [End(tile.name, _CASCADE, None) for tile in tiles if tile is not None]
        return [Flow("cascade", None, ends[0], ends[1])] if len(ends) == 2 else []
    if len(given) < 4:
        return []
    source = _end(given[0], given[1], scope)
    dest = _end(given[2], given[3], scope)
    return [Flow("circuit", None, source, dest)] if source and dest else []


def _packet_flows(statement: Statement, scope: Scope) -> list[Flow]:
    match = _PACKET_ID.search(statement.text)
    number = parse_number(match[1]) if match else None
    ends: dict[str, list[End]] = {"aie.packetsource": [], "aie.packetdest": []}
    for nested in (nested for region in statement.regions for nested in region):
        given = operands(nested, "<")
        end = _end(given[0], given[1], scope) if len(given) > 1 else None
        if end is not None and canonical(nested.op) in ends:
            ends[canonical(nested.op)].append(end)
    return [
        Flow("packet", number, source, dest)
        for source in ends["aie.packetsource"]
        for dest in ends["aie.packetdest"]
    ]


def _end(tile_text: str, port_text: str, scope: Scope) -> End | None:
    tile = scope.tile(tile_text)
    port = _PORT.search(port_text)
    if tile is None or port is None:
        return None
    return End(tile.name, port[1], parse_number(port[2]))


def read_fifo(statement: Statement, scope: Scope, aliases: Mapping[str, str]) -> Fifo | None:
    """Read an objectfifo; `None` if its name, its producer or one of its consumers is not known."""
    name = _SYMBOL.search(statement.text)
    given = operands(statement)
    if name is None or len(given) < 2:
        return None
    producer = scope.tile(given[0])
    # A consumer may have dimensions behind its tile, which name no value.
    consumers = [scope.tile(f"%{value}") for value in value_names(given[1])]
    names = tuple(tile.name for tile in consumers if tile is not None)
    if producer is None or len(names) != len(consumers):
        return None
    kind = parse_memref(statement.plain, aliases)
    return Fifo(name[2], producer.name, names, _depth(given[2:]), kind.bytes)


def _depth(given: list[str]) -> int | list[int] | None:
    text = given[0] if given else ""
    if not text.startswith("["):
        return parse_number(text)
    parts = [parse_number(part) for part in split_operands(text, 1)]
    return [part for part in parts if part is not None]


def read_host_channel(statement: Statement, scope: Scope) -> HostChannel | None:
    """Read a `shim_dma_allocation`: `@f(%tile, MM2S, 0)`, or `@f(MM2S, CHANNEL, COLUMN)`."""
    name = _SYMBOL.search(statement.text)
    given = operands(statement)
    if name is None or len(given) < 3:
        return None
    tile = scope.tile(given[0])
    if tile is not None and given[1] in DIRECTIONS:
        return HostChannel(name[2], tile.name, given[1], parse_number(given[2]))
    column = parse_number(given[2])
    if tile is not None or column is None or given[0] not in DIRECTIONS:
        return None
    return HostChannel(name[2], f"shim 0,{column}", given[0], parse_number(given[1]))
