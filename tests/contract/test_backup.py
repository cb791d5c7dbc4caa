"""A backup from a store of any kind into one of any other."""

import pytest

from ingest.files import ingest
from services.store.backup import back_up
from services.store.restore import restore
from storage import backup_rows
from storage.annotations import Annotations
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.checks import Checks
from storage.errors import RunPinned
from storage.repository import Repository
from storage.run_list import RunList
from storage.run_query import RunFilter, RunQuery
from storage.tokens import Token, Tokens
from tests.support.backups import add_all, files_of, rows_of


@pytest.fixture
def new_store(postgres, object_storage, tmp_path):
    """Open an empty store of a kind."""
    opened = []

    def opener(kind):
        embedded = (
            f"sqlite:///{tmp_path}/{len(opened)}/c.db",
            str(tmp_path / f"{len(opened)}" / "frames"),
        )
        opened.append(
            Repository(
                *(embedded if kind == "embedded" else (postgres.new(), object_storage.new()))
            )
        )
        return opened[-1]

    yield opener
    for repository in opened:
        repository.catalogue.close()


@pytest.mark.quick_every(2)
@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize("kinds", [("embedded", "team"), ("team", "embedded")], ids=" -> ".join)
def test_a_store_is_the_same_in_another_one(kinds, new_store, write, tmp_path):
    source, target = map(new_store, kinds)
    paths = [write(f"{i}.fake", f"t{i}", rows=i + 2) for i in range(3)]
    ids = [run.run_id for run in ingest(source, paths, {"hwid": "npu1", "M": "64"}).runs]
    add_all(source, ids)
    copied = back_up(source, tmp_path / "b.tar")
    restored = restore(target, tmp_path / "b.tar")
    assert (
        (copied.runs, copied.files, copied.findings)
        == (restored.runs, restored.files, [])
        == (3, 6, [])
    )
    assert rows_of(target) == rows_of(source)
    assert files_of(target) == files_of(source)
    assert all(map(target.is_whole, target.catalogue.runs()))
    assert target.catalogue.pending() == []
    assert {run.prefix for run in source.catalogue.runs()}.isdisjoint(
        run.prefix for run in target.catalogue.runs()
    )


@pytest.mark.slow
@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize("kind", ["embedded", "team"])
def test_a_restored_store_goes_on(kind, new_store, write, tmp_path):
    source, target = new_store("embedded"), new_store(kind)
    ids = [
        run.run_id for run in ingest(source, [write("a.fake", "a"), write("b.fake", "b")], {}).runs
    ]
    add_all(source, ids)
    back_up(source, tmp_path / "b.tar")
    restore(target, tmp_path / "b.tar")
    Audit(target.catalogue).add("me", "login", "later")
    assert [entry.object for entry in Audit(target.catalogue).entries()] == [
        "later",
        "three",
        "two",
        "one",
    ]
    listed = RunList(target.catalogue).page(RunQuery(RunFilter(tag=("golden",)))).runs
    assert [run.run_id for run in listed] == [ids[0]]
    assert Annotations(target.catalogue).of(listed)[ids[0]].tags == ("golden", "β")
    assert Checks(target.catalogue).regressed_runs("base") == {ids[0]}
    with pytest.raises(RunPinned):
        target.delete(ids[0])
    target.delete(ids[1])
    assert ingest(target, [write("a.fake", "a")], {}).runs[0].status == "unchanged"


def test_a_snapshot_sees_nothing_that_comes_later(new_database):
    catalogue = Catalogue(new_database())
    catalogue.create()
    with backup_rows.snapshot(catalogue) as rows:
        assert list(rows("runs")) == []
        Tokens(catalogue).add(Token("t1", "ci", "write", "a" * 64, "2026-01-01", "me"))
        assert list(rows("tokens")) == []
    with backup_rows.snapshot(catalogue) as rows:
        assert [row["token_id"] for row in rows("tokens")] == ["t1"]
    catalogue.close()
