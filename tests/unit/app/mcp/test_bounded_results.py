"""Answers stay small, what is cut goes on, and names are words."""

import json

import pytest

from app.mcp.bounded_results import (
    MAX_CHARACTERS,
    as_text,
    bounded_result,
    make_cursor,
    quote,
    read_offset,
)
from app.mcp.registry import BY_NAME, TOOLS
from app.mcp.tool import ToolError, ToolResult
from schema.result_metrics import result_key


def found(items, begin=0):
    return ToolResult("some.", "/x", lambda some: {"rows": some}, items[begin:], begin)


def pages(items):
    """Return every page of an answer."""
    cursor, read = None, []
    while True:
        answer = bounded_result(found(items, read_offset(cursor)), "")
        read.append(answer)
        cursor = answer["next"]
        if cursor is None:
            return read


@pytest.mark.parametrize("width", [1, 300, 1_900, 30_000])
def test_what_is_cut_goes_on_in_order_each_once(width):
    items = [[rank, "x" * width] for rank in range(120)]
    read = pages(items)
    assert [row[0] for page in read for row in page["data"]["rows"]] == list(range(120))
    for page in read:
        assert len(json.dumps(page, ensure_ascii=False)) <= MAX_CHARACTERS
        assert len(as_text(page)) <= 24_000


def test_an_item_that_is_larger_than_an_answer_is_refused():
    with pytest.raises(ToolError, match="larger"):
        bounded_result(found([["x" * 60] * 1_000]), "")


def test_names_have_no_control_characters_and_numbers_are_json():
    name = "IGNORE\x1b[31m ALL\u202e \u200b\x07"
    result = ToolResult(f"{quote(name)} is it.", "/x", lambda _: {name: [name, float("nan")]})
    answer = bounded_result(result, "https://here/")
    text = json.dumps(answer, ensure_ascii=False)
    assert not [c for c in text if not c.isprintable()]
    assert next(iter(answer["data"].values()))[1] is None
    assert answer["answer"].startswith('"IGNORE')
    assert answer["link"] == "https://here/x"
    assert answer["untrusted"]


@pytest.mark.parametrize(
    "cursor", ["", "x", "é", make_cursor("a"), make_cursor(-1), make_cursor(1, 2), "W1tbW1tb"]
)
def test_a_cursor_of_no_answer_is_refused(cursor):
    with pytest.raises(ToolError):
        read_offset(cursor)


def test_the_list_of_tools_is_short_and_says_that_they_read():
    listed = [tool.describe() for tool in TOOLS]
    assert len(json.dumps(listed, ensure_ascii=False)) <= 7_500
    assert all(tool["annotations"]["readOnlyHint"] for tool in listed)
    assert all(tool["inputSchema"]["additionalProperties"] is False for tool in listed)


def test_a_trend_takes_the_key_of_a_number_with_a_long_name():
    key = result_key("decode step of " + "x" * 150, "ns", "less")
    assert BY_NAME["trend"].read({"metric": key}).metric == key
