"""Calls of tools: arguments are checked, and every failure becomes a sentence."""

from __future__ import annotations

import logging

from app.context import AppContext
from app.mcp.bounded_results import as_text, bounded_result
from app.mcp.protocol import INVALID_PARAMS, Protocol, RpcError
from app.mcp.registry import BY_NAME, TOOLS
from app.mcp.tool import Record, ToolError
from app.request.errors import RequestError
from app.request.server_paths import without_server_paths
from components.numbers import shorten, tame
from storage.errors import StorageError

_LOG = logging.getLogger("tilescope")
_MAX_SENTENCE_LENGTH = 560
"""Maximum length of an error in characters."""


def make_protocol(context: AppContext) -> Protocol:
    """Make the handler of messages whose tools read the store of this application."""
    return Protocol(list_tools, lambda name, arguments: call_tool(context, name, arguments))


def list_tools() -> list[Record]:
    """List all tools in the form of the protocol, see `Tool.describe`."""
    return [tool.describe() for tool in TOOLS]


def call_tool(context: AppContext, name: str, arguments: object) -> Record:
    """Call a tool and return the result in the form of the protocol: content (text),
    structuredContent, isError.

    A failure is a result too, with a sentence and `isError`. Raises RpcError if there is no tool of
    this name.
    """
    tool = BY_NAME.get(name)
    if tool is None:
        raise RpcError(
            INVALID_PARAMS, f"there is no tool {shorten(name)!r}; there are {', '.join(BY_NAME)}"
        )
    try:
        result = bounded_result(
            tool.find(context, tool.read(arguments)), context.settings.public_url
        )
    except StorageError as error:
        return failed_call(context, error.public)
    except (ToolError, RequestError, ValueError) as error:
        return failed_call(context, str(error))
    # The render process handles a lack of memory itself.
    except MemoryError:
        raise
    except Exception:
        _LOG.exception("tool %s failed", name)
        return failed_call(context, "the tool failed; the server log has the reason")
    return {
        "content": [{"type": "text", "text": as_text(result)}],
        "structuredContent": result,
        "isError": False,
    }


def failed_call(context: AppContext, sentence: str) -> Record:
    """Build the result of a failed call, with `isError`: the sentence in a line of at most
    _MAX_SENTENCE_LENGTH (560) characters, without paths of the server.
    """
    settings = context.settings
    roots = (str(settings.data), settings.database_url, settings.frames_url)
    text = " ".join(tame(without_server_paths(sentence, roots)).split())
    text = text if len(text) <= _MAX_SENTENCE_LENGTH else f"{text[: _MAX_SENTENCE_LENGTH - 1]}…"
    return {"content": [{"type": "text", "text": text}], "isError": True}
