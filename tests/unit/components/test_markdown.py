"""Markdown becomes components that run nothing and fetch nothing."""

import json

import plotly
import pytest
from dash import html

from components.markdown import markdown
from tests.support.components import every, words

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- hidden -->",
    "<iframe src=//evil.example></iframe>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "<javascript:alert(1)>",
    "[x](//evil.example/)",
    "[x][y]\n\n[y]: javascript:alert(1)",
    "![x](data:image/svg+xml,<svg onload=alert(1)>)",
)


def plain(parts):
    return json.loads(json.dumps(parts, cls=plotly.utils.PlotlyJSONEncoder))


def depth(part):
    inner = (
        part.get("props", {}).get("children")
        if isinstance(part, dict)
        else part
        if isinstance(part, list)
        else None
    )
    return (
        1 + max(map(depth, inner if isinstance(inner, list) else [inner]), default=0)
        if inner
        else 0
    )


def test_what_people_write_most_is_drawn():
    parts = markdown(
        "# Why\n\nSlower *since* **Tuesday**, see `lock`  \nand ~~this~~\n\n- a\n- b\n\n> quoted\n\n---\n"
    )
    for kind, text in {
        "H3": "Why",
        "Em": "since",
        "Strong": "Tuesday",
        "Code": "lock",
        "Del": "this",
    }.items():
        assert [words(one) for one in every(parts, kind)] == [text]
    assert [words(one) for one in every(parts, "Li")] == ["a", "b"]
    assert (
        len(every(parts, "Br")) == len(every(parts, "Hr")) == len(every(parts, "Blockquote")) == 1
    )


def test_code_keeps_its_lines_and_lists_their_numbers():
    (block,) = every(markdown("```\na\n  b\n```"), "Pre")
    assert words(block) == "a\n  b"
    (listed,) = every(markdown("3. x\n4. y"), "Ol")
    assert listed.start == "3"


def test_tables_are_tables():
    parts = markdown("|a|b|\n|-|-:|\n|1|2|")
    assert [words(cell) for cell in [*every(parts, "Th"), *every(parts, "Td")]] == [
        "a",
        "b",
        "1",
        "2",
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_notes_stay_text(text):
    parts = markdown(f"before {text} after\n\n{text}")
    kinds = {one["type"] for one in components(plain(parts))}
    assert kinds <= {"P", "Span", "A", "Code"}
    assert not every(parts, "A")
    assert "before" in words(parts)


def components(part):
    if isinstance(part, list):
        return [one for child in part for one in components(child)]
    return [part, *components(part["props"].get("children"))] if isinstance(part, dict) else []


@pytest.mark.parametrize("href", ["https://a.example/x", "http://a.example", "mailto:a@b.example"])
def test_links_to_elsewhere_open_beside_the_page_and_tell_nothing_of_it(href):
    (link,) = every(markdown(f"[words]({href})"), "A")
    assert (link.href, link.target) == (href, "_blank")
    assert {"noopener", "noreferrer"} <= set(link.rel.split())


def test_a_link_to_a_page_of_this_server_stays_here():
    (link,) = every(markdown("[run](/run/abc?x=1)"), "A")
    assert link.href == "/run/abc?x=1"
    assert not hasattr(link, "target")


def test_a_picture_is_a_link_that_nobody_has_to_follow():
    parts = markdown("![a plot](https://evil.example/x.png)")
    (link,) = every(parts, "A")
    assert (words(link), link.href) == ("a plot", "https://evil.example/x.png")
    assert not every(parts, "Img")


@pytest.mark.quick_every(4)
@pytest.mark.parametrize(
    "text", ["> " * 2_000 + "x", "*" * 900 + "a" + "*" * 900, "- " * 300 + "x", "[" * 20_000]
)
def test_nesting_has_an_end(text):
    assert depth(plain(markdown(text))) < 40


@pytest.mark.slow
def test_a_text_of_more_parts_than_a_page_should_have_is_shown_as_it_was_written():
    text = "|a|b|\n|-|-|\n" + "|x|y|\n" * 3_000
    (block,) = markdown(text)
    assert isinstance(block, html.Pre)
    assert words(block).startswith("|a|b|\n|-|-|")


def test_direction_and_control_characters_go():
    assert words(markdown("a\u202eb `c\x1bd`")) == "ab c d"
