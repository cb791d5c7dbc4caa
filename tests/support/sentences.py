"""Quantities in sentences, and numbers of frames computed independently of the product."""

import re

import numpy as np

from schema.plurals import plural_form

_UNITS = {
    "": 1.0,
    "%": 0.01,
    "B": 1.0,
    "KiB": 2.0**10,
    "MiB": 2.0**20,
    "GiB": 2.0**30,
    "ns": 1.0,
    "µs": 1e3,
    "ms": 1e6,
    "s": 1e9,
}
QUANTITY = r"(\d+(?:\.\d+)? ?(?:%|KiB|MiB|GiB|B|ns|µs|ms|s)?)(?![\w%])"
"""Pattern of a number with its unit, after `plain`."""
COUNT = r"(\d+)"
"""Pattern of a whole number, after `plain`."""


def plain(sentence):
    """Remove the thin spaces within numbers of a sentence, and replace all other special spaces by
    plain spaces.
    """
    joined = re.sub(r"(?<=\d)[\u202f](?=\d)", "", str(sentence))
    return re.sub(r"[\u202f\xa0]", " ", joined)


def is_written(text, value):
    """Whether a quantity in a text, such as `1.5 KiB`, is `value` rounded to the digits of the
    text.
    """
    digits, unit = re.fullmatch(r"([\d.]+) ?(\S*)", text).groups()
    scale = _UNITS[unit]
    places = len(digits.partition(".")[2])
    # A float's own error, and half of the last digit.
    return abs(float(digits) * scale - value) <= scale * 0.5 * 10**-places + 1e-9 * abs(value)


def live_at(blocks, step):
    """Select the blocks of an attempt that are alive at a step, without constants and failed
    blocks.
    """
    start, end = (blocks[name].to_numpy(np.int64) for name in ("start", "end"))
    inside = (start <= step) & (step < end)
    around = blocks["wraps"].to_numpy(bool) & ((step >= start) | (step < end))
    is_live = inside | around | blocks["hold"].to_numpy(bool)
    kinds = (blocks["kind"] != "constant").to_numpy(bool)
    is_failed = (blocks["status"] == "failed").to_numpy(bool)
    is_apart = np.array([_is_in_gap(text, step) for text in blocks["gaps"].fillna("")], dtype=bool)
    return blocks[is_live & kinds & ~is_failed & ~is_apart]


def _is_in_gap(gaps, step):
    """Whether a step is in one of the gaps of a block, such as `4-6 9-12`."""
    spans = [span.split("-") for span in gaps.split()]
    assert "@" not in gaps, "only whole gaps are read here"
    return any(int(begin) <= step < int(end) for begin, end in spans)


def union_bytes(blocks):
    """Count the bytes of the union of the blocks' address ranges."""
    taken, reach = 0, 0
    for address, size in sorted(zip(blocks["address"], blocks["size"], strict=True)):
        taken += max(int(address) + int(size) - max(reach, int(address)), 0)
        reach = max(reach, int(address) + int(size))
    return taken


_THINGS = (
    *("alert", "answer", "attempt", "backup", "baseline", "block", "capacity", "cell", "change"),
    *("choice", "clock", "comparison", "context", "core", "cycle", "edge", "event", "execution"),
    *("file", "gap", "group", "instruction", "iteration", "job", "kernel", "key", "line", "loop"),
    *("match", "message", "node", "operator", "pair", "placement", "point", "prefix", "problem"),
    *("range", "rule", "run", "size", "stream", "step", "thread", "tile", "token", "trace"),
    *("upload", "user", "wave", "worker"),
)
_SINGULAR = "|".join(_THINGS)
_PLURAL = "|".join(map(plural_form, _THINGS))
_JOINING = "of|in|on|at|by|to|and|or|are|is|per|over|from|for|with|without|before|after|than|each"
_ADJECTIVES = rf"(?:(?!(?:{_JOINING})\b)[a-z]+ ){{0,2}}"
_NUMBER_FAULTS = {
    "several of one": re.compile(rf"(?<![\d.,+−-])1 {_ADJECTIVES}(?:{_PLURAL})\b"),
    "one of several": re.compile(
        rf"(?<![\d.,+−-])(?:0|[2-9]|\d\d+) {_ADJECTIVES}(?:{_SINGULAR})\b(?! (?:{_PLURAL})\b)"
    ),
    "a part of one": re.compile(rf"\b(?:\d+|[Nn]one|[Aa]ll) of 1 (?:{_SINGULAR})\b"),
    "all of one": re.compile(r"\b[Aa]ll 1\b"),
    "verb of several": re.compile(
        rf"(?:^|[.;:] |\b(?:and|that) )1 (?:of \d+ )?{_ADJECTIVES}(?:{_SINGULAR}|{_PLURAL}) "
        r"(?:are|were|have|fit|need|stay|lie)\b"
    ),
    "percent without a space": re.compile(r"\d%"),
}


def number_faults(sentence):
    """List the places of a sentence where number, noun and verb do not agree: "1 runs", "1 of 1
    key", "all 1", "1 run are"; or where a percent sign follows a digit.
    """
    text = plain(sentence)
    return [
        f"{name}: {found[0]!r} in {text!r}"
        for name, pattern in _NUMBER_FAULTS.items()
        for found in pattern.finditer(text)
    ]
