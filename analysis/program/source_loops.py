"""Finds loops in a kernel's source text: by braces in C-like languages, by labels and jumps in LLVM
IR and PTX.
"""

from __future__ import annotations

import re
from itertools import pairwise

from analysis.program.loop_pairs import Loop, nested_loops
from analysis.program.loops import natural_loops

MAX_CHARACTERS = 200_000
"""Maximum number of characters of a source text; loops of longer texts are not searched."""
_MAX_OPEN = 200
"""Maximum number of open braces."""
# Comments and strings are single words, so that braces inside them do not count.
_WORD = re.compile(
    r'//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?|"(?:\\.|[^"\\\n])*"?|\n|\b(?:for|while)\s*\(|\bdo\b|[A-Za-z_0-9]+|[^\sA-Za-z_0-9]'
)
_LABEL = re.compile(r"\A\s*([$\w.%-]+):\s*(?:;.*)?")
"""Line with only a label, in LLVM IR or PTX."""
_JUMP = re.compile(r"\blabel\s+%([\w.$-]+)|\bbra(?:\.uni)?\s+([$\w]+)")
"""Target of a jump, in LLVM IR or PTX."""
_LEAVES = re.compile(r"\A\s*(?:br|ret|unreachable|bra\.uni)\b")
"""Instruction after which the next line is not reached."""


def source_loops(source: str) -> list[Loop]:
    """Find the outermost loops of a source text in order, each with its inner loops; the parts are
    lines, from 1.

    [] without loops, and for texts of more than MAX_CHARACTERS (200,000) characters.
    """
    if len(source) > MAX_CHARACTERS:
        return []
    text = source.replace("\r\n", "\n")
    is_labelled = "label %" in text or (".visible" in text and "bra" in text)
    spans = _label_spans(text.split("\n")) if is_labelled else _brace_spans(text)
    return nested_loops([frozenset(range(first, last + 1)) for first, last in spans])


class _Braces:
    """Finds loops of C-like text word by word: a loop is a head in parentheses, then a body in
    braces or a statement.
    """

    def __init__(self) -> None:
        self.spans: list[tuple[int, int]] = []
        self._line = 1
        self._parens = 0
        self._head: int | None = None  # line of a loop before its body begins
        self._single: int | None = None  # line of a loop with a single statement as body
        self._open: list[int | None] = []

    def read(self, word: str) -> None:
        """Process the next word of the text; a comment, a string or the head of a loop up to its
        parenthesis is a single word. A loop is added to `spans` when it ends.
        """
        if word.startswith(("//", "/*")) or word == "\n":
            self._line += word.count("\n")
        elif word == "do" or (len(word) > 1 and word.endswith("(")):
            self._head = self._line
            self._parens = int(word != "do")
            self._line += word.count("\n")
        elif self._head is not None and self._parens:
            self._parens += (word == "(") - (word == ")")
        else:
            self._read_body(word)

    def _read_body(self, word: str) -> None:
        if word == "{":
            # Deeper braces are tracked, but their loops are not recorded.
            self._open.append(self._head if len(self._open) < _MAX_OPEN else None)
            self._head = None
        elif word == "}":
            self._close(self._open.pop() if self._open else None)
        elif word == ";":
            self._close(self._single)
            self._head = self._single = None
        elif self._head is not None:
            self._head, self._single = None, self._head

    def _close(self, first: int | None) -> None:
        if first is not None:
            self.spans.append((first, self._line))


def _brace_spans(text: str) -> list[tuple[int, int]]:
    """List first and last line (from 1, both included) of each loop in C-like text, in the order in
    which the loops end.
    """
    braces = _Braces()
    for match in _WORD.finditer(text):
        braces.read(match[0])
    return braces.spans


def _label_spans(lines: list[str]) -> list[tuple[int, int]]:
    """List first and last line (from 1, both included) of each loop that jumps between labels form;
    [] without jumps back.
    """
    labels = {
        match[1].removeprefix("%"): row
        for row, text in enumerate(lines)
        if (match := _LABEL.fullmatch(text))
    }
    behind = {row + 1 for row, text in enumerate(lines) if _JUMP.search(text)}
    begins = sorted({0, *labels.values(), *(row for row in behind if row < len(lines))})
    place_of = {row: place for place, row in enumerate(begins)}
    block = {name: place_of[row] for name, row in labels.items()}
    edges: list[tuple[int, int]] = []
    for place, (first, end) in enumerate(pairwise([*begins, len(lines)])):
        body = [text for text in lines[first:end] if text.strip()]
        names = (name for text in body for pair in _JUMP.findall(text) for name in pair if name)
        edges += [(place, block[name]) for name in names if name in block]
        if body and not _LEAVES.match(body[-1]) and place + 1 < len(begins):
            edges.append((place, place + 1))
    loops = natural_loops(range(len(begins)), edges)
    ends = [*begins[1:], len(lines)]
    return [(begins[min(loop)] + 1, ends[max(loop)]) for loop in loops]
