import pytest

from components.memory.names import shared_prefix, tails


@pytest.mark.parametrize(
    ("names", "prefix"),
    [
        (["buffer 10412", "buffer 10413"], "buffer "),
        (["/model.0/conv", "/model.0/act", "/model.0/pool"], "/model.0/"),
        (["conv10", "conv11"], ""),
        (["a.b", "a.c"], ""),
        (["net_one", "net_one"], ""),
        (["layer_", "layer_one"], ""),
        (["", "block_a", "block_b"], "block_"),
        ([], ""),
    ],
)
def test_the_prefix_ends_with_a_word_and_is_worth_dropping(names, prefix):
    assert shared_prefix(names) == prefix


def test_the_tail_is_kept():
    assert tails(["buffer 10412", "buffer 10413"], 8) == ["…10412", "…10413"]
    assert tails(["one", "two"], 8) == ["one", "two"]
    assert tails(["a/very/long/name", "short"], 6) == ["…/name", "short"]
    assert all(len(name) <= 8 for name in tails(["x" * 30 + "1", "y" * 30], 8))
