"""Captures with small files whose rewrites are expensive to replay or to draw."""

import itertools

from samples.tinygrad_capture import training

_PLACE = ("/home/someone/tinygrad/ops.py", 7)


def _with_steps(maker, name, steps, sink, matches):
    """Add a context with `steps` equal rewrite steps to a capture: each begins with node `sink` and
    makes the replacements `matches` (before, after). `name` makes captures differ.
    """
    maker.marker(name, 1)
    found = [(before, after, _PLACE, 1e-6) for before, after in matches]
    made = []
    for rank in range(steps):
        step = maker.rewrite(f"step {rank}", sink=sink)
        step.matches = found
        made.append(step)
    maker.context("hostile", (), made)
    return maker


def chain(depth=3000, matches=400, steps=40):
    """Build a capture with a chain of NEG nodes; each match replaces its leaf, so that the whole
    chain is rebuilt.
    """
    maker = training("0.14")
    leaves = [maker.node("CONST", (), 1_000 + rank) for rank in range(matches + 1)]
    last = leaves[0]
    for _ in range(depth):
        last = maker.node("NEG", (last,))
    return _with_steps(maker, "chain", steps, last, itertools.pairwise(leaves))


def wide(width=20_000, matches=100):
    """Build a capture with a node of `width` operands; each match replaces one operand."""
    maker = training("0.14")
    leaves = [maker.node("CONST", (), 1_000 + rank) for rank in range(width + matches)]
    sink = maker.node("SINK", leaves[:width])
    return _with_steps(maker, "wide", 3, sink, zip(leaves, leaves[width:], strict=False))


def cyclic(matches=50):
    """Build a capture whose matches form a cycle."""
    maker = training("0.14")
    one, two = maker.node("CONST", (), 5), maker.node("CONST", (), 6)
    last = maker.node("ADD", (one, two))
    return _with_steps(
        maker,
        "cyclic",
        3,
        last,
        [(one, two), (two, one), (last, maker.node("NEG", (last,)))] * matches,
    )


def ladder(height=400):
    """Build a capture in which the next node uses each node twice, so that the graph as a tree has
    2^`height` nodes.
    """
    maker = training("0.14")
    first, other = maker.node("CONST", (), 5), maker.node("CONST", (), 6)
    last = first
    for _ in range(height):
        last = maker.node("ADD", (last, last))
    return _with_steps(maker, "ladder", 3, last, [(first, other), (other, first)] * 50)


def deep(depth=60_000):
    """Build a capture with a chain of `depth` nodes; two matches replace its leaf."""
    maker = training("0.14")
    leaves = [maker.node("CONST", (), 1_000 + rank) for rank in range(3)]
    last = leaves[0]
    for _ in range(depth):
        last = maker.node("NEG", (last,))
    return _with_steps(maker, "deep", 3, last, itertools.pairwise(leaves))


def claimed(count=1_000_000):
    """Build a capture whose operands and matches refer to about `count` nodes that do not exist."""
    maker = training("0.14")
    last = maker.node("ADD", (count, count - 1))
    return _with_steps(
        maker, "claimed", 3, last, [(count - rank, count + rank) for rank in range(100)]
    )
