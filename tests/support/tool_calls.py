"""Calls of the tools for assistants that must succeed."""

from app.mcp.calls import call_tool


def call(store, tool, **arguments):
    """Call a tool with the context that `store` begins with; return its structured content."""
    result = call_tool(store[0], tool, arguments)
    assert not result["isError"], result
    return result["structuredContent"]
