"""Places of frames in packs, and which of them a single request reads."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from storage.frame_file import MAX_GAP_BYTES, FrameFile, neighbours, place_in_pack


def test_frames_of_a_pack_follow_each_other():
    files = place_in_pack("r/1", [("a", (3, 9)), ("b", (0, 0)), ("c", (5, 7))])
    assert [(file.name, file.start, file.size) for file in files] == [
        ("a", 0, 3),
        ("b", 3, 0),
        ("c", 3, 5),
    ]
    assert {file.path for file in files} == {"r/1/frames.pack"}


def test_frames_of_an_older_release_are_read_one_by_one():
    files = [FrameFile("r/1", "a", (3, 9)), FrameFile("r/1", "b")]
    assert [file.path for file in files] == ["r/1/a.parquet", "r/1/b.parquet"]
    assert neighbours(files) == [[files[0]], [files[1]]]


@given(st.lists(st.tuples(st.integers(0, 3 * MAX_GAP_BYTES), st.booleans()), min_size=1))
def test_a_group_has_small_gaps_alone(sizes):
    every = place_in_pack("r/1", [(str(rank), (size, 0)) for rank, (size, _) in enumerate(sizes)])
    wanted = [file for file, (_, is_wanted) in zip(every, sizes, strict=True) if is_wanted]
    groups = neighbours(wanted)
    assert sorted((file.start, file.name) for group in groups for file in group) == sorted(
        (file.start, file.name) for file in wanted
    )
    for group in groups:
        for before, after in pairwise(group):
            assert after.start - (before.start + before.size) <= MAX_GAP_BYTES
    for before, after in pairwise(groups):
        assert after[0].start - (before[-1].start + before[-1].size) > MAX_GAP_BYTES
