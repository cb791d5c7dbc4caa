"""Traces as a viewer reads them: JSON trace events and TrackEvent protobuf as the same tables."""

import gzip
import json
from collections import defaultdict


def read_json(content):
    """Read gzipped JSON into (slices, instants, counters), times in ns.

    Slices: {(process, thread): [(name, begin, end)]}. Instants: {(process, thread): [(name,
    time)]}. Counters: {(process, name): [(time, value)]}.
    """
    events = json.loads(gzip.decompress(content))["traceEvents"]
    meta = [event for event in events if event["ph"] == "M"]
    processes = {
        event["pid"]: event["args"]["name"] for event in meta if event["name"] == "process_name"
    }
    threads = {
        event["tid"]: event["args"]["name"] for event in meta if event["name"] == "thread_name"
    }
    slices, instants, counters = defaultdict(list), defaultdict(list), defaultdict(list)
    for event in events:
        process, thread = processes[event["pid"]], threads.get(event.get("tid"), "")
        at = round(event.get("ts", 0) * 1_000)
        if event["ph"] == "X":
            slices[process, thread].append((event["name"], at, at + round(event["dur"] * 1_000)))
        elif event["ph"] == "i":
            instants[process, thread].append((event["name"], at))
        elif event["ph"] == "C":
            ((key, value),) = event["args"].items()
            counters[process, f"{event['name']} {key}"].append((at, value))
    return _sorted(slices), _sorted(instants), dict(counters)


def read_protobuf(content):
    """Read a protobuf into the same tables as `read_json`."""
    places, names, opened = {}, {}, defaultdict(list)
    slices, instants, counters = defaultdict(list), defaultdict(list), defaultdict(list)
    for packet in map(_fields, _fields(content)[1]):
        names |= {
            one[1][0]: one[2][0].decode()
            for data in packet[12]
            for one in map(_fields, _fields(data)[2])
        }
        for track in map(_fields, packet[60]):
            places[track[1][0]] = _place(track, places)
        for event in map(_fields, packet[11]):
            at, track = packet[8][0], event[11][0]
            name = event[23][0].decode() if event[23] else names.get((event[10] or [0])[0], "")
            kind = event[9][0]
            if kind == 1:
                opened[track].append((name, at))
            elif kind == 2:
                slices[places[track]].append((*opened[track].pop(), at))
            elif kind == 3:
                instants[places[track]].append((name, at))
            else:
                counters[places[track]].append((at, event[30][0]))
    assert not any(opened.values())
    return _sorted(slices), _sorted(instants), dict(counters)


def json_depths(content):
    """Map the name of each complete event to (thread, depth) as Perfetto nests them: by time, ended
    events are closed first.

    Asserts that no event ends after the event in which it begins: Perfetto would drop it.
    """
    events = json.loads(gzip.decompress(content))["traceEvents"]
    threads = {
        event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"
    }
    opened, depths = defaultdict(list), {}
    for event in sorted(
        (event for event in events if event["ph"] == "X"), key=lambda event: event["ts"]
    ):
        begin = round(event["ts"] * 1_000)
        end = begin + round(event["dur"] * 1_000)
        stack = opened[event["tid"]]
        while stack and stack[-1] <= begin:
            stack.pop()
        assert not stack or end <= stack[-1]
        depths[event["name"]] = threads[event["tid"]], len(stack)
        stack.append(end)
    return depths


def protobuf_depths(content):
    """Map the name of each slice to (thread, depth), by its packets in the order of their times."""
    packets = [*map(_fields, _fields(content)[1])]
    names = {
        one[1][0]: one[2][0].decode()
        for packet in packets
        for data in packet[12]
        for one in _names(data)
    }
    places, opened, depths = {}, defaultdict(list), {}
    for track in (_fields(one) for packet in packets for one in packet[60]):
        places[track[1][0]] = _place(track, places)
    timed = sorted((packet for packet in packets if packet[11]), key=lambda packet: packet[8][0])
    for event in (_fields(packet[11][0]) for packet in timed):
        stack = opened[event[11][0]]
        if event[9][0] == 1:
            depths[names[event[10][0]]] = places[event[11][0]][1], len(stack)
            stack.append(event)
        elif event[9][0] == 2:
            stack.pop()
    assert not any(opened.values())
    return depths


def _names(data):
    return map(_fields, _fields(data)[2])


def _sorted(tables):
    return {place: sorted(rows) for place, rows in tables.items() if rows}


def _place(track, places):
    if track[3]:
        return _fields(track[3][0])[6][0].decode(), ""
    parent = places[track[5][0]][0]
    return parent, (_fields(track[4][0])[5][0] if track[4] else track[2][0]).decode()


def _varint(content, at):
    value = shift = 0
    while True:
        value |= (content[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if content[at - 1] < 128:
            return value, at


def _fields(content):
    """Parse a message to field number -> list of values, numbers or bytes."""
    found, at = defaultdict(list), 0
    while at < len(content):
        key, at = _varint(content, at)
        value, at = _varint(content, at)
        if key & 7:
            value, at = content[at : at + value], at + value
        found[key >> 3].append(value)
    return found
