import os

import pytest

from ingest.inputs import find_inputs


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    for name in ("b/2.json", "a/1.json", "a/.hidden", ".git/x.json", "c.json"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    return root


def names(inputs, root):
    return [str(entry.path.relative_to(root)) for entry in inputs]


def test_folders_are_walked_in_order_without_hidden_ones(tree):
    inputs, skipped = find_inputs([tree])
    assert names(inputs, tree) == ["c.json", "a/1.json", "b/2.json"]
    assert not any(entry.named for entry in inputs)
    assert skipped == []


def test_links_are_read_only_inside_the_tree(tree, tmp_path):
    (tmp_path / "secret.json").write_text("secret")
    (tree / "loop").symlink_to(tree)
    (tree / "away").symlink_to(tmp_path)
    (tree / "out.json").symlink_to(tmp_path / "secret.json")
    (tree / "same.json").symlink_to(tree / "a" / "1.json")
    (tree / "dangling.json").symlink_to(tree / "none")
    inputs, skipped = find_inputs([tree])
    assert sorted(entry.path.name for entry in inputs) == ["2.json", "c.json", "same.json"]
    assert [(s.path, s.failed) for s in skipped] == [(str(tree / "out.json"), False)]


def test_a_file_counts_once_and_as_named_where_it_was(tree):
    inputs, _ = find_inputs([tree, tree / "c.json", tree / "a"])
    assert names(inputs, tree) == ["c.json", "a/1.json", "b/2.json"]
    assert [entry.named for entry in inputs] == [True, False, False]


def test_what_cannot_be_looked_at_is_said(tree, tmp_path):
    os.mkfifo(tree / "pipe")
    (tmp_path / "empty").mkdir()
    inputs, skipped = find_inputs([tmp_path / "none", tree / "pipe", tmp_path / "empty"])
    assert inputs == []
    assert [s.path for s in skipped] == [
        str(place) for place in (tmp_path / "none", tree / "pipe", tmp_path / "empty")
    ]
    assert len({s.reason for s in skipped}) == 3


def test_a_pipe_in_a_folder_is_not_waited_for(tree):
    os.mkfifo(tree / "a" / "pipe")
    assert len(find_inputs([tree])[0]) == 3
