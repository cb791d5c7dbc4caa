"""The parts of an overview: each kind of attention has words and a page, and tables are as wide as their heads."""

from dataclasses import replace
from typing import get_args

import pytest

from app.config.settings import Settings
from app.overview.attention_words import attention_page, attention_words, store_sentence
from app.overview.parts import overview_parts
from app.overview.record import load_overview
from app.text_table import table_lines
from components.runs.list_address import LIST_PATH
from services.store.attention import Attention, Kind
from services.store.tokens import make_token
from storage.audit import Audit
from storage.jobs import Jobs
from storage.uploads import Upload, Uploads
from storage.watchers import Watchers, begin_watcher
from tests.support.runs import record_of, stored_of


@pytest.fixture
def overview(tmp_path):
    """The overview of a store with something in every table."""
    settings = Settings(data=tmp_path / "data")
    repository = settings.repository()
    catalogue = repository.catalogue
    catalogue.create()
    stored = stored_of(record_of(created_at="2026-11-01T00:00:00+00:00"))
    stored.checksums["events"] = [1_000, 1]
    catalogue.insert(stored, "ann")
    Audit(catalogue).add("edgar", "upload.fail", "a.json", "no trace")
    Uploads(catalogue).add(Upload("u1", "edgar", "big.json", 100, None, {}, [], 40))
    Watchers(catalogue).put(begin_watcher("/in", "ann", 10.0))
    make_token(catalogue, "ci", "write", "ada")
    Jobs(catalogue).add("derive", ["a"], "ann", {})
    yield load_overview(settings, repository)
    catalogue.close()


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_of_attention_has_words_and_a_place(kind, overview):
    parts = {f"#admin-{part.name}" for part in overview_parts(overview)}
    assert attention_page(kind) in parts | {LIST_PATH, "/jobs", "/alerts"}
    one = Attention(kind, 3, "because")
    assert attention_words(one) in store_sentence(overview, [one])


@pytest.mark.parametrize(("place", "is_well"), [("", False), ("/backups", True)])
def test_a_store_whose_backups_are_off_is_not_called_well(overview, place, is_well):
    state = replace(overview.backups, to=place)
    sentence = store_sentence(replace(overview, backups=state), [])
    assert ("nothing needs attention" in sentence) == is_well
    assert ("well" in sentence) == is_well
    assert ("backups are off" in sentence) == (not is_well)


def test_every_row_has_a_cell_for_each_head(overview):
    tables = [table for part in overview_parts(overview) for table in part.tables]
    assert len(tables) == 10
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.heads)}
        assert len(table.shares) in (0, len(table.rows))
        assert all(0 <= share <= 1 for share in table.shares)
        assert len([*table_lines(table)]) == len(table.rows) + 1


def test_names_of_parts_are_their_own(overview):
    names = [part.name for part in overview_parts(overview)]
    assert len(set(names)) == len(names)
    assert all(part.title and part.sentence for part in overview_parts(overview))
