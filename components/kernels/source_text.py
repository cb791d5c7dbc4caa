"""Highlighted source text of a kernel.

Tokens become elements and never markup, so that a file cannot inject HTML.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from time import thread_time

from dash import html
from dash.development.base_component import Component
from pygments.lexer import Lexer
from pygments.lexers import CLexer, CppLexer, CudaLexer, LlvmLexer, PtxLexer, TextLexer, WgslLexer
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType

from components.aria import aria
from components.numbers import count_text, size

MAX_LINES, MAX_CHARACTERS = 2_000, 200_000
"""Lines and characters that are shown; a note gives the number of the remaining lines."""
MAX_SPANS = 8_000
"""Highlighted tokens that are sent; the text after them is plain."""
MAX_SECONDS = 0.4
"""Processor time (s) of the lexer; the text after this time is plain."""

_CHUNK = 1_500
"""Characters that the lexer reads at a time."""
_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment.Preproc, "ts-code-preprocessor"),
    (Comment.PreprocFile, "ts-code-string"),
    (Comment, "ts-code-comment"),
    (Keyword.Type, "ts-code-type"),
    (Keyword, "ts-code-keyword"),
    (Name.Function, "ts-code-function"),
    (Name.Builtin, "ts-code-type"),
    (Name.Variable.Global, "ts-code-function"),
    (String, "ts-code-string"),
    (Number, "ts-code-number"),
)
"""Kind of token -> CSS class; the first matching kind counts."""
_C = CLexer()
_CPP = CppLexer()
_CUDA = CudaLexer()
_PLAIN = TextLexer()
_LLVM = LlvmLexer()
_PTX = PtxLexer()
_WGSL = WgslLexer()
_BY_DEVICE = {
    "CPU": _C,
    "CLANG": _C,
    "CL": _C,
    "GPU": _C,
    "QCOM": _C,
    "DSP": _C,
    "NULL": _C,
    "METAL": _CPP,
    "HIP": _CUDA,
    "AMD": _CUDA,
    "CUDA": _CUDA,
    "NV": _CUDA,
    "WEBGPU": _WGSL,
}
_HEAD = 4_000
"""Characters at the beginning of a text that decide its language."""
_CACHED_TEXTS = 4
"""Highlighted texts that are cached, some hundred KB each.

A page draws the same program again after every change of the selection.
"""


def source_text(
    source: str,
    device: str,
    download: str | None = None,
    loops: Callable[[int], int | None] | None = None,
) -> Component:
    """Build source text with line numbers and highlighted tokens; a sentence if the text is empty.

    The language is recognised from the text, else from the device that it was compiled for.
    `download` is the address of the whole text. `loops` maps a line number (from 1) to the number
    (from 1) of the loop that the line is marked with, None for a line outside of loops. At most
    2,000 lines are shown.
    """
    if not source.strip():
        return html.P("The capture has no source text of this program.", className="ts-panel-hint")
    shown, left = _cap_source(source)
    count = shown.count("\n") + 1
    text = _highlight(shown, choose_lexer(source, device))
    marks: list[int | None] = [] if loops is None else [loops(line) for line in range(1, count + 1)]
    marked = _mark_lines(text, marks) if any(marks) else text
    # Hidden from screen readers, which would read all numbers before the text.
    numbers = html.Pre(
        "\n".join(map(str, range(1, count + 1))), className="ts-source-lines", **aria(hidden="true")
    )
    code = html.Pre(html.Code(marked), className="ts-source-text")
    box = html.Div(
        [numbers, *_loop_column(marks), code],
        className="ts-source",
        tabIndex=0,
        role="region",
        **aria(label="source text"),
    )
    return html.Div([box, *_more(left, download)])


def loop_class(number: int) -> str:
    """Return the CSS classes of the loop with this number (from 1); six colours repeat."""
    return f"ts-loop ts-loop-{(number - 1) % 6 + 1}"


def _loop_column(marks: Sequence[int | None]) -> list[Component]:
    """Build the column with the words `loop N` at the first line of each loop, in a list.

    Returns an empty list without loops.
    """
    if not any(marks):
        return []
    words = [
        f"loop {mark}" if mark and mark != before else ""
        for before, mark in zip([None, *marks[:-1]], marks, strict=True)
    ]
    return [html.Pre("\n".join(words), className="ts-source-lines ts-source-loops")]


def _mark_lines(
    parts: Sequence[html.Span | str], marks: Sequence[int | None]
) -> list[html.Span | str]:
    """Wrap the lines of each loop in a span; lines outside of loops are unchanged.

    `marks` has the number of the loop of each line, None outside of loops.
    """
    marked: list[html.Span | str] = []
    for mark, lines in groupby(zip(marks, _split_lines(parts), strict=True), key=itemgetter(0)):
        pieces = [piece for _, line in lines for piece in line]
        marked += (
            pieces
            if mark is None
            else [html.Span(pieces, className=f"{loop_class(mark)} ts-loop-lines")]
        )
    return marked


def _split_lines(parts: Sequence[html.Span | str]) -> list[list[html.Span | str]]:
    """Split the parts of a text into lines, each a list of parts that ends with the line feed,
    except the last.
    """
    lines: list[list[html.Span | str]] = [[]]
    for part in parts:
        text = part if isinstance(part, str) else str(part.children)
        pieces = text.split("\n")
        for place, piece in enumerate(pieces):
            whole = piece + ("\n" if place < len(pieces) - 1 else "")
            if whole:
                style = getattr(part, "className", None)
                lines[-1].append(whole if style is None else html.Span(whole, className=style))
            if place < len(pieces) - 1:
                lines.append([])
    return lines


def choose_lexer(source: str, device: str) -> Lexer:
    """Choose the lexer of a text: LLVM IR, PTX, WGSL and Metal by keywords in the text, C and C++
    dialects by the device, else C for a text with `{` and `;`, else plain text.
    """
    head = source[:_HEAD]
    if head.lstrip().startswith("; ModuleID") or (
        "define " in head and " @" in head and "{" in head
    ):
        return _LLVM
    if ".visible" in head and (".version" in head or ".entry" in head):
        return _PTX
    if "@compute" in head or "@workgroup_size" in head:
        return _WGSL
    if "metal_stdlib" in head or "[[buffer(" in head:
        return _CPP
    return _BY_DEVICE.get(
        device.partition(":")[0].upper(), _C if "{" in head and ";" in head else _PLAIN
    )


def _cap_source(source: str) -> tuple[str, str]:
    """Split a text into the part that is shown, at most 2,000 lines and 200,000 characters, and the
    rest; "" if all is shown.
    """
    text = source.replace("\r\n", "\n").rstrip("\n")
    shown = "\n".join(text[:MAX_CHARACTERS].split("\n")[:MAX_LINES])
    return _visible(shown), text[len(shown) :].removeprefix("\n")


def _visible(text: str) -> str:
    """Replace invisible characters, and characters that change the direction of text, by their code
    point in hexadecimal after a backslash and `u`; line feeds and tabs stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if _is_visible(character) else f"\\u{ord(character):04x}" for character in text
    )


