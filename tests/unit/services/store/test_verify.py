"""Verifying: what a backup holds, and every thing that is wrong with it."""

import io
import json
import tarfile

import pytest

from ingest.files import ingest
from services.store.backup import back_up, frame_member, rows_member
from services.store.backup_file import MANIFEST, BackupError, BackupReader
from services.store.verify import verify
from storage.revisions import FIRST, HEAD
from tests.support.backups import add_all, damage_member, file_of, remake


@pytest.fixture
def ids(repository, write, loader):
    found = sorted(
        run.run_id
        for run in ingest(repository, [write(f"{i}.fake", f"t{i}") for i in range(3)], {}).runs
    )
    add_all(repository, found)
    return found


@pytest.fixture
def file(repository, ids, tmp_path):
    back_up(repository, tmp_path / "b.tar")
    return tmp_path / "b.tar"


def test_it_says_what_a_whole_backup_holds(file, ids):
    found = verify(file)
    assert (found.runs, found.files, found.size, found.problems) == (3, 6, file.stat().st_size, ())
    assert found.revision == HEAD
    assert found.made_at.endswith("+00:00")
    assert json.loads(json.dumps(found.record()))["problems"] == []


def test_every_damaged_member_is_named(file, ids):
    names = [frame_member(ids[0], "events"), frame_member(ids[2], "events"), rows_member("audit")]
    for name in names:
        damage_member(file, name)
    found = verify(file)
    assert len(found.problems) == len(names)
    for name in names:
        assert sum(name in problem for problem in found.problems) == 1
    assert all(problem.startswith(f"{file} ") for problem in found.problems)
    assert found.runs == 3


def test_a_member_that_is_left_out_is_named_once(file, ids):
    name = frame_member(ids[1], "events")
    (problem,) = verify(remake(file, leave_out=[name])).problems
    assert name in problem


def test_damaged_runs_do_not_make_their_frames_strange(file):
    damage_member(file, rows_member("runs"))
    (problem,) = verify(file).problems
    assert rows_member("runs") in problem


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_cut_backup_is_one_problem(file, share):
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * share)])
    found = verify(file)
    assert (len(found.problems), found.runs, found.made_at) == (1, 0, "")


def test_what_the_manifest_agrees_with_and_the_runs_do_not_is_found(file, ids):
    """The store was damaged already: hashes alone prove that the copy is what it was."""
    gone, other = frame_member(ids[0], "events"), frame_member(ids[1], "events")
    made = remake(file, leave_out=[gone], replace={other: b"PAR1 no longer"}, signed=True)
    problems = verify(made).problems
    assert len(problems) == 2
    assert (
        sum(ids[0] in problem for problem in problems)
        == sum(ids[1] in problem for problem in problems)
        == 1
    )


def test_a_frame_without_checksum_has_to_be_readable(file, ids):
    def forget(rows):
        return [row | {"checksums": None} for row in rows]

    name = frame_member(ids[1], "events")
    with file.open("rb") as stream:
        runs = [*BackupReader(stream).lines(rows_member("runs"))]
    rows = "".join(json.dumps(row) + "\n" for row in forget(runs)).encode()
    assert verify(remake(file, replace={rows_member("runs"): rows}, signed=True)).problems == ()
    with tarfile.open(file) as tar:
        content = tar.extractfile(name).read()
    broken = {
        rows_member("runs"): rows,
        name: content[:8] + bytes(len(content) - 16) + content[-8:],
    }
    (problem,) = verify(remake(file, replace=broken, signed=True)).problems
    assert ids[1] in problem


def test_rows_that_do_not_fit_are_named_with_their_line(tmp_path):
    path = file_of(tmp_path, {"tokens": [{"more": 1}, {}, {"more": 2}]}, revision=FIRST)
    problems = verify(path).problems
    assert [problem.rpartition("line ")[2][0] for problem in problems] == ["1", "2", "3"]
    assert all(rows_member("tokens") in problem for problem in problems)


def test_a_table_of_this_release_may_not_be_missing_but_of_an_older_one(file):
    name = rows_member("baselines")
    (problem,) = verify(remake(file, leave_out=[name], signed=True)).problems
    assert name in problem
    assert verify(remake(file, leave_out=[name], signed=True, revision=FIRST)).problems == ()


def test_a_later_release_is_said(file):
    assert len(verify(remake(file, signed=True, revision="9999")).problems) == 1


@pytest.mark.parametrize("content", [b"", b"no tar", bytes(10_240)])
def test_what_is_no_backup_is_a_problem(tmp_path, content):
    (tmp_path / "x.tar").write_bytes(content)
    assert len(verify(tmp_path / "x.tar").problems) == 1


def test_what_is_no_file_is_an_error(tmp_path):
    with pytest.raises(BackupError):
        verify(tmp_path)
    with pytest.raises(FileNotFoundError):
        verify(tmp_path / "none.tar")
    with pytest.raises(BackupError):
        verify("s3://bucket")


def test_the_time_is_that_of_the_manifest(file):
    with tarfile.open(file) as tar:
        made = tar.getmember(MANIFEST).mtime
    assert BackupReader(io.BytesIO(file.read_bytes())).made_at == made
