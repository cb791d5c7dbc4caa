"""`POST /mcp`: tools for assistants, a message per request, without sessions."""

from __future__ import annotations

import json

from flask import Flask, Response, request

from app.context import AppContext
from app.mcp.calls import failed_call, make_protocol
from app.mcp.protocol import RpcError, parse_message
from app.mcp.registry import BY_NAME
from app.mcp.tool import Tool
from app.request.errors import RequestError
from app.request.user import EVERYONE
from app.server.access.gate import check_origin
from app.server.limits import TOOLS_PATH
from app.server.render.lanes import RenderWork, query_work
from app.server.render.rendering import Rendering

ENDPOINT = "mcp"


def register(server: Flask, context: AppContext, rendering: Rendering) -> None:
    """Add the route for messages of the Model Context Protocol; render processes run calls of tools
    that compute.
    """
    protocol = make_protocol(context)

    def respond() -> Response:
        reply = protocol.reply(
            request.get_data(), {name.lower(): value for name, value in request.headers.items()}
        )
        body = "" if reply.body is None else reply.text()
        return Response(body, reply.status, content_type="application/json")

    compute = rendering.delegate_view(ENDPOINT, respond)

    @server.post(TOOLS_PATH, endpoint=ENDPOINT)
    def mcp() -> Response:
        # As EVERYONE, because `check_origin` lets requests with a token pass: pages of other
        # sites are refused here even if they send a token.
        check_origin(context.settings, EVERYONE)
        call = _computing_call(request.get_data())
        if call is None:
            return respond()
        tool, identity = call
        try:
            return compute(query_work(is_file=False) if tool.is_query else RenderWork(tool.name))
        except RequestError as error:
            result = failed_call(context, str(error)) | {"resultType": "complete"}
            return Response(
                json.dumps({"jsonrpc": "2.0", "id": identity, "result": result}),
                content_type="application/json",
            )

    @server.route(TOOLS_PATH, methods=["GET", "DELETE"])
    def no_session() -> Response:
        response = Response(
            "This address only accepts POST: it has no sessions.\n", 405, mimetype="text/plain"
        )
        response.headers["Allow"] = "POST"
        return response


def _computing_call(content: bytes) -> tuple[Tool, object] | None:
    """Return (tool, id of the message) of a call that may take long, None for every other message."""
    try:
        message = parse_message(content)
    except RpcError:
        return None
    params = message.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    tool = BY_NAME.get(name) if isinstance(name, str) else None
    is_call = message.get("method") == "tools/call" and "id" in message
    return (tool, message["id"]) if is_call and tool is not None and tool.computes else None
