"""Calls of tools: what was asked is checked, and every failure is a sentence."""

from __future__ import annotations

import logging

from app.context import AppContext
from app.mcp.answers import as_text, bounded_answer
from app.mcp.protocol import INVALID_PARAMS, Protocol, RpcError
from app.mcp.registry import BY_NAME, TOOLS
from app.mcp.tool import Record, ToolError
from app.request.errors import RequestError
from app.request.server_paths import without_server_paths
from components.numbers import shorten, tame
from storage.errors import StorageError

_LOG = logging.getLogger("tilescope")
_LONGEST = 560


def protocol_of(context: AppContext) -> Protocol:
    """Return what answers messages about a store."""
    return Protocol(list_tools, lambda name, arguments: call_tool(context, name, arguments))


def list_tools() -> list[Record]:
    """Return the tools as the protocol lists them."""
    return [tool.describe() for tool in TOOLS]


def call_tool(context: AppContext, name: str, arguments: object) -> Record:
    """Return the result of a call; raises RpcError for a tool that there is not."""
    tool = BY_NAME.get(name)
    if tool is None:
        raise RpcError(INVALID_PARAMS, f"there is no tool {shorten(name)!r}; there are {', '.join(BY_NAME)}")
    try:
        answer = bounded_answer(tool.find(context, tool.read(arguments)), context.settings.public_url)
    except StorageError as error:
        return failed_call(context, error.public)
    except (ToolError, RequestError, ValueError) as error:
        return failed_call(context, str(error))
    except MemoryError:
        raise
    except Exception:
        _LOG.exception("tool %s failed", name)
        return failed_call(context, "something went wrong; the log says what")
    return {"content": [{"type": "text", "text": as_text(answer)}], "structuredContent": answer, "isError": False}


def failed_call(context: AppContext, sentence: str) -> Record:
    """Return the result of a call that has no answer, in one line and without places of the server."""
    settings = context.settings
    roots = (str(settings.data), settings.database_url, settings.frames_url)
    said = " ".join(tame(without_server_paths(sentence, roots)).split())
    said = said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
    return {"content": [{"type": "text", "text": said}], "isError": True}
