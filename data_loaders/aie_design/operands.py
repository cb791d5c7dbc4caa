"""Operands, attributes and numbers in the text of a statement."""

from __future__ import annotations

import re

from data_loaders.aie_design.statements import Statement

MAX_VALUE = 2**62
"""Numbers of a larger magnitude count as unknown; addresses and sizes are int64."""
_NUMBER = re.compile(r"(-?)(0[xX][0-9a-fA-F]{1,16}|\d{1,19})(?![\w.])")
_VALUE = re.compile(r"%([\w$.-]{1,200}+)")
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_MAX_OPERANDS = 4096


def canonical(op: str) -> str:
    """Return an operation's name without case and underscores: older texts have `AIE.useLock` for
    `aie.use_lock`.
    """
    return op.lower().replace("_", "")


def parse_number(text: str) -> int | None:
    """Parse a number at the begin of a text, decimal or hexadecimal, with or without a type
    behind it (`: i32`); `None` if there is none, or it is out of range.
    """
    match = _NUMBER.match(text.strip())
    if match is None:
        return None
    value = int(match[2], 16 if match[2][:2].lower() == "0x" else 10)
    return None if value >= 2**63 else -value if match[1] else value


def value_name(text: str) -> str:
    """Return the name of the first value (`%name`) of a text; "" without one."""
    match = _VALUE.search(text)
    return match[1] if match else ""


def value_names(text: str) -> list[str]:
    """List the names of all values (`%name`) of a text, in order."""
    return _VALUE.findall(text)


def attribute(statement: Statement, name: str) -> int | None:
    """Return a whole number that the statement's dictionary gives an attribute, else `None`."""
    match = re.search(rf"(?<![\w$.]){name}\s{{0,99}}=\s{{0,99}}", statement.plain)
    value = parse_number(statement.plain[match.end() : match.end() + 40]) if match else None
    return value if value is not None and abs(value) < MAX_VALUE else None


def symbol(statement: Statement, default: str) -> str:
    """Return the statement's `sym_name`, else `default`."""
    match = re.search(
        r'(?<![\w$.])sym_name\s{0,99}=\s{0,99}"((?:[^"\\\n]|\\.){1,1000})"', statement.text
    )
    return match[1] if match else default


def operands(statement: Statement, bracket: str = "(") -> list[str]:
    """List the operands of a statement: what its first `(...)` (or `<...>`) holds, split at commas.

    Strings have no quotes. Empty if there is no such bracket behind the operation.
    """
    start = statement.text.find(statement.op)
    start = statement.text.find(bracket, start + len(statement.op))
    return split_operands(statement.text, start + 1) if start >= 0 else []


def split_operands(text: str, start: int) -> list[str]:
    """Split a text at the commas up to the bracket that closes; nested brackets are kept whole."""
    parts: list[str] = []
    open_brackets: list[str] = []
    begin = start
    position = start
    while position < len(text) and len(parts) < _MAX_OPERANDS:
        char = text[position]
        if char == '"':
            end = text.find('"', position + 1)
            position = end if end >= 0 else len(text)
        elif char in _PAIRS:
            open_brackets.append(_PAIRS[char])
        elif char in ")]}>" and not (char == ">" and text[position - 1] in "-="):
            if not open_brackets:
                break
            if char == open_brackets[-1]:
                open_brackets.pop()
        elif char == "," and not open_brackets:
            parts.append(_strip_quotes(text[begin:position]))
            begin = position + 1
        position += 1
    last = _strip_quotes(text[begin:position])
    return [*parts, last] if parts or last else []


def _strip_quotes(text: str) -> str:
    return text.strip().strip('"')
