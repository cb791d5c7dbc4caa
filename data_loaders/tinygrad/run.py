"""Turn a tinygrad capture into frames: profile.pkl, and its companion rewrites.pkl."""

from __future__ import annotations

from dataclasses import dataclass

from data_loaders.protocol import LoadError
from data_loaders.reading.limits import Limits
from data_loaders.reading.pickle_scan import UnsafePickleError
from data_loaders.reading.result_folder import Reading
from data_loaders.tinygrad.capture import Capture
from data_loaders.tinygrad.clock import Clock, clock
from data_loaders.tinygrad.contexts import Rewrites, read_rewrites
from data_loaders.tinygrad.counters import counters_frame, tagged_functions
from data_loaders.tinygrad.events import read_events
from data_loaders.tinygrad.executions import candidates_frame, read_executions
from data_loaders.tinygrad.findings import (
    content_findings,
    export_finding,
    kernel_findings,
    profile_missing,
    skipped_findings,
    timeline_findings,
    unknown_findings,
)
from data_loaders.tinygrad.graph.frames import (
    edges_frame,
    graph_findings,
    matches_frame,
    nodes_frame,
    read_graphs,
)
from data_loaders.tinygrad.hardware import hardware
from data_loaders.tinygrad.kernels import kernels_frame, with_rates
from data_loaders.tinygrad.labels import resolve_labels
from data_loaders.tinygrad.launches import (
    Launches,
    buffer_uses_frame,
    launches_frame,
    read_launches,
)
from data_loaders.tinygrad.lines import read_lines
from data_loaders.tinygrad.machine_code import machine_code_frame
from data_loaders.tinygrad.markers import markers_frame
from data_loaders.tinygrad.memory import allocations_frame, attempts_frame, read_buffers
from data_loaders.tinygrad.options import options_frame
from data_loaders.tinygrad.programs import Program, programs_frame, read_programs
from data_loaders.tinygrad.records import RewriteTrace, read_pickle, record_fields
from data_loaders.tinygrad.rows import row_names
from data_loaders.tinygrad.sniff import rewrites_unread
from data_loaders.tinygrad.sources import (
    calls_frame,
    contexts_frame,
    event_links_frame,
    rewrite_steps_frame,
)
from data_loaders.tinygrad.stacks import Stacks
from data_loaders.tinygrad.thread_traces import (
    thread_trace_findings,
    thread_traces_frame,
    trace_blobs,
)
from data_loaders.tinygrad.timeline import events_frame, timeline, tracks_frame
from schema.plurals import plural

MAX_ROWS = 5000
"""Maximum tracks of a timeline; a node with 64 devices and their engines has some hundreds."""


def read_run(
    profile: bytes, rewrites: bytes | None, strip: bool, graph_nodes: int = Limits().graph_nodes
) -> Reading:
    """Build the frames, metadata and findings of a capture.

    Raise LoadError or UnsafePickleError if it has no readable content. If `strip`, source lines and
    paths are left out; graphs are left out if there are more than `graph_nodes` nodes. `rewrites`
    is the companion rewrites.pkl, which is skipped if it cannot be read. `profile` may be a
    rewrites.pkl without its profile.pkl: then there are contexts, rewrite steps and programs, but
    no times.
    """
    stacks = Stacks(keep=not strip)
    unpickled = read_pickle(profile)
    del profile  # Frees its memory for the columns, if the caller has no reference to it.
    reading = Reading(findings=unknown_findings(unpickled.unknown, ""))
    trace: Rewrites | None
    if record_fields(unpickled.root, RewriteTrace) is not None:
        trace = read_rewrites(unpickled.root, stacks)
        capture = Capture(stacks)
    elif type(unpickled.root) is list:
        capture = read_events(unpickled.root, stacks)
        _check_rows(capture)
        trace = _companion(reading, rewrites, stacks) if rewrites is not None else None
    else:
        raise LoadError(
            "it is neither a list of events (profile.pkl) nor a RewriteTrace (rewrites.pkl)"
        )
    programs, version = read_programs(trace, capture.programs)
    time = clock(capture)
    if time is not None:
        names = row_names(capture.devices, strip)
        _add_timeline(reading, _Parts(capture, time, names, trace, programs, strip))
    elif trace is None or not trace.contexts:
        raise LoadError(_empty_message(capture))
    else:
        reading.metadata["time_unit"] = "ns"
        reading.findings.append(profile_missing())
    if trace is not None:
        reading.findings += skipped_findings(trace.skipped, "rewrites.pkl")
        graphs = read_graphs(trace, version, graph_nodes)
        reading.findings += graph_findings(graphs)
        reading.frames |= {
            "contexts": contexts_frame(trace, strip),
            "rewrite_steps": rewrite_steps_frame(trace, graphs, strip),
            "rewrite_matches": matches_frame(trace, graphs, strip),
            "graph_nodes": nodes_frame(graphs),
            "graph_edges": edges_frame(graphs),
        }
    code, left_out = machine_code_frame(programs, capture)
    reading.frames |= {
        "programs": programs_frame(programs),
        "program_options": options_frame(programs, trace),
    }
    reading.frames |= {"calls": calls_frame(stacks), "machine_code": code}
    reading.findings += left_out
    reading.findings += content_findings(stacks, programs, capture, strip)
    return reading


