"""Split MLIR text into a tree of statements, without MLIR's own libraries.

Newlines have no meaning. A statement begins at its results (`%x =`), at `dialect.op`, at a label
`^bb1:` or at an alias `!t =`, and has everything up to the next statement: operands, attributes,
types. `{` opens a region, unless a dictionary or a set of operands follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from data_loaders.protocol import LoadError

MAX_STATEMENTS = 1_000_000
"""Most statements of a design that are kept; whole GEMM arrays have some ten thousand."""
# Repetitions are bounded and give nothing back, so that a hostile text takes linear time.
_NAME = r"[\w$.-]{1,200}+"
_SPACE = r"\s{0,200}+"
_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\\n]|\\.){0,100000}"?)'
    r"|(?P<open>\{)|(?P<close>\})"
    rf"|(?P<result>%{_NAME}(?:{_SPACE}:{_SPACE}\d{{1,9}})?"
    rf"(?:{_SPACE},{_SPACE}%{_NAME}){{0,8}}{_SPACE}=(?!=))"
    rf"|(?P<value>%{_NAME})"
    rf"|(?P<alias>[!#]{_NAME}{_SPACE}=(?!=))|(?P<type>[!#@]{_NAME})"
    rf"|(?P<label>\^{_NAME}{_SPACE}(?:\([^()]{{0,2000}}\))?{_SPACE}:)|(?P<jump>\^{_NAME})"
    r"|(?<![\w$.-])(?P<op>[A-Za-z_]\w{0,60}(?:\.\w{1,100}){1,6}|(?:call|module|br|cond_br)(?=\s))"
)
# A string is matched first, so that `//` inside it is not a comment.
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.){0,100000}"?)|//[^\n]*')
_DICTIONARY = re.compile(
    r'\{\s{0,2000}+(?:\}|(?:[\w$.]{1,200}+|"[^"\n]{0,200}+")\s{0,200}+=|[\w$]{1,200}+\s{0,200}+[,}])'
)
# `{%a, %b}` is a set of operands, but `{%a = ..` and `{%a, %b = ..` begin a region.
_OPERANDS = re.compile(
    rf"\{{\s{{0,2000}}+%{_NAME}(?!{_SPACE}[=:])(?!(?:{_SPACE},{_SPACE}%{_NAME}){{1,8}}+{_SPACE}=)"
)
_NO_RESULT = "(,="
"""Characters before a `%x =` that is an argument of a loop, not the result of a statement."""
_LOOPS = ("scf.for", "affine.for", "scf.parallel", "affine.parallel")
"""Operations with a `%i =` of their own behind their name."""
_STRING = re.compile(r'"(?:[^"\\\n]|\\.){0,100000}"?')


@dataclass
class Statement:
    """A statement: its operation ("" if none was found), names of its results, and its regions.

    A label is a statement whose operation begins with `^`. `text` is the source without the
    content of regions, which are lists of statements in order.
    """

    op: str
    results: tuple[str, ...] = ()
    regions: list[list[Statement]] = field(default_factory=list)
    text: str = ""

    @property
    def plain(self) -> str:
        """The text with the content of its strings blanked, so that no name is found in one."""
        return _STRING.sub('""', self.text) if '"' in self.text else self.text


@dataclass(frozen=True)
class Parsed:
    """Top-level statements of a text, and whether its braces do not balance."""

    statements: list[Statement]
    is_cut: bool


def parse_statements(text: str) -> Parsed:
    """Parse MLIR text into statements.

    A text that ends within a region is parsed up to its end. Raises LoadError above
    MAX_STATEMENTS.
    """
    parser = _Parser(strip_comments(text))
    parser.run()
    return Parsed(parser.top, parser.is_cut)


def strip_comments(text: str) -> str:
    """Remove `//` comments that are not in a string; newlines stay."""
    return _COMMENT.sub(lambda match: match[1] or "", text) if "//" in text else text


def walk(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Yield the statements and those of their regions, each before its regions, in order."""
    # A stack instead of recursion: a hostile text nests thousands of regions.
    stack = [iter(statements)]
    while stack:
        statement = next(stack[-1], None)
        if statement is None:
            stack.pop()
            continue
        yield statement
        stack.extend(iter(region) for region in reversed(statement.regions))


class _Parser:
    """Reads the tokens of a text once, with a stack of the regions and dictionaries that are open."""

    def __init__(self, text: str) -> None:
        self.top: list[Statement] = []
        self.is_cut = False
        self._text = text
        self._regions = [self.top]
        self._owners: list[Statement | None] = []
        """Statement whose region is open, `None` for an open dictionary."""
        self._current: Statement | None = None
        self._begin = 0
        self._count = 0

    def run(self) -> None:
        """Parse the whole text into `top`."""
        depth = 0
        for match in _TOKEN.finditer(self._text):
            kind = match.lastgroup
            if kind == "open":
                if self._is_region(match.start()):
                    self._open_region(match)
                else:
                    self._owners.append(None)
                    depth += 1
            elif kind == "close":
                if self._owners and self._owners[-1] is None:
                    self._owners.pop()
                    depth -= 1
                else:
                    self._close_region(match)
            # Keys and values of an attribute dictionary look like operations.
            elif not depth:
                self._read(kind or "", match)
        self._finish(len(self._text))
        self.is_cut |= bool(self._owners)

    def _read(self, kind: str, match: re.Match[str]) -> None:
        if kind == "result":
            if self._is_result(match.start()):
                names = tuple(re.findall(rf"%({_NAME})", match[0]))
                self._begin_statement(Statement("", names), match.start())
        elif kind == "op":
            # In `%x = dialect.op` the results come before their operation.
            if self._current is not None and not self._current.op and self._current.results:
                self._current.op = match[0]
            else:
                self._begin_statement(Statement(match[0]), match.start())
        elif kind in ("label", "alias"):
            name = match[0].split("(")[0].rstrip(": =\n\t\r")
            self._begin_statement(Statement(name.strip()), match.start())

    def _is_result(self, start: int) -> bool:
        before = self._text[max(0, start - 200) : start].rstrip()
        op = self._current.op if self._current is not None else ""
        # `scf.for %i = ..` defines an argument of the loop.
        if op in _LOOPS and before.endswith(op):
            return False
        return not before or before[-1] not in _NO_RESULT

    def _is_region(self, start: int) -> bool:
        return not (_DICTIONARY.match(self._text, start) or _OPERANDS.match(self._text, start))

    def _begin_statement(self, statement: Statement, start: int) -> Statement:
        self._finish(start)
        self._count += 1
        if self._count > MAX_STATEMENTS:
            raise LoadError(f"it has more than {MAX_STATEMENTS} statements")
        self._regions[-1].append(statement)
        self._current = statement
        self._begin = start
        return statement

    def _finish(self, end: int) -> None:
        if self._current is not None:
            self._current.text += self._text[self._begin : end]
            self._begin = end

    def _open_region(self, match: re.Match[str]) -> None:
        # In a damaged text a region can have no operation; it still needs an owner.
        if self._current is None:
            self._current = self._begin_statement(Statement(""), match.start())
        owner = self._current
        self._finish(match.end())
        region: list[Statement] = []
        owner.regions.append(region)
        self._owners.append(owner)
        self._regions.append(region)
        self._current = None

    def _close_region(self, match: re.Match[str]) -> None:
        self._finish(match.start())
        # More braces close than open: the begin of the text is missing.
        if not self._owners:
            self.is_cut = True
            self._current = None
            return
        self._regions.pop()
        self._current = self._owners.pop()
        # Attributes may follow a region: they are text of the same statement.
        self._begin = match.start()
