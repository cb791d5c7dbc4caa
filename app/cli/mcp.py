"""`mcp`: the tools for assistants on stdin and stdout."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, BinaryIO

import click

from app.cli.common import with_settings

if TYPE_CHECKING:
    from app.config.settings import Settings
    from app.mcp.protocol import Protocol

_LONGEST = 4 * 2**20
"""Most bytes of a message."""


@click.command()
@with_settings
def mcp(settings: Settings) -> None:
    """Answer assistants that speak the Model Context Protocol on stdin and stdout, until stdin ends.

    The tools read alone: find_runs, describe_run, findings, compare, check, trend, list_frames, query, memory_peak,
    hotspots.
    """
    from app.context import AppContext
    from app.mcp.calls import protocol_of

    output = sys.stdout.buffer
    with redirect_stdout(sys.stderr):  # nothing but messages goes to stdout
        _answer_lines(protocol_of(AppContext.of(settings)), sys.stdin.buffer, output)


def _answer_lines(protocol: Protocol, source: BinaryIO, output: BinaryIO) -> None:
    """Answer a message a line; one that is too long is no JSON, as its rest is passed over."""
    while line := source.readline(_LONGEST):
        whole = line
        while not line.endswith(b"\n") and (line := source.readline(_LONGEST)):
            whole = b"{"
        if not whole.strip():
            continue
        reply = protocol.reply(whole)
        if reply.body is not None:
            output.write(reply.text().encode("utf-8", "replace") + b"\n")
            output.flush()
