"""Restoring: backups that are damaged, hostile or of another release, and stores that are not empty."""

import io
import json
import re
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders import registry
from ingest.files import ingest
from services.store import backup_file
from services.store.backup import back_up, frame_member
from services.store.backup_file import MANIFEST, BackupError, BackupReader
from services.store.restore import restore
from services.store.verify import verify
from storage import backup_rows
from storage.errors import StorageError
from storage.repository import Repository
from storage.revisions import FIRST, HEAD
from storage.tokens import Token, Tokens
from tests.support.backups import add_all, file_of, files_of, remake, rows_of, tar_of
from tests.support.fake_loader import FakeLoader

TOKEN = {
    "token_id": "t",
    "name": "n",
    "scope": "read",
    "secret_hash": "h",
    "created_at": "c",
    "created_by": "b",
}
BASELINE = {"name": "b", "runs": ["a"], "changed_at": "c"}
AUDIT = {"entry_id": 1, "at": "", "user_name": "", "action": "", "object": "", "detail": ""}
NOTE = {
    "run_id": "r",
    "notes": "",
    "tags": None,
    "pinned": False,
    "changed_at": "",
    "changed_by": "",
}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A store of two runs, its rows and files."""
    folder = tmp_path_factory.mktemp("source")
    opened = Repository(f"sqlite:///{folder}/catalogue.db", str(folder / "frames"))
    with pytest.MonkeyPatch.context() as patch:
        fake = FakeLoader()
        patch.setattr(registry, "_factories", lambda: {"fake": lambda: fake})
        for name in "ab":
            (folder / f"{name}.fake").write_text(f"fake {name}\ncore0 1 2")
        add_all(
            opened,
            [run.run_id for run in ingest(opened, [folder / "a.fake", folder / "b.fake"], {}).runs],
        )
    back_up(opened, folder / "whole.tar")
    yield opened
    opened.catalogue.close()


@pytest.fixture(scope="module")
def whole(source):
    """The bytes of a backup."""
    return Path(source.store.url).with_name("whole.tar").read_bytes()


@pytest.fixture
def target(repository):
    return repository


def refused(target, path, match):
    """Check that a backup is refused in one sentence and nothing is written."""
    with pytest.raises(BackupError, match=match) as said:
        restore(target, path)
    assert "\n" not in str(said.value)
    assert not target.catalogue.is_created()
    assert not Path(target.store.url).exists()


class TestDamage:
    @given(st.data())
    def test_a_cut_backup_is_refused(self, whole, tmp_path_factory, data):
        cut = data.draw(st.integers(0, len(whole) - 1))
        with pytest.raises(BackupError):
            BackupReader(io.BytesIO(whole[:cut]))

    @given(st.data())
    def test_a_changed_byte_is_refused_or_changes_nothing(self, whole, data):
        place, other = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(1, 255))
        changed = bytearray(whole)
        changed[place] ^= other
        try:
            found = BackupReader(io.BytesIO(changed))
        except BackupError:
            return
        assert found.members == BackupReader(io.BytesIO(whole)).members

    def test_a_cut_backup_writes_nothing(self, whole, target, tmp_path):
        path = tmp_path / "cut.tar"
        path.write_bytes(whole[: len(whole) * 2 // 3])
        refused(target, path, "cut off")

    def test_a_frame_that_its_manifest_describes_and_its_run_does_not_is_refused(
        self, source, whole, target, tmp_path
    ):
        first, second = source.catalogue.runs()
        (tmp_path / "b.tar").write_bytes(whole)
        with tarfile.open(tmp_path / "b.tar") as tar:
            other = tar.extractfile(
                frame_member(second.run_id, "diagnostics")
            ).read()  # whole, but another frame
        made = remake(
            tmp_path / "b.tar", replace={frame_member(second.run_id, "events"): other}, signed=True
        )
        refused(target, made, f"frame events of run {second.run_id}")
        (problem,) = verify(made).problems
        assert f"frame events of run {second.run_id}" in problem
        assert restore(target, made, accept_damage=True).files == len(files_of(source))
        assert target.is_whole(target.catalogue.get(first.run_id))
        assert not target.is_whole(target.catalogue.get(second.run_id))

    def test_what_follows_the_end_is_refused(self, whole, target, tmp_path):
        path = tmp_path / "long.tar"
        path.write_bytes(whole + whole)
        refused(target, path, rf"\b{len(whole) - 2 * 512}\b")  # two blocks of zeros are the end

    def test_a_frame_that_changes_while_it_is_read_leaves_nothing(
        self, source, whole, target, tmp_path
    ):
        path = tmp_path / "b.tar"
        path.write_bytes(whole)

        def change(index, _count, run_id):
            if index == 1:
                with path.open("rb") as stream:
                    begin = BackupReader(stream).members[frame_member(run_id, "events")].begin
                with path.open("r+b") as stream:
                    stream.seek(begin)
                    stream.write(b"other")

        with pytest.raises(BackupError, match=re.escape(str(path))):
            restore(target, path, change)
        assert target.count() == 0
        assert target.catalogue.pending() == []
        assert not [*Path(target.store.url).rglob("*.pack")]


class TestHostileTars:
    @pytest.mark.parametrize(
        ("name", "more", "member"),
        [
            ("frames/../../x.parquet", {}, "frames/../../x.parquet"),
            ("/etc/x", {}, "/etc/x"),
            ("rows/sessions.jsonl", {}, "rows/sessions.jsonl"),
            ("frames/a/events.parquet", {}, "frames/a/events.parquet"),
            ("x", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}, "x"),
            ("x", {"type": tarfile.LNKTYPE, "linkname": "y"}, "x"),
            ("x", {"type": tarfile.DIRTYPE}, "x"),
            ("x", {"type": tarfile.CHRTYPE}, "x"),
            ("x", {"type": tarfile.GNUTYPE_SPARSE}, "x"),
            ("x" * 200, {}, "././@PaxHeader"),
            ("ä", {}, "././@PaxHeader"),
        ],
    )
    def test_a_member_that_no_backup_has_is_refused(self, target, tmp_path, name, more, member):
        inside = json.dumps({"size": 0, "sha256": backup_file.hashlib.sha256().hexdigest()})
        manifest = f'{{"format": "tilescope backup 1", "revision": "{HEAD}", "members": {{{json.dumps(name)}: {inside}}}}}'
        path = tar_of(tmp_path / "h.tar", (name, b"", more), (MANIFEST, manifest.encode(), {}))
        content = path.read_bytes()
        path.write_bytes(
            content.rstrip(b"\0") + bytes(-len(content.rstrip(b"\0")) % 512) + bytes(1024)
        )
        refused(target, path, re.escape(repr(member)))

    @pytest.mark.parametrize("size", [2**20, 8**11 - 1, 8**12, 2**62])
    def test_a_size_that_the_file_does_not_have_is_refused(self, target, tmp_path, size):
        path = tmp_path / "h.tar"
        path.write_bytes(backup_file._header("rows/runs.jsonl", size) + bytes(1024))
        refused(target, path, "cut off")

    def test_a_size_below_nothing_is_refused(self, target, tmp_path):
        header = bytearray(backup_file._header("x", 0))
        header[124:136] = (2**96 - 512).to_bytes(12, "big")
        header[148:156] = b"%06o\0 " % tarfile.calc_chksums(header)[0]
        (tmp_path / "h.tar").write_bytes(header + bytes(1024))
        refused(target, tmp_path / "h.tar", "'x'")

    def test_two_members_of_one_name_are_refused(self, target, tmp_path):
        path = tar_of(
            tmp_path / "h.tar", ("rows/runs.jsonl", b"", {}), ("rows/runs.jsonl", b"", {})
        )
        refused(target, path, "twice")

    def test_what_the_manifest_does_not_name_is_refused(self, target, tmp_path, whole):
        header = backup_file._header("rows/extra.jsonl", 0)
        (tmp_path / "h.tar").write_bytes(header + whole)
        refused(target, tmp_path / "h.tar", "rows/extra.jsonl")

    @pytest.mark.parametrize(
        "content", [b"", b"{", b"[]", b"{}", b'{"format": "tilescope backup 1"}', b"[" * 100_000]
    )
    def test_a_manifest_that_is_none_is_refused(self, target, tmp_path, content):
        path = tmp_path / "h.tar"
        header = backup_file._header(MANIFEST, len(content))
        path.write_bytes(header + content + bytes(-len(content) % 512) + bytes(1024))
        refused(target, path, "manifest|no backup")

    @pytest.mark.parametrize(
        "content", [b"", b"no tar", bytes(1024), bytes(10_240), b"\xff" * 2048]
    )
    def test_what_is_no_tar_is_refused(self, target, tmp_path, content):
        (tmp_path / "h.tar").write_bytes(content)
        refused(target, tmp_path / "h.tar", "h.tar")

    def test_what_is_no_file_is_refused(self, target, tmp_path):
        refused(target, tmp_path, re.escape(str(tmp_path)))

    def test_a_size_that_the_common_header_has_no_room_for_is_read_back(self):
        assert backup_file._read_header(backup_file._header("x", 8**11), 0)[:2] == ("x", 8**11)


class TestRows:
    @pytest.mark.parametrize(
        ("table", "row"),
        [
            ("tokens", [TOKEN]),
            ("tokens", TOKEN | {"more": 1}),
            ("tokens", TOKEN | {"scope": None}),
            ("tokens", TOKEN | {"scope": 5}),
            ("tokens", TOKEN | {"scope": "x" * 9}),
            ("tokens", TOKEN | {"name": "a\0b"}),
            ("tokens", TOKEN | {"name": "\ud800"}),
            ("baselines", BASELINE | {"runs": 5}),
            ("baselines", BASELINE | {"runs": [5]}),
            ("baselines", BASELINE | {"runs": None}),
            ("baselines", BASELINE | {"key": ["a"]}),
            ("baselines", BASELINE | {"last": 2**31}),
            ("baselines", BASELINE | {"last": True}),
            ("audit", AUDIT | {"entry_id": 2**63}),
            ("annotations", NOTE | {"pinned": 1}),
            ("annotations", NOTE | {"tags": "a"}),
            ("runs", {}),
        ],
    )
    def test_a_row_that_cannot_be_right_is_refused(self, target, tmp_path, table, row):
        refused(target, file_of(tmp_path, {table: [row]}), rf"\b{table}\b")

    @pytest.mark.parametrize(
        "change",
        [
            {"run_id": "../../x"},
            {"run_id": ""},
            {"run": {}},
            {"frames": {"../x": 1}},
            {"frames": {"": 1}},
            {"frames": ["events"]},
            {"findings": [5]},
        ],
    )
    def test_a_run_that_cannot_be_right_is_refused(self, source, target, tmp_path, change):
        row = self.run_of(source) | change
        row["run"] = row["run"] | ({"run_id": row["run_id"]} if row["run"] else {})
        refused(target, file_of(tmp_path, {"runs": [row]}), re.escape(f"run: {row['run_id']}"))

    def test_a_run_is_there_once(self, source, target, tmp_path):
        refused(target, file_of(tmp_path, {"runs": [self.run_of(source)] * 2}), "twice")

    def test_two_rows_of_one_key_leave_nothing(self, target, tmp_path):
        with pytest.raises(StorageError, match="duplicate key"):
            restore(target, file_of(tmp_path, {"tokens": [TOKEN, TOKEN]}))
        assert Tokens(target.catalogue).all() == []

    @pytest.mark.parametrize(
        "content", [b"\n", b"{", b"5\n", b'{"a": 1}', b"\xff\n", b"[" * 100_000 + b"\n"]
    )
    def test_lines_that_are_no_rows_are_refused(self, target, tmp_path, content):
        refused(target, file_of(tmp_path, frames={"rows/runs.jsonl": content}), "runs")

    def test_a_line_without_end_is_given_up(self, target, tmp_path, monkeypatch):
        monkeypatch.setattr(backup_file, "_MAX_LINE_BYTES", 10)
        refused(target, file_of(tmp_path, frames={"rows/runs.jsonl": b"x" * 20}), "too long")

    def test_a_manifest_that_is_too_large_is_given_up(self, target, tmp_path, monkeypatch):
        monkeypatch.setattr(backup_file, "_MAX_MANIFEST_BYTES", 10)
        refused(target, file_of(tmp_path), "too large")

    @staticmethod
    def run_of(source):
        with backup_rows.snapshot(source.catalogue) as rows:
            return next(rows("runs"))


class TestReleases:
    def test_a_later_revision_is_refused(self, target, tmp_path):
        refused(target, file_of(tmp_path, revision="9999"), "later release")

    def test_an_older_one_is_read_with_nulls_for_what_it_lacks(self, source, target, tmp_path):
        row = {key: value for key, value in TestRows.run_of(source).items() if key != "checksums"}
        restore(target, file_of(tmp_path, {"runs": [row], "tokens": [TOKEN]}, revision=FIRST))
        assert target.find_run(row["run_id"]).checksums == {}
        assert not target.find_run(row["run_id"]).is_packed
        assert [token.token_id for token in Tokens(target.catalogue).all()] == ["t"]


class TestStores:
    def test_a_store_that_is_not_empty_is_refused(self, whole, target, tmp_path):
        (tmp_path / "b.tar").write_bytes(whole)
        Tokens(target.catalogue).add(Token("t1", "ci", "write", "a" * 64, "2026-01-01", "me"))
        with pytest.raises(StorageError, match=r"\btokens\b"):
            restore(target, tmp_path / "b.tar")
        assert target.count() == 0

    def test_a_store_that_fills_meanwhile_is_left_as_it_is(self, whole, target, tmp_path):
        (tmp_path / "b.tar").write_bytes(whole)
        token = Token("t9", "ci", "write", "a" * 64, "2026-01-01", "me")
        with pytest.raises(StorageError, match=r"\btokens\b"):
            restore(
                target,
                tmp_path / "b.tar",
                lambda index, *_: index or Tokens(target.catalogue).add(token),
            )
        assert (target.count(), target.catalogue.pending()) == (0, [])
        assert not [*Path(target.store.url).rglob("*.pack")]

    def test_a_storage_that_fails_midway_leaves_nothing(self, whole, target, tmp_path, monkeypatch):
        (tmp_path / "b.tar").write_bytes(whole)
        put = type(target.store).put

        def failing(store, prefix, sources):
            files = put(store, prefix, sources)
            if target.catalogue.pending()[1:]:
                raise StorageError("full")
            return files

        monkeypatch.setattr(type(target.store), "put", failing)
        with pytest.raises(StorageError, match="full"):
            restore(target, tmp_path / "b.tar")
        assert (target.count(), target.catalogue.pending()) == (0, [])
        assert not [*Path(target.store.url).rglob("*.pack")]

    def test_rows_that_were_written_keep_their_files(
        self, source, whole, target, tmp_path, monkeypatch
    ):
        """A database may take what it is given and fail to say so."""
        (tmp_path / "b.tar").write_bytes(whole)
        write = backup_rows.write

        def written(*arguments):
            write(*arguments)
            raise StorageError("the connection was lost")

        monkeypatch.setattr(backup_rows, "write", written)
        with pytest.raises(StorageError, match="lost"):
            restore(target, tmp_path / "b.tar")
        assert rows_of(target) == rows_of(source)
        assert files_of(target) == files_of(source)
