import json

import pandas as pd
import pytest

from data_loaders.protocol import LoadError
from data_loaders.tpu_mlir.groups import LayerGroup, labels, mark_last_attempts, read_groups
from schema.frames import complete
from tests.support.tpu_log import group_cache


def blocks(*attempts):
    """Return allocations with these (name, kind, op_type) in each attempt."""
    rows = [(number, *block) for number, attempt in enumerate(attempts) for block in attempt]
    return complete(
        "allocations", pd.DataFrame(rows, columns=["attempt", "name", "kind", "op_type"])
    )


def outputs(*names):
    return [(name, "activation", "tpu.Conv2D") for name in names]


def test_a_cache_names_its_groups(tmp_path):
    path = tmp_path / "net.layer_group_cache.json"
    path.write_text(group_cache())
    assert read_groups(path) == [
        LayerGroup("group 0", frozenset({"conv1", "pool"})),
        LayerGroup("group 1", frozenset({"fc"})),
    ]


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "{}", '{"subfunc_0": 3}', '{"subfunc_0": {"GroupLayer": {}}}', "[" * 100_000],
    ids=["nothing", "cut", "a list", "no groups", "a number", "no list", "deep"],
)
def test_what_is_no_cache_is_a_sentence(tmp_path, content):
    path = tmp_path / "net.layer_group_cache.json"
    path.write_text(content)
    with pytest.raises(LoadError, match=r"^net\.layer_group_cache\.json: "):
        read_groups(path)


def test_groups_may_lack_what_they_usually_have(tmp_path):
    path = tmp_path / "cache.json"
    path.write_text(
        json.dumps({"opt": 2, "f": {"GroupLayer": [3, {"locs": "abc"}, {"locs": ["a", 5]}]}})
    )
    assert read_groups(path) == [LayerGroup("group 2", frozenset({"a", "5"}))]


def test_an_attempt_has_the_group_whose_layers_it_lays_out():
    groups = [
        LayerGroup("one", frozenset("ab")),
        LayerGroup("two", frozenset("cd")),
        LayerGroup("part", frozenset("c")),
    ]
    attempts = blocks(
        outputs("a", "b", "from elsewhere"),
        [*outputs("a"), ("b", "weight", "tpu.Conv2D"), ("b", "activation", "top.Input")],
        outputs("c", "d"),
        outputs("a", "b", "c", "d"),
        outputs("c"),
    )
    assert labels(groups, attempts, 6) == ["one", "", "two", "", "part", ""]


def test_the_last_attempt_of_a_group_is_the_one_that_was_kept():
    groups = ["a", "b", "a", "", "b", ""]
    assert mark_last_attempts(groups) == [False, False, True, False, True, False]


def test_groups_of_several_subfunctions_say_which(tmp_path):
    path = tmp_path / "net.layer_group_cache.json"
    layers = {"GroupLayer": [{"index": 2, "locs": ["a"]}]}
    path.write_text(json.dumps({"opt": 2, "subfunc_0": layers, "subfunc_1": layers}))
    assert [group.label for group in read_groups(path)] == [
        "subfunc_0 group 2",
        "subfunc_1 group 2",
    ]
