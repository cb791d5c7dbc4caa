"""Command `mcp`: tools for assistants over stdin and stdout."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from functools import cache
from typing import TYPE_CHECKING, BinaryIO

import click

from app.cli.common import with_settings

if TYPE_CHECKING:
    from app.config.settings import Settings
    from app.context import AppContext
    from app.mcp.protocol import Protocol, Record

_MAX_MESSAGE_BYTES = 4 * 2**20
"""Maximum size of a message in bytes."""


@click.command()
@with_settings
def mcp(settings: Settings) -> None:
    """Serve assistants over the Model Context Protocol on stdin and stdout, until stdin ends.

    All tools are read-only: find_runs, describe_run, findings, compare, check, trend, list_frames,
    query, memory_peak, hotspots, status, analyse.
    """
    from app.mcp.protocol import Protocol

    @cache
    def context() -> AppContext:
        from app.context import AppContext

        return AppContext.of(settings)

    def list_tools() -> list[Record]:
        from app.mcp import calls

        return calls.list_tools()

    def call(name: str, arguments: object) -> Record:
        from app.mcp import calls

        return calls.call_tool(context(), name, arguments)

    output = sys.stdout.buffer
    with redirect_stdout(sys.stderr):  # only messages may go to stdout
        _reply_to_lines(Protocol(list_tools, call), sys.stdin.buffer, output)


def _reply_to_lines(protocol: Protocol, source: BinaryIO, output: BinaryIO) -> None:
    """Handle a message per line until `source` ends, and write each reply as a line; a line over
    _MAX_MESSAGE_BYTES (4 MiB) gets an error.
    """
    while line := source.readline(_MAX_MESSAGE_BYTES):
        whole = line
        while not line.endswith(b"\n") and (line := source.readline(_MAX_MESSAGE_BYTES)):
            # A line that is too long is replaced by invalid JSON, and its rest skipped, so that the
            # client gets an error.
            whole = b"{"
        if not whole.strip():
            continue
        reply = protocol.reply(whole)
        if reply.body is not None:
            # Names of files may contain lone surrogates, which UTF-8 cannot encode.
            output.write(reply.text().encode("utf-8", "replace") + b"\n")
            output.flush()
