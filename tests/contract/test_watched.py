"""What is remembered of files of watched folders, on both kinds of catalogue."""

import os
from pathlib import Path

import pytest

from storage.watched import Watched

ODD = Path(os.fsdecode(b"/in/\xff\n.csv"))


def test_a_file_is_remembered_as_it_was_when_it_was_tried(catalogue):
    watched = Watched(catalogue)
    assert watched.states([ODD]) == {}
    watched.put({ODD: (3, 2**60), Path("/in/b"): (2**40, 0)}, {ODD: "new \0 \ud800"})
    assert watched.states([ODD, Path("/in/b"), Path("/in/c")]) == {
        ODD: (3, 2**60),
        Path("/in/b"): (2**40, 0),
    }
    watched.put({ODD: (4, 5)}, {})
    assert watched.states([ODD]) == {ODD: (4, 5)}


@pytest.mark.quick_every(2)
def test_many_files_are_asked_for_at_once(catalogue):
    files = {Path(f"/in/{number}"): (number, number) for number in range(1_100)}
    Watched(catalogue).put(files, {})
    assert Watched(catalogue).states([*files]) == files
