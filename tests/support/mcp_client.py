"""Runs with the official client of the protocol, in an environment that the product does not know.

Reads {"url"} or {"command", "args"}, "mode" and "calls" from stdin; prints revision, names of tools and answers.
"""

import asyncio
import json
import sys


async def main(spec):
    """Connect, list the tools, call some."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters
    from mcp.client.streamable_http import streamable_http_client

    if "url" in spec:
        transport = streamable_http_client(spec["url"])
    else:
        transport = StdioServerParameters(
            command=spec["command"], args=spec["args"], cwd=spec["cwd"]
        )
    async with Client(transport, mode=spec["mode"], read_timeout_seconds=60) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        answers = []
        for name, arguments in spec["calls"]:
            answer = (await client.call_tool(name, arguments)).model_dump(
                mode="json", by_alias=True
            )
            answers.append({"error": answer["isError"], "data": answer.get("structuredContent")})
        print(json.dumps({"revision": client.protocol_version, "tools": tools, "answers": answers}))  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(json.load(sys.stdin)))
