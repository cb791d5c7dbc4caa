"""Call stacks of what is alive: bytes by stack, and the tree of their calls."""

import pytest

from analysis.memory import alive_stacks
from analysis.memory.alive_stacks import OTHERS, UNKNOWN, bytes_by_stack, call_paths, stack_tree
from schema.frames import complete
from tests.support.memory import block, blocks, failed

CALLS = complete(
    "calls",
    {
        "stack": [0, 0, 1, 1],
        "depth": [0, 1, 0, 1],
        "file": ["layer.py", "train.py", "layer.py", "train.py"],
        "line": [7, 2, None, 2],
        "function": ["forward", "main", "backward", "main"],
    },
)
ROWS = [
    block("a", size=100, stack=0),
    block("b", size=300, stack=1),
    block("c", size=50, stack=0),
    block("d", size=25),
    failed("lost", size=999, stack=0),
]


def asked():
    return bytes_by_stack(blocks(ROWS))


def test_bytes_and_the_largest_block_of_each_stack_without_failed_ones():
    found = asked()
    assert found["stack"].fillna(-1).tolist() == [1, 0, -1]
    assert found[["total", "blocks", "block"]].to_numpy().tolist() == [
        [300, 1, 1],
        [150, 2, 0],
        [25, 1, 3],
    ]


def test_calls_are_listed_from_the_outermost():
    assert call_paths(CALLS, [0, 1, 9]) == {
        0: ["train.py:2 main", "layer.py:7 forward"],
        1: ["train.py:2 main", "layer.py backward"],
    }


def test_stacks_share_the_calls_that_are_the_same():
    tree = stack_tree(asked(), CALLS)
    rows = (
        tree[["name", "parent", "depth", "total", "blocks", "block", "start"]].to_numpy().tolist()
    )
    assert rows == [
        ["train.py:2 main", -1, 0, 450, 3, 1, 0],
        ["layer.py backward", 0, 1, 300, 1, 1, 0],
        ["layer.py:7 forward", 0, 1, 150, 2, 0, 300],
        [UNKNOWN, -1, 0, 25, 1, 3, 450],
    ]


def test_calls_of_one_name_are_apart_where_others_called_them():
    calls = complete(
        "calls", {"stack": [0, 0], "depth": [0, 1], "file": ["f.py"] * 2, "function": ["f", "f"]}
    )
    tree = stack_tree(bytes_by_stack(blocks([block("a", size=8, stack=0)])), calls)
    assert tree[["name", "parent", "depth"]].to_numpy().tolist() == [
        ["f.py f", -1, 0],
        ["f.py f", 0, 1],
    ]


def test_stacks_beyond_the_limit_are_one(monkeypatch):
    monkeypatch.setattr(alive_stacks, "_MAX_STACKS", 1)
    tree = stack_tree(asked(), CALLS)
    totals = dict(zip(tree["name"], tree["total"], strict=True))
    assert totals == {"train.py:2 main": 300, "layer.py backward": 300, OTHERS: 150, UNKNOWN: 25}


@pytest.mark.parametrize(
    "rows", [blocks([block(stack=0)]).head(0), blocks([failed(size=8, stack=0)])]
)
def test_nothing_alive_is_an_empty_tree(rows):
    assert stack_tree(bytes_by_stack(rows), CALLS).empty
