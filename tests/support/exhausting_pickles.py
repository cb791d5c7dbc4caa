"""Pickles that exhaust time or memory, although their first bytes and the scan look harmless."""

from samples.tinygrad_writer import Maker
from tests.support.hostile_pickles import P4, RANGE, Hostile


def _pairs(depth, last):
    """Write the opcodes of `depth` nested tuples, each of the tuple before twice, followed by
    `last`.
    """
    return (
        b"K\x01\x85\x94"
        + b"".join(b"h" + bytes([place]) + b"\x86\x94" for place in range(depth))
        + last
    )


def _colliding(count):
    """Write the opcodes of a dict with `count` - 1 keys that all have the same hash."""
    keys = (
        b"\x8a\x0b" + (place * (2**61 - 1)).to_bytes(11, "little") + b"N"
        for place in range(1, count)
    )
    return b"}(" + b"".join(keys) + b"u"


def _unfolding():
    """Pickle a capture with many stacks that share one long source line, which a table would repeat
    per stack.
    """
    line = "x" * 10_000
    calls = [(f"f{place}", place, "g", line) for place in range(200)]
    maker = Maker()
    for start in range(150):
        stack = tuple(calls[start:] + calls[:start])
        maker.range("USER", maker.tracing_key("m", stack=stack), start, start + 1)
    return maker.profile()


def _beside_a_name(opcodes):
    """Pickle a tuple of a class name of captures, by which the loader recognises the file, and of
    the value of `opcodes`.
    """
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
"""Name -> pickle; `why` of each is a part of the error about the limit that ends it."""
