"""Markdown that people wrote as components: text, lists, tables and links; no HTML of theirs, and no pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from dash import html
from dash.development.base_component import Component
from markdown_it import MarkdownIt
from markdown_it.token import Token

from components.numbers import tame

_DEEPEST = 24
"""Levels of elements; what lies deeper stands in the last one. React and JSON go down by recursion."""
_MOST = 4_000
"""Tokens of a text; one of more is shown as it was written."""
_LINKS = ("http://", "https://", "mailto:")
_ELEMENTS: Mapping[str, Callable[..., Component]] = MappingProxyType(
    {
        **{"p": html.P, "ul": html.Ul, "ol": html.Ol, "li": html.Li, "blockquote": html.Blockquote},
        **{"h1": html.H3, "h2": html.H4, "h3": html.H5, "h4": html.H6, "h5": html.H6, "h6": html.H6},
        **{"table": html.Table, "thead": html.Thead, "tbody": html.Tbody, "tr": html.Tr, "th": html.Th, "td": html.Td},
        **{"em": html.Em, "strong": html.Strong, "s": html.Del},
    }
)
"""What opens and closes -> its component; headings of notes stand below those of the page."""
Part = Component | str


def markdown(text: str) -> list[Part]:
    """Return a text in Markdown as components; nothing of it runs or is fetched."""
    tokens = list(_flat(_parser().parse(text)))
    if len(tokens) > _MOST:
        return [html.Pre("\n".join(map(tame, text.splitlines())))]
    open_parts: list[tuple[Token | None, list[Part]]] = [(None, [])]
    for token in tokens:
        if token.nesting > 0:
            open_parts.append((token, []))
        elif token.nesting < 0:
            opened, children = open_parts.pop()
            deep = len(open_parts) > _DEEPEST
            open_parts[-1][1].extend(children if deep or opened is None else _element(opened, children))
        else:
            open_parts[-1][1].append(_leaf(token))
    return open_parts[0][1]


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _flat(tokens: Sequence[Token]) -> Iterator[Token]:
    """Give all tokens in the order of the text, those within paragraphs too."""
    for token in tokens:
        if token.type == "inline":
            yield from token.children or ()
        else:
            yield token


def _element(token: Token, children: list[Part]) -> Sequence[Part]:
    """Return what a token that was closed makes of its children."""
    if token.tag == "a":
        return _link(str(token.attrGet("href") or ""), children)
    if token.hidden or token.tag not in _ELEMENTS:
        return children
    if token.tag == "ol" and str(token.attrGet("start") or "").isdecimal():
        return [html.Ol(children, start=str(token.attrGet("start")))]
    return [_ELEMENTS[token.tag](children)]


def _leaf(token: Token) -> Part:
    match token.type:
        case "hardbreak" | "hr":
            return html.Br() if token.type == "hardbreak" else html.Hr()
        case "softbreak":
            return " "
        case "code_inline":
            return html.Code(tame(token.content))
        case "fence" | "code_block":
            return html.Pre("\n".join(map(tame, token.content.rstrip().split("\n"))))
        case "image":
            return _image(token)
    return tame(token.content)


def _image(token: Token) -> Part:
    """Return a link in place of a picture, which a browser would fetch from elsewhere."""
    return html.Span(_link(str(token.attrGet("src") or ""), [tame(token.content) or "picture"]))


def _link(href: str, children: list[Part]) -> list[Part]:
    """Return a link to a page of this server or to elsewhere; what is neither stays text."""
    if href.startswith("/") and not href.startswith(("//", "/\\")):
        return [html.A(children, href=href)]
    if href.lower().startswith(_LINKS):
        return [html.A(children, href=href, target="_blank", rel="noopener noreferrer nofollow")]
    return children
