"""Pickles that exhaust time or memory, which neither first bytes nor the scan can tell from others."""

from tests.support.hostile_pickles import P4, RANGE, Hostile
from tests.support.tinygrad_capture import Maker


def _pairs(depth, last):
    """Return tuples of one tuple twice, `depth` of them, around a number."""
    return (
        b"K\x01\x85\x94"
        + b"".join(b"h" + bytes([place]) + b"\x86\x94" for place in range(depth))
        + last
    )


def _colliding(count):
    """Return a mapping whose keys all have the same hash."""
    keys = (
        b"\x8a\x0b" + (place * (2**61 - 1)).to_bytes(11, "little") + b"N"
        for place in range(1, count)
    )
    return b"}(" + b"".join(keys) + b"u"


def _unfolding():
    """Return a capture of many stacks of one long source line, each a row of its own."""
    line = "x" * 10_000
    calls = [(f"f{place}", place, "g", line) for place in range(200)]
    maker = Maker()
    for start in range(150):
        stack = tuple(calls[start:] + calls[:start])
        maker.range("USER", maker.tracing_key("m", stack=stack), start, start + 1)
    return maker.profile()


def _beside_a_name(opcodes):
    """Return a tuple of a capture's name, by which a file is taken for a capture, and of another value."""
    return P4 + b"(" + RANGE + opcodes + b"t."


EXHAUSTING = {
    hostile.tries: hostile
    for hostile in (
        Hostile(
            "a key that is hashed for ever",
            _beside_a_name(b"}" + _pairs(60, b"K\x01s")),
            "processor time",
        ),
        Hostile("keys of one hash", _beside_a_name(_colliding(60_000)), "processor time"),
        Hostile(
            "a key that is nested without end",
            _beside_a_name(b"}N" + b"\x85" * 3_000_000 + b"Ns"),
            "SIGSEGV",
        ),
        Hostile(
            "more lists than memory",
            _beside_a_name(b"]" * 20_000_000),
            "MiB available to a reader",
        ),
        Hostile(
            "one text in ten thousand places",
            _unfolding(),
            "expands to more than 20 times its size",
        ),
    )
}
"""Pickles that neither first bytes nor the scan can tell from others; the sentence says which limit ended them."""
