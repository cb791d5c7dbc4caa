import gzip
import tarfile
import zipfile

import pytest

from data_loaders.protocol import LoadError
from data_loaders.reading.archives import (
    Budget,
    DamagedArchiveError,
    is_archive,
    read_members,
    read_piece,
)
from tests.support.archives import NAMES_AND_MODES, write_tar, write_zip


def contents(path, max_bytes=2**20):
    members = read_members(path, Budget(path.stat().st_size, max_bytes))
    return {m.name: m.content and read_piece(m.content, 2**20) for m in members}


@pytest.mark.parametrize(("name", "mode"), NAMES_AND_MODES)
def test_tars_of_every_compression_are_read(tmp_path, name, mode):
    path = write_tar(tmp_path / name, {"a/one": b"1", "two": b"22"}, mode)
    assert is_archive(path)
    assert contents(path) == {"a/one": b"1", "two": b"22"}


def test_zips_are_read(tmp_path):
    path = write_zip(tmp_path / "x.ZIP", {"a/one": b"1", "two": b"22"})
    assert is_archive(path)
    assert contents(path) == {"a/one": b"1", "two": b"22"}


@pytest.mark.parametrize("name", ["model.pt", "arrays.npz", "x.gz"])
def test_the_name_decides_as_well(tmp_path, name):
    assert not is_archive(write_zip(tmp_path / name, {"one": b"1"}))


@pytest.mark.parametrize("name", ["x.zip", "x.tar", "x.tar.gz", "x.tgz", "x.tar.xz", "x.tar.bz2"])
@pytest.mark.parametrize(
    "content", [b"", b"hello", gzip.compress(b"{}", mtime=0), b"BZh9", b"\xfd7zXZ\0"]
)
def test_other_content_is_no_archive(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    assert not is_archive(path)


def test_only_regular_files_of_a_tar_have_content(tmp_path):
    path = tmp_path / "x.tar"
    kinds = {
        "link": tarfile.SYMTYPE,
        "hard": tarfile.LNKTYPE,
        "device": tarfile.CHRTYPE,
        "block": tarfile.BLKTYPE,
        "pipe": tarfile.FIFOTYPE,
        "sparse": tarfile.GNUTYPE_SPARSE,
    }
    with tarfile.open(path, "w") as tar:
        for name, kind in kinds.items():
            info = tarfile.TarInfo(name)
            info.type = kind
            info.linkname = "/etc/passwd"
            tar.addfile(info)
    members = list(read_members(path, Budget(0, 2**20)))
    assert {member.name for member in members} == set(kinds)
    assert all(member.content is None and member.refused for member in members)


def test_only_regular_files_of_a_zip_have_content(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, mode in (("link", 0o120777), ("pipe", 0o010644), ("device", 0o020644)):
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, "/etc/passwd")
    members = list(read_members(path, Budget(0, 2**20)))
    assert [member.content for member in members] == [None] * 3
    assert all(member.refused for member in members)


def test_headers_count_as_well(tmp_path):
    """A tar of folders alone has no content, and could go on for ever."""
    path = tmp_path / "x.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for rank in range(300):
            info = tarfile.TarInfo(f"folder{rank}")
            info.type = tarfile.DIRTYPE
            tar.addfile(info)
    with pytest.raises(LoadError, match="more than 0 MiB"):
        list(read_members(path, Budget(path.stat().st_size, 100_000)))


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
def test_what_expands_too_much_is_refused(tmp_path, mode):
    path = write_tar(tmp_path / f"x.tar.{mode[2:]}", {"zeros": bytes(70 * 2**20)}, mode)
    members = read_members(path, Budget(1000, 2**40))
    content = next(members).content
    with pytest.raises(LoadError, match="more than 250 times"):
        while read_piece(content, 2**20):
            pass


def test_a_size_in_a_header_is_not_believed(tmp_path):
    path = tmp_path / "x.tar"
    info = tarfile.TarInfo("large")
    info.size = 2**40
    path.write_bytes(info.tobuf() + b"few")
    members = read_members(path, Budget(path.stat().st_size, 2**20))
    with pytest.raises(DamagedArchiveError):
        while read_piece(next(members).content, 2**20):
            pass


def test_a_negative_size_does_not_lead_back(tmp_path):
    """Archives of this kind kept older tarfile readers in a loop."""
    path = tmp_path / "x.tar"
    header = bytearray(tarfile.TarInfo("back").tobuf())
    header[124:136] = b"\xff" * 10 + (-2048 & 0xFFFF).to_bytes(2, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path.write_bytes(bytes(header) * 3)
    with pytest.raises(DamagedArchiveError):
        for member in read_members(path, Budget(path.stat().st_size, 2**20)):
            read_piece(member.content, 2**20)


@pytest.mark.parametrize("cut", range(60, 2000, 97))
def test_a_cut_anywhere_is_damage_and_nothing_else(tmp_path, cut):
    path = write_tar(tmp_path / "x.tar.gz", {"a": bytes(range(256)) * 9, "b": b"2" * 900}, "w:gz")
    path.write_bytes(path.read_bytes()[:cut])
    try:
        whole = contents(path)
    except DamagedArchiveError:
        return
    assert whole["a"] == bytes(range(256)) * 9


def test_a_damaged_member_of_a_zip_costs_itself(tmp_path):
    path = write_zip(tmp_path / "x.zip", {"a": b"one" * 99, "b": b"two"})
    data = bytearray(path.read_bytes())
    data[33] ^= 0xFF
    path.write_bytes(bytes(data))
    names = {}
    for member in read_members(path, Budget(path.stat().st_size, 2**20)):
        try:
            names[member.name] = read_piece(member.content, 2**20)
        except DamagedArchiveError:
            names[member.name] = None
    assert names == {"a": None, "b": b"two"}


def test_an_encrypted_member_says_so(tmp_path):
    path = write_zip(tmp_path / "x.zip", {"a": b"one"})
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[6] |= 1
    data[at + 8] |= 1
    path.write_bytes(bytes(data))
    (member,) = read_members(path, Budget(0, 2**20))
    assert "encrypted" in member.refused


def test_io_errors_of_a_missing_file_are_not_hidden(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        is_archive(tmp_path / "none.zip")


def test_a_stream_of_zeros_is_no_archive(tmp_path):
    path = tmp_path / "x.tar"
    path.write_bytes(bytes(10240))
    assert not is_archive(path)
