"""Places of frames in packs."""

from storage.frame_file import FrameFile, place_in_pack


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