def _is_visible(character: str) -> bool:
    return character in "\n\t" or unicodedata.category(character) not in {
        "Cc",
        "Cf",
        "Cs",
        "Zl",
        "Zp",
    }


def _highlight(text: str, lexer: Lexer) -> list[html.Span | str]:
    """Convert a text to plain strings and spans with a CSS class, which joined are the whole text."""
    return [
        html.Span(piece, className=kind) if kind else piece for kind, piece in _pieces(text, lexer)
    ]


@lru_cache(maxsize=_CACHED_TEXTS)
def _pieces(text: str, lexer: Lexer) -> tuple[tuple[str, str], ...]:
    """Split a text into (CSS class, text) pieces, with the class "" for plain text.

    Neighbouring pieces without a class are joined. The text after 8,000 pieces with a class is
    plain.
    """
    parts: list[tuple[str, str]] = []
    spans = 0
    for kind, piece in _tokens(text, lexer):
        own = kind if spans < MAX_SPANS else ""
        spans += bool(own)
        if not own and parts and not parts[-1][0]:
            parts[-1] = "", parts[-1][1] + piece
        else:
            parts.append((own, piece))
    return tuple(parts)


def _tokens(text: str, lexer: Lexer) -> Iterator[tuple[str, str]]:
    """Yield CSS class ("" for plain text) and text of each token; joined, the texts are the whole
    text.

    The text after 0.4 s of computing (MAX_SECONDS) is plain.
    """
    at = 0
    # Time of this thread only, so that other requests do not change what is highlighted.
    limit = thread_time() + MAX_SECONDS
    for end in _ends(text) if lexer is not _PLAIN else ():
        if thread_time() > limit:
            break
        if end - at > _CHUNK:
            yield "", text[at:end]
        else:
            # `get_tokens` would strip and add line feeds, so that the text would no longer be
            # whole.
            for _, token, piece in lexer.get_tokens_unprocessed(text[at:end]):
                yield _token_class(token), piece
        at = end
    yield "", text[at:]


def _ends(text: str) -> Iterator[int]:
    """Yield the ascending end positions of chunks of whole lines, of some 1,500 characters; the
    last is the length of the text.

    On text that is not source code a lexer's expressions take quadratic time (a minute for 60 000
    line feeds); chunks bound that.
    """
    at = 0
    while at < len(text):
        end = at + _CHUNK
        if end < len(text):
            end = text.rfind("\n", at, end) + 1 or (text.find("\n", end) + 1 or len(text))
        at = min(end, len(text))
        yield at


def _token_class(token: _TokenType) -> str:
    return next((name for kind, name in _CLASSES if token in kind), "")


def _more(left: str, download: str | None) -> list[Component]:
    """Build the paragraph with the number of lines that are not shown (`left` is their text) and
    the link to the whole text, in a list.

    Returns an empty list if neither applies.
    """
    words: list[Component | str] = []
    if left:
        count = left.count("\n") + 1
        words.append(f"{count_text(count, 'more line')} ({size(len(left))}) not shown. ")
    if download:
        words.append(html.A("All of it as a file", href=download, className="ts-link"))
    elif left:
        words.append("The export of programs has all of it.")
    return [html.P(words, className="ts-panel-hint")] if words else []
