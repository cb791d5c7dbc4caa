"""Markdown written by users as Dash components: text, lists, tables and links, without raw HTML and
pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from dash import html
from dash.development.base_component import Component
from markdown_it import MarkdownIt
from markdown_it.token import Token

from components.numbers import tame

_MAX_DEPTH = 24
"""Maximum depth of nested elements; deeper content is added to the last level.

React and the JSON encoder recurse, so that deep nesting would exhaust their stacks.
"""
_MAX_TOKENS = 4_000
"""Maximum number of tokens of a text; a longer text is shown unformatted."""
_LINKS = ("http://", "https://", "mailto:")
_ELEMENTS: Mapping[str, Callable[..., Component]] = MappingProxyType(
    {
        **{"p": html.P, "ul": html.Ul, "ol": html.Ol, "li": html.Li, "blockquote": html.Blockquote},
        **{
            "h1": html.H3,
            "h2": html.H4,
            "h3": html.H5,
            "h4": html.H6,
            "h5": html.H6,
            "h6": html.H6,
        },
        **{
            "table": html.Table,
            "thead": html.Thead,
            "tbody": html.Tbody,
            "tr": html.Tr,
            "th": html.Th,
            "td": html.Td,
        },
        **{"em": html.Em, "strong": html.Strong, "s": html.Del},
    }
)
"""HTML tag of a token -> component; headings of notes are two levels below those of the page."""
Part = Component | str


def markdown(text: str) -> list[Part]:
    """Convert Markdown to components; nothing in the text can run a script or fetch a file.

    A text with more than 4,000 tokens (_MAX_TOKENS) becomes preformatted text. Empty for an empty
    text.
    """
    tokens = list(_flat(_parser().parse(text)))
    if len(tokens) > _MAX_TOKENS:
        return [html.Pre("\n".join(map(tame, text.splitlines())))]
    open_parts: list[tuple[Token | None, list[Part]]] = [(None, [])]
    for token in tokens:
        if token.nesting > 0:
            open_parts.append((token, []))
        elif token.nesting < 0:
            opened, children = open_parts.pop()
            deep = len(open_parts) > _MAX_DEPTH
            open_parts[-1][1].extend(
                children if deep or opened is None else _element(opened, children)
            )
        else:
            open_parts[-1][1].append(_leaf(token))
    return open_parts[0][1]


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _flat(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens in the order of the text; the content of a paragraph is replaced by its own
    tokens.
    """
    for token in tokens:
        if token.type == "inline":
            yield from token.children or ()
        else:
            yield token


def _element(token: Token, children: list[Part]) -> Sequence[Part]:
    """Convert a closed token and its children to a list with one component.

    For hidden or unknown tags the children themselves are returned.
    """
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
    """Replace a picture by a link with its description as text, since a browser would fetch the
    picture from another server.
    """
    return html.Span(_link(str(token.attrGet("src") or ""), [tame(token.content) or "picture"]))


def _link(href: str, children: list[Part]) -> list[Part]:
    """Build a link around the children, to a page of this server or to an http, https or mailto
    address, in a list.

    For any other address the children themselves are returned, without a link.
    """
    # Browsers read `//host` and `/\\host` as addresses of another server.
    if href.startswith("/") and not href.startswith(("//", "/\\")):
        return [html.A(children, href=href)]
    if href.lower().startswith(_LINKS):
        return [html.A(children, href=href, target="_blank", rel="noopener noreferrer nofollow")]
    return children
