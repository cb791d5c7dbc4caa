import os
import zipfile

import pytest

from data_loaders.protocol import LoadError
from ingest import unpack as module
from ingest.unpack import MAX_MEMBERS, unpack
from tests.support.archives import write_tar, write_zip

MAX_BYTES = 2**20


@pytest.fixture
def unpacked(tmp_path):
    def build(path, max_bytes=MAX_BYTES):
        return unpack(path, "sent.zip", tmp_path / "out" / path.name, max_bytes)

    return build


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_members_are_files_below_the_folder(tmp_path, unpacked):
    result = unpacked(write_tar(tmp_path / "x.tgz", {"job/a.json": b"1", "b.csv": b"2"}))
    root = tmp_path / "out" / "x.tgz"
    assert files(root) == {"job/a.json": b"1", "b.csv": b"2"}
    assert result.places == {
        root / "job/a.json": "sent.zip/job/a.json",
        root / "b.csv": "sent.zip/b.csv",
    }
    assert result.skipped == []


def test_times_of_a_tar_are_known_if_they_can_be_true(tmp_path, unpacked):
    result = unpacked(write_tar(tmp_path / "x.tar", {"a": b"1"}, "w", changed_s=1_700_000_000))
    assert list(result.modified.values()) == [1_700_000_000]
    assert unpacked(write_tar(tmp_path / "y.tar", {"a": b"1"}, "w", changed_s=2**40)).modified == {}


@pytest.mark.parametrize("name", ["../up", "a/../../up", "..\\up", "a/..", "/../up"])
def test_no_name_leads_out(tmp_path, unpacked, name):
    result = unpacked(write_tar(tmp_path / "x.tgz", {name: b"evil", "good": b"1"}))
    assert files(tmp_path / "out") == {"x.tgz/good": b"1"}
    assert [s.path for s in result.skipped] == [f"sent.zip/{name.lstrip('/')}".replace("\\", "/")]


def test_roots_and_odd_characters_stay_below_the_folder(tmp_path, unpacked):
    names = {"/etc/passwd": b"1", "C:\\x\\y": b"2", "sp ace/\u00e9": b"3"}
    result = unpacked(write_tar(tmp_path / "x.tgz", names))
    assert sorted(files(tmp_path / "out")) == [
        "x.tgz/C_/x/y",
        "x.tgz/etc/passwd",
        "x.tgz/sp ace/_",
    ]
    assert len(result.places) == 3


def test_hidden_members_are_left_out_as_in_a_folder(tmp_path, unpacked):
    names = {".git/x": b"1", "a/.DS_Store": b"2", "__MACOSX/a/._b": b"3", "a/b": b"4"}
    result = unpacked(write_zip(tmp_path / "x.zip", names))
    assert list(result.places.values()) == ["sent.zip/a/b"]
    assert result.skipped == []


def test_the_last_member_of_a_name_counts_and_like_names_do_not_meet(tmp_path, unpacked):
    path = tmp_path / "x.zip"
    write_tar(path.with_suffix(".tar"), {"\u00e9": b"1", "\u00e8": b"2"}, "w")
    assert sorted(files_of(unpacked(path.with_suffix(".tar")))) == [b"1", b"2"]
    with pytest.warns(UserWarning, match="Duplicate"):
        twice(path)
    assert files_of(unpacked(path)) == [b"new"]


def twice(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "old")
        archive.writestr("a", "new")


def files_of(result):
    return [path.read_bytes() for path in result.places]


def test_a_file_in_the_place_of_a_folder_costs_itself(tmp_path, unpacked):
    result = unpacked(write_tar(tmp_path / "x.tgz", {"a": b"1", "a/b": b"2", "c": b"3"}))
    assert sorted(result.places.values()) == ["sent.zip/a", "sent.zip/c"]
    assert [s.path for s in result.skipped] == ["sent.zip/a/b"]


def test_archives_in_an_archive_are_folders_up_to_a_depth(tmp_path, unpacked):
    content = {"deep.csv": b"1"}
    for depth in range(3):
        path = write_zip(tmp_path / f"level{depth}.zip", content)
        content = {path.name: path.read_bytes(), f"beside{depth}.csv": b"2"}
    result = unpacked(write_zip(tmp_path / "x.zip", content))
    assert sorted(result.places.values()) == [
        "sent.zip/beside2.csv",
        "sent.zip/level2.zip/beside1.csv",
    ]
    assert [s.path for s in result.skipped] == ["sent.zip/level2.zip/level1.zip"]


def test_the_bytes_of_all_members_and_inner_archives_are_counted(tmp_path, unpacked):
    inner = write_zip(tmp_path / "inner.zip", {"a": os.urandom(600_000)})
    path = write_zip(tmp_path / "x.zip", {"inner.zip": inner.read_bytes()})
    with pytest.raises(LoadError, match="more than 1 MiB"):
        unpacked(path)


def test_content_up_to_the_limit_is_unpacked(tmp_path, unpacked):
    path = write_zip(tmp_path / "x.zip", {"a": os.urandom(600_000)})
    assert len(unpacked(path, 600_000).places) == 1
    with pytest.raises(LoadError):
        unpack(path, "x.zip", tmp_path / "again", 599_999)


def test_an_archive_has_a_bounded_number_of_members(tmp_path, unpacked, monkeypatch):
    assert MAX_MEMBERS == 5_000
    monkeypatch.setattr(module, "MAX_MEMBERS", 10)
    inner = write_zip(tmp_path / "inner.zip", {f"f{i}": b"" for i in range(6)})
    outer = {f"g{i}": b"" for i in range(4)} | {"inner.zip": inner.read_bytes()}
    with pytest.raises(LoadError, match="more than 10 members"):
        unpacked(write_zip(tmp_path / "x.zip", outer))


def test_a_damaged_archive_keeps_the_members_before_the_damage(tmp_path, unpacked):
    path = write_tar(tmp_path / "x.tar", {"a": b"1" * 600, "b": b"2" * 5000}, "w")
    path.write_bytes(path.read_bytes()[:3000])
    result = unpacked(path)
    assert files(tmp_path / "out") == {"x.tar/a": b"1" * 600}
    assert [(s.path, s.failed) for s in result.skipped] == [
        ("sent.zip/b", True),
        ("sent.zip", True),
    ]


def test_a_long_name_is_refused_and_shortened(tmp_path, unpacked):
    result = unpacked(write_tar(tmp_path / "x.tgz", {"n" * 5000: b"1", "a": b"2"}))
    assert list(result.places.values()) == ["sent.zip/a"]
    assert len(result.skipped[0].path) < 200


def test_an_empty_archive_says_so(tmp_path, unpacked):
    result = unpacked(write_zip(tmp_path / "x.zip", {}))
    assert [(s.path, s.reason) for s in result.skipped] == [
        ("sent.zip", "the archive contains no file")
    ]


def test_another_file_of_such_a_name_is_no_archive(tmp_path, unpacked):
    path = tmp_path / "x.zip"
    path.write_text("hello")
    assert unpacked(path) is None