def _check_rows(capture: Capture) -> None:
    if len(capture.devices) > MAX_ROWS:
        raise LoadError(
            f"{plural(len(capture.devices), 'device')} and rows exceed the limit of a capture"
        )


def read_export(data: bytes, strip: bool) -> Reading:
    """Build frames tracks, events, kernels and markers of an export (JSON lines).

    If `strip`, paths are left out. Raises LoadError if it contains no event.
    """
    export = read_lines(data)
    capture = export.capture
    time = clock(capture)
    _check_rows(capture)
    if time is None:
        raise LoadError(_empty_message(capture))
    line = timeline(capture, time, row_names(capture.devices, strip))
    labels = resolve_labels(capture, None, strip)
    launches = read_launches(capture, time, strip)
    runs = read_executions(capture, line, labels, launches, [])
    markers, _ = markers_frame(capture, time, strip)
    frames = {
        "tracks": tracks_frame(line),
        "events": events_frame(line, capture, labels.names),
        "kernels": with_rates(
            kernels_frame(runs, line, launches, [], rewrites=False), runs, line, export.rates
        ),
        "markers": markers,
    }
    findings = [*skipped_findings(capture.skipped, ""), *timeline_findings(line), export_finding()]
    return Reading({"hwid": hardware(capture), "time_unit": "ns"}, frames, findings)


def _companion(reading: Reading, data: bytes, stacks: Stacks) -> Rewrites | None:
    """Parse the rewrites.pkl of a profile.pkl.

    If that fails, `None`, and a finding in `reading` reports the error.
    """
    try:
        unpickled = read_pickle(data)
        trace = read_rewrites(unpickled.root, stacks)
    except (UnsafePickleError, LoadError) as error:
        reading.findings.append(rewrites_unread(str(error)))
        return None
    reading.findings += unknown_findings(unpickled.unknown, "rewrites.pkl")
    return trace


def _empty_message(capture: Capture) -> str:
    """Describe, as a sentence about the file, that a capture has no events, with the most frequent
    reason of skipped events, if any.
    """
    reasons = [reason for reason, count in capture.skipped.most_common(1) if count]
    return "it contains no events" + (f" that can be read: {reasons[0]}" if reasons else "")


@dataclass(frozen=True)
class _Parts:
    """Inputs of the frames of a profile.pkl."""

    capture: Capture
    clock: Clock
    names: list[str]
    rewrites: Rewrites | None
    programs: list[Program]
    strip: bool


def _add_timeline(reading: Reading, parts: _Parts) -> None:
    """Add the frames, metadata and findings of a profile.pkl to the reading, except frames of
    programs and rewrites.
    """
    capture = parts.capture
    names = parts.names
    line = timeline(capture, parts.clock, names)
    # All frames use the times of the timeline; without the original times, reading needs less
    # memory.
    capture.spans = capture.spans.without_times()
    labels = resolve_labels(capture, parts.rewrites, parts.strip)
    launches = read_launches(capture, parts.clock, parts.strip)
    runs = read_executions(capture, line, labels, launches, parts.programs)
    kernels = kernels_frame(runs, line, launches, parts.programs, parts.rewrites is not None)
    tagged = tagged_functions(capture)
    counters, counter_findings = counters_frame(capture, kernels, names, tagged)
    candidates, candidate_findings = candidates_frame(runs, line)
    markers, marker_findings = markers_frame(capture, parts.clock, parts.strip)
    launch_rows = launches_frame(launches, names)
    reading.metadata |= {"hwid": hardware(capture), "time_unit": "ns"}
    reading.frames |= {
        "tracks": tracks_frame(line),
        "events": events_frame(line, capture, labels.names),
        "kernels": kernels,
        "program_candidates": candidates,
        "launches": launch_rows,
        "counters": counters,
        "markers": markers,
        "event_links": event_links_frame(capture, line, labels),
    }
    reading.findings += [
        *skipped_findings(capture.skipped, ""),
        *timeline_findings(line),
        *counter_findings,
        *marker_findings,
        *candidate_findings,
    ]
    reading.findings += kernel_findings(
        kernels, int((~launch_rows["copy"]).sum()), parts.rewrites is not None
    )
    reading.frames["thread_traces"] = thread_traces_frame(capture, names, tagged, parts.programs)
    reading.findings += thread_trace_findings(capture, tagged)
    reading.blobs = trace_blobs(capture)
    _add_memory(reading, parts, launches)


def _add_memory(reading: Reading, parts: _Parts, launches: Launches) -> None:
    buffers = read_buffers(parts.capture, parts.clock, parts.names)
    uses, unmatched = buffer_uses_frame(launches, buffers, parts.capture.allocates_in_launch)
    reading.frames |= {
        "attempts": attempts_frame(buffers, parts.clock.length),
        "allocations": allocations_frame(buffers),
        "buffer_uses": uses,
    }
    reading.findings += [*buffers.findings, *unmatched]
