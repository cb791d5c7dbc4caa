"""Sequences of changes of a store: SQL has the same rows with and without monthly files."""

import contextlib
import itertools
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingest.files import ingest
from services.query import compaction
from storage.annotations import Annotations, Change
from storage.monthly_files import MonthlyFiles
from storage.repository import Repository
from storage.run_query import EVERY_RUN, RunFilter
from tests.support.monthly_store import compact, rows_from_packs, rows_of, write_problem

NAMES = ("runs", "attempts")
RUN = st.integers(0, 3)
ACTIONS = st.one_of(
    st.tuples(st.sampled_from(["ingest", "delete", "rename", "tag"]), RUN),
    st.tuples(st.sampled_from(["compact", "end early", "remove"]), st.just(0)),
    # Changes that a user makes while a file is written.
    st.tuples(st.sampled_from(["delete meanwhile", "tag meanwhile", "rename meanwhile"]), RUN),
)
RENAMED = itertools.count()


class EndedError(Exception):
    pass


class Store:
    """A store whose runs are problems of different ranks."""

    def __init__(self, folder):
        self.folder = folder
        self.repository = Repository(f"sqlite:///{folder / 'c.db'}", str(folder / "frames"))
        self.repository.catalogue.create()
        self.ids = {}

    def do(self, action, rank):
        getattr(self, action.replace(" ", "_"))(rank)

    def ingest(self, rank):
        taken_at = f"2026-0{1 + rank % 2}-11T10:00:00Z"
        path = write_problem(self.folder, rank)
        [run] = ingest(self.repository, [path], {"taken_at": taken_at}).runs
        self.ids[rank] = run.run_id

    def rename(self, rank):
        if rank in self.ids:
            path = write_problem(self.folder, rank)
            assert ingest(self.repository, [path], {"name": f"n{next(RENAMED)}"}).runs

    def delete(self, rank):
        if rank in self.ids:
            self.repository.delete(self.ids.pop(rank))

    def tag(self, rank):
        if rank in self.ids:
            Annotations(self.repository.catalogue).change(
                self.ids[rank], Change(notes="seen"), "user"
            )

    def compact(self, _=0):
        compact(self.repository)

    def remove(self, _):
        MonthlyFiles(self.repository.catalogue).remove_retired(self.repository.store, after_s=-1)

    def end_early(self, _):
        def end(*_args):
            raise EndedError

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(MonthlyFiles, "retire", end)
            patch.setattr(compaction, "_put", end)
            with contextlib.suppress(EndedError):
                self.compact()

    def delete_meanwhile(self, rank):
        self._meanwhile(self.delete, rank)

    def tag_meanwhile(self, rank):
        self._meanwhile(self.tag, rank)

    def rename_meanwhile(self, rank):
        self._meanwhile(self.rename, rank)

    def _meanwhile(self, change, rank):
        put = compaction._put

        def change_and_put(*args):
            change(rank)
            put(*args)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compaction, "_put", change_and_put)
            self.compact()


@pytest.mark.slow
@given(st.lists(ACTIONS, min_size=1, max_size=8), RUN)
@settings(max_examples=12)
@example([("ingest", 0), ("ingest", 2), ("compact", 0), ("delete", 0), ("compact", 0)], 2)
@example([("ingest", 0), ("ingest", 2), ("delete meanwhile", 0), ("ingest", 0)], 0)
@example([("ingest", 0), ("ingest", 2), ("rename meanwhile", 0), ("compact", 0)], 0)
@example([("ingest", 0), ("compact", 0), ("ingest", 2), ("end early", 0), ("tag", 0)], 0)
def test_rows_are_equal_after_any_changes(actions, chosen):
    with TemporaryDirectory() as folder:
        store = Store(Path(folder))
        store.ingest(1)
        for action, rank in actions:
            store.do(action, rank)
        name = store.folder / f"p{chosen}.64.csv"
        for fits in (EVERY_RUN, RunFilter(words=(name.stem,))):
            tables, _ = rows_of(store.repository, fits, names=NAMES)
            assert tables == rows_from_packs(store.repository, fits, names=NAMES)
        store.repository.catalogue.close()
