"""Captures whose rewrites are small to send and large to replay or to draw."""

import itertools

from tests.support.tinygrad_capture import training

_PLACE = ("/home/someone/tinygrad/ops.py", 7)


def _with_steps(maker, name, steps, sink, matches):
    """Add a context of equal steps that begin with a node and replace nodes in pairs; `name` tells captures apart."""
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
    """Return a chain of NEG nodes whose leaf is replaced by each match, so that all of it is rebuilt."""
    maker = training("0.14")
    leaves = [maker.node("CONST", (), 1_000 + rank) for rank in range(matches + 1)]
    last = leaves[0]
    for _ in range(depth):
        last = maker.node("NEG", (last,))
    return _with_steps(maker, "chain", steps, last, itertools.pairwise(leaves))


def wide(width=20_000, matches=100):
    """Return a node of so many operands, one of which each match replaces."""
    maker = training("0.14")
    leaves = [maker.node("CONST", (), 1_000 + rank) for rank in range(width + matches)]
    return _with_steps(
        maker,
        "wide",
        3,
        maker.node("SINK", leaves[:width]),
        zip(leaves, leaves[width:], strict=False),
    )


def cyclic(matches=50):
    """Return matches that lead back to where they began."""
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
    """Return a graph in which every node is used twice by the next one: two to the power of its height as a tree."""
    maker = training("0.14")
    first, other = maker.node("CONST", (), 5), maker.node("CONST", (), 6)
    last = first
    for _ in range(height):
        last = maker.node("ADD", (last, last))
    return _with_steps(maker, "ladder", 3, last, [(first, other), (other, first)] * 50)


def deep(depth=60_000):
    """Return a chain of so many nodes, whose end is replaced twice."""
    maker = training("0.14")
    leaves = [maker.node("CONST", (), 1_000 + rank) for rank in range(3)]
    last = leaves[0]
    for _ in range(depth):
        last = maker.node("NEG", (last,))
    return _with_steps(maker, "deep", 3, last, itertools.pairwise(leaves))


def claimed(count=1_000_000):
    """Return matches and operands that name as many nodes as there are not."""
    maker = training("0.14")
    last = maker.node("ADD", (count, count - 1))
    return _with_steps(
        maker, "claimed", 3, last, [(count - rank, count + rank) for rank in range(100)]
    )
